// What the simulator counts of a job, as the performance counters of its device. None of them has a
// hardware counter's name: those count clocks and cache lines in ways that no simulation of
// instructions knows.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "v3dsim/statistics.h"

namespace sidecore::v3dsim {

inline constexpr std::size_t kSimulatedCounters = 15;

/// The index of simulated-barriers.
inline constexpr std::size_t kBarrierCounter = 8;

/// By counter, in the order of simulated_counters().
using CounterValues = std::array<std::uint64_t, kSimulatedCounters>;

struct SimulatedCounter {
  std::string_view name;         ///< fits 63 characters; begins with "simulated-"
  std::string_view description;  ///< fits 255
};
[[nodiscard]] const std::array<SimulatedCounter, kSimulatedCounters>& simulated_counters();

/// Of one job.
[[nodiscard]] CounterValues counter_values(const Statistics& statistics);

}  // namespace sidecore::v3dsim
