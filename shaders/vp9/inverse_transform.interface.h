// Interface of inverse_transform_*.comp, read by GLSL and by C++: what stands here cannot differ
// between the two.
#ifndef SIDECORE_VP9_INVERSE_TRANSFORM_INTERFACE_H
#define SIDECORE_VP9_INVERSE_TRANSFORM_INTERFACE_H

#ifdef __cplusplus
#include <cstdint>
namespace sidecore::qpu::shader {
using uint = std::uint32_t;
#define SIDECORE_CONST inline constexpr
#else
#define SIDECORE_CONST const
#endif

// Specialization constants: bits of a sample, where these are more than 8; what becomes of values
// within a transform; log2 of the size of the blocks, less 2, for shaders that serve several; the
// kind of 4x4 blocks.
SIDECORE_CONST uint kTransformBitsConstant = 0u;
SIDECORE_CONST uint kTransformValuesConstant = 1u;
SIDECORE_CONST uint kTransformSizeConstant = 2u;
SIDECORE_CONST uint kTransformKindConstant = 3u;

// Values within a transform.
SIDECORE_CONST uint kFitting = 0u;     // of narrow blocks: they fit into 16 bits
SIDECORE_CONST uint kWrapping = 1u;    // of 8 bits, others: wrap to 16 bits
SIDECORE_CONST uint kWrapping32 = 2u;  // of more bits, others: wrap to 32 bits

SIDECORE_CONST uint kTransformLanes = 256u;  // of a workgroup

// Kinds of blocks: vp9::TransformType, for one pass of two its part of it, and of other sizes than
// 4x4 a DCT of whose rows (columns, in the second pass) only the first values are not 0: 4 of 8,
// else 8.
SIDECORE_CONST uint kSineColumns = 1u;
SIDECORE_CONST uint kSineRows = 2u;
SIDECORE_CONST uint kWalshHadamard = 4u;
SIDECORE_CONST uint kCorner = 4u;

// Binding 0, read: vp9::TransformBlock. Binding 1, read: the list of what there is to do. An entry
// is the number of a block. With kStoreResidual the residual goes to binding 3, in rows of N, in
// the place and of the size that the coefficients have in theirs; otherwise it is added to the
// frame. With kNoEntry, where the list ends within a workgroup, nothing is written. For the pass
// over rows an entry is four rows of the block, and says which from kRowsShift on. Binding 2, read:
// the coefficients. Binding 3: rows between the two passes, and residuals. Binding 4, read and
// written: the frame.
SIDECORE_CONST uint kEntryBlock = 0x00ffffffu;
SIDECORE_CONST uint kRowsShift = 24u;
SIDECORE_CONST uint kEntryRows = 7u;
SIDECORE_CONST uint kStoreResidual = 0x40000000u;
SIDECORE_CONST uint kNoEntry = 0x80000000u;

struct InverseTransformPush {
  uint first;       // entry of the list
  uint planes[3];   // where they begin in the frame, in words
  uint strides[2];  // words from a row to the next: of luma and of chroma
};

#ifdef __cplusplus
}  // namespace sidecore::qpu::shader
#endif
#undef SIDECORE_CONST
#endif
