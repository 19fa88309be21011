// Interface of h264_deblocking.comp. GLSL and C++ both include this file, so their definitions
// cannot differ.
#ifndef SIDECORE_H264_DEBLOCKING_INTERFACE_H
#define SIDECORE_H264_DEBLOCKING_INTERFACE_H

#ifdef __cplusplus
#include <cstdint>
namespace sidecore::h264::shader {
using uint = std::uint32_t;
#define SIDECORE_CONST inline constexpr
#else
#define SIDECORE_CONST const
#endif

// Number of invocations of the dispatch, which has one workgroup: 16 for each of a Pi 5's 12 QPUs.
SIDECORE_CONST uint kDeblockingLanes = 192u;

// - Binding 0, read and written: the picture, four samples per word. Planes and rows begin at
//   multiples of 16 bytes.
// - Binding 1, read: the macroblocks in raster order, of kMacroblockWords words each. Words 0 and 1
//   have the strengths of vertical edges, words 2 and 3 those of horizontal edges: a byte for each
//   segment, with 4 bits for each of two edges; the first word has edges 0 and 1, the second edges
//   2 and 3. Then come four words for each plane: the thresholds of left, upper and inner edges,
//   and an unused word. They are undefined if all strengths are 0.
SIDECORE_CONST uint kMacroblockWords = 16u;

// Thresholds in a word: alpha | beta << 8 | tc0 << kTc0Shift + kTc0Bits * (bS - 1).
SIDECORE_CONST uint kTc0Shift = 16u;
SIDECORE_CONST uint kTc0Bits = 5u;

struct DeblockingPush {
  uint columns;  // number of macroblocks in a row
  uint rows;
  uint offsets[3];  // offset of each plane from the start of the picture, in words
  uint strides[2];  // distance between rows of luma and of chroma, in words
};

#ifdef __cplusplus
}  // namespace sidecore::h264::shader
#endif
#undef SIDECORE_CONST
#endif
