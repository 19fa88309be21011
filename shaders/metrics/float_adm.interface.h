// Interface of the shaders float_adm_*.comp. GLSL and C++ both include this file.
//
// Planes of a scale are stored column by column. `pitch` is the distance between columns, `plane`
// the distance between planes, both in numbers. Each row must be summed from left to right, so
// neighbouring invocations of a subgroup process neighbouring rows.
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

// Number of rows that a workgroup processes.
SIDECORE_CONST uint kAdmRows = 16u;
// Number of columns that a workgroup of float_adm_luma.comp and float_adm_bands.comp processes.
SIDECORE_CONST uint kAdmColumns = 4u;
// Number of strips per row of a workgroup of float_adm_masking.comp; the next constant is the
// number of columns per strip. An invocation processes one strip.
SIDECORE_CONST uint kAdmStrips = 4u;
SIDECORE_CONST uint kAdmStripColumns = 8u;

// Number of columns that an invocation of float_adm_recompute.comp searches.
SIDECORE_CONST uint kAdmSearchedColumns = 128u;

SIDECORE_CONST uint kAdmShaderScales = 4u;
SIDECORE_CONST uint kAdmShaderBands = 3u;
// Planes of details, one per band: reference, restored, impairment, each weighted by the contrast
// sensitivity.
SIDECORE_CONST uint kAdmDetailPlanes = 9u;
// Number of planes of thresholds: first those that the impairment sets for the restored detail,
// then those that the restored detail sets for the impairment.
SIDECORE_CONST uint kAdmThresholdPlanes = 2u;

// float_adm_luma.comp and float_adm_bands.comp: compute the details from the wavelet transform of
// both pictures.
// - Bindings 0 and 1, read: reference and distorted picture, luma samples as 32-bit words row by
//   row, or approximations column by column.
// - Binding 2, written: the approximations, reference first.
// - Binding 3, written: the details.
// - constant_id 0 of float_adm_luma.comp: bits per sample (8, 10, 12 or 16).
struct AdmBandsPush {
  uint input_width;
  uint input_height;
  // Distance between rows of luma, in words, or between columns of approximations, in numbers.
  uint reference_stride;
  uint distorted_stride;
  uint width;  // number of columns of a band
  uint height;
  uint pitch;
  uint plane;
  uint left;  // left, top, right, bottom: rectangle of samples whose details are needed
  uint top;
  uint right;
  uint bottom;
  float straight_weight;  // contrast sensitivity of bands 0 and 1
  float diagonal_weight;  // contrast sensitivity of band 2
  float gain_limit;
};

// float_adm_masking.comp: computes the thresholds.
// - Binding 0, read: the details.
// - Binding 1, written: the thresholds. Workgroups with z = 0 and z = 1 compute one plane of
//   thresholds each. float_adm_recompute.comp: the same bindings, but the thresholds are read and
//   written.
struct AdmMaskingPush {
  uint width;
  uint height;
  uint pitch;
  uint plane;
  uint left;  // left, top, right, bottom: rectangle of samples that is summed
  uint top;
  uint right;
  uint bottom;
  // Value of kAdmShaderBands; not a constant, so that no compiler unrolls the loop over the bands.
  uint bands;
};

// float_adm_rows.comp: adds up rows. One invocation sums one row of one plane of details.
// - Bindings 0 and 1, read: the details and the thresholds.
// - Binding 2, written: a sum for each plane of each row.
struct AdmRowsPush {
  uint pitch;
  uint plane;
  uint left;  // left, top, right, bottom: rectangle of samples that is summed
  uint top;
  uint right;
  uint bottom;
};

// float_adm_total.comp, one workgroup: adds the sums of the rows.
// - Binding 0, read: the sums of the rows.
// - Binding 1, written: a sum for each plane of each scale.
struct AdmTotalPush {
  uint first_row[kAdmShaderScales];
  uint rows[kAdmShaderScales];
};

// Offset that marks a threshold whose last bit is undecided: it is added to the threshold. No other
// threshold is negative.
SIDECORE_CONST float kAdmUndecided = -1e30f;

// These constants must equal those in metrics/float_adm.h. The next one is 2^-31.
SIDECORE_CONST float kAdmSmallestCoefficientInShader = 4.656612873077392578125e-10f;
// equals 2^-40
SIDECORE_CONST float kAdmSmallestTermInShader = 9.094947017729282379150390625e-13f;

#ifdef __cplusplus
}  // namespace sidecore::qpu::shader
#endif
#undef SIDECORE_CONST
#endif
