// The board's clocks, temperature and throttling while M4's windows run.
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

/// What the system told during a stretch of work, all samples together. Empty: it does not tell.
struct BoardState {
  std::optional<double> lowest_mhz;  ///< of any online CPU
  std::optional<double> highest_mhz;
  std::optional<double> highest_celsius;        ///< of any zone
  std::optional<std::uint32_t> throttle_flags;  ///< get_throttled; bits that any sample had
};

/// Reads files below `root` only, some 20 short ones a sample, or asks the firmware for one of
/// them, so that watching costs no figure.
class BoardWatch {
 public:
  /// Between two samples of a window.
  static constexpr Nanoseconds kPause{500'000'000};

  /// Looks up which files there are, once. "/" except in tests.
  explicit BoardWatch(const std::filesystem::path& root = "/");

  void sample();
  /// Samples at once and after every kPause, until the thread is stopped and joined (which its end
  /// does). Throws Error (environment) when it cannot be started.
  [[nodiscard]] std::jthread watch();
  /// What was sampled since the last call.
  [[nodiscard]] BoardState take();

 private:
  std::vector<std::filesystem::path> clocks_;
  std::vector<std::filesystem::path> zones_;
  ThrottleFlags throttle_flags_;
  BoardState state_;
};

/// Adds to `all` what `more` saw: the lowest, the highest, every flag.
void add(BoardState& all, const std::vector<BoardState>& more);

/// "1500 to 2400 MHz, at most 61.9 °C, get_throttled 0x4"; empty when nothing is known.
[[nodiscard]] std::string to_string(const BoardState& state);

/// What throttled meanwhile, as a sentence; empty when nothing did or the system does not report
/// it. Catches what throttled_between() cannot: a flag that is old, had fallen, and rose again in
/// between.
[[nodiscard]] std::string throttled_during(const BoardState& state);

}  // namespace sidecore::gates
