// Interface of the shaders ssim_*.comp. GLSL and C++ both include this file. Together the shaders
// compute the four sums from which the means of float_ssim and float_ms_ssim follow. If binary32
// leaves the last bit of a filtered sample undecided, a shader marks the sample, and its
// *_recompute.comp recomputes it exactly.
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

// Format of a plane's samples, constant_id 0 of shaders that read a plane: bytes, 16-bit words or
// floats. Earlier samples are in the low bits of a 32-bit word. Integers are scaled to 0..255.x
// when they are read.
SIDECORE_CONST uint kSsimBytes = 0u;
SIDECORE_CONST uint kSsimWords = 1u;
SIDECORE_CONST uint kSsimFloats = 2u;

// constant_id 1 of the *_recompute.comp shaders: if not 0, every sample counts as undecided, for
// tests.

SIDECORE_CONST uint kSsimTaps = 11u;

// Rows and columns of invocations per workgroup. An invocation processes four neighbouring columns
// (a quad) in ssim_rows.comp, ssim_rows_recompute.comp and ssim_halve.comp, and one column in other
// shaders.
SIDECORE_CONST uint kSsimGroupColumns = 16u;
SIDECORE_CONST uint kSsimGroupRows = 16u;
// In ssim_columns.comp and ssim_columns_recompute.comp an invocation processes two columns (a pair)
// of a block of kSsimColumnRows rows. The constants are the numbers of pairs and of blocks per
// workgroup.
SIDECORE_CONST uint kSsimGroupPairs = 64u;
SIDECORE_CONST uint kSsimGroupBlocks = 4u;
SIDECORE_CONST uint kSsimColumnRows = 5u;
// Number of rows, or of blocks, that an invocation of a *_recompute.comp searches for undecided
// sums.
SIDECORE_CONST uint kSsimRecomputeRows = 8u;
// An invocation of ssim_windows.comp processes a strip, which is some rows of a column; a workgroup
// has kSsimGroupPairs columns of kSsimGroupBlocks strips.

SIDECORE_CONST float kSsimDivisor1 = 6.50249958f;
SIDECORE_CONST float kSsimDivisor2 = 58.5224953f;
SIDECORE_CONST float kSsimDivisor3 = 29.2612476f;

// ssim_box.comp and ssim_halve.comp decimate a plane; ssim_decimate_recompute.comp recomputes
// undecided samples.
// - Binding 0, read: a plane, in words.
// - Binding 1, written: the decimated plane, floats; kSsimUndecided marks samples for
//   ssim_decimate_recompute.comp to recompute.
// - constant_id 2 of ssim_box.comp and ssim_decimate_recompute.comp: the factor of the box, 2..10;
// in
//   ssim_decimate_recompute.comp also 0, which means halved with 9 x 9 taps.
SIDECORE_CONST uint kSsimUndecided = 0xffffffffu;
struct SsimDecimatePush {
  uint width;  // width of the plane that is read, in samples
  uint height;
  uint stride;  // distance between rows, in words
  float unit;   // factor that scales integer samples to 0..255.x
  uint out_width;
  uint out_height;
  uint out_stride;  // distance between rows of the decimated plane, in samples
  float weight;     // weight of each tap of the box
};

// ssim_rows.comp: the horizontal pass over rows first_row .. first_row + rows - 1.
// - Bindings 0 and 1, read: the planes, in words.
// - Binding 2, written: weighted sums of a, b, a*a, b*b and a*b, five planes of `rows` rows of
//   `quads` vectors.
// - Binding 3, written: for each row and quad, the set of undecided sums, bit 4 * plane + column.
//   ssim_rows_recompute.comp: recomputes the undecided sums.
// - Bindings 0 and 1, read: the planes.
// - Binding 2, written: the sums.
// - Binding 3, read: the sets of undecided sums.
struct SsimRowsPush {
  uint first_row;
  uint rows;
  uint quads;     // number of quads per row of windows; the last quad may be partly empty
  uint stride_a;  // distance between rows of plane a, in words
  uint stride_b;
  uint last_a;  // index of plane a's last word that may be read
  uint last_b;
  float unit;
};

