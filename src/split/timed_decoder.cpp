#include "split/timed_decoder.h"

#include <algorithm>
#include <numeric>

#include "base/clock.h"
#include "neon/loop_filter.h"
#include "qpu/frame_filter.h"

namespace sidecore::split {
namespace {

vp9::DecoderOptions options_of(const Plan& plan, const std::shared_ptr<qpu::Device>& device) {
  vp9::DecoderOptions options;
  options.threads = plan.threads;
  if (plan.filter == FilterPlace::neon) {
    options.filter = vp9::make_cpu_filter(neon::filter_edges_in_order, "NEON");
  } else if (needs_qpu(plan.filter)) {
    qpu::FrameFilterDivision division;
    if (plan.filter == FilterPlace::split) division = {true, kLeastEdgesOfAStep};
    const auto filter =
        std::make_shared<qpu::FrameFilter>(device, division, neon::filter_edges_in_order);
    options.filter = filter;
    options.allocator = [filter](const video::PictureFormat& format) {
      return filter->allocate(format);
    };
  }
  return options;
}

}  // namespace

const char* to_string(Stage stage) {
  switch (stage) {
    case Stage::parsing:
      return "parsing";
    case Stage::reconstruction:
      return "reconstruction";
    case Stage::edges:
      return "edge derivation";
    case Stage::filter:
      return "loop filter";
    case Stage::other:
      return "other";
  }
  return "unknown";
}

double total(const StageSeconds& seconds) {
  return std::accumulate(seconds.begin(), seconds.end(), 0.0);
}

TimedDecoder::TimedDecoder(const Plan& plan, const std::shared_ptr<qpu::Device>& device)
    : decoder_(options_of(plan, device)) {}

PacketCost TimedDecoder::decode(std::span<const std::uint8_t> packet) {
  const vp9::DecoderStatistics before = decoder_.statistics();
  const Clock::time_point start = Clock::now();
  decoder_.decode(packet, [](const auto& /*frame*/) {});
  const double elapsed = seconds(Clock::now() - start);
  const vp9::DecoderStatistics& after = decoder_.statistics();
  PacketCost cost;
  cost.seconds = {seconds(after.parsing - before.parsing),
                  seconds(after.reconstruction - before.reconstruction),
                  seconds(after.edge_derivation - before.edge_derivation),
                  seconds(after.filtering - before.filtering), 0};
  cost.seconds.back() = std::max(0.0, elapsed - total(cost.seconds));
  for (std::size_t direction = 0; direction < 2; ++direction) {
    for (std::size_t width = 0; width < 3; ++width) {
      cost.edges[direction][width] =
          static_cast<double>(after.edges[direction][width] - before.edges[direction][width]);
    }
  }
  return cost;
}

}  // namespace sidecore::split
