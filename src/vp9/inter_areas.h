// Finds the reference samples that each plane of an inter block is predicted from.
// Source: VP9 specification v0.6, sections 8.5.2.1 to 8.5.2.3.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "vp9/block_tables.h"
#include "vp9/inter_prediction.h"
#include "vp9/picture_data.h"

namespace sidecore::vp9 {

/// A part of a block in one plane: position and size in that plane's samples.
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

/// Returns the index of the block's first (`which` 0) or second (1) reference: 0 LAST, 1 GOLDEN, 2
/// ALTREF.
[[nodiscard]] inline std::size_t reference_index(const Block& block, std::size_t which) {
  return static_cast<std::size_t>(block.references[which] - kLast);
}

/// Calls predict(first plane, end plane, PlaneBlock part, ReferenceArea area) for every area that
/// an inter block is predicted from. A call covers the planes [first, end), which have the same
/// size.
class InterAreas {
 public:
  /// Creates the areas of a frame; `columns` and `rows` are its size in units of 8x8 luma samples.
  InterAreas(int columns, int rows, Subsampling chroma)
      : columns_(columns), rows_(rows), chroma_(chroma) {}

  template <class Predict>
  void of(const Block& block, std::size_t which, const ReferenceScale& scale,
          const Predict& predict) const {
    if (needs_parts(block, scale)) {
      for_each_part(block, which, scale, predict);
    } else {
      for_whole_block(block, which, predict);
    }
  }

  /// Returns true if the block needs for_each_part(): it is smaller than 8x8 luma samples, or its
  /// reference has another size than the frame.
  [[nodiscard]] static bool needs_parts(const Block& block, const ReferenceScale& scale) {
    return block.size < kBlock8x8 || scale.scaled();
  }

  /// Calls predict() for a block for which needs_parts() is false.
  template <class Predict>
  void for_whole_block(const Block& block, std::size_t which, const Predict& predict) const {
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

  /// Calls predict() for any block.
  template <class Predict>
  void for_each_part(const Block& block, std::size_t which, const ReferenceScale& scale,
                     const Predict& predict) const {
    for_each_part(block, which, scale, predict, 0, 1, {});
    for_each_part(block, which, scale, predict, 1, 3, chroma_);
  }

 private:
  [[nodiscard]] int end_x(Subsampling plane) const { return (columns_ * kUnit) >> plane.x; }
  [[nodiscard]] int end_y(Subsampling plane) const { return (rows_ * kUnit) >> plane.y; }
  /// Converts a vector component to 16ths of a plane's sample.
  static int sixteenths(int component, int subsampling) { return component * (2 >> subsampling); }

  template <class Predict>
  void for_each_part(const Block& block, std::size_t which, const ReferenceScale& scale,
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

  // Section 8.5.2.1: returns the vector of a 4x4 part in a block smaller than 8x8: the mean of the
  // vectors of the luma blocks that it covers. In 4:2:2 the lower part has number 1 and takes
  // vectors 1 and 2, although vectors 2 and 3 belong to its position. All decoders follow the
  // specification's text here.
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

  // Section 8.5.2.2: returns where a block begins along one axis of a reference of the frame's
  // size. The result and `vector` are in 16ths of a sample. `end` is the plane's size in whole
  // units. The start is clamped, so that a block lies no farther beyond the frame than the filter
  // taps reach.
  static int start(int position, int size, int end, int vector) {
    constexpr int kTapsReach = 4;
    return std::clamp(position * 16 + vector, -(kTapsReach + size) * 16,
                      (end + kTapsReach) * 16 - 16);
  }

  // Section 8.5.2.3: returns the start of the block's part at `offset` in a reference of any size.
  // `start` is the result of start(); `luma` is the block's position in luma samples.
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
