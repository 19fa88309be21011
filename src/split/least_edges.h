// From how many edges on a step of the loop filter is the QPU's, in all plans that share it.
#pragma once

#include "split/propose.h"
#include "split/stream.h"

namespace sidecore::split {

/// What was asked for, else StepPrice::least_edges() of what is known: a dispatch as the model has
/// it, as M5 measured it, or as it is measured on the device now; an edge as M3 measured it, or as
/// NEON filters it here.
[[nodiscard]] LeastEdges least_edges_for(const Stream& stream, const ProposeOptions& options);

}  // namespace sidecore::split
