// The board's CPU clocks, temperature and throttling while M4's time windows run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/clock.h"
#include "gates/throttle_flags.h"

namespace sidecore::gates {

/// Extremes of the board's state over all readings of a period. A member is empty if the system
/// does not report it.
struct BoardState {
  std::optional<double> lowest_mhz;  ///< lowest clock of all online CPUs, in MHz
  std::optional<double> highest_mhz;
  std::optional<double> highest_celsius;  ///< highest temperature of all thermal zones, in °C
  std::optional<std::uint32_t> throttle_flags;  ///< bits set in any reading of get_throttled
};

/// Reads the board's state. One reading is about 20 short files below `root`; the throttle flags
/// may come from the firmware instead. That is too little to disturb a measurement.
class BoardWatch {
 public:
  /// Time between two readings.
  static constexpr Nanoseconds kPause{500'000'000};

  /// Finds the files that are read later. `root` is "/" except in tests.
  explicit BoardWatch(const std::filesystem::path& root = "/");

  void sample();
  /// Starts a thread that reads at once and then every kPause; its destructor stops it. Throws
  /// Error (environment) if the thread cannot be started.
  [[nodiscard]] std::jthread watch();
  /// Returns the extremes of all readings since the last call.
  [[nodiscard]] BoardState take();

 private:
  std::vector<std::filesystem::path> clocks_;
  std::vector<std::filesystem::path> zones_;
  ThrottleFlags throttle_flags_;
  BoardState state_;
};

/// Extends `all` by the extremes and flags of `more`.
void add(BoardState& all, const std::vector<BoardState>& more);

/// Returns "1500 to 2400 MHz, at most 61.9 °C, get_throttled 0x4", or "" if nothing is known.
[[nodiscard]] std::string to_string(const BoardState& state);

/// Returns the causes of throttling as text; empty if nothing throttled or the system does not
/// report it. Unlike throttled_between(), it also notices a flag that was set before the run,
/// cleared, and set again during the run.
[[nodiscard]] std::string throttled_during(const BoardState& state);

}  // namespace sidecore::gates
