// What a decoder spends its time on.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/clock.h"

namespace sidecore::vp9 {

enum class Stage : std::uint8_t {
  parsing,     ///< headers, symbols, dequantisation, adaptation
  prediction,  ///< of inter blocks
  intra,       ///< prediction of intra blocks
  residual,    ///< inverse transforms, added to the prediction
  edges,       ///< their derivation from the blocks
  filter,      ///< the loop filter
  /// Stages of a frame that follow one another on a GPU take one submission, whose time nobody can
  /// divide between them: writing down what it has to do, and the wait for it. Of a stage that is
  /// the only one of its submission, both are the stage's.
  submission,
  waiting,
  other,  ///< what else decoding takes: superframes, frame buffers, references, a GPU's programs
};
inline constexpr std::array kStages{Stage::parsing,    Stage::prediction, Stage::intra,
                                    Stage::residual,   Stage::edges,      Stage::filter,
                                    Stage::submission, Stage::waiting,    Stage::other};
/// "parsing", "edge derivation".
[[nodiscard]] const char* to_string(Stage stage);
/// Whether only a decoder with stages on a GPU has it.
[[nodiscard]] constexpr bool needs_gpu(Stage stage) {
  return stage == Stage::submission || stage == Stage::waiting;
}

/// By Stage.
using StageTimes = std::array<Nanoseconds, kStages.size()>;

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
  void lap(Stage stage) {
    if (!on_) return;
    const Clock::time_point now = Clock::now();
    times_[static_cast<std::size_t>(stage)] += now - std::exchange(last_, now);
  }
  /// Counts a part of a stage's laps for another stage instead.
  void move(Nanoseconds part, Stage from, Stage to) {
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
    for (std::size_t stage = 0; stage < kStages.size(); ++stage) {
      if (times[stage].count() > 0) times_[stage] += times[stage].count();
    }
  }
  /// All since the last call, while others may add.
  [[nodiscard]] StageTimes take() {
    StageTimes times;
    for (std::size_t stage = 0; stage < kStages.size(); ++stage) {
      times[stage] = Nanoseconds(times_[stage].exchange(0));
    }
    return times;
  }

 private:
  std::array<std::atomic<Nanoseconds::rep>, kStages.size()> times_{};
};

}  // namespace sidecore::vp9
