// Playing pictures at a fixed rate: CPU time, energy and missed deadlines.
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

/// Clock that a Pace uses; tests override the system's.
class PaceClock {
 public:
  virtual ~PaceClock() = default;
  [[nodiscard]] virtual Clock::time_point now();
  /// Sleeps until `time`; returns at once if it has passed.
  virtual void wait_until(Clock::time_point time);
  /// Returns the CPU time of all threads of the process since its start.
  [[nodiscard]] virtual Nanoseconds cpu_time();
};

/// Figures of playing at a fixed rate, over all time windows.
struct PacedFigures {
  std::uint64_t pictures = 0;  ///< number of pictures shown
  std::uint64_t missed = 0;    ///< number of pictures shown after their deadline
  SampleSet latency_ns;        ///< latency of each picture: time from its release until it is shown
  SampleSet cpu_ns_per_picture;  ///< CPU time of all threads of the process, one per time window
  /// Energy over all time windows, or the reason why it is unknown. It includes all other consumers
  /// whose power the sensor measures.
  Outcome<double> joules_per_picture{};
};

/// Releases pictures at a fixed rate and records when they are shown. Picture n, counted from 0, is
/// released n periods after the first, even if earlier pictures were late.
class Pace {
 public:
  /// Creates a pace of `fps` pictures per second, above 0. The clock must outlive the pace.
  Pace(double fps, PaceClock& clock);

  /// Starts a time window. The playback test shows a picture only after `held` further pictures
  /// have been released. A picture's deadline is held + 1 periods after its release.
  void begin(std::size_t held);
  /// Waits until the next picture's release time. Returns the picture's number in the time window,
  /// counted from 0.
  std::size_t release();
  /// Records that picture `number` is shown now. It must have been released.
  void show(std::size_t number);
  /// Returns the time since the start of the time window.
  [[nodiscard]] Nanoseconds elapsed() const;
  /// Ends the time window. A window without a shown picture does not count.
  void end();

  /// Returns the number of pictures shown in all ended time windows.
  [[nodiscard]] std::uint64_t pictures() const { return pictures_; }
  /// Returns the figures of all ended time windows.
  [[nodiscard]] PacedFigures figures() const;

 private:
  [[nodiscard]] Clock::time_point release_time(std::size_t number) const;

  double period_ns_;
  PaceClock& clock_;
  Clock::time_point begin_{};
  Nanoseconds cpu_at_begin_{};
  std::size_t held_ = 0;
  std::size_t released_ = 0;
  std::uint64_t shown_ = 0;  // number of pictures shown in this time window
  std::uint64_t pictures_ = 0;
  std::uint64_t missed_ = 0;
  std::vector<double> latencies_ns_;
  std::vector<double> cpu_ns_;
};

}  // namespace sidecore::gates
