// A timing MODEL: an interval of seconds from a schedule of what a dispatch did. Nothing in it was
// measured by us; its constants are fitted to published figures of one board, and its width is what
// it misses them by (scripts/v3dsim-calibration).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "v3dsim/machine.h"
#include "v3dsim/schedule.h"

namespace sidecore::v3dsim {

/// What would limit a dispatch alone, and the schedule, in which all of it comes together.
enum class Bound : std::uint8_t { issue, tmu, memory, schedule };
[[nodiscard]] std::string_view bound_name(Bound bound);

struct Interval {
  double low = 0.0;
  double high = 0.0;
};

struct ModelConstants {
  ScheduleConstants schedule;
  /// Of a submission's only dispatch, whatever it does: 55.6 us for one that does nothing less 22.7
  /// us for an empty submission, as published for a Raspberry Pi 5.
  double dispatch_overhead_seconds = 33e-6;
  /// The schedule's time times these are the ends of its interval.
  double low_factor = 0.7;
  double high_factor = 1.7;
};

/// Those of V3D 7.1 are fitted; V3D 4.2 takes the same, in cycles, and a wider interval.
[[nodiscard]] ModelConstants model_constants(const Machine& machine);

/// A model's answer; every text made from it must say "model".
struct ModelTime {
  Interval seconds;
  /// By Bound: how long each would take, without the overhead of a dispatch.
  std::array<Interval, 4> bounds{};
};

/// Of a dispatch whose traces `schedule` took; ends it.
[[nodiscard]] ModelTime model_time(Schedule& schedule, const Machine& machine,
                                   const ModelConstants& constants);

/// One line: `model: 0.91 .. 1.62 ms`.
[[nodiscard]] std::string describe(const ModelTime& time);

}  // namespace sidecore::v3dsim
