#include "gates/m5_dispatch_cost.h"

#include <array>
#include <memory>

#include "base/progress.h"
#include "gates/timed_submit.h"
#include "qpu/command_list.h"
#include "qpu/program.h"

namespace sidecore::gates {
namespace {

constexpr std::array<std::uint32_t, 7> kDispatchCounts{1, 2, 4, 8, 16, 32, 64};

struct Probe {
  std::uint32_t dispatches = 0;
  std::unique_ptr<qpu::CommandList> list;
  SubmitTimes times;
};

}  // namespace

DispatchCostReport run_m5(qpu::Device& device, int repetitions) {
  const std::shared_ptr<qpu::Program> program = device.program("empty", {});
  std::vector<Probe> probes;
  for (const std::uint32_t count : kDispatchCounts) {
    Probe probe{count, device.create_command_list(), {}};
    probe.list->time_on_gpu();
    for (std::uint32_t i = 0; i < count; ++i) {
      probe.list->dispatch(*program, {}, std::span<const std::byte>(), {1, 1, 1});
    }
    probe.list->finish();
    probes.push_back(std::move(probe));
  }
  Progress progress("M5", static_cast<std::uint64_t>(repetitions));
  constexpr int kWarmUps = 3;
  for (int repetition = -kWarmUps; repetition < repetitions; ++repetition) {
    for (Probe& probe : probes) {
      const SubmitTime time = timed_submit(device, *probe.list);
      if (repetition >= 0) probe.times.add(time);
    }
    if (repetition >= 0) progress.update(static_cast<std::uint64_t>(repetition));
  }

  DispatchCostReport report;
  std::vector<double> counts;
  std::vector<double> medians;
  for (Probe& probe : probes) {
    EmptySubmission& submission = report.submissions.emplace_back();
    submission.dispatches = probe.dispatches;
    submission.submit_to_fence = SampleSet(std::move(probe.times.wall));
    if (!probe.times.gpu.empty()) submission.gpu = SampleSet(std::move(probe.times.gpu));
    counts.push_back(probe.dispatches);
    medians.push_back(submission.submit_to_fence.median);
  }
  report.line = fit_line(counts, medians);
  return report;
}

}  // namespace sidecore::gates
