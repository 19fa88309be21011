// Pictures at a fixed rate: what they cost the CPU, and whether they come in time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/outcome.h"
#include "base/statistics.h"

namespace sidecore::gates {

/// Time as a pace needs it; the system's unless overridden.
class PaceClock {
 public:
  virtual ~PaceClock() = default;
  [[nodiscard]] virtual Clock::time_point now();
  /// Sleeps; returns at once when the time has passed.
  virtual void wait_until(Clock::time_point time);
  /// Of all threads of the process, since it began.
  [[nodiscard]] virtual Nanoseconds cpu_time();
};

/// What playing at a fixed rate took, windows put together.
struct PacedFigures {
  std::uint64_t pictures = 0;    ///< shown
  std::uint64_t missed = 0;      ///< of them, after their deadline
  SampleSet latency_ns;          ///< from a picture's release until it is shown, one each
  SampleSet cpu_ns_per_picture;  ///< of all threads of the process, one a window
  /// Of all windows, where a sensor tells: what it measures, whatever else runs there.
  Outcome<double> joules_per_picture{};
};

/// Releases pictures at a fixed rate and takes note of when they are shown. Picture n, from 0, is
/// released n periods after the first, however late others were: a backlog has to be caught up.
class Pace {
 public:
  /// `fps` above 0 in pictures a second. The clock outlives the pace.
  Pace(double fps, PaceClock& clock);

  /// Begins a window. A player that holds `held` pictures back shows one when as many more have
  /// been released, and has a period for it then: its deadline is held + 1 periods after its
  /// release.
  void begin(std::size_t held);
  /// Waits until the next picture of the window may be worked on. Its number, from 0.
  std::size_t release();
  /// Picture `number`, which has been released, is shown now.
  void show(std::size_t number);
  /// Since the window's begin.
  [[nodiscard]] Nanoseconds elapsed() const;
  /// Ends the window. One without a picture leaves no trace.
  void end();

  /// Shown in all windows that have ended.
  [[nodiscard]] std::uint64_t pictures() const { return pictures_; }
  /// Of all windows that have ended.
  [[nodiscard]] PacedFigures figures() const;

 private:
  [[nodiscard]] Clock::time_point release_time(std::size_t number) const;

  double period_ns_;
  PaceClock& clock_;
  Clock::time_point begin_{};
  Nanoseconds cpu_at_begin_{};
  std::size_t held_ = 0;
  std::size_t released_ = 0;
  std::uint64_t shown_ = 0;  // in this window
  std::uint64_t pictures_ = 0;
  std::uint64_t missed_ = 0;
  std::vector<double> latencies_ns_;
  std::vector<double> cpu_ns_;
};

}  // namespace sidecore::gates
