// A plugin for qemu-aarch64, built for the host. It prints how long the executed instructions take
// on a Cortex-A72, a Cortex-A76 and a Cortex-A53 by the model of bench/armsim.
// scripts/instruction_counts.sh builds it.
//
// - kernels=on: for the code between two calls of getsid() (bench/tools/instruction_count.h),
//   prints a line "INSTRUCTIONS" and then "ALONE REPEATED" for each core. These are the cycles if
//   the code starts on an idle core, and if it follows itself. All data is in the first cache
//   level.
// - live=on: for the code between two calls, executed once with caches and memory, prints
//   "INSTRUCTIONS", then "CYCLES LINES MISPREDICTED" for each core.
// - places=on: when the whole program ends, prints "start ADDRESS" of the program's own code. Then
//   it prints "ADDRESS TIMES" for every instruction, then the cycles on the A72 and on the A76,
//   then the lines that it moved between the last cache and memory on both. Last come the counts of
//   mispredicted branches and of cache lines on both.
// - clock=CORE: provides the clock of a program that times itself (0: Cortex-A72, 1: Cortex-A76, 2:
//   Cortex-A53). System call 1000 writes the cycles that the core has taken so far to the address
//   in its argument. Time passes for at most kTimedInstructions after each such call.
//
// Options: mhz72= and mhz76= set the clocks, which convert the memory's times to cycles. ideal=on
// puts all data in the first cache level.
#include <array>
#include <cinttypes>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "armsim/pipeline.h"
#include "tools/qemu_plugin.h"

namespace {

using namespace sidecore::armsim;

constexpr std::size_t kCores = 3;
constexpr std::array kModels = {&cortex_a72, &cortex_a76, &cortex_a53};
std::array<double, kCores> clocks = {1.8e9, 2.4e9, 1.4e9};

enum class Mode { kernels, live, places, clock };
Mode mode = Mode::kernels;
std::size_t clock_core = 0;  ///< the core that Mode::clock models
bool ideal_memory = false;

/// A translation block of qemu; kept until the end.
struct Code {
  std::uint64_t address = 0;
  std::array<std::vector<Block::Step>, kCores> steps;
  std::uint64_t times = 0;
  /// Cycles of each instruction of the block, and lines that it moved between the last cache and
  /// memory, for each core.
  std::array<std::vector<std::uint64_t>, kCores> cycles;
  std::array<std::vector<std::uint64_t>, kCores> lines;

