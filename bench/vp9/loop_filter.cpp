#include "bench/vp9/loop_filter.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "bench/vp9/loop_filter_content.h"
#include "bench/vp9/loop_filter_stream.h"
#include "bench/vp9/loop_filter_workload.h"
#include "bench/vp9/vp9_player.h"
#include "vp9/loop_filter.h"

namespace sidecore::bench {
namespace {

using gates::Content;

std::size_t row_stride(int width) {
  constexpr std::size_t kAlignment = video::PictureLayout::kRowAlignment;
  return (static_cast<std::size_t>(width) + kAlignment - 1) / kAlignment * kAlignment;
}

// What the registry says of each kind. "loop_filter" is h_4, the first kernel.
struct Names {
  vp9::LoopFilterKind kind;
  std::string_view name;
  std::string_view description;
};
constexpr std::array kNames = {
    Names{vp9::LoopFilterKind::h_4, "loop_filter",
          "VP9 loop filter, 4 wide, vertical edges of the 8x8 luma grid (h_4_8)"},
    Names{vp9::LoopFilterKind::h_8, "loop_filter_h_8",
          "VP9 loop filter, 8 wide, vertical edges of the 8x8 luma grid (h_8_8)"},
    Names{vp9::LoopFilterKind::h_16, "loop_filter_h_16",
          "VP9 loop filter, 16 wide, vertical edges every 16 samples (h_16_8)"},
    Names{vp9::LoopFilterKind::v_4, "loop_filter_v_4",
          "VP9 loop filter, 4 wide, horizontal edges of the 8x8 luma grid (v_4_8)"},
    Names{vp9::LoopFilterKind::v_8, "loop_filter_v_8",
          "VP9 loop filter, 8 wide, horizontal edges of the 8x8 luma grid (v_8_8)"},
    Names{vp9::LoopFilterKind::v_16, "loop_filter_v_16",
          "VP9 loop filter, 16 wide, horizontal edges every 16 samples (v_16_8)"}};

const Names& names_of(vp9::LoopFilterKind kind) {
  return *std::ranges::find(kNames, kind, &Names::kind);
}

// The grid's edges. Synthetic contents have levels that vary from edge to edge.
std::vector<vp9::LoopFilterEdge> edges_of(vp9::LoopFilterKind kind,
                                          const gates::WorkloadRequest& request) {
  // Throws for a level or sharpness that streams cannot have.
  static_cast<void>(vp9::loop_filter_limits(request.filter_level, request.sharpness));
  std::vector<vp9::LoopFilterEdge> edges =
      grid_edges(kind, request.width, request.height, request.filter_level);
  if (edges.empty()) {
    const bool vertical = vp9::direction_of(kind) == vp9::EdgeDirection::vertical;
    const int along = vp9::kEdgeLength;
    const int across = 3 * vp9::read_reach(vp9::width_of(kind));
    throw usage_error("{} needs a picture of at least {}x{} samples, not {}x{}",
                      names_of(kind).name, vertical ? across : along, vertical ? along : across,
                      request.width, request.height);
  }
  if (request.content == Content::input) return edges;
  Random random(request.seed);
  for (vp9::LoopFilterEdge& edge : edges) {
    edge.level = static_cast<std::uint8_t>(1 + random.below(63));
  }
  return edges;
}

LoopFilterWork grid_work(vp9::LoopFilterKind kind, const gates::WorkloadRequest& request) {
  LoopFilterWork work;
  const std::size_t stride = row_stride(request.width);
  const auto rows = static_cast<std::size_t>(request.height);
  work.planes.planes[0] = {0, stride, rows};
  work.bytes = stride * rows;
  work.edges = edges_of(kind, request);
  work.sharpness = request.sharpness;
  work.kind = kind;
  return work;
}

// A grid of edges over a luma plane, synthetic or a picture's.
class GridWorkload final : public LoopFilterWorkload {
 public:
  GridWorkload(vp9::LoopFilterKind kind, gates::WorkloadRequest request)
      : LoopFilterWorkload(grid_work(kind, request)), request_(std::move(request)) {}

