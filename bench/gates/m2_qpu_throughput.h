// Gate M2: the speed of the QPU alone.
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

/// Value of one GPU performance counter over one picture.
struct GpuCount {
  std::string name;  ///< name of the counter in the driver
  double value = 0;
  std::string unit;   ///< unit as in qpu::PerformanceCounter
  std::string scope;  ///< scope as in qpu::PerformanceCounter
};

/// Returns the counter's value as text; whole numbers keep all digits.
[[nodiscard]] std::string value_text(const GpuCount& count);
/// Returns the counter's value divided by `parts`; "-" if `parts` is 0.
[[nodiscard]] std::string value_text_over(const GpuCount& count, double parts);
/// Returns the counter's unit; empty if it counts events.
[[nodiscard]] std::string unit_text(const GpuCount& count);

/// Times in nanoseconds of one variant for all units of a picture. The samples are restored before
/// each repetition.
struct QpuRun {
  std::string variant;
  SampleSet submit_to_fence;
  std::optional<SampleSet> gpu;  ///< times between GPU timestamps, if the device has them
  std::uint32_t dispatches = 0;
  std::uint32_t barriers = 0;
  std::vector<GpuCount> counts;  ///< GPU counters of a separate, untimed run; empty: none
};

struct QpuContentRuns {
  Content content = Content::random;
  std::string origin;
  std::size_t units = 0;
  /// Branch rates on the samples that every repetition starts from.
  std::vector<BranchRate> branches;
  std::vector<QpuRun> runs;  ///< times, one element per variant
};

struct QpuThroughputReport {
  double empty_dispatch = 0;  ///< median submit-to-fence of an empty dispatch, nanoseconds
  bool staged = false;        ///< true if times include the copies to and from the device
  std::vector<QpuContentRuns> contents;
  /// Number of times that the work ran to collect QpuRun::counts, or the reason why there are none.
  Outcome<std::uint32_t> counter_passes;
  /// counters_distrust() of the run's environment; empty: no reason is known
  std::string counters_distrust{};
};

/// Times all runnable variants, alternating between them after each repetition, then collects the
/// counters. At least one variant must be runnable.
[[nodiscard]] QpuThroughputReport run_m2(const KernelUnderTest& subject, const GateOptions& options,
                                         double empty_dispatch);

/// Adds the GPU's performance counters to the runs of `report`: runs every variant on every content
/// once more, untimed, on a second device that counts (qpu::Device::open_with_counters()). If the
/// counters are not available, QpuThroughputReport::counter_passes says why.
void add_gpu_counts(const KernelUnderTest& subject, const GateOptions& options,
                    QpuThroughputReport& report);

}  // namespace sidecore::gates
