// Interface of the shaders float_adm_*.comp, read by GLSL and by C++.
//
// Planes of a scale are stored column by column, `pitch` numbers from a column to the next and
// `plane` numbers from a plane to the next: neighbours in a subgroup work on neighbouring rows,
// each of which has to be summed from left to right.
#ifndef SIDECORE_FLOAT_ADM_INTERFACE_H
#define SIDECORE_FLOAT_ADM_INTERFACE_H

#ifdef __cplusplus
#include <cstdint>
namespace sidecore::qpu::shader {
using uint = std::uint32_t;
#define SIDECORE_CONST inline constexpr
#else
#define SIDECORE_CONST const
#endif

// A workgroup works on this many rows.
SIDECORE_CONST uint kAdmRows = 16u;
// And, in float_adm_luma.comp and float_adm_bands.comp, on this many columns.
SIDECORE_CONST uint kAdmColumns = 4u;
// And, in float_adm_masking.comp, on this many strips of so many columns, one strip an invocation.
SIDECORE_CONST uint kAdmStrips = 4u;
SIDECORE_CONST uint kAdmStripColumns = 8u;

// And an invocation of float_adm_settle.comp looks through this many columns.
SIDECORE_CONST uint kAdmSettledColumns = 128u;

SIDECORE_CONST uint kAdmShaderScales = 4u;
SIDECORE_CONST uint kAdmShaderBands = 3u;
// Details: reference, restored, impairment, weighed by the contrast sensitivity; a plane each band.
SIDECORE_CONST uint kAdmDetailPlanes = 9u;
// Thresholds: by the impairment, for the restored; by the restored, for the impairment.
SIDECORE_CONST uint kAdmThresholdPlanes = 2u;

// float_adm_luma.comp and float_adm_bands.comp: from the transform of both pictures to the details.
// Bindings 0 and 1, read: reference and distorted, luma samples as 32-bit words row by row, or
// approximations column by column. Binding 2, written: the approximations, reference first. Binding
// 3, written: the details. constant_id 0 of float_adm_luma.comp: bits per sample (8, 10, 12 or 16).
struct AdmBandsPush {
  uint input_width;
  uint input_height;
  uint reference_stride;  // words from a row of luma, or numbers from a column, to the next
  uint distorted_stride;
  uint width;  // of a band
  uint height;
  uint pitch;
  uint plane;
  uint left;  // the rectangle whose details are needed
  uint top;
  uint right;
  uint bottom;
  float straight_weight;  // of bands 0 and 1
  float diagonal_weight;  // of band 2
  float gain_limit;
};

// float_adm_masking.comp: the thresholds. Binding 0, read: the details. Binding 1, written: the
// thresholds. Workgroups with z = 0 and 1 make one plane of them each. float_adm_settle.comp: the
// same bindings, the thresholds read and written.
struct AdmMaskingPush {
  uint width;
  uint height;
  uint pitch;
  uint plane;
  uint left;  // the rectangle that is summed
  uint top;
  uint right;
  uint bottom;
  uint bands;  // kAdmShaderBands; not a constant, so that no compiler unrolls the loop over them
};

// float_adm_rows.comp: sums of rows, of one plane of details an invocation. Bindings 0 and 1, read:
// the details and the thresholds. Binding 2, written: a sum for each plane of each row.
struct AdmRowsPush {
  uint pitch;
  uint plane;
  uint left;  // the rectangle that is summed
  uint top;
  uint right;
  uint bottom;
};

// float_adm_total.comp, one workgroup: binding 0, read: the rows' sums; binding 1, written: a sum
// for each plane of each scale.
struct AdmTotalPush {
  uint first_row[kAdmShaderScales];
  uint rows[kAdmShaderScales];
};

// Added to a threshold that is not known to the last bit: no other is negative.
SIDECORE_CONST float kAdmUnsettled = -1e30f;

// As in metrics/float_adm.h, which has to agree.
SIDECORE_CONST float kAdmSmallestCoefficientInShader = 4.656612873077392578125e-10f;  // 2^-31
SIDECORE_CONST float kAdmSmallestTermInShader = 9.094947017729282379150390625e-13f;   // 2^-40

#ifdef __cplusplus
}  // namespace sidecore::qpu::shader
#endif
#undef SIDECORE_CONST
#endif
