#include "vp9/filter_survey.h"

#include <algorithm>
#include <numeric>

#include "vp9/back_end.h"

namespace sidecore::vp9 {

Spread compute_spread(std::span<const std::uint32_t> values) {
  if (values.empty()) return {};
  std::vector<std::uint32_t> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const double sum = std::accumulate(sorted.begin(), sorted.end(), 0.0);
  return {sum / static_cast<double>(sorted.size()), sorted[(sorted.size() - 1) / 2], sorted.back()};
}

void FilterSurvey::add(const FrameBuffer& frame, std::span<const LoopFilterEdge> edges,
                       int sharpness) {
  levels_.push_back(static_cast<std::uint32_t>(scheduler_.schedule(edges).count()));
  if (edges.empty()) return;
  const video::PictureFormat& format = frame.memory.format();
  if (copy_.memory.format() != format) copy_.memory = video::Picture(format);
  std::ranges::copy(frame.memory.bytes(), copy_.memory.bytes().begin());
  std::visit([&](const auto* dsp) { filter_and_count(*dsp, edges, sharpness); },
             scalar_dsp().of(format.pixel.bits));
}

template <class Sample>
void FilterSurvey::filter_and_count(const Dsp<Sample>& dsp, std::span<const LoopFilterEdge> edges,
                                    int sharpness) {
  const LoopFilterPlanes<Sample> planes = planes_of<Sample>(copy_);
  check_edges(planes, edges);
  const LoopFilterLimitTable limits(sharpness);
  for (const LoopFilterEdge& edge : edges) {
    const auto stride = static_cast<std::ptrdiff_t>(planes[edge.plane].stride);
    Sample* const q0 = planes.q0(edge);
    branches_[static_cast<std::size_t>(edge.kind())] += count_branches(
        edge.kind(), static_cast<const Sample*>(q0), stride, limits[edge.level], dsp.bits);
    dsp.loop_filter(edge.kind()).one(q0, stride, limits[edge.level]);
  }
}

}  // namespace sidecore::vp9
