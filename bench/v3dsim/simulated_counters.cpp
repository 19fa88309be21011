#include "v3dsim/simulated_counters.h"

namespace sidecore::v3dsim {
namespace {

struct Definition {
  SimulatedCounter counter;
  std::uint64_t (*value)(const Statistics& statistics);
};

constexpr std::array<Definition, kSimulatedCounters> kDefinitions{{
    {{"simulated-jobs", "Compute jobs"}, [](const Statistics&) { return std::uint64_t{1}; }},
    {{"simulated-workgroups", "Workgroups"},
     [](const Statistics& s) { return std::uint64_t{s.grid[0]} * s.grid[1] * s.grid[2]; }},
    {{"simulated-threads", "Threads of 16 lanes"}, [](const Statistics& s) { return s.threads; }},
    {{"simulated-instructions",
      "Number of instructions that all threads executed; not a number of clocks"},
     [](const Statistics& s) { return s.instructions; }},
    {{"simulated-nops", "Executed instructions with a nop in both halves"},
     [](const Statistics& s) { return s.nops; }},
    {{"simulated-special-functions", "Reciprocals, roots, exponents, logarithms and sines"},
     [](const Statistics& s) { return s.special_functions; }},
    {{"simulated-branches", "Branch instructions, taken or not"},
     [](const Statistics& s) { return s.branches; }},
    {{"simulated-thread-switches", "Thread switches"},
     [](const Statistics& s) { return s.thread_switches; }},
    {{"simulated-barriers", "Threads that arrived at a barrier"},
     [](const Statistics& s) { return s.barriers; }},
    {{"simulated-uniforms", "Words read from the uniform stream"},
     [](const Statistics& s) { return s.uniforms; }},
    {{"simulated-tmu-loads", "Load requests to the memory units, up to 16 lanes each"},
     [](const Statistics& s) { return s.tmu.total(TmuKind::load); }},
    {{"simulated-tmu-stores", "Store requests to the memory units, up to 16 lanes each"},
     [](const Statistics& s) { return s.tmu.total(TmuKind::store); }},
    {{"simulated-tmu-atomics", "Atomic requests to the memory units, up to 16 lanes each"},
     [](const Statistics& s) { return s.tmu.total(TmuKind::atomic); }},
    {{"simulated-tmu-bytes", "Bytes that the lanes of all TMU requests moved, before any cache"},
     [](const Statistics& s) { return s.tmu.bytes; }},
    {{"simulated-distinct-lines", "Distinct lines of 64 bytes that each job touched"},
     [](const Statistics& s) { return s.tmu.unique_lines; }},
}};
static_assert(kDefinitions[kBarrierCounter].counter.name == "simulated-barriers");

}  // namespace

const std::array<SimulatedCounter, kSimulatedCounters>& simulated_counters() {
  static constexpr auto kCounters = [] {
    std::array<SimulatedCounter, kSimulatedCounters> counters{};
    for (std::size_t i = 0; i < counters.size(); ++i) counters[i] = kDefinitions[i].counter;
    return counters;
  }();
  return kCounters;
}

CounterValues counter_values(const Statistics& statistics) {
  CounterValues values{};
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = kDefinitions[i].value(statistics);
  return values;
}

}  // namespace sidecore::v3dsim
