// What a decoder spends its time on.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/clock.h"

namespace sidecore::vp9 {

enum class Stage : std::uint8_t {
  parsing,     ///< headers, symbols, dequantisation, adaptation
  prediction,  ///< intra and inter
  residual,    ///< inverse transforms, added to the prediction
  edges,       ///< their derivation from the blocks
  filter,      ///< the loop filter
  other,       ///< what else decoding takes: superframes, frame buffers, references
};
inline constexpr std::array kStages{Stage::parsing, Stage::prediction, Stage::residual,
                                    Stage::edges,   Stage::filter,     Stage::other};
/// "parsing", "edge derivation".
[[nodiscard]] const char* to_string(Stage stage);

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
  /// A share of it, 0..1, is one stage's, the rest another's.
  void lap(Stage stage, double share, Stage rest) {
    const Nanoseconds before = (*this)[rest];
    lap(rest);
    const auto lap = static_cast<double>(((*this)[rest] - before).count());
    const Nanoseconds part{static_cast<Nanoseconds::rep>(share * lap)};
    times_[static_cast<std::size_t>(rest)] -= part;
    times_[static_cast<std::size_t>(stage)] += part;
  }

  [[nodiscard]] bool on() const { return on_; }
  [[nodiscard]] const StageTimes& times() const { return times_; }
  [[nodiscard]] Nanoseconds operator[](Stage stage) const {
    return times_[static_cast<std::size_t>(stage)];
  }

 private:
  bool on_;
  Clock::time_point last_;
  StageTimes times_{};
};

}  // namespace sidecore::vp9
