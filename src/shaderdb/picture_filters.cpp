#include "shaderdb/picture_filters.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/random.h"
#include "qpu/buffer.h"
#include "video/synthetic_clip.h"
#include "vp9/loop_filter_schedule.h"

namespace sidecore::shaderdb {
namespace {

using vp9::EdgeDirection;
using vp9::LoopFilterEdge;

constexpr int kSuperblock = 64;
constexpr int kUnit = 8;
constexpr int kSharpness = 0;

/// In the order of the specification's section 8.8.1. Most units have a border, of every width,
/// some a boundary in their middle, as in a stream of small blocks.
class EdgeMaker {
 public:
  explicit EdgeMaker(const video::PictureFormat& format) : format_(format) {}

  std::vector<LoopFilterEdge> operator()() {
    for (int row = 0; row < format_.height; row += kSuperblock) {
      for (int column = 0; column < format_.width; column += kSuperblock) {
        for (int plane = 0; plane < 3; ++plane) {
          add_superblock(column, row, plane, EdgeDirection::vertical);
          add_superblock(column, row, plane, EdgeDirection::horizontal);
        }
      }
    }
    return edges_;
  }

 private:
  void add_superblock(int column, int row, int plane, EdgeDirection direction) {
    const int scale = plane == 0 ? 1 : 2;
    const int right = std::min((column + kSuperblock) / scale, format_.plane_width(plane));
    const int bottom = std::min((row + kSuperblock) / scale, format_.plane_height(plane));
    const bool vertical = direction == EdgeDirection::vertical;
    for (int y = row / scale; y + kUnit <= bottom; y += kUnit) {
      for (int x = column / scale; x + kUnit <= right; x += kUnit) {
        if ((vertical ? x : y) > 0 && in_ten(8)) add(x, y, plane, direction, border_width());
        if (in_ten(2)) {
          add(x + (vertical ? kUnit / 2 : 0), y + (vertical ? 0 : kUnit / 2), plane, direction, 4);
        }
      }
    }
  }

  bool in_ten(std::uint32_t times) { return random_.below(10) < times; }

  std::uint8_t border_width() {
    if (in_ten(4)) return 16;
    return in_ten(3) ? 4 : 8;
  }

  void add(int x, int y, int plane, EdgeDirection direction, std::uint8_t width) {
    edges_.push_back({.x = static_cast<std::uint16_t>(x),
                      .y = static_cast<std::uint16_t>(y),
                      .plane = static_cast<std::uint8_t>(plane),
                      .direction = direction,
                      .width = width,
                      .level = static_cast<std::uint8_t>(1 + random_.below(63))});
  }

  video::PictureFormat format_;
  Random random_{1};
  std::vector<LoopFilterEdge> edges_;
};

}  // namespace

std::string PictureFilter::variant() const {
  const char* const name = to_string(schedule);
  return bits == 8 ? name : fmt::format("{}, {} bits", name, bits);
}

std::vector<PictureFilter> picture_filters() {
  constexpr int kDeep = 10;
  return {{qpu::LoopFilterOrder::levels, 8},
          {qpu::LoopFilterOrder::waves, 8},
          {qpu::LoopFilterOrder::levels, kDeep},
          {qpu::LoopFilterOrder::waves, kDeep}};
}

PictureFilterWork::PictureFilterWork(const std::shared_ptr<qpu::Device>& device,
                                     const PictureFilter& filter, int width, int height) {
  const video::PictureFormat format{width, height, {video::Chroma::c420, filter.bits}};
  const video::SyntheticClip clip(format);
  const video::Picture picture = clip.distorted(1);
  const std::shared_ptr<qpu::Buffer> memory =
      device->create_buffer(video::PictureLayout(format).bytes);
  std::ranges::copy(picture.bytes(), memory->bytes().begin());
  const std::vector<LoopFilterEdge> edges = EdgeMaker(format)();
  if (edges.empty()) throw usage_error("a picture of {}x{} has no edges", width, height);
  edges_ = edges.size();
  filter_ = std::make_unique<qpu::LoopFilter>(*device, memory, qpu::PicturePlanes::of(format),
                                              filter.bits);
  if (filter.schedule == qpu::LoopFilterOrder::levels) {
    vp9::LevelScheduler scheduler;
    const vp9::EdgeSteps& steps = scheduler.schedule(edges);
    filter_->set_edges(steps, steps.count(), kSharpness);
  } else {
    vp9::WaveScheduler scheduler;
    scheduler.schedule(edges, vp9::PlaneScales(format.pixel.chroma));
    filter_->set_edges(scheduler, kSharpness);
  }
}

}  // namespace sidecore::shaderdb
