#include "split/timed_decoder.h"

#include <numeric>

#include "gates/pace.h"
#include "neon/vp9/dsp.h"
#include "qpu/vp9/loop_filter_stage.h"

namespace sidecore::split {
namespace {

vp9::DecoderOptions options_of(const Plan& plan, const QpuSide& qpu) {
  vp9::DecoderOptions options;
  options.threads = plan.threads;
  options.low_delay = true;  // a frame's cost is what passes while it is decoded
  options.time_stages = true;
  if (plan.filter != FilterPlace::scalar) options.dsp = &neon::vp9_dsp();
  if (plan.reconstruction != ReconstructionPlace::cpu) {
    qpu::reconstruct_on(*qpu.device, decode_plan(plan.reconstruction), options);
  } else if (needs_qpu(plan.filter)) {
    qpu::LoopFilterDivision division{.order = plan.schedule};
    if (plan.filter == FilterPlace::split) {
      division.chroma_on_cpu = true;
      division.least_edges_of_a_step = qpu.least_edges;
    }
    const auto filter = std::make_shared<qpu::LoopFilterStage>(*qpu.device, division);
    options.loop_filter = filter;
    options.allocator = qpu::frame_allocator(filter);
  }
  return options;
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

TimedDecoder::TimedDecoder(const Plan& plan, const QpuSide& qpu)
    : decoder_(options_of(plan, qpu)) {}

FrameCost TimedDecoder::decode(std::span<const std::uint8_t> frame) {
  gates::PaceClock clock;
  const vp9::DecoderStatistics before = decoder_.statistics();
  const Nanoseconds cpu_before = clock.cpu_time();
  decoder_.decode(frame, [](const auto& /*shown*/) {});
  FrameCost cost;
  cost.cpu_seconds = seconds(clock.cpu_time() - cpu_before);
  const vp9::DecoderStatistics after = decoder_.statistics();
  for (std::size_t stage = 0; stage < kStages.size(); ++stage) {
    cost.seconds[stage] = seconds(after.stages[stage] - before.stages[stage]);
  }
  cost.edges = difference(after.edges, before.edges);
  return cost;
}

}  // namespace sidecore::split
