#include "gates/m2_qpu_throughput.h"

#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "base/error.h"
#include "base/progress.h"
#include "gates/heap_block.h"
#include "gates/timed_submit.h"
#include "gates/workload_source.h"
#include "qpu/buffer.h"

namespace sidecore::gates {
namespace {

struct Recorded {
  std::string variant;
  std::shared_ptr<qpu::Buffer> memory;
  std::unique_ptr<qpu::CommandList> list;
  SubmitTimes times;
};

std::vector<Recorded> record_all(const KernelUnderTest& subject, const Workload& workload) {
  std::vector<Recorded> all;
  for (const std::string& variant : subject.runnable()) {
    std::shared_ptr<qpu::Buffer> memory = (*subject.device)->create_buffer(workload.bytes());
    auto list = workload.record(**subject.device, *memory, variant);
    all.push_back({variant, std::move(memory), std::move(list), {}});
  }
  return all;
}

QpuContentRuns run_content(const KernelUnderTest& subject, const GateOptions& options,
                           Content content, bool& staged) {
  WorkloadSource source(*subject.kernel, options, content);
  const std::unique_ptr<Workload> workload = source.next();
  if (workload == nullptr) throw usage_error("'{}' has no pictures", options.input);
  std::vector<Recorded> all = record_all(subject, *workload);
  QpuContentRuns result{content, source.origin(), workload->units(), {}, {}};
  HeapBlock pristine(workload->bytes());
  workload->reset(pristine.bytes());
  result.branches = workload->branch_rates(pristine.bytes());
  staged = all.front().memory->staged();

  Progress progress(fmt::format("M2 {} {}", subject.kernel->name, to_string(content)),
                    static_cast<std::uint64_t>(options.repetitions));
  constexpr int kWarmUps = 2;
  for (int repetition = -kWarmUps; repetition < options.repetitions; ++repetition) {
    for (Recorded& recorded : all) {
      workload->reset(recorded.memory->bytes());
      const SubmitTime time = timed_submit(**subject.device, *recorded.list);
      if (repetition >= 0) recorded.times.add(time);
    }
    if (repetition >= 0) progress.update(static_cast<std::uint64_t>(repetition));
  }
  for (Recorded& recorded : all) {
    QpuRun& run = result.runs.emplace_back();
    run.variant = recorded.variant;
    run.submit_to_fence = SampleSet(std::move(recorded.times.wall));
    if (!recorded.times.gpu.empty()) run.gpu = SampleSet(std::move(recorded.times.gpu));
    run.dispatches = recorded.list->dispatch_count();
    run.barriers = recorded.list->barrier_count();
  }
  return result;
}

}  // namespace

std::string value_text(const GpuCount& count) {
  const bool whole = count.value == std::floor(count.value);
  return whole ? fmt::format("{:.0f}", count.value) : fmt::format("{:.4g}", count.value);
}

std::string value_text_over(const GpuCount& count, double parts) {
  return parts > 0 ? fmt::format("{:.4g}", count.value / parts) : "-";
}

std::string unit_text(const GpuCount& count) {
  return count.unit == "generic" ? "" : count.unit;
}

QpuThroughputReport run_m2(const KernelUnderTest& subject, const GateOptions& options,
                           double empty_dispatch) {
  QpuThroughputReport report;
  report.empty_dispatch = empty_dispatch;
  for (const Content content : contents_of(options)) {
    report.contents.push_back(run_content(subject, options, content, report.staged));
  }
  add_gpu_counts(subject, options, report);
  return report;
}

}  // namespace sidecore::gates
