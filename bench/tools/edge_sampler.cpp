#include "tools/edge_sampler.h"

#include <algorithm>
#include <cstddef>
#include <unordered_map>

#include "vp9/back_end.h"

namespace sidecore::bench {
namespace {

using vp9::EdgeDirection;
using vp9::LoopFilterEdge;

bool is_vertical(const LoopFilterEdge& edge) {
  return edge.direction == EdgeDirection::vertical;
}

std::uint64_t key_of(const LoopFilterEdge& edge) {
  return std::uint64_t{edge.x} << 24 | std::uint64_t{edge.y} << 8 | std::uint64_t{edge.plane} << 6 |
         static_cast<std::uint64_t>(edge.kind());
}

/// Returns the next edge along the boundary.
LoopFilterEdge next_along_boundary(LoopFilterEdge edge) {
  auto& along = is_vertical(edge) ? edge.y : edge.x;
  along = static_cast<std::uint16_t>(along + vp9::kEdgeLength);
  return edge;
}

bool begins_a_pair(const LoopFilterEdge& edge) {
  return (is_vertical(edge) ? edge.y : edge.x) % (2 * vp9::kEdgeLength) == 0;
}

}  // namespace

void EdgeSampler::add(const vp9::FrameBuffer& frame, std::span<const LoopFilterEdge> edges,
                      int sharpness) {
  filter_in_order(frame, edges, sharpness);
  std::unordered_map<std::uint64_t, std::size_t> places;
  for (std::size_t index = 0; index < edges.size(); ++index) places[key_of(edges[index])] = index;
  const vp9::LoopFilterLimitTable limits(sharpness);
  std::vector<bool> taken(edges.size());
  const auto put = [&](CapturedEdges& item, std::size_t part, std::size_t index) {
    item.limits[part] = limits[edges[index].level];
    for (std::size_t line = 0; line < vp9::kEdgeLength; ++line) {
      for (std::size_t across = 0; across < CapturedEdges::kSide; ++across) {
        const std::size_t along = part * vp9::kEdgeLength + line;
        item.samples[is_vertical(edges[index]) ? along * CapturedEdges::kSide + across
                                               : across * CapturedEdges::kSide + along] =
            met_[index][line * CapturedEdges::kSide + across];
      }
    }
  };
  // In the scalar definition's order an edge comes before its neighbour along the boundary, with
  // which it may form a pair.
  for (std::size_t index = 0; index < edges.size(); ++index) {
    if (taken[index]) continue;
    CapturedEdges item{};
    item.kind = edges[index].kind();
    put(item, 0, index);
    const auto next = begins_a_pair(edges[index])
                          ? places.find(key_of(next_along_boundary(edges[index])))
                          : places.end();
    if (next != places.end()) {
      put(item, 1, next->second);
      item.count = 2;
      taken[next->second] = true;
    }
    offer(item);
  }
}

// Filters all edges in order, and records the samples that each edge reads. For samples beyond the
// plane's border, the outermost samples are recorded.
void EdgeSampler::filter_in_order(const vp9::FrameBuffer& frame,
                                  std::span<const LoopFilterEdge> edges, int sharpness) {
  const video::PictureFormat& format = frame.memory.format();
  if (copy_.memory.format() != format) copy_.memory = video::Picture(format);
  std::ranges::copy(frame.memory.bytes(), copy_.memory.bytes().begin());
  const auto planes = vp9::planes_of<std::uint8_t>(copy_);
  met_.resize(edges.size());
  for (std::size_t index = 0; index < edges.size(); ++index) {
    const LoopFilterEdge& edge = edges[index];
    const video::PlaneView<std::uint8_t> plane = copy_.memory.plane<std::uint8_t>(edge.plane);
    constexpr int kReach = CapturedEdges::kSide / 2;
    auto met = met_[index].begin();
    for (int line = 0; line < vp9::kEdgeLength; ++line) {
      for (int across = -kReach; across < kReach; ++across) {
        const int x = edge.x + (is_vertical(edge) ? across : line);
        const int y = edge.y + (is_vertical(edge) ? line : across);
        *met++ = plane.row(std::clamp(y, 0, plane.height - 1))[std::clamp(x, 0, plane.width - 1)];
      }
    }
    vp9::filter_edges(vp9::scalar_dsp().bits_8, planes, edges.subspan(index, 1), sharpness);
  }
}

void EdgeSampler::offer(const CapturedEdges& item) {
  Kind& kind = kinds_[static_cast<std::size_t>(item.kind)];
  ++kind.seen;
  if (kind.kept.size() < edges_per_kind_) {
    kind.kept.push_back(item);
    return;
  }
  const std::uint32_t place = random_.below(static_cast<std::uint32_t>(kind.seen));
  if (place < edges_per_kind_) kind.kept[place] = item;
}

std::vector<CapturedEdges> EdgeSampler::sample() const {
  std::vector<CapturedEdges> all;
  for (const Kind& kind : kinds_) all.insert(all.end(), kind.kept.begin(), kind.kept.end());
  return all;
}

}  // namespace sidecore::bench
