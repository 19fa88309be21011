// What `sidecore gate` found on this board, as far as a split of the decoder's work needs it.
#pragma once

#include <array>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "gates/run.h"

namespace sidecore::split {

struct GateRates {
  /// The QPU alone, edges a second by [vertical, horizontal][width 4, 8, 16]: M4.
  std::array<std::array<double, 3>, 2> qpu_edges{};
  double submission = 0;  ///< seconds, M5
  double dispatch = 0;    ///< seconds of one more in a submission, M5
  /// Rates alone over rates beside the other side at full width, medians of M4: 1 is undisturbed.
  double qpu_slowdown = 1;
  double neon_slowdown = 1;
  /// Time of NEON in the device's memory over that in the heap: M3.
  double device_memory_factor = 1;
  bool cpu_device = false;  ///< the "QPU" was the CPU's cores
  std::vector<std::string> origins;
};

/// The kernel whose edges are of that direction and width; indices as above.
[[nodiscard]] const char* kernel_of(std::size_t direction, std::size_t width);

/// Puts the results of several runs together; a later one wins. `names` are for messages, as many
/// as results. Throws Error (usage) when a result is of another board than `board`, of a simulated
/// device, or one of the six loop filters' M4 or the cost of a dispatch is in none of them.
[[nodiscard]] GateRates gate_rates(std::span<const gates::GateReport> results,
                                   std::span<const std::string> names,
                                   const gates::EnvironmentRecord& board);

/// Reads the files and does the same with them.
[[nodiscard]] GateRates read_gate_rates(std::span<const std::string> files,
                                        const gates::EnvironmentRecord& board);

}  // namespace sidecore::split
