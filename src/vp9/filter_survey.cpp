#include "vp9/filter_survey.h"

#include <algorithm>
#include <numeric>

#include "vp9/picture_filter.h"

namespace sidecore::vp9 {

Spread spread_of(std::span<const std::uint32_t> values) {
  if (values.empty()) return {};
  std::vector<std::uint32_t> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const double sum = std::accumulate(sorted.begin(), sorted.end(), 0.0);
  return {sum / static_cast<double>(sorted.size()), sorted[(sorted.size() - 1) / 2], sorted.back()};
}

void FilterSurvey::add(const FrameBuffer& frame, std::span<const PictureEdge> edges,
                       int sharpness) {
  levels_.push_back(static_cast<std::uint32_t>(scheduler_.schedule(edges).count()));
  if (edges.empty()) return;
  const video::PictureFormat& format = frame.memory.format();
  if (copy_.memory.format() != format) copy_.memory = video::Picture(format);
  std::ranges::copy(frame.memory.bytes(), copy_.memory.bytes().begin());
  if (format.pixel.bits == 8) {
    filter_and_count<std::uint8_t>(edges, sharpness);
  } else {
    filter_and_count<std::uint16_t>(edges, sharpness);
  }
}

template <class Sample>
void FilterSurvey::filter_and_count(std::span<const PictureEdge> edges, int sharpness) {
  const LoopFilterPicture<Sample> picture = filter_view<Sample>(copy_);
  check_picture_edges(picture, edges);
  const LoopFilterLimitTable limits(sharpness);
  for (const PictureEdge& edge : edges) {
    const auto& plane = picture.planes[edge.plane];
    const LoopFilterKind kind = loop_filter_kind(edge.direction, edge.width);
    Sample* const q0 = plane.samples.data() + edge.y * plane.stride + edge.x;
    const auto stride = static_cast<std::ptrdiff_t>(plane.stride);
    branches_[static_cast<std::size_t>(kind)] += count_branches(
        kind, static_cast<const Sample*>(q0), stride, limits[edge.level], picture.bits);
    filter_edge(kind, q0, stride, limits[edge.level], picture.bits);
  }
}

}  // namespace sidecore::vp9
