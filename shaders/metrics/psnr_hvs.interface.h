// Interface of the psnr_hvs_*.comp shaders, read by GLSL and by C++.
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

// Blocks are 8x8 windows, 7 samples from one to the next both ways. A run is up to 16 neighbouring
// blocks of a row of blocks. The runs of all planes are numbered row after row, plane after plane.
SIDECORE_CONST uint kHvsStep = 7u;
SIDECORE_CONST uint kHvsRunBlocks = 16u;
SIDECORE_CONST uint kHvsTerms = 64u;
SIDECORE_CONST uint kHvsPlanes = 3u;
// Runs of one row that a workgroup of psnr_hvs_texture.comp and psnr_hvs_steps.comp takes.
SIDECORE_CONST uint kHvsTextureRuns = 8u;
SIDECORE_CONST uint kHvsStepsRuns = 4u;
// A block's step that no sum can take without leaving its binade.
SIDECORE_CONST uint kHvsNoStep = 0x01000000u;

// A plane of either picture; 7 words.
struct HvsPlane {
  uint offset;     // of its first sample in the picture's range, in 32-bit words
  uint stride;     // 32-bit words from a row of samples to the next
  uint columns;    // blocks in a row, at least 1
  uint first_row;  // of blocks, counted over all planes
  uint runs;       // in a row of blocks
  uint first_run;  // number of the plane's first run
  uint end_run;    // number behind its last
};

// All shaders. Rows of blocks and runs are counted over all planes; a plane that is left out starts
// and ends where the last one does.
struct HvsPush {
  HvsPlane planes[3];
};

// psnr_hvs_texture.comp. Workgroup (x, y): runs 8x .. 8x+7 of row y of blocks.
// Binding 0, read: a picture. Binding 1, written: for each run 16 floats, how much of a block's
// variance its quadrants keep. constant_id 0 of this and of the next two: bytes per
// sample (1 or 2).

// psnr_hvs_terms.comp. Workgroup (x, y): run x of row y of blocks.
// Binding 0, 1, read: reference and distorted picture. Binding 2, 3, read: their textures.
// Binding 4, read: for each plane 64 vectors, row after row of coefficients: sensitivity, masking,
// and its reciprocal in two parts, of which the first has 12 significant bits. Binding 5, written:
// for each run 64 x 16 floats, term n of block b at 16 n + b; 0 behind the last column. Binding 6,
// written: for each run, about the sum of its terms.

// psnr_hvs_terms_block.comp: the same of one plane, constant_id 1. Workgroup (x, y): runs 4x ..
// 4x+3 of the plane's row y of blocks. Binding 0, 1, read: reference and distorted picture. Binding
// 2, read: tables as above. Binding 3, 4, written: terms and sums as above.

// psnr_hvs_binades.comp. Workgroup x: plane x.
// Binding 0, read: the runs' approximate sums. Binding 1, written: for each run the bits of the
// lower of the two neighbouring powers of two between which, and the next but one, the plane's sum
// most probably is from the run's first term to its last; 0 when all terms before it are 0.

// psnr_hvs_steps.comp. Workgroup (x, y): runs 4x .. 4x+3 of row y of blocks.
// Binding 0, read: terms. Binding 1, read: binades. Binding 2, written: for each run, by how many
// units in the last place its terms move a sum of the lower binade, even, odd, and of the upper
// one, even, odd.

// psnr_hvs_sum.comp. Workgroup x: plane x.
// Binding 0, read: terms. Binding 1, read: approximate sums. Binding 2, read: binades. Binding 3,
// read: steps. Binding 4, written: for each plane the binary32 sum of its terms, added in order.

#ifdef __cplusplus
}  // namespace sidecore::qpu::shader
#endif
#undef SIDECORE_CONST
#endif
