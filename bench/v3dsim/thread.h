// State of one 16-lane QPU thread and of its host worker.
#pragma once

#include <cstdint>
#include <string>

#include "v3dsim/counters.h"
#include "v3dsim/fault.h"
#include "v3dsim/lanes.h"
#include "v3dsim/machine.h"
#include "v3dsim/memory.h"
#include "v3dsim/options.h"
#include "v3dsim/program.h"
#include "v3dsim/race_checker.h"
#include "v3dsim/trace.h"

namespace sidecore::v3dsim {

/// The thread's queues of the texture and memory unit (TMU).
struct TmuQueue {
  static constexpr std::uint32_t kDefaultConfig = 0xffffffff;
  static constexpr unsigned kMaxData = 4;
  static constexpr unsigned kMaxOutput = 8;

  /// Stack of four config bytes; the lowest byte is used first.
  std::uint32_t config = kDefaultConfig;
  unsigned data_words = 0;
  LaneMask data_lanes =
      kAllLanes;  ///< lanes that every data word has, because a conditional write omits some
  unsigned output_first = 0, output_count = 0;
  Lanes data[kMaxData];
  Lanes output[kMaxOutput];
};

struct Thread {
  Lanes registers[kRegisters];  ///< registers rf0..63, then accumulators r0..r5
  Lanes rtop;                   ///< value that MULTOP leaves for UMUL24
  Lanes a, b;                   ///< flags A and B, all ones or zero in each lane
  Lanes active;                 ///< all ones in lanes that hold an invocation
  LaneMask active_mask = 0;

  std::uint32_t pc = 0;
  std::uint32_t uniforms = 0;  ///< address of the next uniform word
  std::uint32_t unifa = 0;
  std::uint32_t branch_target = 0;
  unsigned branch_delay =
      0;  ///< number of instructions until a pending branch takes effect, including this one
  unsigned switch_delay = 0;
  bool last_section = false;
  bool ending = false;
  bool barrier_pending = false;
  /// Last conditional branch that only some of the active lanes wanted to take, and the code that
  /// therefore not all of them execute; empty if there is none.
  std::uint32_t divergent_branch = 0, divergent_begin = 0, divergent_end = 0;
  std::uint32_t barrier_at = 0;  ///< address of the instruction of the last barrier
  bool may_wait = false;         ///< true if no TMU result was taken since the last switch
  std::uint64_t instructions = 0;
  RegisterSet written;
  TmuQueue tmu;

  std::uint32_t index = 0;  ///< index of the batch in the dispatch
  std::uint32_t tidx = 0;
  std::uint32_t first_invocation = 0;  ///< index of lane 0's invocation in the dispatch
  RaceChecker::Progress progress;
  std::uint64_t noise_key = 0;
  Trace* trace = nullptr;    ///< receives the thread's events; null if not traced
  std::uint64_t traced = 0;  ///< number of instructions before the last event

  void note(TraceEvent::Kind kind, unsigned words = 0, LineCache::Moved lines = {}) {
    if (trace == nullptr) return;
    trace->push_back({static_cast<std::uint32_t>(instructions - traced), kind,
                      static_cast<std::uint8_t>(words), static_cast<std::uint8_t>(lines.fetched),
                      static_cast<std::uint8_t>(lines.written)});
    traced = instructions;
  }
};

/// State that all threads of one host worker share during a dispatch. All objects that it refers to
/// must outlive it. `fifo_capacity` is the number of TMU output words that a thread may have
/// outstanding. `races` is null if races are not checked.
struct Context {
  Context(const Program& code, const Options& how, const Memory& memory, unsigned fifo_words,
          RaceChecker* checker)
      : program(&code),
        options(&how),
        version(code.version()),
        fifo_capacity(fifo_words),
        data(memory),
        stream(memory),
        auxiliary(memory),
        counters(code.steps().size(), how.count_lines),
        races(checker) {}

  const Program* program;
  const Options* options;
  Version version;
  unsigned fifo_capacity;
  WindowCache data, stream, auxiliary;
  Counters counters;
  RaceChecker* races;
};

/// Reason why run() returned.
enum class Stop : std::uint8_t { thread_switch, barrier, ended };

/// Runs one thread up to its next thread switch or its end. Throws Fault.
using RunFunction = Stop (*)(Thread&, Context&);

/// Returns the inner loop for this host: AVX-512 or AVX2 if the CPU has them.
[[nodiscard]] RunFunction run_function();
/// Returns the inner loop "baseline", "avx2" or "avx512"; null if this host or build lacks it.
[[nodiscard]] RunFunction run_function(std::string_view name);

/// Executes one TMU request at these addresses. `lanes` are the lanes that meet the condition of
/// the address write; this function removes idle lanes. Consumes the config byte and the data
/// words.
void tmu_request(Thread& thread, Context& context, const Lanes& address, LaneMask lanes);
/// Adds a data word for the next request, whose lanes must be a subset of `lanes`.
void tmu_push_data(TmuQueue& tmu, const Lanes& data, LaneMask lanes);
/// Takes the oldest word of the output FIFO. Throws Fault if there is none.
[[nodiscard]] const Lanes& tmu_pop(TmuQueue& tmu);
/// Checks that no results or data words are left when a thread ends; throws Fault if some are.
void tmu_check_empty(const TmuQueue& tmu);

/// Reads one uniform word through `cache`. Throws Fault naming `stream`.
[[nodiscard]] std::uint32_t read_uniform(WindowCache& cache, std::uint32_t address,
                                         const char* stream);
/// Fills the state that is undefined after a switch with noise.
void poison_after_switch(Thread& thread);

[[noreturn]] void raise(FaultKind kind, std::string_view message);
[[noreturn]] void raise_divergent_barrier(const Thread& thread);

}  // namespace sidecore::v3dsim
