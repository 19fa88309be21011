// Gate M2: how fast is the QPU alone?
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/outcome.h"
#include "base/statistics.h"
#include "gates/options.h"
#include "gates/subject.h"

namespace sidecore::gates {

/// A performance counter of the GPU, over one picture.
struct GpuCount {
  std::string name;  ///< the driver's
  double value = 0;
  std::string unit;   ///< qpu::PerformanceCounter::unit
  std::string scope;  ///< qpu::PerformanceCounter::scope
};

/// Its value, whole counts to the last digit.
[[nodiscard]] std::string value_text(const GpuCount& count);
/// Its value over that many parts of a picture; "-" where there are none.
[[nodiscard]] std::string value_text_over(const GpuCount& count, double parts);
/// Its unit; nothing where it counts events.
[[nodiscard]] std::string unit_text(const GpuCount& count);

/// One variant doing a picture's worth of units, restored between repetitions. Nanoseconds.
struct QpuRun {
  std::string variant;
  SampleSet submit_to_fence;
  std::optional<SampleSet> gpu;  ///< by GPU timestamps, where the device has them
  std::uint32_t dispatches = 0;
  std::uint32_t barriers = 0;
  std::vector<GpuCount> counts;  ///< of another run, which was not timed; empty: none
};

struct QpuContentRuns {
  Content content = Content::random;
  std::string origin;
  std::size_t units = 0;
  std::vector<BranchRate> branches;  ///< pristine: what every repetition starts from
  std::vector<QpuRun> runs;          ///< one a variant
};

struct QpuThroughputReport {
  double empty_dispatch = 0;  ///< median submit-to-fence of an empty dispatch, nanoseconds
  bool staged = false;        ///< figures include the copies to and from the device
  std::vector<QpuContentRuns> contents;
  /// How often the work ran for the runs' counts, or why they have none.
  Outcome<std::uint32_t> counter_passes;
};

/// Variants are interleaved repetition by repetition. When all is timed, counts are taken. At least
/// one variant must be runnable.
[[nodiscard]] QpuThroughputReport run_m2(const Subject& subject, const GateOptions& options,
                                         double empty_dispatch);

/// run_m2()'s other half, what the GPU's own counters say of a picture's work: runs every variant
/// of every content of `report` once more, on a second device that counts
/// (qpu::Device::open_counting()), and adds the counts to its runs; or says in
/// QpuThroughputReport::counter_passes why there are none. Nothing is timed meanwhile.
void add_gpu_counts(const Subject& subject, const GateOptions& options,
                    QpuThroughputReport& report);

}  // namespace sidecore::gates
