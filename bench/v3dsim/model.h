// A timing MODEL: computes an interval of seconds from a schedule of a dispatch's work. No time is
// measured. Its constants are fitted to published times of one board, and the interval's width is
// its error on them (scripts/v3dsim-calibration).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "v3dsim/machine.h"
#include "v3dsim/schedule.h"

namespace sidecore::v3dsim {

/// Resource that could limit a dispatch alone, or the schedule, which combines all of them.
enum class Bound : std::uint8_t { issue, tmu, memory, schedule };
[[nodiscard]] std::string_view bound_name(Bound bound);

struct Interval {
  double low = 0.0;
  double high = 0.0;
};

struct ModelConstants {
  ScheduleConstants schedule;
  /// Overhead in seconds of a dispatch, independent of its work. Published for the only dispatch of
  /// a submission on a Raspberry Pi 5: an empty one takes 55.6 us; `submission_seconds` is
  /// subtracted. model_constants() has another value for V3D 4.2.
  double dispatch_overhead_seconds = 33e-6;
  /// Overhead in seconds of a submission that is waited for, independent of its content; from the
  /// same publication. Not part of ModelTime.
  double submission_seconds = 22.7e-6;
  /// Factors that turn the schedule's time into an interval: the smallest and the largest ratio of
  /// a published time to the schedule's, rounded outward to hundredths
  /// (scripts/v3dsim-calibration).
  double low_factor = 0.80;
  double high_factor = 1.80;
};

/// Times in seconds of the memory that the memory units access.
struct MemorySeconds {
  double line = 0;     ///< time per 64-byte line moved, in or out
  double latency = 0;  ///< additional latency of a fetched line
};
/// Returns the fitted times. `line` is fitted to published copies on each board, and on a Raspberry
/// Pi 4 also to a sum and a memset. `latency` is fitted to the kernels of V3D 7.1.
[[nodiscard]] MemorySeconds memory_seconds(Version version);

/// Returns the constants for a GPU. The constants of a memory unit and of a supergroup's start are
/// fitted to V3D 7.1; V3D 4.2 uses the same numbers of cycles. A dispatch on V3D 4.2 costs what
/// published transforms of 8 points take on a Raspberry Pi 4: 0.137 ms per two dispatches that wait
/// for each other, in submissions of 2,000 (github.com/DTolm/VkFFT/issues/19).
[[nodiscard]] ModelConstants model_constants(const Machine& machine);

/// Modelled time; every text made from it must say "model".
struct ModelTime {
  Interval seconds;
  /// Time in seconds under each Bound alone, without the dispatch overhead.
  std::array<Interval, 4> bounds{};
};

/// Returns the time of the schedule, or of the greatest other bound in `time`, without the dispatch
/// overhead. `schedule` may have other constants than `time`. The function finishes the schedule.
[[nodiscard]] Interval greatest_bound(Schedule& schedule, const ModelTime& time,
                                      const Machine& machine, const ModelConstants& constants);

/// Computes the modelled time of a dispatch from the traces that `schedule` received. It also
/// finishes the schedule.
[[nodiscard]] ModelTime model_time(Schedule& schedule, const Machine& machine,
                                   const ModelConstants& constants);

/// Returns one line, e.g. `model: 0.91 .. 1.62 ms`.
[[nodiscard]] std::string describe(const ModelTime& time);

}  // namespace sidecore::v3dsim