  [[nodiscard]] Block on(std::size_t core) const { return {address, steps[core]}; }
};

std::mutex code_mutex;
std::deque<Code> codes;

/// For a whole program only every kPeriod-th window of kWindow instructions is timed. All its
/// accesses update the caches.
constexpr std::uint64_t kWindow = 50'000;
constexpr std::uint64_t kPeriod = 16;
std::uint64_t sampled = 0;

/// Largest number of instructions in a timed part of a program with Mode::clock.
constexpr std::uint64_t kTimedInstructions = 8'000'000;

struct Executed {
  const Code* code;
  std::uint64_t next;
};

/// A thread of the emulated program.
struct Thread {
  Code* pending = nullptr;  ///< executed block whose successor is not known yet
  std::vector<Access> accesses;
  std::array<std::unique_ptr<Pipeline>, kCores> cores;
  std::uint64_t instructions = 0;
  std::uint64_t timed_until = 0;  ///< number of the instruction where Mode::clock stops
  bool marked = false;            ///< true between two calls of getsid()
  std::uint64_t marked_instructions = 0;
  std::array<std::uint64_t, kCores> marked_cycles{};
  std::array<std::uint64_t, kCores> marked_lines{};
  std::array<std::uint64_t, kCores> marked_misses{};
  std::vector<Executed> trace;
};
std::array<Thread, 256> threads;

Thread& thread_of(unsigned vcpu) {
  Thread& thread = threads[vcpu % threads.size()];
  if (thread.cores[0] == nullptr) {
    for (std::size_t core = 0; core < kCores; ++core) {
      thread.cores[core] = std::make_unique<Pipeline>(kModels[core](), clocks[core]);
      thread.cores[core]->set_ideal_memory(ideal_memory);
    }
  }
  return thread;
}

void finish_pending(Thread& thread, std::uint64_t next) {
  Code* const code = thread.pending;
  if (code == nullptr) return;
  thread.instructions += code->steps[0].size();
  if (mode == Mode::clock) {
    if (thread.instructions < thread.timed_until) {
      thread.cores[clock_core]->run(code->on(clock_core), thread.accesses, next,
                                    [](std::size_t, std::uint64_t) {});
    }
  } else if (mode == Mode::kernels) {
    if (thread.marked) thread.trace.push_back({code, next});
  } else {
    ++code->times;
    const std::size_t cores = mode == Mode::places ? 2 : kCores;
    const bool timed = mode != Mode::places || thread.instructions / kWindow % kPeriod == 0;
    if (timed) sampled += code->steps[0].size();
    for (std::size_t core = 0; core < cores; ++core) {
      Pipeline& pipeline = *thread.cores[core];
      std::uint64_t before = pipeline.cache().lines_moved();
      const auto count_lines = [&](std::size_t index) {
        const std::uint64_t now = pipeline.cache().lines_moved();
        code->lines[core][index] += now - std::exchange(before, now);
      };
      if (!timed) {
        pipeline.pass(thread.accesses, [&](const Access& access) { count_lines(access.index); });
        continue;
      }
      pipeline.run(code->on(core), thread.accesses, next,
                   [&](std::size_t index, std::uint64_t cycles) {
                     code->cycles[core][index] += cycles;
                     count_lines(index);
                   });
    }
  }
  thread.accesses.clear();
}

void executed(unsigned vcpu, void* data) {
  Thread& thread = thread_of(vcpu);
  Code* const code = static_cast<Code*>(data);
  finish_pending(thread, code->address);
  thread.pending = code;
}

void accessed(unsigned vcpu, qemu_plugin_meminfo_t info, std::uint64_t address, void* data) {
  Thread& thread = thread_of(vcpu);
  if (mode == Mode::clock && thread.instructions >= thread.timed_until) return;
  thread.accesses.push_back({address,
                             static_cast<std::uint16_t>(reinterpret_cast<std::uintptr_t>(data)),
                             qemu_plugin_mem_is_store(info)});
}

void translated(qemu_plugin_id_t /*id*/, qemu_plugin_tb* block) {
  const std::lock_guard lock(code_mutex);
  Code& code = codes.emplace_back();
  code.address = qemu_plugin_tb_vaddr(block);
  const std::size_t count = qemu_plugin_tb_n_insns(block);
  for (std::size_t index = 0; index < count; ++index) {
    qemu_plugin_insn* const instruction = qemu_plugin_tb_get_insn(block, index);
    std::uint32_t word = 0;
    std::memcpy(&word, qemu_plugin_insn_data(instruction), sizeof(word));
    const Instruction decoded = decode(word);
    for (std::size_t core = 0; core < kCores; ++core) {
      code.steps[core].push_back({decoded, cost_of(kModels[core](), decoded)});
    }
    if (mode != Mode::kernels && !ideal_memory && (decoded.is_load() || decoded.is_store())) {
      qemu_plugin_register_vcpu_mem_cb(instruction, accessed, QEMU_PLUGIN_CB_NO_REGS,
                                       QEMU_PLUGIN_MEM_RW, reinterpret_cast<void*>(index));
    }
  }
  for (auto& cycles : code.cycles) cycles.resize(count);
  for (auto& lines : code.lines) lines.resize(count);
  qemu_plugin_register_vcpu_tb_exec_cb(block, executed, QEMU_PLUGIN_CB_NO_REGS, &code);
}

/// Cycles of a trace: for its first run and for a later run.
struct Replayed {
  std::uint64_t alone;
  double repeated;
};
Replayed replay(const std::vector<Executed>& trace, std::size_t core) {
  std::size_t instructions = 0;
  for (const Executed& executed : trace) instructions += executed.code->steps[0].size();
  const int times = instructions < 20'000 ? 4 : 1;
  Pipeline pipeline(kModels[core](), clocks[core]);
  pipeline.set_ideal_memory(true);
  const auto run = [&] {
    for (const Executed& executed : trace) {
      pipeline.run(executed.code->on(core), {}, executed.next, [](std::size_t, std::uint64_t) {});
    }
    return pipeline.cycles();
  };
  if (instructions > 500'000) {  // a trace this long is a whole picture, which runs only once
    const std::uint64_t once = run();
    return {once, static_cast<double>(once)};
  }
  for (int index = 0; index < 4 * times; ++index) run();  // these runs train the branch predictor
  const std::uint64_t before = pipeline.cycles();
  for (int index = 0; index < times; ++index) run();
  const double repeated = static_cast<double>(pipeline.cycles() - before) / times;
  pipeline.drain();
  const std::uint64_t idle = pipeline.cycles();
  return {run() - idle, repeated};
}

/// Writes the time to the program's memory. The emulator uses the same addresses as a 64-bit
/// program.
void tell_time(Thread& thread, std::uint64_t address) {
  finish_pending(thread, 0);
  thread.pending = nullptr;
  thread.accesses.clear();
  thread.timed_until = thread.instructions + kTimedInstructions;
  thread.cores[clock_core]->drain();
  const std::uint64_t cycles = thread.cores[clock_core]->cycles();
  std::memcpy(reinterpret_cast<void*>(address), &cycles, sizeof(cycles));
}

void called(qemu_plugin_id_t /*id*/, unsigned vcpu, std::int64_t number, std::uint64_t argument,
            std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t,
            std::uint64_t, std::uint64_t) {
  constexpr std::int64_t kGetsid = 156;  // number of getsid() on aarch64
  constexpr std::int64_t kClock = 1000;  // no kernel has a system call of this number
  if (mode == Mode::clock) {
    if (number == kClock) tell_time(thread_of(vcpu), argument);
    return;
  }
  if (number != kGetsid) return;
  Thread& thread = thread_of(vcpu);
  finish_pending(thread, 0);
  thread.pending = nullptr;
  if (!thread.marked) {
    thread.marked = true;
    thread.marked_instructions = thread.instructions;
    for (std::size_t core = 0; core < kCores; ++core) {
      thread.marked_cycles[core] = thread.cores[core]->cycles();
      thread.marked_lines[core] = thread.cores[core]->cache().lines_moved();
      thread.marked_misses[core] = thread.cores[core]->mispredicted();
    }
    thread.trace.clear();
    return;
  }
  thread.marked = false;
  std::string line = std::to_string(thread.instructions - thread.marked_instructions);
  for (std::size_t core = 0; core < kCores; ++core) {
    if (mode == Mode::kernels) {
      const Replayed replayed = replay(thread.trace, core);
      line += '\t' + std::to_string(replayed.alone) + '\t' + std::to_string(replayed.repeated);
    } else {
      const Pipeline& pipeline = *thread.cores[core];
      line += '\t' + std::to_string(pipeline.cycles() - thread.marked_cycles[core]) + '\t' +
              std::to_string(pipeline.cache().lines_moved() - thread.marked_lines[core]) + '\t' +
              std::to_string(pipeline.mispredicted() - thread.marked_misses[core]);
    }
  }
  qemu_plugin_outs((line + '\n').c_str());
}

void log_places(qemu_plugin_id_t /*id*/, void* /*unused*/) {
  const std::lock_guard lock(code_mutex);
  char line[160];
  std::uint64_t all = 0;
  for (const Thread& thread : threads) all += thread.instructions;
  const double scale = static_cast<double>(all) / static_cast<double>(sampled);
  std::snprintf(line, sizeof(line), "start %" PRIu64 "\n", qemu_plugin_start_code());
  qemu_plugin_outs(line);
  struct Sum {
    std::uint64_t times = 0;
    std::array<std::uint64_t, 2> cycles{};
    std::array<std::uint64_t, 2> lines{};
  };
  std::map<std::uint64_t, Sum> sums;
  for (const Code& code : codes) {
    for (std::size_t index = 0; index < code.steps[0].size() && code.times != 0; ++index) {
      Sum& sum = sums[code.address + 4 * index];
      sum.times += code.times;
      for (std::size_t core = 0; core < 2; ++core) {
        sum.cycles[core] += code.cycles[core][index];
        sum.lines[core] += code.lines[core][index];
      }
    }
  }
  for (const auto& [address, sum] : sums) {
    std::snprintf(line, sizeof(line), "%" PRIu64 " %" PRIu64 " %.0f %.0f %" PRIu64 " %" PRIu64 "\n",
                  address, sum.times, scale * static_cast<double>(sum.cycles[0]),
                  scale * static_cast<double>(sum.cycles[1]), sum.lines[0], sum.lines[1]);
    qemu_plugin_outs(line);
  }
  std::uint64_t misses[2] = {0, 0};
  std::uint64_t lines[2] = {0, 0};
  for (const Thread& thread : threads) {
    for (std::size_t core = 0; core < 2 && thread.cores[core] != nullptr; ++core) {
      misses[core] += thread.cores[core]->mispredicted();
      lines[core] += thread.cores[core]->cache().lines_moved();
    }
  }
  std::snprintf(line, sizeof(line), "mispredicted %.0f %.0f\nlines %" PRIu64 " %" PRIu64 "\n",
                scale * static_cast<double>(misses[0]), scale * static_cast<double>(misses[1]),
                lines[0], lines[1]);
  qemu_plugin_outs(line);
}

}  // namespace

int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* /*info*/, int argc, char** argv) {
  for (int index = 0; index < argc; ++index) {
    const std::string_view option = argv[index];
    if (option == "live=on") mode = Mode::live;
    if (option == "places=on") mode = Mode::places;
    if (option.starts_with("clock=")) {
      mode = Mode::clock;
      clock_core = static_cast<std::size_t>(std::atoi(argv[index] + 6)) % kCores;
    }
    if (option == "ideal=on") ideal_memory = true;
    if (option.starts_with("mhz72=")) clocks[0] = 1e6 * std::atof(argv[index] + 6);
    if (option.starts_with("mhz76=")) clocks[1] = 1e6 * std::atof(argv[index] + 6);
  }
  qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
  if (mode == Mode::places) {
    qemu_plugin_register_atexit_cb(id, log_places, nullptr);
  } else {
    qemu_plugin_register_vcpu_syscall_cb(id, called);
  }
  return 0;
}
