// One 16-lane QPU thread, and what it runs in.
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

/// The thread's side of the texture and memory unit.
struct TmuQueue {
  static constexpr std::uint32_t kDefaultConfig = 0xffffffff;
  static constexpr unsigned kMostData = 4;
  static constexpr unsigned kMostOutput = 8;

  std::uint32_t config = kDefaultConfig;  ///< four stacked bytes, lowest used first
  unsigned data_words = 0;
  LaneMask data_lanes =
      kAllLanes;  ///< that every data word has: a conditional write leaves some out
  unsigned output_first = 0, output_count = 0;
  Lanes data[kMostData];
  Lanes output[kMostOutput];
};

struct Thread {
  Lanes registers[kRegisters];  ///< rf0..63, r0..r5
  Lanes rtop;                   ///< what MULTOP leaves for UMUL24
  Lanes a, b;                   ///< flags, all ones or zero in each lane
  Lanes active;                 ///< all ones in lanes that hold an invocation
  LaneMask active_mask = 0;

  std::uint32_t pc = 0;
  std::uint32_t uniforms = 0;  ///< address of the next word
  std::uint32_t unifa = 0;
  std::uint32_t branch_target = 0;
  unsigned branch_delay =
      0;  ///< instructions until a pending branch takes effect, this one counted
  unsigned switch_delay = 0;
  bool last_section = false;
  bool ending = false;
  bool barrier_pending = false;
  /// The last conditional branch that only some of the active lanes wanted to take, and the code
  /// that not all of them execute because of it; empty when there is none.
  std::uint32_t divergent_branch = 0, divergent_begin = 0, divergent_end = 0;
  std::uint32_t barrier_at = 0;  ///< the instruction of the last barrier
  bool may_wait = false;         ///< no TMU result was taken since the last switch
  std::uint64_t instructions = 0;
  RegisterSet written;
  TmuQueue tmu;

  std::uint32_t index = 0;  ///< batch in the dispatch
  std::uint32_t tidx = 0;
  std::uint32_t first_invocation = 0;  ///< of lane 0, in the dispatch
  RaceChecker::Progress progress;
  std::uint64_t noise_key = 0;
  Trace* trace = nullptr;    ///< where its events go; null when nobody asked
  std::uint64_t traced = 0;  ///< instructions before the last event

  void note(TraceEvent::Kind kind, unsigned words = 0, LineCache::Moved lines = {}) {
    if (trace == nullptr) return;
    trace->push_back({static_cast<std::uint32_t>(instructions - traced), kind,
                      static_cast<std::uint8_t>(words), static_cast<std::uint8_t>(lines.fetched),
                      static_cast<std::uint8_t>(lines.written)});
    traced = instructions;
  }
};

/// What all threads of one host worker share during a dispatch. Everything referred to must outlive
/// it. `fifo_capacity` is the words of TMU output a thread may have outstanding; `races` is null
/// when races are not checked.
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

/// Why run() came back.
enum class Stop : std::uint8_t { thread_switch, barrier, ended };

/// Runs one thread up to its next thread switch or its end. Throws Fault.
using RunFunction = Stop (*)(Thread&, Context&);

/// The executor for this host: AVX-512 or AVX2 where the CPU has them.
[[nodiscard]] RunFunction run_function();
/// By name ("baseline", "avx2", "avx512"); null when this host or build lacks it.
[[nodiscard]] RunFunction run_function(std::string_view name);

/// One TMU request at these addresses for these lanes (the condition of the address write; idle
/// lanes are dropped here). Consumes the config byte and the data words.
void tmu_request(Thread& thread, Context& context, const Lanes& address, LaneMask lanes);
/// A data word for the next request, whose lanes must be among these.
void tmu_push_data(TmuQueue& tmu, const Lanes& data, LaneMask lanes);
/// The oldest word of the output FIFO; throws Fault when there is none.
[[nodiscard]] const Lanes& tmu_pop(TmuQueue& tmu);
/// A thread may not end with results or data left over.
void tmu_check_empty(const TmuQueue& tmu);

/// Reads one uniform word through `cache`; throws Fault naming `stream`.
[[nodiscard]] std::uint32_t read_uniform(WindowCache& cache, std::uint32_t address,
                                         const char* stream);
/// Undefined state gets noise (poisoning) after a switch.
void poison_after_switch(Thread& thread);

[[noreturn]] void raise(FaultKind kind, std::string_view message);
[[noreturn]] void raise_divergent_barrier(const Thread& thread);

}  // namespace sidecore::v3dsim
