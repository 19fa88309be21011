#include "v3dsim/thread.h"

#include <fmt/format.h>

#include <atomic>
#include <string>

#include "v3dsim/core/variants.h"
#include "v3dsim/noise.h"

namespace sidecore::v3dsim {

std::uint32_t read_uniform(WindowCache& cache, std::uint32_t address, const char* stream) {
  std::byte* bytes = cache.find(address, 4);
  if (bytes == nullptr || address % 4 != 0) {
    throw Fault(FaultKind::out_of_bounds,
                fmt::format("the word of the {} at {:#x} is {}", stream, address,
                            bytes == nullptr ? "outside every buffer" : "not aligned"),
                address);
  }
  return std::atomic_ref<std::uint32_t>(*reinterpret_cast<std::uint32_t*>(bytes))
      .load(std::memory_order_relaxed);
}

void poison_after_switch(Thread& thread) {
  for (std::size_t i = kFirstAccumulator; i < kRegisters; ++i) {
    fill_with_noise(thread.registers[i], thread.noise_key);
  }
  fill_with_noise(thread.rtop, thread.noise_key);
  fill_with_noise(thread.b, thread.noise_key);
  for (std::uint32_t& flag : thread.b.lane) flag = (flag & 1) != 0 ? ~0U : 0;
}

void raise(FaultKind kind, std::string_view message) {
  throw Fault(kind, std::string(message));
}

void raise_divergent_barrier(const Thread& thread) {
  throw Fault(FaultKind::barrier,
              fmt::format("a barrier in divergent flow: the branch at {:#x} keeps some of the "
                          "thread's invocations from it",
                          thread.divergent_branch));
}

RunFunction run_function(std::string_view name) {
  if (name == "baseline") return &core_baseline::run;
#ifdef SIDECORE_V3DSIM_X86_VARIANTS
  if (name == "avx2" && __builtin_cpu_supports("avx2") != 0) return &core_avx2::run;
  if (name == "avx512" && __builtin_cpu_supports("avx512f") != 0 &&
      __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
      __builtin_cpu_supports("avx512vl") != 0) {
    return &core_avx512::run;
  }
#endif
  return nullptr;
}

RunFunction run_function() {
  static const RunFunction best = [] {
    for (const std::string_view name : {"avx512", "avx2"}) {
      if (const RunFunction run = run_function(name)) return run;
    }
    return run_function("baseline");
  }();
  return best;
}

}  // namespace sidecore::v3dsim
