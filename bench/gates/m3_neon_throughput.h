// Gate M3: how fast is NEON?
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
  device,  ///< the memory that the QPU uses; may be write-combined
};
[[nodiscard]] const char* to_string(CpuImplementation implementation);
[[nodiscard]] const char* to_string(CpuMemory memory);

/// One arrangement of the CPU doing a picture's worth of units, restored between repetitions.
struct CpuRun {
  CpuImplementation implementation = CpuImplementation::neon;
  int threads = 1;
  CpuMemory memory = CpuMemory::heap;
  SampleSet elapsed;  ///< nanoseconds from the first thread's start to the last one's end
  PerfCounts counts;  ///< all threads of one picture, counted in repetitions of its own
};

struct CpuContentRuns {
  Content content = Content::random;
  std::string origin;
  std::size_t units = 0;
  std::vector<BranchRate> branches;  ///< pristine: what every repetition starts from
  std::vector<CpuRun> runs;

  /// The NEON run of so many threads with the lowest median, whichever memory that is.
  [[nodiscard]] const CpuRun* fastest_neon(int threads) const;
};

struct CpuThroughputReport {
  std::string device_memory_refusal;  ///< why CpuMemory::device was not measured; empty when it was
  std::string counters_refusal;       ///< why there are no counts; empty when there are
  std::vector<CpuContentRuns> contents;
};

/// Threads are pinned, one a CPU. Configurations are interleaved repetition by repetition.
/// `open_event` is called from several threads. Throws Error (environment) when the threads cannot
/// be started.
[[nodiscard]] CpuThroughputReport run_m3(
    const Subject& subject, const GateOptions& options,
    const PerfCounters::OpenEvent& open_event = open_hardware_event);

}  // namespace sidecore::gates
