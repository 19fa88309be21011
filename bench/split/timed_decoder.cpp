#include "split/timed_decoder.h"

#include "gates/pace.h"
#include "neon/vp9/dsp.h"
#include "qpu/vp9/back_end.h"

namespace sidecore::split {
namespace {

vp9::DecoderOptions options_of(const model::Candidate& candidate, const vp9::DspTables& tables,
                               qpu::Device* device) {
  vp9::DecoderOptions options;
  options.threads = candidate.threads;
  options.low_delay = true;  // low delay, so that a frame's work ends before decode() returns
  options.time_stages = true;
  options.dsp = &tables;
  if (candidate.plan.uses_qpu()) options.back_end = qpu::make_back_end(*device, candidate.plan);
  return options;
}

}  // namespace

TimedDecoder::TimedDecoder(const model::Candidate& candidate, qpu::Device* device)
    : tables_(vp9::tables_of(candidate.plan, neon::vp9_dsp())),
      decoder_(options_of(candidate, tables_, device)) {}

model::FrameCost TimedDecoder::decode(std::span<const std::uint8_t> frame) {
  gates::PaceClock clock;
  const vp9::DecoderStatistics before = decoder_.statistics();
  const Nanoseconds cpu_before = clock.cpu_time();
  decoder_.decode(frame, [](const auto& /*shown*/) {});
  model::FrameCost cost;
  cost.cpu_seconds = seconds(clock.cpu_time() - cpu_before);
  const vp9::DecoderStatistics after = decoder_.statistics();
  for (std::size_t stage = 0; stage < vp9::kClockRows.size(); ++stage) {
    cost.seconds[stage] = seconds(after.stages[stage] - before.stages[stage]);
  }
  cost.edges = model::difference(after.edges, before.edges);
  return cost;
}

}  // namespace sidecore::split
