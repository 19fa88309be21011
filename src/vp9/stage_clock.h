// What a decoder spends its time on.
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

/// A row of what decoding took: a pixel stage (Stage, of plan.h), or what only a clock tells apart.
enum class ClockRow : std::uint8_t {
  parsing,          ///< headers, symbols, dequantisation, adaptation
  prediction,       ///< of inter blocks
  intra,            ///< prediction of intra blocks
  residual,         ///< inverse transforms, added to the prediction
  edge_derivation,  ///< from the blocks
  loop_filter,
  /// Stages of a frame that follow one another on a GPU take one submission, whose time nobody can
  /// divide between them: writing down what it has to do, and the wait for it. Of a stage that is
  /// the only one of its submission, both are the stage's.
  submission,
  waiting,
  other,  ///< what else decoding takes: superframes, frame buffers, references, a GPU's programs
};
inline constexpr std::array kClockRows{
    ClockRow::parsing,    ClockRow::prediction,      ClockRow::intra,
    ClockRow::residual,   ClockRow::edge_derivation, ClockRow::loop_filter,
    ClockRow::submission, ClockRow::waiting,         ClockRow::other};
/// "parsing", "edge derivation".
[[nodiscard]] const char* to_string(ClockRow row);
/// The row of a pixel stage.
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
/// The pixel stage of a row; none of the other rows.
[[nodiscard]] constexpr std::optional<Stage> stage_of(ClockRow row) {
  for (const Stage stage : kStages) {
    if (row_of(stage) == row) return stage;
  }
  return std::nullopt;
}
/// Whether only a decoder with stages on a GPU has it.
[[nodiscard]] constexpr bool needs_gpu(ClockRow row) {
  return row == ClockRow::submission || row == ClockRow::waiting;
}

/// By ClockRow.
using StageTimes = std::array<Nanoseconds, kClockRows.size()>;

/// Divides the time that passes between stages: each lap is one's. Used by one thread.
class StageClock {
 public:
  /// One that is off reads no clock and counts nothing.
  explicit StageClock(bool on) : on_(on) { restart(); }

  /// Leaves out the time since the last call: no stage gets it.
  void restart() {
    if (on_) last_ = Clock::now();
  }
  /// Adds the time since the last call to the stage.
  void lap(ClockRow stage) {
    if (!on_) return;
    const Clock::time_point now = Clock::now();
    times_[static_cast<std::size_t>(stage)] += now - std::exchange(last_, now);
  }
  /// Counts a part of a stage's laps for another stage instead.
  void move(Nanoseconds part, ClockRow from, ClockRow to) {
    if (!on_) return;
    times_[static_cast<std::size_t>(from)] -= part;
    times_[static_cast<std::size_t>(to)] += part;
  }
  [[nodiscard]] bool on() const { return on_; }
  [[nodiscard]] const StageTimes& times() const { return times_; }
  /// What it counted since the last call.
  [[nodiscard]] StageTimes take() { return std::exchange(times_, {}); }

 private:
  bool on_;
  Clock::time_point last_;
  StageTimes times_{};
};

/// What the clocks of several threads counted.
class SharedStageTimes {
 public:
  void add(const StageTimes& times) {
    for (std::size_t stage = 0; stage < kClockRows.size(); ++stage) {
      if (times[stage].count() > 0) times_[stage] += times[stage].count();
    }
  }
  /// All since the last call, while others may add.
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
