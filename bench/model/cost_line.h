// A linear cost: a fixed time per part, plus a time in proportion to the part's size.
#pragma once

#include <span>

namespace sidecore::model {

/// Amount of work in parts that have a size: dispatches and their edges, or frames and their bytes.
struct Load {
  double parts = 0;  ///< number of parts
  double size = 0;   ///< size of all parts together
};

/// The line seconds = per_part * parts + per_size * size. No coefficient is below 0.
struct CostLine {
  double per_part = 0;
  double per_size = 0;
  [[nodiscard]] double seconds(const Load& load) const {
    return per_part * load.parts + per_size * load.size;
  }
};

/// Returns the least-squares line through the measured seconds, scaled so that it gives their sum.
/// seconds[i] is the time of loads[i]; both must have the same length (asserted).
[[nodiscard]] CostLine fit_cost(std::span<const Load> loads, std::span<const double> seconds);

}  // namespace sidecore::model
