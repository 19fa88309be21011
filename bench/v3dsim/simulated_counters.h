// Performance counters that the simulated device offers. None has a hardware counter's name,
// because hardware counts clocks and cache lines in ways that a simulation of instructions cannot
// know.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "v3dsim/statistics.h"

namespace sidecore::v3dsim {

inline constexpr std::size_t kSimulatedCounters = 15;

/// Index of the counter simulated-barriers.
inline constexpr std::size_t kBarrierCounter = 8;

/// Values by counter, in the order of simulated_counters().
using CounterValues = std::array<std::uint64_t, kSimulatedCounters>;

struct SimulatedCounter {
  std::string_view name;  ///< name of the counter; at most 63 characters, begins with "simulated-"
  std::string_view description;  ///< description of the counter; at most 255 characters
};
[[nodiscard]] const std::array<SimulatedCounter, kSimulatedCounters>& simulated_counters();

/// Returns the counter values of one job.
[[nodiscard]] CounterValues counter_values(const Statistics& statistics);

}  // namespace sidecore::v3dsim
