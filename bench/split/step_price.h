// The smallest number of edges with which a dependency level is worth a dispatch of the loop
// filter.
#pragma once

#include <cstddef>

#include "qpu/device.h"

namespace sidecore::split {

/// Cost of a small dispatch of the loop filter on the QPU, and cost of an edge on NEON.
struct StepPrice {
  /// Seconds that one more small dispatch in a submission of qpu::LoopFilter costs.
  double dispatch = 0;
  double edge = 0;  ///< seconds per edge on one NEON thread
  /// Returns the number of edges that NEON filters in the time of one dispatch. NEON finishes a
  /// level with fewer edges before the QPU would begin. At least 1; the largest 32-bit number if a
  /// dispatch costs time and an edge costs none.
  [[nodiscard]] std::size_t least_edges() const;
};

/// Returns the median seconds per edge on one NEON thread, with samples in the heap. Filters
/// 256x256 luma samples of `bits` bits (8 to 12) along a grid of edges 8 wide, nearly all of which
/// pass the filter mask.
[[nodiscard]] double measure_neon_edge(int bits);

/// Measures both costs, which takes some hundredths of a second. A dispatch costs the slope of the
/// line through the medians of submissions of 1 to 64 dispatches of one edge each, from submit to
/// fence; gate M5 does the same with empty dispatches. An edge is measured as in
/// measure_neon_edge(), but in the device's memory. No submission may be in flight on the device.
[[nodiscard]] StepPrice measure_step_price(qpu::Device& device, int bits = 8);

}  // namespace sidecore::split
