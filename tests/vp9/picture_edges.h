// Pictures with edges as a stream could have them, for the tests of schedules and of what runs
// them.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "vp9/edge.h"
#include "vp9/loop_filter.h"

namespace sidecore::test {

/// How often units of 8x8 samples have what, in tenths.
struct EdgeMix {
  std::uint32_t border = 8;  ///< a left or above border
  std::uint32_t width_4 = 2;
  std::uint32_t width_16 = 4;
  std::uint32_t inner_4 = 2;  ///< also the boundary in the middle
};

/// Widths and levels chosen at random, order and places those of the specification: superblocks in
/// raster order, in each plane after plane, vertical boundaries before horizontal ones, each by
/// rows. 4:2:0; `width` and `height` are luma samples, multiples of 16.
class PictureEdgeMaker {
 public:
  PictureEdgeMaker(int width, int height, const EdgeMix& mix, std::uint64_t seed)
      : width_(width), height_(height), mix_(mix), random_(seed) {}

  std::vector<vp9::PictureEdge> operator()() {
    for (int row = 0; row < height_; row += 64) {
      for (int column = 0; column < width_; column += 64) {
        for (int plane = 0; plane < 3; ++plane) {
          for (const auto direction :
               {vp9::EdgeDirection::vertical, vp9::EdgeDirection::horizontal}) {
            add_superblock(column, row, plane, direction);
          }
        }
      }
    }
    return edges_;
  }

 private:
  void add_superblock(int column, int row, int plane, vp9::EdgeDirection direction) {
    const int scale = plane == 0 ? 1 : 2;
    const int right = std::min(column + 64, width_) / scale;
    const int bottom = std::min(row + 64, height_) / scale;
    for (int y = row / scale; y < bottom; y += 8) {
      for (int x = column / scale; x < right; x += 8) {
        const bool vertical = direction == vp9::EdgeDirection::vertical;
        const int across = vertical ? x : y;
        if (across >= 8 && tenths(mix_.border)) add(x, y, plane, direction, border_width());
        if (tenths(mix_.inner_4))
          add(x + (vertical ? 4 : 0), y + (vertical ? 0 : 4), plane, direction, 4);
      }
    }
  }

  bool tenths(std::uint32_t of_ten) { return random_.below(10) < of_ten; }

  int border_width() {
    const std::uint32_t draw = random_.below(10);
    return draw < mix_.width_4 ? 4 : draw < mix_.width_4 + mix_.width_16 ? 16 : 8;
  }

  void add(int x, int y, int plane, vp9::EdgeDirection direction, int width) {
    // Everything the edge reads exists in planes that end after whole units.
    edges_.push_back({.x = static_cast<std::uint16_t>(x),
                      .y = static_cast<std::uint16_t>(y),
                      .plane = static_cast<std::uint8_t>(plane),
                      .direction = direction,
                      .width = static_cast<std::uint8_t>(width),
                      .level = static_cast<std::uint8_t>(1 + random_.below(63))});
  }

  int width_;
  int height_;
  EdgeMix mix_;
  Random random_;
  std::vector<vp9::PictureEdge> edges_;
};

/// Planes of a 4:2:0 picture for such edges, rows 64-byte aligned as video::PictureLayout has them,
/// one behind the other in one block.
template <class Sample>
class EdgePicture {
 public:
  EdgePicture(int width, int height, int bits = 8) : bits_(bits) {
    std::size_t end = 0;
    for (std::size_t plane = 0; plane < 3; ++plane) {
      const auto scale = plane == 0 ? std::size_t{1} : std::size_t{2};
      strides_[plane] = (static_cast<std::size_t>(width) / scale + 63) / 64 * 64;
      offsets_[plane] = end;
      rows_[plane] = static_cast<std::size_t>(height) / scale;
      end += strides_[plane] * rows_[plane];
      end = (end + 255) / 256 * 256;
    }
    samples_.resize(end);
  }

  /// Areas of nearly constant samples beside noise and ramps: every branch of the filters is taken.
  void fill(std::uint64_t seed) {
    Random random(seed);
    const int depth = bits_ - 8;
    for (std::size_t plane = 0; plane < 3; ++plane) {
      for (std::size_t y = 0; y < rows_[plane]; ++y) {
        for (std::size_t x = 0; x < strides_[plane]; ++x) {
          const std::size_t area = (y / 32) * 31 + (x / 32) * 17 + plane;
          const auto noise =
              static_cast<int>(random.below(static_cast<std::uint32_t>(area % 4 == 0   ? 2
                                                                       : area % 4 == 1 ? 4
                                                                       : area % 4 == 2 ? 24
                                                                                       : 200)));
          const int ramp = area % 3 == 0 ? static_cast<int>((x + y) % 32) : 0;
          const int base = static_cast<int>((x / 8 + y / 8) * 5 % 40) + ramp;
          samples_[offsets_[plane] + y * strides_[plane] + x] =
              static_cast<Sample>((std::min(base + noise, 255) << depth) + low_bits(random));
        }
      }
    }
  }

  [[nodiscard]] vp9::LoopFilterPicture<Sample> view() { return view_of(samples_); }
  [[nodiscard]] vp9::LoopFilterPicture<Sample> view_of(std::span<Sample> samples) const {
    vp9::LoopFilterPicture<Sample> picture;
    picture.bits = bits_;
    for (std::size_t plane = 0; plane < 3; ++plane) {
      picture.planes[plane] = {samples.subspan(offsets_[plane], strides_[plane] * rows_[plane]),
                               strides_[plane]};
    }
    return picture;
  }
  [[nodiscard]] std::vector<Sample>& samples() { return samples_; }
  [[nodiscard]] std::size_t offset(std::size_t plane) const { return offsets_[plane]; }
  [[nodiscard]] std::size_t stride(std::size_t plane) const { return strides_[plane]; }
  [[nodiscard]] std::size_t rows(std::size_t plane) const { return rows_[plane]; }

 private:
  // Few, so that deeper pictures keep the areas' character.
  [[nodiscard]] int low_bits(Random& random) const {
    return bits_ == 8 ? 0 : static_cast<int>(random.below(2));
  }

  int bits_;
  std::array<std::size_t, 3> offsets_{};
  std::array<std::size_t, 3> strides_{};
  std::array<std::size_t, 3> rows_{};
  std::vector<Sample> samples_;
};

}  // namespace sidecore::test
