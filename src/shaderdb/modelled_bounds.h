// What the simulator's timing model (v3dsim/model.h) says of dispatches. A model: nothing in it was
// measured.
#pragma once

#include <string>

#include "split/picture_model.h"

namespace sidecore::shaderdb {

/// Seconds, sums over dispatches, by the name of the bound: how long the issue of instructions, the
/// memory units, memory, or waiting would take if there were nothing else.
using ModelledBounds = split::ModelledIntervals;

void add(ModelledBounds& sums, const ModelledBounds& more);

/// "tmu", or "tmu .. latency": the greatest at the low and at the high end; "" of none.
[[nodiscard]] std::string leading_bounds(const ModelledBounds& bounds);

}  // namespace sidecore::shaderdb
