#include "model/sample.h"

#include <numeric>

#include "qpu/vp9/loop_filter_stage.h"

namespace sidecore::model {
namespace {

double count(std::size_t value) {
  return static_cast<double>(value);
}

double dispatches_of(const vp9::EdgeLevels& schedule, std::size_t steps) {
  return count(qpu::LoopFilter::dispatch_sizes(schedule, steps).size());
}

}  // namespace

double total(const StageSeconds& seconds) {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

EdgeCounts difference(const vp9::EdgeCounts& after, const vp9::EdgeCounts& before) {
  EdgeCounts more{};
  for (std::size_t direction = 0; direction < more.size(); ++direction) {
    for (std::size_t width = 0; width < more[direction].size(); ++width) {
      more[direction][width] =
          static_cast<double>(after[direction][width] - before[direction][width]);
    }
  }
  return more;
}

EdgeMix::Dispatched EdgeMix::all(vp9::FilterOrder schedule) const {
  return {schedule == vp9::FilterOrder::levels ? steps : waves, edges};
}

EdgeMix::Dispatched EdgeMix::shared(vp9::FilterOrder schedule) const {
  if (schedule == vp9::FilterOrder::levels) return {large_steps, large_edges};
  return {luma_waves, luma_edges};
}

EdgeMix mean(std::span<const EdgeMix> mixes, std::span<const FrameWork> frames) {
  const double count = totals_of(frames).frames();
  EdgeMix mean;
  if (count <= 0) return mean;
  for (const auto figure :
       {&EdgeMix::edges, &EdgeMix::luma_edges, &EdgeMix::large_edges, &EdgeMix::steps,
        &EdgeMix::large_steps, &EdgeMix::waves, &EdgeMix::luma_waves}) {
    for (const EdgeMix& mix : mixes) mean.*figure += mix.*figure;
    mean.*figure /= count;
  }
  return mean;
}

EdgeMix EdgeMixCounter::of(const vp9::LoopFilterEdges& edges) {
  EdgeMix mix;
  const vp9::EdgeLevels& all = levels_.schedule(edges.all());
  mix.edges = count(all.edges().size());
  mix.steps = dispatches_of(all, all.count());
  const vp9::EdgeLevels& luma = levels_.schedule(edges.plane(0));
  const std::size_t large = luma.count_large_levels(least_edges_);
  mix.luma_edges = count(luma.edges().size());
  mix.large_edges = count(luma.range(0, large).size());
  mix.large_steps = dispatches_of(luma, large);
  mix.waves = count_waves(edges.all());
  mix.luma_waves = count_waves(edges.plane(0));
  return mix;
}

double EdgeMixCounter::count_waves(std::span<const vp9::LoopFilterEdge> edges) {
  waves_.schedule(edges, scales_);
  return count(waves_.count());
}

}  // namespace sidecore::model
