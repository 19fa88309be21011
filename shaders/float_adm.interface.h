// Interface of the shaders float_adm_*.comp, read by GLSL and by C++.
//
// Planes of bands are stored column by column, `pitch` numbers from a column to the next: neighbours
// in a subgroup work on neighbouring rows, each of which has to be summed from left to right.
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

// Rows and columns of bands a workgroup of float_adm_luma.comp and float_adm_bands.comp makes.
SIDECORE_CONST uint kAdmBandRows = 16u;
SIDECORE_CONST uint kAdmBandColumns = 4u;
// Rows a workgroup of float_adm_masking.comp sums.
SIDECORE_CONST uint kAdmSumRows = 16u;
// Sums of a row and of a scale: of the three bands, those of the reference, the restored detail and
// the impairment.
SIDECORE_CONST uint kAdmSums = 9u;
SIDECORE_CONST uint kAdmShaderScales = 4u;

// float_adm_luma.comp and float_adm_bands.comp: the transform of both pictures and what masking needs
// of it. Bindings 0 and 1, read: reference and distorted, luma samples as 32-bit words row by row, or
// approximations column by column. Binding 2, written: the two approximations, reference first.
// Binding 3, written: the details, vectors of three bands and a number more: restored detail
// with the reference's coefficient of band 0, all weighed; then, a plane further, the impairment with
// the coefficient of band 1. Binding 4, written: the reference's weighed coefficient of band 2.
// constant_id 0 of float_adm_luma.comp: bits per sample (8, 10, 12 or 16).
struct AdmBandsPush {
  uint input_width;
  uint input_height;
  uint reference_stride;  // words from a row of luma, or numbers from a column, to the next
  uint distorted_stride;
  uint width;  // of a band
  uint height;
  uint pitch;
  uint plane;  // numbers, or vectors, from a plane to the next of the same binding
  uint left;   // the rectangle whose details are needed
  uint top;
  uint right;
  uint bottom;
  float straight_weight;  // of bands 0 and 1
  float diagonal_weight;  // of band 2
  float gain_limit;
};

// float_adm_masking.comp, a row an invocation and two kinds of work: workgroups with y = 0 sum the
// reference and the restored detail, those with y = 1 the impairment. Bindings 0 and 1, read: bindings
// 3 and 4 from above. Binding 2, read and written: kAdmSums sums a row.
// constant_id 0: 0, or 1 to do again, exactly, the rows whose first sum says that they could not be
// settled.
struct AdmMaskingPush {
  uint width;
  uint height;
  uint pitch;
  uint plane;
  uint left;  // the rectangle that is summed
  uint top;
  uint right;
  uint bottom;
  uint first_row;  // of this scale in binding 2, less `top`
};

// float_adm_total.comp, one workgroup: binding 0, read: the rows' sums; binding 1, written: kAdmSums
// sums a scale.
struct AdmTotalPush {
  uint first_row[kAdmShaderScales];
  uint rows[kAdmShaderScales];
};

// In place of a row's sum: the row has a value that needs the exact computation. Not a sum, as those are
// not negative.
SIDECORE_CONST float kAdmUnsettled = -1.0f;

// As in metrics/float_adm.h, which has to agree.
SIDECORE_CONST float kAdmSmallestCoefficientInShader = 4.656612873077392578125e-10f;  // 2^-31
SIDECORE_CONST float kAdmSmallestTermInShader = 9.094947017729282379150390625e-13f;   // 2^-40

#ifdef __cplusplus
}  // namespace sidecore::qpu::shader
#endif
#undef SIDECORE_CONST
#endif
