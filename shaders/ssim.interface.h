// Interface of ssim_decimate.comp, ssim_rows.comp, ssim_columns.comp, ssim_windows.comp and
// ssim_total.comp, read by GLSL and by C++. Together: the four sums that float_ssim and
// float_ms_ssim take their means of.
#ifndef SIDECORE_SSIM_INTERFACE_H
#define SIDECORE_SSIM_INTERFACE_H

#ifdef __cplusplus
#include <cstdint>
namespace sidecore::qpu::shader {
using uint = std::uint32_t;
#define SIDECORE_CONST inline constexpr
#else
#define SIDECORE_CONST const
#endif

// What a plane holds, constant_id 0 of ssim_decimate.comp and ssim_rows.comp: bytes, 16-bit words
// or floats, low ones first in a 32-bit word. Integers are scaled into 0..255.x when they are read.
SIDECORE_CONST uint kSsimBytes = 0u;
SIDECORE_CONST uint kSsimWords = 1u;
SIDECORE_CONST uint kSsimFloats = 2u;

// constant_id 1 of ssim_decimate.comp, ssim_rows.comp and ssim_columns.comp: not 0 makes every
// filtered sample take the slow, serial way, for tests.

SIDECORE_CONST uint kSsimTaps = 11u;

// Rows and columns of invocations in a workgroup; an invocation does four neighbouring columns (a
// quad) of ssim_rows.comp and ssim_columns.comp, and one of the others.
SIDECORE_CONST uint kSsimGroupColumns = 16u;
SIDECORE_CONST uint kSsimGroupRows = 16u;
// Rows of windows that an invocation of ssim_windows.comp does, kSsimGroupRows apart.
SIDECORE_CONST uint kSsimRowsEach = 4u;

SIDECORE_CONST float kSsimDivisor1 = 6.50249958f;
SIDECORE_CONST float kSsimDivisor2 = 58.5224953f;
SIDECORE_CONST float kSsimDivisor3 = 29.2612476f;

// ssim_decimate.comp. Binding 0, read: a plane, in words. Binding 1, written: the plane made
// smaller, floats. constant_id 2: the factor of the box, 2..10, or 0: halved with 9 x 9 taps.
struct SsimDecimatePush {
  uint width;  // of the plane that is read, in samples
  uint height;
  uint stride;  // words from a row to the next
  float unit;   // integers times this are 0..255.x
  uint out_width;
  uint out_height;
  uint out_stride;  // samples
  float weight;     // of a box's tap
};

// ssim_rows.comp: the horizontal pass over rows first_row .. first_row + rows - 1. Bindings 0 and
// 1, read: the planes, in words. Binding 2, written: weighted sums of a, b, a*a, b*b and a*b, five
// planes of `rows` rows of `quads` vectors. Binding 3, written: for each row and quad, the largest
// magnitude among its samples.
struct SsimRowsPush {
  uint first_row;
  uint rows;
  uint quads;     // in a row of windows, the last one perhaps partly empty
  uint stride_a;  // words from a row to the next
  uint stride_b;
  uint last_a;  // the last word that may be read
  uint last_b;
  float unit;
};

// ssim_columns.comp: the vertical pass over `height` rows of windows. Bindings 0 and 1, read: what
// ssim_rows.comp wrote for their height + 10 rows. Binding 2, written: five planes of moments of
// `height` rows of `quads` vectors.
struct SsimColumnsPush {
  uint height;
  uint quads;
};

// ssim_windows.comp: similarities of `height` rows of windows. Binding 0, read: what
// ssim_columns.comp wrote. Binding 1, written: a SsimSums a workgroup, from first_sums on.
struct SsimWindowsPush {
  uint width;  // windows in a row
  uint height;
  uint quads;
  uint first_sums;
  uint fraction_bits;  // of the sums; 18 to 40
};

// Sums over windows, signed 64-bit numbers of fraction_bits fractional bits, low word first, and
// the largest |structure|. ssim_total.comp, one workgroup: binding 0, read: `count` of them;
// binding 1, written: their total at index `place`.
struct SsimSums {
  uint luminance_low, luminance_high;
  uint contrast_low, contrast_high;
  uint structure_low, structure_high;
  uint ssim_low, ssim_high;
  float largest_structure;
};
struct SsimTotalPush {
  uint count;
  uint place;
};

#ifdef __cplusplus
}  // namespace sidecore::qpu::shader
#endif
#undef SIDECORE_CONST
#endif
