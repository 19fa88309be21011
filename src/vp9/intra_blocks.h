// Enumerates the transform blocks of a frame's intra blocks in the order that every processor uses.
// Source: VP9 specification v0.6, sections 6.4.21 (residual) and 8.5.1.
#pragma once

#include <algorithm>
#include <cstddef>

#include "vp9/block_tables.h"
#include "vp9/frame_header.h"
#include "vp9/intra_prediction.h"
#include "vp9/picture_data.h"

namespace sidecore::vp9 {

/// A transform block that is predicted from its neighbours.
struct IntraBlock {
  IntraSurroundings where;
  std::uint8_t plane = 0;
  TransformSize size = kTransform4x4;
  PredictionMode mode = kDcPrediction;
  const TransformBlock* transform = nullptr;  ///< null: the block has no residual
};

/// Calls call(IntraBlock) for the transform blocks of an intra block, in order: each is predicted
/// from earlier ones.
template <class Call>
__attribute__((always_inline)) inline void for_each_intra_block(const FrameHeader& header,
                                                                const PictureData& picture,
                                                                const Block& block,
                                                                const Call& call) {
  const bool has_left = block.column > picture.tile_begin(block.column);
  // Transform blocks with coefficients; the loop below visits blocks in the same order.
  const TransformBlock* transform = picture.transforms.data() + block.first_transform;
  const TransformBlock* const end = transform + block.transform_count;
  for (int plane = 0; plane < 3; ++plane) {
    const Subsampling sampling = header.subsampling(plane);
    const int left = (block.column * kUnit) >> sampling.x;
    const int top = (block.row * kUnit) >> sampling.y;
    const int block_width = (kWidthIn8[block.size] * kUnit) >> sampling.x;
    const int block_height = (kHeightIn8[block.size] * kUnit) >> sampling.y;
    IntraBlock intra;
    intra.plane = static_cast<std::uint8_t>(plane);
    intra.size = plane > 0 ? block.chroma_transform : block.transform;
    intra.where.end_x = (picture.columns() * kUnit) >> sampling.x;
    intra.where.end_y = (picture.rows() * kUnit) >> sampling.y;
    const int step = 4 << intra.size;
    const int width = std::min(block_width, intra.where.end_x - left);
    const int height = std::min(block_height, intra.where.end_y - top);
    for (int y = 0; y < height; y += step) {
      for (int x = 0; x < width; x += step) {
        intra.where.x = left + x;
        intra.where.y = top + y;
        intra.where.above = y > 0 || block.row > 0;
        intra.where.left = x > 0 || has_left;
        intra.where.above_right = x + step < block_width;
        intra.mode = block.uv_mode;
        if (plane == 0) {
          const int sub_block = block.size < kBlock8x8 ? y / 4 * 2 + x / 4 : 3;
          intra.mode = block.modes[static_cast<std::size_t>(sub_block)];
        }
        intra.transform = nullptr;
        if (transform != end && transform->plane == plane && transform->x == intra.where.x &&
            transform->y == intra.where.y) {
          intra.transform = transform++;
        }
        call(intra);
      }
    }
  }
}

}  // namespace sidecore::vp9
