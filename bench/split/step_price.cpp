#include "split/step_price.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "base/statistics.h"
#include "neon/vp9/dsp.h"
#include "qpu/buffer.h"
#include "qpu/vp9/loop_filter.h"
#include "vp9/loop_filter_schedule.h"

namespace sidecore::split {
namespace {

using vp9::EdgeDirection;
using vp9::LoopFilterEdge;

constexpr int kRepetitions = 15;

LoopFilterEdge luma_edge(int x, int y, EdgeDirection direction, std::uint8_t width) {
  return {.x = static_cast<std::uint16_t>(x),
          .y = static_cast<std::uint16_t>(y),
          .plane = 0,
          .direction = direction,
          .width = width,
          .level = 32};
}

// Returns edges of which each touches samples of the previous one, so each is a dependency level.
std::vector<LoopFilterEdge> chain(std::size_t edges) {
  std::vector<LoopFilterEdge> chain;
  for (int x = 4; chain.size() < edges; x += 4) {
    chain.push_back(luma_edge(x, 0, EdgeDirection::vertical, 4));
  }
  return chain;
}

double seconds_of_a_submission(qpu::LoopFilter& filter) {
  const Clock::time_point start = Clock::now();
  filter.submit().wait();
  return seconds(Clock::now() - start);
}

double dispatch_seconds(qpu::Device& device) {
  constexpr std::array<std::size_t, 4> kSteps{1, 16, 32, 64};
  constexpr std::size_t kStride = 4 * (kSteps.back() + 2);
  constexpr std::size_t kRows = 8;
  const std::shared_ptr<qpu::Buffer> picture = device.create_buffer(kStride * kRows);
  std::ranges::fill(picture->as<std::uint8_t>(), std::uint8_t{128});
  qpu::LoopFilter filter(device, picture, {{{{0, kStride, kRows}, {}, {}}}});
  vp9::LevelScheduler scheduler;
  const vp9::EdgeLevels& steps = scheduler.schedule(chain(kSteps.back()));
  std::array<std::vector<double>, kSteps.size()> times;
  for (int repetition = 0; repetition <= kRepetitions; ++repetition) {
    for (std::size_t index = 0; index < kSteps.size(); ++index) {
      filter.set_edges(steps, kSteps[index], 0);
      const double time = seconds_of_a_submission(filter);
      if (repetition > 0) times[index].push_back(time);  // repetition 0 records and warms up
    }
  }
  std::vector<double> counts;
  std::vector<double> medians;
  for (std::size_t index = 0; index < kSteps.size(); ++index) {
    counts.push_back(static_cast<double>(kSteps[index]));
    medians.push_back(SampleSet(times[index]).median);
  }
  return std::max(0.0, fit_line(counts, medians).slope);
}

std::vector<LoopFilterEdge> grid(int size) {
  std::vector<LoopFilterEdge> edges;
  for (const auto direction : {EdgeDirection::vertical, EdgeDirection::horizontal}) {
    for (int y = 0; y < size; y += 8) {
      for (int x = 0; x < size; x += 8) {
        if ((direction == EdgeDirection::vertical ? x : y) == 0) continue;
        edges.push_back(luma_edge(x, y, direction, 8));
      }
    }
  }
  return edges;
}

constexpr std::size_t kEdgePicture = 256;  // width and height of the picture in samples

template <class Sample>
double edge_seconds(const vp9::Dsp<Sample>& dsp, std::span<Sample> samples) {
  vp9::LoopFilterPlanes<Sample> planes;
  planes[0] = {samples, kEdgePicture};
  const std::vector<LoopFilterEdge> edges = grid(static_cast<int>(kEdgePicture));
  Random random(1);
  std::vector<double> times;
  for (int repetition = 0; repetition < kRepetitions; ++repetition) {
    for (Sample& sample : samples) {
      sample = static_cast<Sample>((126U + random.below(5)) << static_cast<unsigned>(dsp.bits - 8));
    }
    const Clock::time_point start = Clock::now();
    vp9::filter_edges(dsp, planes, std::span(edges), 0);
    times.push_back(seconds(Clock::now() - start));
  }
  return SampleSet(times).median / static_cast<double>(edges.size());
}

double edge_seconds_in(qpu::Device& device, int bits) {
  const auto in_buffer = [&]<class Sample>(const vp9::Dsp<Sample>* dsp) {
    const auto picture = device.create_buffer(kEdgePicture * kEdgePicture * sizeof(Sample));
    return edge_seconds(*dsp, picture->template as<Sample>());
  };
  return std::visit(in_buffer, neon::vp9_dsp().of(bits));
}

}  // namespace

std::size_t StepPrice::least_edges() const {
  constexpr double kMax = std::numeric_limits<std::uint32_t>::max();
  if (!(dispatch > 0)) return 1;
  return static_cast<std::size_t>(std::clamp(std::ceil(dispatch / edge), 1.0, kMax));
}

double measure_neon_edge(int bits) {
  const auto in_heap = []<class Sample>(const vp9::Dsp<Sample>* dsp) {
    std::vector<Sample> samples(kEdgePicture * kEdgePicture);
    return edge_seconds(*dsp, std::span(samples));
  };
  return std::visit(in_heap, neon::vp9_dsp().of(bits));
}

StepPrice measure_step_price(qpu::Device& device, int bits) {
  return {dispatch_seconds(device), edge_seconds_in(device, bits)};
}

}  // namespace sidecore::split
