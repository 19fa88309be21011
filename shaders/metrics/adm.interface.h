// Interface of the shaders adm_*.comp. GLSL and C++ both include this file.
//
// Planes of a scale are stored row by row, as 32-bit numbers. `pitch` is the distance between rows
// in numbers, and must be a multiple of 4. `plane` is the distance between planes in numbers, and
// must be a multiple of 64.
#ifndef SIDECORE_ADM_INTERFACE_H
#define SIDECORE_ADM_INTERFACE_H

#ifdef __cplusplus
#include <cstdint>
namespace sidecore::qpu::shader {
using uint = std::uint32_t;
#define SIDECORE_CONST inline constexpr
#else
#define SIDECORE_CONST const
#endif

// Number of rows that a workgroup processes; the next constant is the number of invocations per
// row.
SIDECORE_CONST uint kIntegerAdmRows = 4u;
SIDECORE_CONST uint kIntegerAdmLanes = 16u;
// Number of columns of a band that an invocation processes at a time; adm_bands.comp processes half
// as many.
SIDECORE_CONST uint kIntegerAdmColumns = 4u;

SIDECORE_CONST uint kIntegerAdmScales = 4u;
SIDECORE_CONST uint kIntegerAdmBands = 3u;
// Planes of each picture: approximation, horizontal, vertical, diagonal band. The reference's four
// planes come first.
SIDECORE_CONST uint kIntegerAdmWaveletPlanes = 8u;
// Planes of details, three bands each: restored detail, then impairment. In scale 0 they are
// products with the contrast sensitivity; in the other scales these products are rounded.
// kIntegerAdmNeighbours: first of two planes (restored detail, impairment) with the amount that a
// sample adds to each masking threshold of its 3x3 neighbourhood. kIntegerAdmOwn: first of two
// planes with the additional amount for the sample's own threshold.
SIDECORE_CONST uint kIntegerAdmNeighbours = 6u;
SIDECORE_CONST uint kIntegerAdmOwn = 8u;
SIDECORE_CONST uint kIntegerAdmDetailPlanes = 10u;
// Number of sums: reference, restored detail, impairment, three bands each.
SIDECORE_CONST uint kIntegerAdmSums = 9u;

// adm_luma.comp (scale 0) and adm_bands.comp (scales 1 to 3): wavelet transform of both pictures.
// Workgroups with z = 0 transform the reference, those with z = 1 the distorted picture.
// - Bindings 0 and 1, read: luma of both, as vectors of 8 bytes that start at multiples of 16, or
//   the approximations of the previous scale.
// - Binding 2, written: the wavelet's planes.
// - constant_id 0: bits per sample (8, 10, 12 or 16), or the scale (1, 2 or 3).
struct AdmWaveletPush {
  uint input_width;  // width in samples
  uint input_height;
  // Distance between rows, in 8-byte vectors of luma or in vectors of four approximations.
  uint reference_stride;
  uint distorted_stride;
  uint width;  // number of columns of a band
  uint height;
  uint pitch;
  uint plane;
};

// adm_details.comp: restored detail and impairment in a rectangle.
// - Binding 0, read: the wavelet's planes.
// - Binding 1, written: the planes of details.
// - constant_id 0: 1 for scale 0, otherwise 0.
struct AdmDetailsPush {
  uint width;
  uint pitch;
  uint plane;
  uint left;  // left, top, right, bottom: rectangle of samples whose details are needed
  uint top;
  uint right;
  uint bottom;
  uint straight_factor;  // values of metrics::IntegerAdmScale::factor
  uint diagonal_factor;
  uint gain_whole;          // whole part of the enhancement gain limit, 1 to 100
  uint gain_fraction_high;  // fraction of the gain limit, in units of 2^-20
  uint gain_fraction_low;   // rest of that fraction, in units of 2^-52
};

// adm_rows.comp: rounded sums over rows. Workgroups with z = 0, 1, 2 sum the reference, restored
// detail and the impairment.
// - Bindings 0 and 1, read: the planes of the wavelet and of the details.
// - Binding 2, written: kIntegerAdmSums 64-bit sums per row, low word first.
// - constant_id 0: 1 for scale 0, otherwise 0.
struct AdmIntegerRowsPush {
  uint width;
  uint height;
  uint pitch;
  uint plane;
  uint left;  // left, top, right, bottom: rectangle of samples that is summed
  uint top;
  uint right;
  uint bottom;
  // Right shifts, in bits, of squared samples, of cubed samples, and of sums of rows.
  uint reference_square_shift;
  uint reference_cube_shift;
  uint reference_row_shift;
  uint width_log2;
  uint row_shift;
};

// adm_total.comp: workgroup (x, y) adds up sum x of scale y.
// - Binding 0, read: the sums of the rows.
// - Binding 1, written: kIntegerAdmSums 64-bit sums per scale.
struct AdmIntegerTotalPush {
  uint first_row[kIntegerAdmScales];
  uint rows[kIntegerAdmScales];
};

#ifdef __cplusplus
}  // namespace sidecore::qpu::shader
#endif
#undef SIDECORE_CONST
#endif
