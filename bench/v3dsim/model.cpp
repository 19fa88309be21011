#include "v3dsim/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

namespace sidecore::v3dsim {

std::string_view bound_name(Bound bound) {
  static constexpr std::string_view kNames[] = {"issue", "tmu", "memory", "schedule"};
  return kNames[static_cast<std::size_t>(bound)];
}

MemorySeconds memory_seconds(Version version) {
  return {.line = version == Version::v42 ? 8.7e-9 : 5.2e-9, .latency = 150e-9};
}

ModelConstants model_constants(const Machine& machine) {
  ModelConstants constants;
  const MemorySeconds memory = memory_seconds(machine.version);
  constants.schedule.line = memory.line * machine.clock_hz;
  constants.schedule.latency = memory.latency * machine.clock_hz;
  if (machine.version == Version::v42) constants.dispatch_overhead_seconds = 68e-6;
  return constants;
}

ModelTime model_time(Schedule& schedule, const Machine& machine, const ModelConstants& constants) {
  const double cycles = schedule.finish();
  const auto seconds = [&](double count) { return count / machine.clock_hz; };
  const auto known = [&](double count) { return Interval{seconds(count), seconds(count)}; };
  const Interval whole{seconds(cycles) * constants.low_factor,
                       seconds(cycles) * constants.high_factor};
  return {{whole.low + constants.dispatch_overhead_seconds,
           whole.high + constants.dispatch_overhead_seconds},
          {known(schedule.issue_cycles()), known(schedule.unit_cycles()),
           known(schedule.memory_cycles()), whole}};
}

Interval greatest_bound(Schedule& schedule, const ModelTime& time, const Machine& machine,
                        const ModelConstants& constants) {
  const double seconds = schedule.finish() / machine.clock_hz;
  Interval greatest{seconds * constants.low_factor, seconds * constants.high_factor};
  for (const Bound bound : {Bound::issue, Bound::tmu, Bound::memory}) {
    const Interval& alone = time.bounds[static_cast<std::size_t>(bound)];
    greatest.low = std::max(greatest.low, alone.low);
    greatest.high = std::max(greatest.high, alone.high);
  }
  return greatest;
}

std::string describe(const ModelTime& time) {
  return fmt::format("model: {:.3f} .. {:.3f} ms", time.seconds.low * 1e3, time.seconds.high * 1e3);
}

}  // namespace sidecore::v3dsim
