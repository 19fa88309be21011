#include "v3dsim/model.h"

#include <fmt/format.h>

#include <stdexcept>

namespace sidecore::v3dsim {

std::string_view bound_name(Bound bound) {
  static constexpr std::string_view kNames[] = {"issue", "tmu", "memory", "latency"};
  return kNames[static_cast<std::size_t>(bound)];
}

ModelBounds model_bounds(const Statistics& statistics, const Machine& machine,
                         const ModelConstants& constants) {
  if (statistics.tmu.lanes != 0 && statistics.tmu.unique_lines == 0) {
    throw std::invalid_argument("the model needs the lines of memory that were touched counted");
  }
  if (machine.version != Version::v71 || machine.memory_bytes_per_second <= 0.0) {
    throw std::invalid_argument("the model is fitted to V3D 7.1 only");
  }
  const auto f = machine.clock_hz;
  const auto qpus = static_cast<double>(machine.qpus);
  const auto cycles =
      constants.cycles_per_instruction *
      static_cast<double>(statistics.instructions + statistics.special_function_stalls);
  const double issue = cycles / (qpus * f);
  const double lane_words =
      16.0 * static_cast<double>(statistics.tmu.words) / (static_cast<double>(machine.slices) * f);
  const double memory =
      64.0 * static_cast<double>(statistics.tmu.unique_lines) / machine.memory_bytes_per_second;
  const auto latency = [&](double wait_seconds) {
    return (static_cast<double>(statistics.waits) * wait_seconds + cycles / f) /
           (qpus * statistics.threads_per_qpu);
  };
  return {Interval{issue, issue},
          Interval{constants.tmu_cycles_per_lane_word.low * lane_words,
                   constants.tmu_cycles_per_lane_word.high * lane_words},
          Interval{memory, memory},
          Interval{latency(constants.tmu_latency_seconds.low),
                   latency(constants.tmu_latency_seconds.high)}};
}

ModelTime model_time(const Statistics& statistics, const Machine& machine,
                     const ModelConstants& constants) {
  if (statistics.threads < kFewestModelledThreads) {
    throw std::invalid_argument(
        fmt::format("the model needs a dispatch of {} threads, this one has {}",
                    kFewestModelledThreads, statistics.threads));
  }
  ModelTime out;
  out.bounds = model_bounds(statistics, machine, constants);
  for (std::size_t i = 0; i < out.bounds.size(); ++i) {
    if (out.bounds[i].low > out.seconds.low) {
      out.seconds.low = out.bounds[i].low;
      out.low_bound = static_cast<Bound>(i);
    }
    if (out.bounds[i].high > out.seconds.high) {
      out.seconds.high = out.bounds[i].high;
      out.high_bound = static_cast<Bound>(i);
    }
  }
  out.seconds.low += constants.dispatch_overhead_seconds;
  out.seconds.high += constants.dispatch_overhead_seconds;
  return out;
}

std::string describe(const ModelTime& time) {
  return fmt::format("model: {:.3f} .. {:.3f} ms ({} .. {})", time.seconds.low * 1e3,
                     time.seconds.high * 1e3, bound_name(time.low_bound),
                     bound_name(time.high_bound));
}

}  // namespace sidecore::v3dsim
