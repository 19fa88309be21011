#include "gates/m3_neon_throughput.h"

#include <memory>
#include <mutex>

#include "base/error.h"
#include "base/progress.h"
#include "gates/pinned_team.h"
#include "gates/workload_source.h"
#include "qpu/buffer.h"

namespace sidecore::gates {
namespace {

constexpr int kCountedRepetitions = 3;

struct Configuration {
  CpuTwin twin;
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
    all.push_back({CpuTwin::scalar, 1, memory, {}, {}});
    for (int count = 1; count <= threads; ++count) {
      all.push_back({CpuTwin::neon, count, memory, {}, {}});
    }
  }
  return all;
}

/// The memories and the threads that the configurations share.
class Bench {
 public:
  Bench(const Subject& subject, const Workload& workload, int threads,
        const PerfCounters::OpenEvent& open_event)
      : workload_(workload),
        open_event_(open_event),
        heap_(workload.bytes()),
        team_(std::span<const int>(allowed_cpus()).first(static_cast<std::size_t>(threads))) {
    if (subject.device != nullptr) device_ = subject.device->create_buffer(workload.bytes());
    if (device_ != nullptr && device_->staged()) device_ = nullptr;
  }

  /// Whether there is memory that the QPU and the CPU share.
  [[nodiscard]] bool has_device_memory() const { return device_ != nullptr; }

  std::span<std::byte> memory(CpuMemory which) {
    return which == CpuMemory::heap ? heap_.bytes() : device_->bytes();
  }

  double time(const Configuration& configuration) {
    const std::span<std::byte> block = memory(configuration.memory);
    workload_.reset(block);
    const Nanoseconds elapsed = team_.run(threads_of(configuration), [&](std::size_t thread) {
      do_share(configuration, block, thread);
    });
    return static_cast<double>(elapsed.count());
  }

  /// Counting costs system calls, so it never shares a repetition with the clock.
  /// Returns why it is refused, or nothing.
  std::string count(Configuration& configuration) {
    const std::span<std::byte> block = memory(configuration.memory);
    workload_.reset(block);
    std::mutex mutex;
    std::string refusal;
    team_.run(threads_of(configuration), [&](std::size_t thread) {
      PerfCounters counters(open_event_);
      counters.start();
      do_share(configuration, block, thread);
      const PerfCounts counts = counters.stop();
      const std::lock_guard lock(mutex);
      configuration.counts += counts;
      if (refusal.empty()) refusal = counters.refusal();
    });
    return refusal;
  }

 private:
  static std::size_t threads_of(const Configuration& configuration) {
    return static_cast<std::size_t>(configuration.threads);
  }

  void do_share(const Configuration& configuration, std::span<std::byte> block,
                std::size_t thread) const {
    const UnitRange share = share_of(workload_.units(), thread, threads_of(configuration));
    if (configuration.twin == CpuTwin::scalar) {
      workload_.run_scalar(block, share);
    } else {
      workload_.run_neon(block, share);
    }
  }

  const Workload& workload_;
  const PerfCounters::OpenEvent& open_event_;
  HeapBlock heap_;
  std::shared_ptr<qpu::Buffer> device_;
  PinnedTeam team_;
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

/// Until the first refusal, whose reason stays in `refused`.
void count_all(Bench& bench, std::vector<Configuration>& all, std::string& refused) {
  for (int repetition = 0; repetition < kCountedRepetitions; ++repetition) {
    for (Configuration& configuration : all) {
      if (refused.empty()) refused = bench.count(configuration);
    }
  }
}

/// What was counted before a refusal is no whole picture's.
void drop_counts(CpuThroughputReport& report) {
  for (CpuContentRuns& content : report.contents) {
    for (CpuRun& run : content.runs) run.counts = {};
  }
}

CpuContentRuns run_content(const Subject& subject, const GateOptions& options, Content content,
                           const PerfCounters::OpenEvent& open_event, CpuThroughputReport& report) {
  WorkloadSource source(*subject.kernel, options, content);
  const std::unique_ptr<Workload> workload = source.next();
  if (workload == nullptr) throw usage_error("'{}' has no pictures", options.input);
  Bench bench(subject, *workload, options.threads, open_event);
  CpuContentRuns result{content, source.origin(), workload->units(), {}, {}};
  workload->reset(bench.memory(CpuMemory::heap));
  result.branches = workload->branch_rates(bench.memory(CpuMemory::heap));

  std::vector<Configuration> all = configurations(options.threads, bench.has_device_memory());
  if (subject.device != nullptr && !bench.has_device_memory()) {
    report.no_device_memory = "memory is staged: the QPU works on a copy";
  }
  Progress progress(fmt::format("M3 {} {}", subject.kernel->name(), to_string(content)),
                    static_cast<std::uint64_t>(options.repetitions));
  constexpr int kWarmUps = 2;
  for (int repetition = -kWarmUps; repetition < options.repetitions; ++repetition) {
    for (Configuration& configuration : all) {
      const double elapsed = bench.time(configuration);
      if (repetition >= 0) configuration.elapsed.push_back(elapsed);
    }
    if (repetition >= 0) progress.update(static_cast<std::uint64_t>(repetition));
  }
  count_all(bench, all, report.counters_refused);
  for (Configuration& configuration : all) {
    result.runs.push_back({configuration.twin, configuration.threads, configuration.memory,
                           SampleSet(std::move(configuration.elapsed)),
                           per_repetition(configuration.counts)});
  }
  return result;
}

}  // namespace

const char* to_string(CpuTwin twin) {
  return twin == CpuTwin::scalar ? "scalar" : "neon";
}

const char* to_string(CpuMemory memory) {
  return memory == CpuMemory::heap ? "heap" : "device";
}

const CpuRun* CpuContentRuns::fastest_neon(int threads) const {
  const CpuRun* fastest = nullptr;
  for (const CpuRun& run : runs) {
    if (run.twin != CpuTwin::neon || run.threads != threads) continue;
    if (fastest == nullptr || run.elapsed.median < fastest->elapsed.median) fastest = &run;
  }
  return fastest;
}

CpuThroughputReport run_m3(const Subject& subject, const GateOptions& options,
                           const PerfCounters::OpenEvent& open_event) {
  CpuThroughputReport report;
  if (subject.device == nullptr) report.no_device_memory = subject.no_device;
  for (const Content content : contents_of(options)) {
    report.contents.push_back(run_content(subject, options, content, open_event, report));
  }
  if (!report.counters_refused.empty()) drop_counts(report);
  return report;
}

}  // namespace sidecore::gates
