// From an inter block and its vectors to the samples that its planes want of a reference.
// Source: VP9 specification v0.6, sections 8.5.2.1 to 8.5.2.3.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "vp9/block_tables.h"
#include "vp9/inter_prediction.h"
#include "vp9/picture_data.h"

namespace sidecore::vp9 {

/// A part of a block in one plane, in the plane's samples.
struct PlaneBlock {
  int x = 0;
  int y = 0;
  int width = 0;
  int height = 0;
};

[[nodiscard]] inline PlaneBlock plane_block(const Block& block, Subsampling plane) {
  return {(block.column * kUnit) >> plane.x, (block.row * kUnit) >> plane.y,
          (kWidthIn8[block.size] * kUnit) >> plane.x, (kHeightIn8[block.size] * kUnit) >> plane.y};
}

/// Of the block's first or second reference: 0 for LAST, 1 for GOLDEN, 2 for ALTREF.
[[nodiscard]] inline std::size_t reference_index(const Block& block, std::size_t which) {
  return static_cast<std::size_t>(block.references[which] - kLast);
}

/// Calls predict(first plane, one behind the last, PlaneBlock part, ReferenceArea area) for all
/// that a frame's inter blocks are predicted from. Planes of one call are of the same size.
class InterAreas {
 public:
  /// A frame of so many units of 8x8 luma samples.
  InterAreas(int columns, int rows, Subsampling chroma)
      : columns_(columns), rows_(rows), chroma_(chroma) {}

  template <class Predict>
  void of(const Block& block, std::size_t which, const ReferenceScale& scale,
          const Predict& predict) const {
    if (in_parts(block, scale)) {
      of_parts(block, which, scale, predict);
    } else {
      of_whole(block, which, predict);
    }
  }

  /// Whether a block is more than a vector into a reference of the frame's size.
  [[nodiscard]] static bool in_parts(const Block& block, const ReferenceScale& scale) {
    return block.size < kBlock8x8 || scale.scaled();
  }

  /// Of a block that is not.
  template <class Predict>
  void of_whole(const Block& block, std::size_t which, const Predict& predict) const {
    const MotionVector mv = block.mv[0][which];
    const auto of_planes = [&](std::size_t begin, std::size_t end, Subsampling plane)
        __attribute__((always_inline)) {
      const PlaneBlock whole = plane_block(block, plane);
      const ReferenceArea area{
          .x = start(whole.x, whole.width, end_x(plane), sixteenths(mv.column, plane.x)),
          .y = start(whole.y, whole.height, end_y(plane), sixteenths(mv.row, plane.y)),
          .width = whole.width,
          .height = whole.height};
      predict(begin, end, whole, area);
    };
    of_planes(0, 1, {});
    of_planes(1, 3, chroma_);
  }

  /// Of any.
  template <class Predict>
  void of_parts(const Block& block, std::size_t which, const ReferenceScale& scale,
                const Predict& predict) const {
    of_parts(block, which, scale, predict, 0, 1, {});
    of_parts(block, which, scale, predict, 1, 3, chroma_);
  }

 private:
  [[nodiscard]] int end_x(Subsampling plane) const { return (columns_ * kUnit) >> plane.x; }
  [[nodiscard]] int end_y(Subsampling plane) const { return (rows_ * kUnit) >> plane.y; }
  /// A vector's component in 16ths of a plane's sample.
  static int sixteenths(int component, int subsampling) { return component * (2 >> subsampling); }

  template <class Predict>
  void of_parts(const Block& block, std::size_t which, const ReferenceScale& scale,
                const Predict& predict, std::size_t begin, std::size_t end,
                Subsampling plane) const {
    const PlaneBlock whole = plane_block(block, plane);
    const auto of_part = [&](const PlaneBlock& part, MotionVector mv) {
      const int start_x = start(whole.x, whole.width, end_x(plane), sixteenths(mv.column, plane.x));
      const int start_y = start(whole.y, whole.height, end_y(plane), sixteenths(mv.row, plane.y));
      const ReferenceArea area{
          .x = part_start(whole.x, start_x, part.x - whole.x, block.column * kUnit, scale.x),
          .y = part_start(whole.y, start_y, part.y - whole.y, block.row * kUnit, scale.y),
          .step_x = scaled(16, scale.x),
          .step_y = scaled(16, scale.y),
          .width = part.width,
          .height = part.height};
      predict(begin, end, part, area);
    };
    if (block.size >= kBlock8x8) {
      of_part(whole, block.mv[0][which]);
      return;
    }
    std::size_t part = 0;
    for (int y = 0; y < whole.height; y += 4) {
      for (int x = 0; x < whole.width; x += 4, ++part) {
        of_part({whole.x + x, whole.y + y, 4, 4}, mean_vector(block, which, part, plane));
      }
    }
  }

  // Section 8.5.2.1: a 4x4 part of a plane of a block below 8x8 moves by the mean of the vectors of
  // the luma that it covers. In 4:2:2 the lower part has number 1, and takes the vectors 1 and 2,
  // where 2 and 3 lie beside it: all decoders do what the text says.
  static MotionVector mean_vector(const Block& block, std::size_t which, std::size_t part,
                                  Subsampling plane) {
    const int shift = plane.x + plane.y;
    int row = 0;
    int column = 0;
    for (std::size_t y = 0; y <= static_cast<std::size_t>(plane.y); ++y) {
      for (std::size_t x = 0; x <= static_cast<std::size_t>(plane.x); ++x) {
        const MotionVector mv = block.mv[part + 2 * y + x][which];
        row += mv.row;
        column += mv.column;
      }
    }
    const auto mean = [shift](int sum) {
      const int half = (1 << shift) / 2;
      return static_cast<std::int16_t>((sum < 0 ? sum - half : sum + half) / (1 << shift));
    };
    return {mean(row), mean(column)};
  }

  // Section 8.5.2.2, along one axis of a plane: where a block begins in a reference of the frame's
  // size, in 16ths of a sample, as is `vector`. `end` is the plane's, in whole units. A vector
  // points no farther beyond the frame than the taps do.
  static int start(int position, int size, int end, int vector) {
    constexpr int kTapsReach = 4;
    return std::clamp(position * 16 + vector, -(kTapsReach + size) * 16,
                      (end + kTapsReach) * 16 - 16);
  }

  // Section 8.5.2.3: the same for the block's part at `offset`, in a reference of any size. `start`
  // is what start() says, `luma` the block's position in luma samples.
  static int part_start(int position, int start, int offset, int luma, int scale) {
    if (scale == 1 << 14) return start + offset * 16;
    const int fraction = scaled((luma + offset) * 16, scale) & 15;
    return scaled(position + offset, scale) * 16 + scaled(start - position * 16, scale) + fraction;
  }

  int columns_;
  int rows_;
  Subsampling chroma_;
};

}  // namespace sidecore::vp9
