// Small tables of block geometry, indexed by BlockSize.
// Source: VP9 specification v0.6, section 10.1 ("Conversion tables").
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "vp9/types.h"

namespace sidecore::vp9 {

/// Block sizes in units of 4x4 luma samples, then in units of 8x8 luma samples (at least 1).
inline constexpr std::uint8_t kWidthIn4[kBlockSizes] = {1, 1, 2, 2, 2, 4, 4, 4, 8, 8, 8, 16, 16};
inline constexpr std::uint8_t kHeightIn4[kBlockSizes] = {1, 2, 1, 2, 4, 2, 4, 8, 4, 8, 16, 8, 16};
inline constexpr std::uint8_t kWidthIn8[kBlockSizes] = {1, 1, 1, 1, 1, 2, 2, 2, 4, 4, 4, 8, 8};
inline constexpr std::uint8_t kHeightIn8[kBlockSizes] = {1, 1, 1, 1, 2, 1, 2, 4, 2, 4, 8, 4, 8};

/// Context of the intra mode symbol in inter frames, by block size.
inline constexpr std::uint8_t kSizeGroup[kBlockSizes] = {0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 3};

/// Largest transform that fits into a luma block.
inline constexpr TransformSize kLargestTransform[kBlockSizes] = {
    kTransform4x4,   kTransform4x4,   kTransform4x4,   kTransform8x8,   kTransform8x8,
    kTransform8x8,   kTransform16x16, kTransform16x16, kTransform16x16, kTransform32x32,
    kTransform32x32, kTransform32x32, kTransform32x32};

/// Partition contexts. Bit b is set if the block's width (Above) or height (Left) is less than 8 <<
/// b samples.
inline constexpr std::uint8_t kPartitionContextAbove[kBlockSizes] = {15, 15, 14, 14, 14, 12, 12,
                                                                     12, 8,  8,  8,  0,  0};
inline constexpr std::uint8_t kPartitionContextLeft[kBlockSizes] = {15, 14, 15, 14, 12, 14, 12,
                                                                    8,  12, 8,  0,  8,  0};

/// Size of the parts that each Partition makes from a square block; [Partition][log2 of the
/// square's size in 8x8 units].
inline constexpr BlockSize kSubsize[4][4] = {{kBlock8x8, kBlock16x16, kBlock32x32, kBlock64x64},
                                             {kBlock8x4, kBlock16x8, kBlock32x16, kBlock64x32},
                                             {kBlock4x8, kBlock8x16, kBlock16x32, kBlock32x64},
                                             {kBlock4x4, kBlock8x8, kBlock16x16, kBlock32x32}};

/// The largest transform that fits into a block of a chroma plane; [subsampling along
/// x][subsampling along y][block size]. The specification defines no block size for chroma blocks
/// with side ratio 4:1 or 1:4, which 4:2:2 and 4:4:0 produce. For these blocks the decoders' tables
/// also give the largest transform that fits.
inline constexpr auto kLargestChromaTransform = [] {
  std::array<std::array<std::array<TransformSize, kBlockSizes>, 2>, 2> largest{};
  for (unsigned x = 0; x < 2; ++x) {
    for (unsigned y = 0; y < 2; ++y) {
      for (std::size_t size = 0; size < kBlockSizes; ++size) {
        const int side = std::min(kWidthIn4[size] >> x, kHeightIn4[size] >> y);
        int fits = kTransform4x4;
        while (fits < kTransform32x32 && 2 << fits <= side) ++fits;
        largest[x][y][size] = static_cast<TransformSize>(fits);
      }
    }
  }
  return largest;
}();

/// Returns the transform size of the chroma planes: the luma size, or the largest size that fits
/// their block.
[[nodiscard]] constexpr TransformSize chroma_transform(BlockSize size, TransformSize luma,
                                                       Subsampling chroma) {
  return std::min(luma, kLargestChromaTransform[static_cast<std::size_t>(chroma.x)]
                                               [static_cast<std::size_t>(chroma.y)][size]);
}

}  // namespace sidecore::vp9
