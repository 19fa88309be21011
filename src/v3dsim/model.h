// A timing MODEL: an interval of seconds from counted work and a description of the machine.
// Nothing in it was measured by us; its constants are fitted to published figures of one board.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "v3dsim/machine.h"
#include "v3dsim/statistics.h"

namespace sidecore::v3dsim {

/// What of the machine limits a dispatch.
enum class Bound : std::uint8_t { issue, tmu, memory, latency };
[[nodiscard]] std::string_view bound_name(Bound bound);

struct Interval {
  double low = 0.0;
  double high = 0.0;
};

/// The constants that the published figures leave open, as ranges.
struct ModelConstants {
  Interval tmu_cycles_per_lane_word{1.0, 1.5};  ///< kappa
  /// Of a blocking wait. The published data are explained by either this or kappa at its high end,
  /// so the low end claims nothing.
  Interval tmu_latency_seconds{0.0, 1e-6};
  double cycles_per_instruction = 4.0;  ///< 16 lanes on 4 physical ones
  double dispatch_overhead_seconds = 33e-6;
};

/// By Bound: how long each would take alone, without the overhead of a dispatch.
using ModelBounds = std::array<Interval, 4>;

/// A model's answer; every text made from it must say "model".
struct ModelTime {
  Interval seconds;
  Bound low_bound = Bound::issue;  ///< which bound gave the low end
  Bound high_bound = Bound::issue;
  ModelBounds bounds{};
};

inline constexpr std::uint64_t kFewestModelledThreads = 10'000;

/// Throws std::invalid_argument for a machine without published figures (4.2), and when the lines
/// were not counted. Of dispatches of any size: they can be compared with each other, though the
/// smaller ones take longer than any of them says.
[[nodiscard]] ModelBounds model_bounds(const Statistics& statistics, const Machine& machine,
                                       const ModelConstants& constants = {});

/// Throws std::invalid_argument as model_bounds() does, and below kFewestModelledThreads threads,
/// where start-up and clock changes outweigh everything modelled.
[[nodiscard]] ModelTime model_time(const Statistics& statistics, const Machine& machine,
                                   const ModelConstants& constants = {});

/// One line: `model: 0.91 .. 1.62 ms (tmu .. latency)`.
[[nodiscard]] std::string describe(const ModelTime& time);

}  // namespace sidecore::v3dsim
