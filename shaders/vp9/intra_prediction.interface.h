// Interface of intra_prediction.comp and intra_prediction_hbd.comp, read by GLSL and by C++: what
// stands here cannot differ between the two.
#ifndef SIDECORE_VP9_INTRA_PREDICTION_INTERFACE_H
#define SIDECORE_VP9_INTRA_PREDICTION_INTERFACE_H

#ifdef __cplusplus
#include <cstdint>
namespace sidecore::qpu::shader {
using uint = std::uint32_t;
#define SIDECORE_CONST inline constexpr
#else
#define SIDECORE_CONST const
#endif

// A group is four samples of a row, the first of which has a column that is a multiple of four: a
// word of samples of 8 bits, two words of longer ones. Places in planes, lines and the residual
// count groups.

// Superblocks that a workgroup takes side by side, and how many invocations each of them has: as
// many as the Pi's GPU runs in one thread.
SIDECORE_CONST uint kIntraSuperblocks = 16u;
SIDECORE_CONST uint kIntraLanes = 16u;

// Specialization constant of both: whether subgroups have kIntraLanes invocations that keep step
// (DeviceInfo::lockstep_subgroups). Then those of a superblock are one, and wait for nobody else.
SIDECORE_CONST uint kIntraLockstepConstant = 1u;
// Specialization constant of intra_prediction_hbd.comp: by how many bits samples are longer than 8,
// up to 4.
SIDECORE_CONST uint kIntraExtraBitsConstant = 0u;

// Binding 0, read and written: the planes. Binding 1, read: the residual, rows of N as the
// coefficients have them, 16 bits each, of deep samples 32. Binding 2, read: the items, in runs of
// kIntraLanes, all of a run of one kind, so that lanes do alike. Binding 3, read: the blocks.
// Binding 4, read: the superblocks: first run, number of runs. Of those
// that workgroups take in a round the first one has most. Those of a wave are padded to whole
// workgroups by some without runs. Binding 5, read and written: lines.

// An item: what to do, a part of the block, and the number of the block.
//   kIntraSmall: a 4x4 block.
//   kIntraLine: group `part` of the line that a larger block is predicted from, a step before.
//   kIntraSquare: the square of 4x4 samples at group part % 8 and rows 4 * (part / 8) of a larger
//   block.
SIDECORE_CONST uint kIntraSmall = 0u;
SIDECORE_CONST uint kIntraLine = 1u;
SIDECORE_CONST uint kIntraSquare = 2u;
SIDECORE_CONST uint kIntraNothing = 3u;
SIDECORE_CONST uint kIntraKindShift = 30u;
SIDECORE_CONST uint kIntraPartShift = 24u;
SIDECORE_CONST uint kIntraPartMask = 0x3fu;
SIDECORE_CONST uint kIntraBlockMask = 0xffffffu;

// A block: where it begins in the planes; what follows; its residual; its line.
// The mode (vp9::PredictionMode) is in the lowest bits.
SIDECORE_CONST uint kIntraModeMask = 0xfu;
SIDECORE_CONST uint kIntraSizeShift = 4u;    // vp9::TransformSize
SIDECORE_CONST uint kIntraStrideShift = 6u;  // which stride
SIDECORE_CONST uint kIntraHasResidual = 1u << 7u;
// What the mode predicts from and what is there.
SIDECORE_CONST uint kIntraAbove = 1u << 8u;
SIDECORE_CONST uint kIntraLeft = 1u << 9u;
SIDECORE_CONST uint kIntraCorner = 1u << 10u;
SIDECORE_CONST uint kIntraAboveRight = 1u << 11u;
// How far above and to the left samples are decoded, in groups, less one; behind that the last one
// is repeated.
SIDECORE_CONST uint kIntraColumnsShift = 12u;
SIDECORE_CONST uint kIntraRowsShift = 16u;

// Groups of a line that are sums of a larger block's neighbours, for its mean.
SIDECORE_CONST uint kIntraSums = 8u;

struct IntraPredictionPush {
  uint first_superblock;  // of the first round
  // Workgroups make a round for every kIntraSuperblocks from there up to here: several, where there
  // is one workgroup.
  uint end;
  uint strides[2];  // groups from a row to the next: of luma and of chroma
};

#ifdef __cplusplus
}  // namespace sidecore::qpu::shader
#endif
#undef SIDECORE_CONST
#endif
