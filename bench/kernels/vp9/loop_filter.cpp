#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"
#include "base/random.h"
#include "base/rounding.h"
#include "kernels/registry.h"
#include "kernels/vp9/loop_filter_content.h"
#include "kernels/vp9/loop_filter_picture.h"
#include "kernels/vp9/loop_filter_stream.h"
#include "kernels/vp9/loop_filter_workload.h"
#include "kernels/vp9/vp9_player.h"
#include "vp9/loop_filter.h"

namespace sidecore::bench {
namespace {

using gates::Content;

std::size_t row_stride(int width) {
  return round_up(static_cast<std::size_t>(width), video::PictureLayout::kRowAlignment);
}

// Name and description of the kernel of each kind of edge.
struct Names {
  vp9::LoopFilterKind kind;
  std::string_view name;
  std::string_view description;
};
constexpr std::array kNames = {
    Names{vp9::LoopFilterKind::h_4, "loop_filter_h_4",
          "VP9 loop filter, 4 wide, vertical edges of the 8x8 luma grid"},
    Names{vp9::LoopFilterKind::h_8, "loop_filter_h_8",
          "VP9 loop filter, 8 wide, vertical edges of the 8x8 luma grid"},
    Names{vp9::LoopFilterKind::h_16, "loop_filter_h_16",
          "VP9 loop filter, 16 wide, vertical edges every 16 samples"},
    Names{vp9::LoopFilterKind::v_4, "loop_filter_v_4",
          "VP9 loop filter, 4 wide, horizontal edges of the 8x8 luma grid"},
    Names{vp9::LoopFilterKind::v_8, "loop_filter_v_8",
          "VP9 loop filter, 8 wide, horizontal edges of the 8x8 luma grid"},
    Names{vp9::LoopFilterKind::v_16, "loop_filter_v_16",
          "VP9 loop filter, 16 wide, horizontal edges every 16 samples"}};

const Names& names_of(vp9::LoopFilterKind kind) {
  return *std::ranges::find(kNames, kind, &Names::kind);
}

// Returns the grid's edges. Synthetic contents have a random level per edge.
std::vector<vp9::LoopFilterEdge> edges_of(vp9::LoopFilterKind kind,
                                          const gates::WorkloadRequest& request) {
  // This check throws for a level or sharpness outside VP9's range.
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

// Edges of one kind on a grid over a luma plane, synthetic or of a picture.
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
    // The seed differs from that of the levels, so that samples do not correlate with them.
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

void require_picture(std::string_view kernel, const gates::WorkloadRequest& request) {
  if (!request.picture) throw usage_error("{}: input content needs a picture", kernel);
}

std::unique_ptr<gates::Workload> make_edges_workload(vp9::LoopFilterKind kind,
                                                     const gates::WorkloadRequest& request) {
  gates::WorkloadRequest own = request;
  if (request.content == Content::input) {
    const std::string_view name = names_of(kind).name;
    require_picture(name, request);
    const video::PictureFormat& format = request.picture->format();
    if (format.pixel.bits != 8) {
      throw usage_error("{} filters 8-bit samples, but the input has {} bits", name,
                        format.pixel.bits);
    }
    own.width = format.width;
    own.height = format.height;
  }
  video::check_format({own.width, own.height, {video::Chroma::c400, 8}});
  return std::make_unique<GridWorkload>(kind, std::move(own));
}

video::Picture copy_of(const video::Picture& picture) {
  video::Picture copy(picture.format());
  std::ranges::copy(picture.bytes(), copy.bytes().begin());
  return copy;
}

constexpr std::string_view kPictureName = "loop_filter";

video::Picture picture_of(const gates::WorkloadRequest& request) {
  if (request.content == Content::input) {
    require_picture(kPictureName, request);
    const video::Chroma chroma = request.picture->format().pixel.chroma;
    if (chroma != video::Chroma::c420 && chroma != video::Chroma::c444) {
      throw usage_error("{} filters pictures of 4:2:0 and 4:4:4, but the input has other chroma",
                        kPictureName);
    }
    return copy_of(*request.picture);
  }
  const video::PictureFormat format{
      request.width, request.height, {video::Chroma::c420, request.bits}};
  video::check_format(format);
  video::Picture picture(format);
  // The seed differs from that of the levels, so that samples do not correlate with them.
  fill_picture(request.content, picture, ~request.seed);
  return picture;
}

std::unique_ptr<gates::Workload> make_picture_workload(const gates::WorkloadRequest& request) {
  // This check throws for a level or sharpness outside VP9's range.
  static_cast<void>(vp9::loop_filter_limits(request.filter_level, request.sharpness));
  video::Picture picture = picture_of(request);
  const video::PictureFormat& format = picture.format();
  static_cast<void>(vp9::scalar_dsp().of(format.pixel.bits));  // throws for unsupported bit depths
  std::vector<vp9::LoopFilterEdge> edges = random_edges(format, {}, request.seed);
  if (edges.empty()) {
    throw usage_error("{} finds no edges in a picture of {}x{} samples", kPictureName, format.width,
                      format.height);
  }
  if (request.content == Content::input) {
    for (vp9::LoopFilterEdge& edge : edges) {
      edge.level = static_cast<std::uint8_t>(request.filter_level);
    }
  }
  return std::make_unique<LoopFilterPictureWorkload>(
      std::move(picture), vp9::LoopFilterEdges(std::move(edges)), request.sharpness);
}

// Makes a loop filter's descriptor. `kind` is none for whole pictures.
gates::Kernel describe_kernel(std::optional<vp9::LoopFilterKind> kind, std::string_view name,
                              std::string_view description) {
  gates::Kernel kernel{.name = name,
                       .description = description,
                       .unit = "edge",
                       .module = "vp9",
                       .variants = loop_filter_variants(kind),
                       .partner = "inter_prediction"};
  kernel.open_clip = [kind](const gates::ClipRequest& clip) {
    return open_loop_filter_stream(kind, clip);
  };
  play_stage(kernel, vp9::Stage::loop_filter);
  return kernel;
}

}  // namespace

// loop_filter: a whole picture with edges of all kinds and planes, in the scalar definition's
// order, as the decoder filters it. The work unit is one edge. Synthetic contents have random edges
// (random_edges()) of levels 1..63 and the request's sharpness. If the clip is not VP9,
// Content::input has random edges of the request's level over the picture's samples.
//
// loop_filter_h_4 and so on: edges of one kind on a grid over a luma plane (grid_edges()).
// Synthetic contents fill the lines of every edge according to its limits, which vary from edge to
// edge. Content::input uses an 8-bit picture's luma and the request's level.
std::vector<gates::Kernel> loop_filter_kernels() {
  std::vector<gates::Kernel> kernels;
  gates::Kernel& picture = kernels.emplace_back(
      describe_kernel({}, kPictureName, "VP9 loop filter of whole pictures, all edges in order"));
  picture.make_workload = make_picture_workload;
  picture.bit_depths = {8, 10};
  for (const Names& names : kNames) {
    const vp9::LoopFilterKind kind = names.kind;
    kernels.push_back(describe_kernel(kind, names.name, names.description));
    kernels.back().make_workload = [kind](const gates::WorkloadRequest& request) {
      return make_edges_workload(kind, request);
    };
  }
  return kernels;
}

}  // namespace sidecore::bench
