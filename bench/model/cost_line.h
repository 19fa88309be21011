// A cost that grows in a line: so much for each, and so much for what is in it.
#pragma once

#include <span>

namespace sidecore::model {

/// Work that comes in parts of a size: dispatches and their edges, frames and their bytes.
struct Load {
  double parts = 0;
  double size = 0;  ///< of all parts together
};

/// seconds = per_part * parts + per_size * size, neither of them below 0.
struct CostLine {
  double per_part = 0;
  double per_size = 0;
  [[nodiscard]] double seconds(const Load& load) const {
    return per_part * load.parts + per_size * load.size;
  }
};

/// The least-squares line through what was measured, scaled so that it gives the sum of it. As many
/// seconds as loads (asserted).
[[nodiscard]] CostLine fit_cost(std::span<const Load> loads, std::span<const double> seconds);

}  // namespace sidecore::model
