// From how many edges on a step of the loop filter is worth a dispatch, on this machine.
#pragma once

#include <cstddef>

#include "qpu/device.h"

namespace sidecore::split {

/// What a small dispatch of the loop filter costs, and what an edge costs NEON.
struct StepPrice {
  double dispatch = 0;  ///< seconds of one more small step in a submission of qpu::LoopFilter
  double edge = 0;      ///< seconds of an edge on one NEON thread, in the device's memory
  /// Number of edges that NEON filters in the time of one step: a step of fewer is done before
  /// the QPU has begun. At least 1; the largest 32-bit number when a step costs time and an edge
  /// none.
  [[nodiscard]] std::size_t least_edges() const;
};

/// Seconds of an edge on one NEON thread in the heap: luma of 256x256 samples of `bits` bits (8
/// to 12) with a grid of edges 8 wide, nearly all of which pass the filter mask; the median.
[[nodiscard]] double measure_neon_edge(int bits);

/// Measures both, which takes some hundredths of a second. A step: submissions of 1 to 64 steps of
/// one edge each, submit to fence, the slope of the line through their medians, as gate M5 does it
/// with empty dispatches. An edge: as measure_neon_edge(), in the device's memory. Nothing may be
/// in flight on the device.
[[nodiscard]] StepPrice measure_step_price(qpu::Device& device, int bits = 8);

}  // namespace sidecore::split
