// Interface of the psnr_hvs_*.comp shaders. GLSL and C++ both include this file.
#ifndef SIDECORE_PSNR_HVS_INTERFACE_H
#define SIDECORE_PSNR_HVS_INTERFACE_H

#ifdef __cplusplus
#include <cstdint>
namespace sidecore::qpu::shader {
using uint = std::uint32_t;
#define SIDECORE_CONST inline constexpr
#else
#define SIDECORE_CONST const
#endif

// Distance between the first samples of neighbouring blocks, which are 8x8 windows. A run is up to
// 16 neighbouring blocks of a row of blocks. The runs of all planes are numbered row by row, plane
// by plane.
SIDECORE_CONST uint kHvsStep = 7u;
SIDECORE_CONST uint kHvsRunBlocks = 16u;
SIDECORE_CONST uint kHvsTerms = 64u;
SIDECORE_CONST uint kHvsPlanes = 3u;
// Number of runs of one row that a workgroup of psnr_hvs_texture.comp and psnr_hvs_steps.comp
// processes.
SIDECORE_CONST uint kHvsTextureRuns = 8u;
SIDECORE_CONST uint kHvsStepsRuns = 4u;
// Value of a step for a block that moves every sum out of its binade.
SIDECORE_CONST uint kHvsNoStep = 0x01000000u;

// A plane of either picture; 7 words.
struct HvsPlane {
  uint offset;     // offset of the plane's first sample in the picture's range, in 32-bit words
  uint stride;     // distance between rows of samples, in 32-bit words
  uint columns;    // number of blocks per row, at least 1
  uint first_row;  // index of the first row of blocks, counted over all planes
  uint runs;       // number of runs per row of blocks
  uint first_run;  // number of the plane's first run
  uint end_run;    // number after the plane's last run
};

// Push constants of all shaders. Rows of blocks and runs are counted over all planes. A plane that
// is left out starts and ends where the previous one ends.
struct HvsPush {
  HvsPlane planes[3];
};

// psnr_hvs_texture.comp: workgroup (x, y) processes runs 8x .. 8x+7 of row y of blocks.
// - Binding 0, read: a picture.
// - Binding 1, written: for each run 16 floats, the textures of its blocks: the share of a block's
//   variance that remains within its quadrants.
// - constant_id 0 of this shader and of the next two: bytes per sample (1 or 2).

// psnr_hvs_terms.comp: workgroup (x, y) processes run x of row y of blocks.
// - Binding 0, 1, read: reference and distorted picture.
// - Binding 2, 3, read: the textures of both pictures.
// - Binding 4, read: for each plane 64 vectors, row after row of coefficients: sensitivity,
//   masking, and its reciprocal in two parts, of which the first has 12 significant bits.
// - Binding 5, written: for each run 64 x 16 floats, term n of block b at 16 n + b; 0 after the
//   last column.
// - Binding 6, written: for each run, the approximate sum of its terms.

// psnr_hvs_terms_block.comp: the same results for one plane, whose number is constant_id 1.
// Workgroup (x, y) processes runs 4x .. 4x+3 of the plane's row y of blocks.
// - Binding 0, 1, read: reference and distorted picture.
// - Binding 2, read: the tables, as binding 4 of psnr_hvs_terms.comp.
// - Binding 3, 4, written: the terms and sums, as bindings 5 and 6 of psnr_hvs_terms.comp.

// psnr_hvs_binades.comp: workgroup x guesses the binades of plane x.
// - Binding 0, read: the approximate sums of the runs.
// - Binding 1, written: for each run the bits of a power of two, which begins the lower of two
//   neighbouring binades. From the run's first term to its last, the plane's sum is most probably
//   in these two binades. The bits are 0 if all terms before the run are 0.

// psnr_hvs_steps.comp: workgroup (x, y) processes runs 4x .. 4x+3 of row y of blocks.
// - Binding 0, read: terms.
// - Binding 1, read: binades.
// - Binding 2, written: for each run, the number of units in the last place by which its terms move
//   a sum. There are four such numbers: for an even and for an odd sum in the lower binade, and for
//   an even and for an odd sum in the upper binade.

// psnr_hvs_sum.comp: workgroup x adds up the terms of plane x.
// - Binding 0, read: terms.
// - Binding 1, read: approximate sums.
// - Binding 2, read: binades.
// - Binding 3, read: steps.
// - Binding 4, written: for each plane the binary32 sum of its terms, added in order.

#ifdef __cplusplus
}  // namespace sidecore::qpu::shader
#endif
#undef SIDECORE_CONST
#endif
