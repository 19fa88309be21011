// Interface of the shaders ssim_*.comp, read by GLSL and by C++. Together: the four sums that
// float_ssim and float_ms_ssim take their means of. Where the last bit of a filtered sample is
// open in binary32, a shader says so, and its *_settle.comp adds that sample up once more.
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

// What a plane holds, constant_id 0 of those that read one: bytes, 16-bit words
// or floats, low ones first in a 32-bit word. Integers are scaled into 0..255.x when they are read.
SIDECORE_CONST uint kSsimBytes = 0u;
SIDECORE_CONST uint kSsimWords = 1u;
SIDECORE_CONST uint kSsimFloats = 2u;

// constant_id 1 of the *_settle.comp: not 0 takes every sample for open, for tests.

SIDECORE_CONST uint kSsimTaps = 11u;

// Rows and columns of invocations in a workgroup. One invocation does four neighbouring columns (a
// quad) in ssim_rows.comp, ssim_rows_settle.comp and ssim_halve.comp, one in the others.
SIDECORE_CONST uint kSsimGroupColumns = 16u;
SIDECORE_CONST uint kSsimGroupRows = 16u;
// In ssim_columns.comp and ssim_columns_settle.comp it does two columns (a pair) of a block of
// kSsimColumnRows rows.
SIDECORE_CONST uint kSsimGroupPairs = 64u;
SIDECORE_CONST uint kSsimGroupBlocks = 4u;
SIDECORE_CONST uint kSsimColumnRows = 5u;
// Rows, or blocks, that an invocation of a *_settle.comp looks through.
SIDECORE_CONST uint kSsimSettled = 8u;
// An invocation of ssim_windows.comp does a column of some rows (a strip), a workgroup
// kSsimGroupPairs columns of kSsimGroupBlocks strips.

SIDECORE_CONST float kSsimDivisor1 = 6.50249958f;
SIDECORE_CONST float kSsimDivisor2 = 58.5224953f;
SIDECORE_CONST float kSsimDivisor3 = 29.2612476f;

// ssim_box.comp, ssim_halve.comp, ssim_decimate_settle.comp. Binding 0, read: a plane, in words.
// Binding 1, written: the plane made smaller, floats; kSsimOpen where the last one has to settle
// it. constant_id 2 of the first and the last: the factor of the box, 2..10; 0 (the last): halved
// with 9 x 9 taps.
SIDECORE_CONST uint kSsimOpen = 0xffffffffu;
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
// planes of `rows` rows of `quads` vectors. Binding 3, written: for each row and quad, which sums
// are open, bit 4 * plane + column. ssim_rows_settle.comp: bindings 0 and 1, read: the planes;
// binding 2, written: the sums; binding 3, read: which are open.
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

// ssim_columns.comp: the vertical pass over `height` rows of windows, z for the five planes.
// Binding 0, read: what ssim_rows.comp wrote for their height + 10 rows. Binding 1, written: five
// planes of moments of `height` rows of `quads` vectors. Binding 2, written: for each plane, block
// and pair, which moments are open, bit 2 * row + column. ssim_columns_settle.comp: binding 0,
// read: the rows; binding 1, written: the moments; binding 2, read: which are open.
struct SsimColumnsPush {
  uint height;
  uint quads;
};

// constant_id 0 of ssim_windows.comp: what to add up; the others' sums are 0.
SIDECORE_CONST uint kSsimLuminance = 1u;
SIDECORE_CONST uint kSsimContrast = 2u;
SIDECORE_CONST uint kSsimStructure = 4u;
SIDECORE_CONST uint kSsimProduct = 8u;

// ssim_windows.comp: similarities of `height` rows of windows. Binding 0, read: what
// ssim_columns.comp wrote. Binding 1, written: a SsimSums for each column and strip, one strip
// after the other, from first_sums on; one row of workgroups.
struct SsimWindowsPush {
  uint width;  // windows in a row
  uint height;
  uint quads;
  uint strip_rows;
  uint first_sums;
  uint fraction_bits;  // of the sums; 18 to 44
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

// ssim_windows_settle.comp: what a serial sum makes of one similarity, constant_id 0, of `height`
// rows of windows. Binding 0, read: what ssim_columns.comp wrote. Binding 1, written: a SsimRun for
// each kSsimRunWindows windows of a row, the last run perhaps shorter, row by row from first_run
// on. An invocation does one.
SIDECORE_CONST uint kSsimRunWindows = 128u;
SIDECORE_CONST uint kSsimSettledFraction = 46u;
SIDECORE_CONST uint kSsimQuanta = 8u;
// What a term may be off by, in units of 2^-kSsimSettledFraction (qpu::Ssim::sums_of()): 2^-43 and
// the rounding to units for ratios, 2^-40 for products with a structure of up to 2. Structure, a
// binary32, is only rounded to units.
SIDECORE_CONST uint kSsimRatioError = 10u;
SIDECORE_CONST uint kSsimProductError = 66u;
SIDECORE_CONST uint kSsimStructureError = 1u;
struct SsimSettlePush {
  uint width;  // windows in a row
  uint height;
  uint quads;
  uint row_runs;
  uint first_run;
  uint coarsest;  // the first quantum is 2^coarsest units, or 2; each of the others half the one
                  // before
};
// Signed: the sum of the terms, low word first, and what rounding each to a quantum adds to that.
// Then how many terms may be rounded either way. `bits`: those that are set in the low word of any
// term; the lowest one, too, when a term may be off. Terms are multiples of the lowest of them.
struct SsimRun {
  uint sum_low, sum_high;
  uint bits;
  uint rounding[kSsimQuanta];
  uint open[kSsimQuanta];
};

#ifdef __cplusplus
}  // namespace sidecore::qpu::shader
#endif
#undef SIDECORE_CONST
#endif
