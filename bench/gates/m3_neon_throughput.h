// Gate M3: the speed of NEON on the CPU.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/statistics.h"
#include "gates/options.h"
#include "gates/perf_counters.h"
#include "gates/subject.h"

namespace sidecore::gates {

enum class CpuImplementation : std::uint8_t { scalar, neon };
enum class CpuMemory : std::uint8_t {
  heap,    ///< ordinary cached memory
  device,  ///< memory that the QPU uses; it may be write-combined
};
[[nodiscard]] const char* to_string(CpuImplementation implementation);
[[nodiscard]] const char* to_string(CpuMemory memory);

/// Times of one CPU configuration for all units of a picture. The samples are restored before each
/// repetition.
struct CpuRun {
  CpuImplementation implementation = CpuImplementation::neon;
  int threads = 1;
  CpuMemory memory = CpuMemory::heap;
  SampleSet elapsed;  ///< nanoseconds from the first thread's start to the last thread's end
  PerfCounts counts;  ///< counts per picture, summed over all threads, from separate repetitions
};

struct CpuContentRuns {
  Content content = Content::random;
  std::string origin;
  std::size_t units = 0;
  /// Branch rates on the samples that every repetition starts from.
  std::vector<BranchRate> branches;
  std::vector<CpuRun> runs;

  /// Returns the NEON run on `threads` threads with the lowest median, in either memory.
  [[nodiscard]] const CpuRun* fastest_neon(int threads) const;
};

struct CpuThroughputReport {
  /// Reason why CpuMemory::device was not measured; empty if it was.
  std::string device_memory_refusal;
  std::string counters_refusal;  ///< reason why the CPU counters were not read; empty if they were
  std::vector<CpuContentRuns> contents;
};

/// Times all configurations, alternating between them after each repetition. Each thread is pinned
/// to a CPU of its own. Calls `open_event` from several threads. Throws Error (environment) if the
/// threads cannot be started.
[[nodiscard]] CpuThroughputReport run_m3(
    const KernelUnderTest& subject, const GateOptions& options,
    const PerfCounters::OpenEvent& open_event = open_hardware_event);

}  // namespace sidecore::gates
