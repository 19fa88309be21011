// Clocks that measure the time a decoder spends on each stage.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "vp9/plan.h"

namespace sidecore::vp9 {

/// A row in the table of decoding times: a pixel stage (Stage in plan.h), or other work that only
/// the clock distinguishes.
enum class ClockRow : std::uint8_t {
  parsing,          ///< headers, symbols, dequantisation, probability adaptation
  prediction,       ///< prediction of inter blocks
  intra,            ///< prediction of intra blocks
  residual,         ///< inverse transforms, added to the prediction
  edge_derivation,  ///< derivation of edges from the blocks
  loop_filter,
  /// Time to record a GPU submission; `waiting` is the wait for its end. Both are separate rows
  /// because a submission with several stages gives no time per stage. If a submission has only one
  /// stage, both times count for that stage.
  submission,
  waiting,
  other,  ///< all other work: superframes, frame buffers, references, setting up a GPU's programs
};
inline constexpr std::array kClockRows{
    ClockRow::parsing,    ClockRow::prediction,      ClockRow::intra,
    ClockRow::residual,   ClockRow::edge_derivation, ClockRow::loop_filter,
    ClockRow::submission, ClockRow::waiting,         ClockRow::other};
/// Returns the row's name, for example "edge derivation".
[[nodiscard]] const char* to_string(ClockRow row);
/// Returns the row of a pixel stage.
[[nodiscard]] constexpr ClockRow row_of(Stage stage) {
  switch (stage) {
    case Stage::prediction:
      return ClockRow::prediction;
    case Stage::residual:
      return ClockRow::residual;
    case Stage::intra:
      return ClockRow::intra;
    case Stage::loop_filter:
      return ClockRow::loop_filter;
  }
  return ClockRow::other;
}
/// Returns the pixel stage of a row, or nullopt for other rows.
[[nodiscard]] constexpr std::optional<Stage> stage_of(ClockRow row) {
  for (const Stage stage : kStages) {
    if (row_of(stage) == row) return stage;
  }
  return std::nullopt;
}
/// Returns true if only a decoder with stages on a GPU has this row.
[[nodiscard]] constexpr bool needs_gpu(ClockRow row) {
  return row == ClockRow::submission || row == ClockRow::waiting;
}

/// Times indexed by ClockRow.
using StageTimes = std::array<Nanoseconds, kClockRows.size()>;

/// Divides elapsed time between stages; each lap belongs to one stage. Only one thread may use it.
class StageClock {
 public:
  /// Creates a clock. If `on` is false, it does not read the time and counts nothing.
  explicit StageClock(bool on) : on_(on) { restart(); }

  /// Discards the time since the last call.
  void restart() {
    if (on_) last_ = Clock::now();
  }
  /// Adds the time since the last call to the stage.
  void lap(ClockRow stage) {
    if (!on_) return;
    const Clock::time_point now = Clock::now();
    times_[static_cast<std::size_t>(stage)] += now - std::exchange(last_, now);
  }
  /// Moves `part` of the time counted for one stage to another.
  void move(Nanoseconds part, ClockRow from, ClockRow to) {
    if (!on_) return;
    times_[static_cast<std::size_t>(from)] -= part;
    times_[static_cast<std::size_t>(to)] += part;
  }
  [[nodiscard]] bool on() const { return on_; }
  [[nodiscard]] const StageTimes& times() const { return times_; }
  /// Returns the counted times and resets them to 0.
  [[nodiscard]] StageTimes take() { return std::exchange(times_, {}); }

 private:
  bool on_;
  Clock::time_point last_;
  StageTimes times_{};
};

/// Sum of the times that the clocks of several threads counted.
class SharedStageTimes {
 public:
  void add(const StageTimes& times) {
    for (std::size_t stage = 0; stage < kClockRows.size(); ++stage) {
      if (times[stage].count() > 0) times_[stage] += times[stage].count();
    }
  }
  /// Returns the times added since the last call and resets them to 0. Other threads may add at the
  /// same time.
  [[nodiscard]] StageTimes take() {
    StageTimes times;
    for (std::size_t stage = 0; stage < kClockRows.size(); ++stage) {
      times[stage] = Nanoseconds(times_[stage].exchange(0));
    }
    return times;
  }

 private:
  std::array<std::atomic<Nanoseconds::rep>, kClockRows.size()> times_{};
};

}  // namespace sidecore::vp9