// ssim_columns.comp: the vertical pass over `height` rows of windows, z for the five planes.
// - Binding 0, read: the sums from ssim_rows.comp for height + 10 rows.
// - Binding 1, written: five planes of moments of `height` rows of `quads` vectors.
// - Binding 2, written: for each plane, block and pair, the set of undecided moments, bit 2 * row +
//   column. ssim_columns_recompute.comp: recomputes the undecided moments.
// - Binding 0, read: the rows.
// - Binding 1, written: the moments.
// - Binding 2, read: the sets of undecided moments.
struct SsimColumnsPush {
  uint height;
  uint quads;
};

// constant_id 0 of ssim_windows.comp: the set of similarities to add up; other sums are 0.
SIDECORE_CONST uint kSsimLuminance = 1u;
SIDECORE_CONST uint kSsimContrast = 2u;
SIDECORE_CONST uint kSsimStructure = 4u;
SIDECORE_CONST uint kSsimProduct = 8u;

// ssim_windows.comp: similarities of `height` rows of windows.
// - Binding 0, read: the moments from ssim_columns.comp.
// - Binding 1, written: one SsimSums per column and strip, strip by strip, from first_sums on. One
//   row of workgroups.
struct SsimWindowsPush {
  uint width;  // number of windows per row
  uint height;
  uint quads;
  uint strip_rows;
  uint first_sums;
  uint fraction_bits;  // number of fractional bits of the sums; 18 to 44
};

// Sums over windows: signed 64-bit numbers with fraction_bits fractional bits, low word first; and
// the largest |structure|. ssim_total.comp: adds the sums in one workgroup.
// - Binding 0, read: `count` SsimSums.
// - Binding 1, written: their total at index `place`.
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

// ssim_windows_recompute.comp: prepares the serial binary64 sum of one similarity (constant_id 0)
// of `height` rows of windows.
// - Binding 0, read: the moments from ssim_columns.comp.
// - Binding 1, written: one SsimRun per kSsimRunWindows windows of a row, row by row from first_run
//   on; a row's last run may be shorter. An invocation processes one run.
SIDECORE_CONST uint kSsimRunWindows = 128u;
SIDECORE_CONST uint kSsimSumFraction = 46u;
SIDECORE_CONST uint kSsimQuanta = 8u;
// Largest error of a term, in units of 2^-kSsimSumFraction (qpu::Ssim::sums_of()). Ratios have
// an error of 2^-43 plus the rounding to units. Products with a structure of up to 2 have an error
// of 2^-40. Structure is binary32 and is only rounded to units.
SIDECORE_CONST uint kSsimRatioError = 10u;
SIDECORE_CONST uint kSsimProductError = 66u;
SIDECORE_CONST uint kSsimStructureError = 1u;
struct SsimRecomputePush {
  uint width;  // number of windows per row
  uint height;
  uint quads;
  uint row_runs;
  uint first_run;
  // The first quantum is 2^coarsest units, or 2; each further quantum is half the previous one.
  uint coarsest;
};
// Results of a run. `sum`: sum of the terms, signed. `bits`: OR of the terms' low words, plus the
// lowest bit if a term may have an error; all terms are multiples of its lowest bit. `rounding`:
// amount that rounding each term to a quantum adds to the sum, signed. `undecided`: number of terms
// that may be rounded either way.
struct SsimRun {
  uint sum_low, sum_high;
  uint bits;
  uint rounding[kSsimQuanta];
  uint undecided[kSsimQuanta];
};

#ifdef __cplusplus
}  // namespace sidecore::qpu::shader
#endif
#undef SIDECORE_CONST
#endif
