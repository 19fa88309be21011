#include "gates/m2_qpu_throughput.h"

#include <memory>

#include "base/error.h"
#include "gates/workload_source.h"
#include "qpu/buffer.h"

namespace sidecore::gates {
namespace {

std::vector<GpuCount> count_one(qpu::Device& device, const Workload& workload,
                                const std::string& variant) {
  const std::shared_ptr<qpu::Buffer> memory = device.create_buffer(workload.bytes());
  const auto list = workload.record(device, *memory, variant);
  const std::vector<double> values = device.count(*list, [&] { workload.reset(memory->bytes()); });
  std::vector<GpuCount> counts;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const qpu::PerformanceCounter& counter = device.counter_set().counters[i];
    counts.push_back({counter.name, values[i], counter.unit, counter.scope});
  }
  return counts;
}

void count_all(const KernelUnderTest& subject, const GateOptions& options,
               QpuThroughputReport& report) {
  const std::unique_ptr<qpu::Device> device = (*subject.device)->open_with_counters();
  report.counter_passes.value = device->counter_set().passes;
  for (QpuContentRuns& content : report.contents) {
    WorkloadSource source(*subject.kernel, options, content.content);
    const std::unique_ptr<Workload> workload = source.next();
    for (QpuRun& run : content.runs) run.counts = count_one(*device, *workload, run.variant);
  }
}

}  // namespace

void add_gpu_counts(const KernelUnderTest& subject, const GateOptions& options,
                    QpuThroughputReport& report) {
  const qpu::DeviceInfo& info = (*subject.device)->info();
  if (info.performance_counters == 0) {
    report.counter_passes.reason = info.no_performance_counters;
    return;
  }
  try {
    count_all(subject, options, report);
  } catch (const Error& error) {
    // A failure of the counters is ignored, because it must not discard the times, which are
    // already measured.
    if (error.kind() != ErrorKind::environment) throw;
    report.counter_passes = Outcome<std::uint32_t>::none(error.what());
    for (QpuContentRuns& content : report.contents) {
      for (QpuRun& run : content.runs) run.counts.clear();
    }
  }
}

}  // namespace sidecore::gates
