// Loop filter h_4_8 for the gates.
#pragma once

#include "gates/kernel.h"

namespace sidecore::bench {

/// Unit: an edge of the 8x8 grid of a luma plane (vp9::grid_edges_h()). Synthetic contents fill the
/// lines of every edge to suit its limits, which vary from edge to edge (levels 1..63, seeded, at
/// the request's sharpness); Content::input takes an 8-bit picture's luma and the request's level.
[[nodiscard]] const gates::Kernel& loop_filter_kernel();

}  // namespace sidecore::bench
