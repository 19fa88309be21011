// Interface of inverse_transform_*.comp. GLSL and C++ both include this file, so their definitions
// cannot differ.
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

// Ids of specialization constants: bits per sample, if more than 8; range of the values within a
// transform (below); log2 of the block size minus 2, for shaders that process several sizes; kind
// of 4x4 blocks.
SIDECORE_CONST uint kTransformBitsConstant = 0u;
SIDECORE_CONST uint kTransformValueRangeConstant = 1u;
SIDECORE_CONST uint kTransformSizeConstant = 2u;
SIDECORE_CONST uint kTransformKindConstant = 3u;

// Range of the values within a transform.
SIDECORE_CONST uint kFitting = 0u;  // TransformBlock::narrow is true: values fit into 16 bits
// TransformBlock::narrow is false, samples have 8 bits: values wrap to 16 bits.
SIDECORE_CONST uint kWrapping = 1u;
// TransformBlock::narrow is false, samples have more bits: values wrap to 32 bits.
SIDECORE_CONST uint kWrapping32 = 2u;

SIDECORE_CONST uint kTransformLanes = 256u;  // number of invocations per workgroup

// Kinds of blocks: the values of vp9::TransformType; a shader for one of two passes has only the
// type of its pass. kCorner is a DCT of a size other than 4x4 with zeros after the first values of
// each row (in the second pass, of each column). The first values are 4 of 8, or 8 of 16 or 32.
SIDECORE_CONST uint kSineColumns = 1u;
SIDECORE_CONST uint kSineRows = 2u;
SIDECORE_CONST uint kWalshHadamard = 4u;
SIDECORE_CONST uint kCorner = 4u;

// - Binding 0, read: vp9::TransformBlock.
// - Binding 1, read: the list of work. An entry is the number of a block. With kStoreResidual the
//   residual goes to binding 3, in rows of N, at the position and in the word size of the
//   coefficients; otherwise it is added to the frame. Entries with kNoEntry pad the list's last
//   workgroup; nothing is written for them. For the pass over rows an entry is four rows of the
//   block; the bits from kRowsShift on select them.
// - Binding 2, read: the coefficients.
// - Binding 3: rows between the two passes, and residuals.
// - Binding 4, read and written: the frame.
SIDECORE_CONST uint kEntryBlock = 0x00ffffffu;
SIDECORE_CONST uint kRowsShift = 24u;
SIDECORE_CONST uint kEntryRows = 7u;
SIDECORE_CONST uint kStoreResidual = 0x40000000u;
SIDECORE_CONST uint kNoEntry = 0x80000000u;

struct InverseTransformPush {
  uint first;       // index of the first list entry of the dispatch
  uint planes[3];   // offset of each plane from the frame's start, in words
  uint strides[2];  // distance between rows in words: luma, chroma
};

#ifdef __cplusplus
}  // namespace sidecore::qpu::shader
#endif
#undef SIDECORE_CONST
#endif