 private:
  void fill(std::span<std::byte> picture) const override {
    const auto planes = work().planes.in<std::uint8_t>(picture);
    const std::size_t stride = planes[0].stride;
    if (request_.content == Content::input) return copy_luma(planes[0].samples, stride);
    const vp9::LoopFilterLimitTable limits(work().sharpness);
    // A stream of its own, or samples would follow the levels' random numbers.
    Random random(~request_.seed);
    for (const vp9::LoopFilterEdge& edge : work().edges) {
      fill_edge(request_.content, edge.kind(), limits[edge.level], planes.q0(edge),
                static_cast<std::ptrdiff_t>(stride), random);
    }
  }

  void copy_luma(std::span<std::uint8_t> samples, std::size_t stride) const {
    const auto luma = std::as_const(*request_.picture).plane<std::uint8_t>(0);
    for (int y = 0; y < luma.height; ++y) {
      std::copy_n(luma.row(y), luma.width,
                  samples.begin() + static_cast<std::ptrdiff_t>(stride) * y);
    }
  }

  gates::WorkloadRequest request_;
};

class LoopFilterKernel : public gates::Kernel {
 public:
  explicit LoopFilterKernel(vp9::LoopFilterKind kind) : kind_(kind) {}

  [[nodiscard]] std::string_view name() const override { return names_of(kind_).name; }
  [[nodiscard]] std::string_view description() const override {
    return names_of(kind_).description;
  }
  [[nodiscard]] std::string_view unit() const override { return "edge"; }
  [[nodiscard]] std::vector<std::string_view> variants() const override {
    return loop_filter_variants(kind_);
  }
  [[nodiscard]] const qpu::ProgramInterface& interface(std::string_view variant) const override {
    return loop_filter_interface(kind_, variant);
  }

  [[nodiscard]] std::unique_ptr<gates::Workload> make_workload(
      const gates::WorkloadRequest& request) const override {
    gates::WorkloadRequest own = request;
    if (request.content == Content::input) {
      if (!request.picture) throw usage_error("{}: input content needs a picture", name());
      const video::PictureFormat& format = request.picture->format();
      if (format.pixel.bits != 8) {
        throw usage_error("{} filters 8-bit samples, the input has {} bits", name(),
                          format.pixel.bits);
      }
      own.width = format.width;
      own.height = format.height;
    }
    video::check_format({own.width, own.height, {video::Chroma::c400, 8}});
    return std::make_unique<GridWorkload>(kind_, std::move(own));
  }
  [[nodiscard]] std::unique_ptr<gates::ClipWorkloads> open_clip(
      const std::string& clip, std::optional<std::size_t> frames) const override {
    return open_loop_filter_stream(kind_, clip, frames);
  }
  [[nodiscard]] std::string_view player_stage() const override { return "loop filter"; }
  [[nodiscard]] std::unique_ptr<gates::Player> make_player(
      const gates::PlayerRequest& request) const override {
    return make_vp9_player(request);
  }

 private:
  vp9::LoopFilterKind kind_;
};

}  // namespace

const gates::Kernel& loop_filter_kernel(vp9::LoopFilterKind kind) {
  static const std::array kKernels = {
      LoopFilterKernel(vp9::LoopFilterKind::h_4),  LoopFilterKernel(vp9::LoopFilterKind::h_8),
      LoopFilterKernel(vp9::LoopFilterKind::h_16), LoopFilterKernel(vp9::LoopFilterKind::v_4),
      LoopFilterKernel(vp9::LoopFilterKind::v_8),  LoopFilterKernel(vp9::LoopFilterKind::v_16)};
  const auto at = std::ranges::find(vp9::kLoopFilterKinds, kind) - vp9::kLoopFilterKinds.begin();
  return kKernels.at(static_cast<std::size_t>(at));
}

}  // namespace sidecore::bench
