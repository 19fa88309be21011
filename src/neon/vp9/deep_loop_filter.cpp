#include "neon/vp9/deep_loop_filter.h"

#include <array>

#include "neon/vp9/deep_loop_filter_lines.h"
#include "neon/vp9/deep_loop_filter_memory.h"

namespace sidecore::neon {
namespace {

using vp9::EdgeDirection;
using vp9::LoopFilterKind;
using vp9::LoopFilterLimits;
using vp9::PictureEdge;

using EdgeFilter = void (*)(std::uint16_t*, std::ptrdiff_t, const LoopFilterLimits&, int);

template <LoopFilterKind kind>
void filter_one(std::uint16_t* q0, std::ptrdiff_t stride, const LoopFilterLimits& limits,
                int bits) {
  constexpr int kWidth = vp9::width_of(kind);
  const DeepLimits lanes(limits, bits);
  if constexpr (vp9::direction_of(kind) == EdgeDirection::vertical) {
    store_deep_rows(q0, stride, filter(load_deep_rows<kWidth>(q0, stride), lanes));
  } else {
    store_deep_columns(q0, stride, filter(load_deep_columns<kWidth>(q0, stride), lanes));
  }
}

// By the kind's value.
constexpr std::array<EdgeFilter, 7> kOfKind = {
    filter_one<LoopFilterKind::h_4>,  filter_one<LoopFilterKind::h_8>,
    filter_one<LoopFilterKind::h_16>, nullptr,
    filter_one<LoopFilterKind::v_4>,  filter_one<LoopFilterKind::v_8>,
    filter_one<LoopFilterKind::v_16>};

}  // namespace

void filter_deep_edge(LoopFilterKind kind, std::uint16_t* q0, std::ptrdiff_t stride,
                      const LoopFilterLimits& limits, int bits) {
  kOfKind[static_cast<std::size_t>(kind)](q0, stride, limits, bits);
}

void filter_deep_edges_in_order(const vp9::LoopFilterPicture<std::uint16_t>& picture,
                                std::span<const PictureEdge> edges, int sharpness) {
  vp9::check_picture_edges(picture, edges);
  const vp9::LoopFilterLimitTable limits(sharpness);
  for (const PictureEdge& edge : edges) {
    const auto& plane = picture.planes[edge.plane];
    filter_deep_edge(vp9::loop_filter_kind(edge.direction, edge.width),
                     plane.samples.data() + edge.y * plane.stride + edge.x,
                     static_cast<std::ptrdiff_t>(plane.stride), limits[edge.level], picture.bits);
  }
}

}  // namespace sidecore::neon
