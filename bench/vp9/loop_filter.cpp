#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "bench/registry.h"
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

// The grid's edges. Synthetic contents have limits that vary from edge to edge.
std::vector<vp9::LoopFilterEdge> edges_of(vp9::LoopFilterKind kind,
                                          const gates::WorkloadRequest& request) {
  std::vector<vp9::LoopFilterEdge> edges =
      vp9::grid_edges(kind, request.width, request.height, row_stride(request.width),
                      vp9::loop_filter_limits(request.filter_level, request.sharpness));
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
    edge.limits =
        vp9::loop_filter_limits(1 + static_cast<int>(random.below(63)), request.sharpness);
  }
  return edges;
}

// A grid of edges over a luma plane, synthetic or a picture's.
class GridWorkload final : public LoopFilterWorkload {
 public:
  GridWorkload(vp9::LoopFilterKind kind, gates::WorkloadRequest request)
      : LoopFilterWorkload(kind, row_stride(request.width),
                           static_cast<std::size_t>(request.height), edges_of(kind, request)),
        request_(std::move(request)) {}

 private:
  void fill(std::span<std::byte> memory) const override {
    const vp9::LoopFilterPlane plane{
        {reinterpret_cast<std::uint8_t*>(memory.data()), memory.size()}, stride()};
    if (request_.content == Content::input) return copy_luma(plane);
    // A stream of its own, or samples would follow the limits' random numbers.
    Random random(~request_.seed);
    for (const vp9::LoopFilterEdge& edge : edges()) {
      fill_edge(request_.content, edge, plane, random);
    }
  }

  void copy_luma(const vp9::LoopFilterPlane& plane) const {
    const auto luma = std::as_const(*request_.picture).plane<std::uint8_t>(0);
    for (int y = 0; y < luma.height; ++y) {
      std::copy_n(luma.row(y), luma.width,
                  plane.bytes.begin() + static_cast<std::ptrdiff_t>(stride()) * y);
    }
  }

  gates::WorkloadRequest request_;
};

std::unique_ptr<gates::Workload> make_workload(vp9::LoopFilterKind kind,
                                               const gates::WorkloadRequest& request) {
  gates::WorkloadRequest own = request;
  if (request.content == Content::input) {
    const std::string_view name = names_of(kind).name;
    if (!request.picture) throw usage_error("{}: input content needs a picture", name);
    const video::PictureFormat& format = request.picture->format();
    if (format.pixel.bits != 8) {
      throw usage_error("{} filters 8-bit samples, the input has {} bits", name, format.pixel.bits);
    }
    own.width = format.width;
    own.height = format.height;
  }
  video::check_format({own.width, own.height, {video::Chroma::c400, 8}});
  return std::make_unique<GridWorkload>(kind, std::move(own));
}

}  // namespace

// Unit: an edge of a grid over a luma plane (vp9::grid_edges()). Synthetic contents fill the lines
// of every edge to suit its limits, which vary from edge to edge (levels 1..63, seeded, at the
// request's sharpness); Content::input takes an 8-bit picture's luma and the request's level.
std::vector<gates::Kernel> loop_filter_kernels() {
  std::vector<gates::Kernel> kernels;
  for (const Names& names : kNames) {
    const vp9::LoopFilterKind kind = names.kind;
    kernels.push_back(
        {.name = names.name,
         .description = names.description,
         .unit = "edge",
         .module = "vp9",
         .variants = loop_filter_variants(kind),
         .make_workload =
             [kind](const gates::WorkloadRequest& request) { return make_workload(kind, request); },
         .open_clip =
             [kind](const std::string& clip, std::optional<std::size_t> frames) {
               return open_loop_filter_stream(kind, clip, frames);
             },
         .player_stage = "loop filter",
         .make_player = make_vp9_player});
  }
  return kernels;
}

}  // namespace sidecore::bench
