// Assumptions of this simulator that are not proven.
#pragma once

#include <span>
#include <string_view>

namespace sidecore::v3dsim {

struct UnprovenPoint {
  std::string_view topic;
  std::string_view assumption;  ///< behaviour of the simulator, and why it may be wrong
};

/// Returns all points; every report based on the simulator contains them.
[[nodiscard]] std::span<const UnprovenPoint> unproven_points();

}  // namespace sidecore::v3dsim
