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
  /// Of a submission's only dispatch, whatever it does: 55.6 us for one that does nothing less
  /// `submission_seconds`, as published for a Raspberry Pi 5.
  double dispatch_overhead_seconds = 33e-6;
  /// Of a submission that is waited for, whatever is in it; published likewise. No part of
  /// ModelTime.
  double submission_seconds = 22.7e-6;
  /// The schedule's time times these are the ends of its interval: the least and the greatest share
  /// of it that a published dispatch took, outward to hundredths (scripts/v3dsim-calibration).
  double low_factor = 0.80;
  double high_factor = 1.51;
};

/// Seconds of the memory behind the units.
struct MemorySeconds {
  double line = 0;     ///< for each line of 64 bytes moved, in or out
  double latency = 0;  ///< of a line that is fetched, beyond that
};
/// Fitted: `line` to the published copies of each board (and a sum and a memset of a Raspberry Pi
/// 4), `latency` to the kernels of V3D 7.1.
[[nodiscard]] MemorySeconds memory_seconds(Version version);

/// Those of a memory unit and of a supergroup's start are fitted to V3D 7.1; V3D 4.2 takes the
/// same, in cycles.
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
