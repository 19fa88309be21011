// Interface of intra_prediction.comp and intra_prediction_hbd.comp. GLSL and C++ both include this
// file, so their definitions cannot differ.
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

// A group is four samples of a row; its first column is a multiple of four. It takes one word for
// 8-bit samples, two words for samples of more bits. Positions in planes, in lines and in the
// residual are counted in groups.

// Number of superblocks that a workgroup processes in parallel (kIntraSuperblocks), and of
// invocations per superblock (kIntraLanes). A thread of the Pi's GPU runs that many invocations.
SIDECORE_CONST uint kIntraSuperblocks = 16u;
SIDECORE_CONST uint kIntraLanes = 16u;

// Specialization constant of both shaders. Value 1: subgroups have kIntraLanes invocations that run
// in lockstep (DeviceInfo::lockstep_subgroups). Then a subgroup processes a superblock and needs no
// barrier between its runs.
SIDECORE_CONST uint kIntraLockstepConstant = 1u;
// Specialization constant of intra_prediction_hbd.comp: bits per sample minus 8, up to 4.
SIDECORE_CONST uint kIntraExtraBitsConstant = 0u;

// - Binding 0, read and written: the planes.
// - Binding 1, read: the residual, in rows of N at the coefficients' positions; 16 bits each for
//   8-bit samples, 32 bits for longer ones.
// - Binding 2, read: the items, in runs of kIntraLanes. All items of a run have one kind, so that
//   lanes take the same branch.
// - Binding 3, read: the blocks.
// - Binding 4, read: the superblocks: first run, number of runs. A round is the superblocks that
//   workgroups process at once; its first superblock has the most runs. Superblocks without runs
//   pad each wave to whole workgroups.
// - Binding 5, read and written: lines.

// An item holds its kind, a part of a block, and the number of the block. kIntraSmall: a 4x4 block.
// kIntraLine: group `part` of the line that predicts a larger block; an earlier run computes it.
// kIntraSquare: the square of 4x4 samples at group part % 8 and rows 4 * (part / 8) of a larger
// block.
SIDECORE_CONST uint kIntraSmall = 0u;
SIDECORE_CONST uint kIntraLine = 1u;
SIDECORE_CONST uint kIntraSquare = 2u;
SIDECORE_CONST uint kIntraNothing = 3u;
SIDECORE_CONST uint kIntraKindShift = 30u;
SIDECORE_CONST uint kIntraPartShift = 24u;
SIDECORE_CONST uint kIntraPartMask = 0x3fu;
SIDECORE_CONST uint kIntraBlockMask = 0xffffffu;

// A block has four words: its position in the planes, the flags below, the position of its
// residual, and the position of its line. The flags hold the mode (vp9::PredictionMode) in the
// lowest bits.
SIDECORE_CONST uint kIntraModeMask = 0xfu;
SIDECORE_CONST uint kIntraSizeShift = 4u;  // bit position of the block's vp9::TransformSize
// Bit position of the index in IntraPredictionPush::strides.
SIDECORE_CONST uint kIntraStrideShift = 6u;
SIDECORE_CONST uint kIntraHasResidual = 1u << 7u;
// Flags for neighbours that exist and that the mode reads.
SIDECORE_CONST uint kIntraAbove = 1u << 8u;
SIDECORE_CONST uint kIntraLeft = 1u << 9u;
SIDECORE_CONST uint kIntraCorner = 1u << 10u;
SIDECORE_CONST uint kIntraAboveRight = 1u << 11u;
// Number of decoded groups above and to the left, minus one. Further samples repeat the last one.
SIDECORE_CONST uint kIntraColumnsShift = 12u;
SIDECORE_CONST uint kIntraRowsShift = 16u;

// Number of groups in a line that hold sums of a larger block's neighbours, for its mean.
SIDECORE_CONST uint kIntraSums = 8u;

struct IntraPredictionPush {
  uint first_superblock;  // index of the first superblock of the first round
  // Index after the last superblock. Each workgroup runs one round per kIntraSuperblocks
  // superblocks from first_superblock to `end`; only a single workgroup runs several rounds.
  uint end;
  uint strides[2];  // distance between rows in groups: luma, chroma
};

#ifdef __cplusplus
}  // namespace sidecore::qpu::shader
#endif
#undef SIDECORE_CONST
#endif
