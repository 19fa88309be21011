#include "gates/m3_neon_throughput.h"

#include <memory>
#include <utility>

#include "base/error.h"
#include "base/progress.h"
#include "base/thread_pool.h"
#include "gates/heap_block.h"
#include "gates/workload_source.h"
#include "qpu/buffer.h"

namespace sidecore::gates {
namespace {

constexpr int kCountedRepetitions = 3;

struct Configuration {
  CpuImplementation implementation;
  int threads;
  CpuMemory memory;
  std::vector<double> elapsed;
  PerfCounts counts;
};

std::vector<Configuration> configurations(int threads, bool with_device_memory) {
  std::vector<CpuMemory> memories{CpuMemory::heap};
  if (with_device_memory) memories.push_back(CpuMemory::device);
  std::vector<Configuration> all;
  for (const CpuMemory memory : memories) {
    all.push_back({CpuImplementation::scalar, 1, memory, {}, {}});
    for (int count = 1; count <= threads; ++count) {
      all.push_back({CpuImplementation::neon, count, memory, {}, {}});
    }
  }
  return all;
}

/// Memory and CPUs that all configurations use.
class Bench {
 public:
  Bench(const KernelUnderTest& subject, const Workload& workload,
        const PerfCounters::OpenEvent& open_event)
      : workload_(workload),
        open_event_(open_event),
        heap_(workload.bytes()),
        cpus_(allowed_cpus()) {
    if (subject.device) device_ = (*subject.device)->create_buffer(workload.bytes());
    if (device_ != nullptr && device_->staged()) device_ = nullptr;
  }

  /// Returns true if there is memory that the QPU and the CPU share.
  [[nodiscard]] bool has_device_memory() const { return device_ != nullptr; }

  std::span<std::byte> memory(CpuMemory which) {
    return which == CpuMemory::heap ? heap_.bytes() : device_->bytes();
  }

  double time(const Configuration& configuration) {
    const std::span<std::byte> block = memory(configuration.memory);
    workload_.reset(block);
    ThreadPool team(cpus_of(configuration));
    return static_cast<double>(run(configuration, team, block).count());
  }

  /// Counts events in an untimed repetition, because counting costs system calls. Returns the
  /// reason why the system refuses to count; empty if it counts.
  std::string count(Configuration& configuration) {
    const std::span<std::byte> block = memory(configuration.memory);
    workload_.reset(block);
    ThreadPool team(cpus_of(configuration));
    std::vector<ThreadCounters> threads(team.threads());
    run_on_each(team, [&](std::size_t thread) {
      threads[thread].counters = std::make_unique<PerfCounters>(open_event_);
      threads[thread].counters->start();
    });
    run(configuration, team, block);
    run_on_each(team, [&](std::size_t thread) {
      ThreadCounters& own = threads[thread];
      own.counts = own.counters->stop();
      own.refusal = own.counters->refusal();
      own.counters = nullptr;
    });
    std::string refusal;
    for (ThreadCounters& own : threads) {
      configuration.counts += own.counts;
      if (refusal.empty()) refusal = std::move(own.refusal);
    }
    return refusal;
  }

 private:
  struct ThreadCounters {
    std::unique_ptr<PerfCounters> counters;
    PerfCounts counts;
    std::string refusal;
  };

  [[nodiscard]] std::span<const int> cpus_of(const Configuration& configuration) const {
    return std::span(cpus_).first(static_cast<std::size_t>(configuration.threads));
  }

  Nanoseconds run(const Configuration& configuration, ThreadTeam& team,
                  std::span<std::byte> block) const {
    if (configuration.implementation == CpuImplementation::neon)
      return workload_.run_neon_on(team, block);
    return run_on_each(team, [&](std::size_t thread) {
      workload_.run_scalar(block, share_of(workload_.units(), thread, team.threads()));
    });
  }

