// The loop filters for the gates.
#pragma once

#include "gates/kernel.h"
#include "vp9/loop_filter.h"

namespace sidecore::bench {

/// Unit: an edge of a grid over a luma plane (vp9::grid_edges()). Synthetic contents fill the lines
/// of every edge to suit its limits, which vary from edge to edge (levels 1..63, seeded, at the
/// request's sharpness); Content::input takes an 8-bit picture's luma and the request's level.
[[nodiscard]] const gates::Kernel& loop_filter_kernel(vp9::LoopFilterKind kind);

}  // namespace sidecore::bench
