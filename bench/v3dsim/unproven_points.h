// What this simulator assumes without proof.
#pragma once

#include <span>
#include <string_view>

namespace sidecore::v3dsim {

struct UnprovenPoint {
  std::string_view topic;
  std::string_view assumption;  ///< what is done here, and why that may be wrong
};

/// Every report that rests on the simulator carries these.
[[nodiscard]] std::span<const UnprovenPoint> unproven_points();

}  // namespace sidecore::v3dsim
