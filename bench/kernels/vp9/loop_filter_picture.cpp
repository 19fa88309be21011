#include "kernels/vp9/loop_filter_picture.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "base/random.h"

namespace sidecore::bench {
namespace {

using gates::Content;

int random_below(Random& random, int bound) {
  return static_cast<int>(random.below(static_cast<std::uint32_t>(bound)));
}

constexpr int kSuperblock = 64;
constexpr int kUnit = 8;

class EdgeMaker {
 public:
  EdgeMaker(const video::PictureFormat& format, const EdgeMix& mix, std::uint64_t seed)
      : format_(format), mix_(mix), random_(seed) {}

  std::vector<vp9::LoopFilterEdge> operator()() {
    for (int row = 0; row < format_.height; row += kSuperblock) {
      for (int column = 0; column < format_.width; column += kSuperblock) {
        for (int plane = 0; plane < format_.pixel.planes(); ++plane) {
          add_superblock(column, row, plane, vp9::EdgeDirection::vertical);
          add_superblock(column, row, plane, vp9::EdgeDirection::horizontal);
        }
      }
    }
    return std::move(edges_);
  }

 private:
  void add_superblock(int column, int row, int plane, vp9::EdgeDirection direction) {
    const int scale = plane > 0 && format_.pixel.chroma == video::Chroma::c420 ? 2 : 1;
    const int right = std::min((column + kSuperblock) / scale, format_.plane_width(plane));
    const int bottom = std::min((row + kSuperblock) / scale, format_.plane_height(plane));
    const bool vertical = direction == vp9::EdgeDirection::vertical;
    for (int y = row / scale; y + kUnit <= bottom; y += kUnit) {
      for (int x = column / scale; x + kUnit <= right; x += kUnit) {
        if ((vertical ? x : y) > 0 && tenths(mix_.border)) {
          add(x, y, plane, direction, border_width());
        }
        if (tenths(mix_.inner_4)) {
          add(x + (vertical ? kUnit / 2 : 0), y + (vertical ? 0 : kUnit / 2), plane, direction, 4);
        }
      }
    }
  }

  bool tenths(std::uint32_t of_ten) { return random_.below(10) < of_ten; }

  int border_width() {
    const std::uint32_t draw = random_.below(10);
    return draw < mix_.width_4 ? 4 : draw < mix_.width_4 + mix_.width_16 ? 16 : 8;
  }

  void add(int x, int y, int plane, vp9::EdgeDirection direction, int width) {
    edges_.push_back({.x = static_cast<std::uint16_t>(x),
                      .y = static_cast<std::uint16_t>(y),
                      .plane = static_cast<std::uint8_t>(plane),
                      .direction = direction,
                      .width = static_cast<std::uint8_t>(width),
                      .level = static_cast<std::uint8_t>(1 + random_.below(63))});
  }

  video::PictureFormat format_;
  EdgeMix mix_;
  Random random_;
  std::vector<vp9::LoopFilterEdge> edges_;
};

// Returns the picture's gradient at 8 bits: a triangle wave that changes by one every 8 samples.
int slow_ramp(int x, int y) {
  const int along = (x + 2 * y) / 16 % 128;
  return along < 64 ? along : 128 - along;
}

// Returns a sample of high-variance content: areas of 32x32 samples, each of its own kind.
int area_sample(int x, int y, int plane, Random& random) {
  constexpr std::array kNoise = {2, 4, 24, 200};
  const int area = y / 32 * 31 + x / 32 * 17 + plane;
  const int noise = random_below(random, kNoise[static_cast<std::size_t>(area % 4)]);
  const int ramp = area % 3 == 0 ? (x + y) % 32 : 0;
  return std::min((x / kUnit + y / kUnit) * 5 % 40 + ramp + noise, 255);
}

template <class Sample>
void fill_plane(Content content, const video::PlaneView<Sample>& plane, int index, int bits,
                Random& random) {
  const int columns = (plane.width + kUnit - 1) / kUnit;
  std::vector<int> offsets(static_cast<std::size_t>(columns));  // one offset per block of this row
  for (int y = 0; y < plane.height; ++y) {
    if (y % kUnit == 0) std::ranges::generate(offsets, [&] { return random_below(random, 5) - 2; });
    for (int x = 0; x < plane.width; ++x) {
      const int offset = offsets[static_cast<std::size_t>(x / kUnit)];
      const int sample = content == Content::smooth ? 96 + slow_ramp(x, y) + offset
                         : content == Content::flat
                             ? 128 + offset + (random_below(random, 4) == 0 ? 1 : 0)
                         : content == Content::high_variance ? area_sample(x, y, index, random)
                                                             : random_below(random, 256);
      // The low bits are small, so that pictures of more than 8 bits keep the kind of content.
      const int low = bits == 8 ? 0 : random_below(random, 2);
      plane.row(y)[x] = static_cast<Sample>((sample << (bits - 8)) + low);
    }
  }
}

}  // namespace

std::vector<vp9::LoopFilterEdge> random_edges(const video::PictureFormat& format,
                                              const EdgeMix& mix, std::uint64_t seed) {
  return EdgeMaker(format, mix, seed)();
}

void fill_picture(Content content, video::Picture& picture, std::uint64_t seed) {
  assert(content != Content::input);
  Random random(seed);
  const video::PixelFormat& pixel = picture.format().pixel;
  for (int plane = 0; plane < pixel.planes(); ++plane) {
    if (pixel.bits == 8) {
      fill_plane(content, picture.plane<std::uint8_t>(plane), plane, pixel.bits, random);
    } else {
      fill_plane(content, picture.plane<std::uint16_t>(plane), plane, pixel.bits, random);
    }
  }
}

}  // namespace sidecore::bench
