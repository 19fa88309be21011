// Interface of the shaders adm_*.comp, read by GLSL and by C++.
//
// Planes of a scale are stored row by row, `pitch` numbers of 32 bits from a row to the next, a
// multiple of 4, and `plane` numbers from a plane to the next, a multiple of 64.
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

// A workgroup works on this many rows, with this many invocations a row.
SIDECORE_CONST uint kIntegerAdmRows = 4u;
SIDECORE_CONST uint kIntegerAdmLanes = 16u;
// And an invocation on so many columns of a band at a time; in adm_bands.comp on half as many.
SIDECORE_CONST uint kIntegerAdmColumns = 4u;

SIDECORE_CONST uint kIntegerAdmScales = 4u;
SIDECORE_CONST uint kIntegerAdmBands = 3u;
// Of each picture: approximation, horizontal, vertical, diagonal band. The reference's come first.
SIDECORE_CONST uint kIntegerAdmWaveletPlanes = 8u;
// Details, of restored detail and of the impairment, three bands each: in scale 0 products with the
// contrast sensitivity, in the others such products rounded. Then what a sample adds to the
// masking thresholds around it, of the restored detail and of the impairment, and what more to its
// own, of both.
SIDECORE_CONST uint kIntegerAdmNeighbours = 6u;
SIDECORE_CONST uint kIntegerAdmOwn = 8u;
SIDECORE_CONST uint kIntegerAdmDetailPlanes = 10u;
// Sums: of the reference, of restored detail, of the impairment, three bands each.
SIDECORE_CONST uint kIntegerAdmSums = 9u;

// adm_luma.comp (scale 0) and adm_bands.comp: the wavelet transform of both pictures, workgroups
// with z = 0 of the reference and z = 1 of the distorted one. Bindings 0 and 1, read: their luma,
// as vectors of 8 bytes that start at multiples of 16, or the approximations of the scale before.
// Binding 2, written: the wavelet's planes. constant_id 0: bits per sample (8, 10, 12 or 16), or
// the scale (1, 2 or 3).
struct AdmWaveletPush {
  uint input_width;  // samples
  uint input_height;
  uint reference_stride;  // 8-byte vectors from a row of luma, or vectors of four from a row, to
                          // the next
  uint distorted_stride;
  uint width;  // of a band
  uint height;
  uint pitch;
  uint plane;
};

// adm_details.comp: restored detail and impairment, in a rectangle. Binding 0, read: the wavelet's
// planes. Binding 1, written: the details' planes. constant_id 0: whether it is scale 0.
struct AdmDetailsPush {
  uint width;
  uint pitch;
  uint plane;
  uint left;  // the rectangle whose details are needed
  uint top;
  uint right;
  uint bottom;
  uint straight_factor;  // metrics::IntegerAdmScale::factor
  uint diagonal_factor;
  uint gain_whole;          // the limit of enhancement, 1 to 100
  uint gain_fraction_high;  // behind its point, in units of 2^-20
  uint gain_fraction_low;   // and of 2^-52
};

// adm_rows.comp: sums over rows, rounded. Workgroups with z = 0, 1, 2 make those of the reference,
// of restored detail, of the impairment. Bindings 0 and 1, read: the planes of the wavelet and of
// the details. Binding 2, written: kIntegerAdmSums 64-bit sums a row, low word first. constant_id
// 0: whether it is scale 0.
struct AdmIntegerRowsPush {
  uint width;
  uint height;
  uint pitch;
  uint plane;
  uint left;  // the rectangle that is summed
  uint top;
  uint right;
  uint bottom;
  uint reference_square_shift;  // by how much squares and cubes of samples, and sums of rows, are
                                // shifted right
  uint reference_cube_shift;
  uint reference_row_shift;
  uint width_log2;
  uint row_shift;
};

// adm_total.comp: workgroup (x, y) adds up sum x of scale y. Binding 0, read: the rows' sums;
// binding 1, written: kIntegerAdmSums 64-bit sums a scale.
struct AdmIntegerTotalPush {
  uint first_row[kIntegerAdmScales];
  uint rows[kIntegerAdmScales];
};

#ifdef __cplusplus
}  // namespace sidecore::qpu::shader
#endif
#undef SIDECORE_CONST
#endif