  const Workload& workload_;
  const PerfCounters::OpenEvent& open_event_;
  HeapBlock heap_;
  std::shared_ptr<qpu::Buffer> device_;
  std::vector<int> cpus_;
};

void divide(std::optional<std::uint64_t>& count, std::uint64_t by) {
  if (count.has_value()) *count /= by;
}

PerfCounts per_repetition(PerfCounts counts) {
  for (auto* count : {&counts.cycles, &counts.instructions, &counts.cache_misses,
                      &counts.stalled_cycles_backend}) {
    divide(*count, kCountedRepetitions);
  }
  return counts;
}

/// Counts events for all configurations. Stops at the first refusal and stores its reason in
/// `refused`.
void count_all(Bench& bench, std::vector<Configuration>& all, std::string& refused) {
  for (int repetition = 0; repetition < kCountedRepetitions; ++repetition) {
    for (Configuration& configuration : all) {
      if (refused.empty()) refused = bench.count(configuration);
    }
  }
}

/// Removes all counts, because counts taken before the refusal of a counter do not cover whole
/// pictures.
void drop_counts(CpuThroughputReport& report) {
  for (CpuContentRuns& content : report.contents) {
    for (CpuRun& run : content.runs) run.counts = {};
  }
}

CpuContentRuns run_content(const KernelUnderTest& subject, const GateOptions& options,
                           Content content, const PerfCounters::OpenEvent& open_event,
                           CpuThroughputReport& report) {
  WorkloadSource source(*subject.kernel, options, content);
  const std::unique_ptr<Workload> workload = source.next();
  if (workload == nullptr) throw usage_error("'{}' has no pictures", options.input);
  Bench bench(subject, *workload, open_event);
  CpuContentRuns result{content, source.origin(), workload->units(), {}, {}};
  workload->reset(bench.memory(CpuMemory::heap));
  result.branches = workload->branch_rates(bench.memory(CpuMemory::heap));

  std::vector<Configuration> all = configurations(options.threads, bench.has_device_memory());
  if (subject.device && !bench.has_device_memory()) {
    report.device_memory_refusal = "memory is staged: the QPU works on a copy";
  }
  Progress progress(fmt::format("M3 {} {}", subject.kernel->name, to_string(content)),
                    static_cast<std::uint64_t>(options.repetitions));
  constexpr int kWarmUps = 2;
  for (int repetition = -kWarmUps; repetition < options.repetitions; ++repetition) {
    for (Configuration& configuration : all) {
      const double elapsed = bench.time(configuration);
      if (repetition >= 0) configuration.elapsed.push_back(elapsed);
    }
    if (repetition >= 0) progress.update(static_cast<std::uint64_t>(repetition));
  }
  count_all(bench, all, report.counters_refusal);
  for (Configuration& configuration : all) {
    result.runs.push_back({configuration.implementation, configuration.threads,
                           configuration.memory, SampleSet(std::move(configuration.elapsed)),
                           per_repetition(configuration.counts)});
  }
  return result;
}

}  // namespace

const char* to_string(CpuImplementation implementation) {
  return implementation == CpuImplementation::scalar ? "scalar" : "neon";
}

const char* to_string(CpuMemory memory) {
  return memory == CpuMemory::heap ? "heap" : "device";
}

const CpuRun* CpuContentRuns::fastest_neon(int threads) const {
  const CpuRun* fastest = nullptr;
  for (const CpuRun& run : runs) {
    if (run.implementation != CpuImplementation::neon || run.threads != threads) continue;
    if (fastest == nullptr || run.elapsed.median < fastest->elapsed.median) fastest = &run;
  }
  return fastest;
}

CpuThroughputReport run_m3(const KernelUnderTest& subject, const GateOptions& options,
                           const PerfCounters::OpenEvent& open_event) {
  CpuThroughputReport report;
  if (!subject.device) report.device_memory_refusal = subject.device.reason;
  for (const Content content : contents_of(options)) {
    report.contents.push_back(run_content(subject, options, content, open_event, report));
  }
  if (!report.counters_refusal.empty()) drop_counts(report);
  return report;
}

}  // namespace sidecore::gates
