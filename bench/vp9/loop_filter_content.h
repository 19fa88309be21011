// Sample content for loop-filter edges: lines of samples made to drive the filter's branches.
#pragma once

#include <cstdint>

#include "base/random.h"
#include "gates/kernel.h"
#include "vp9/loop_filter.h"

namespace sidecore::bench {

/// Fills the 8 lines of `edge`, of any kind, as far as the edge reads them; its limits decide what
/// is smooth or flat. The edge satisfies vp9::check_edges().
///   random         uniform noise;
///   smooth         gradients, steps across the boundary within the limits: every mask is met, hev
///                  is rare, and so is flat unless the gradient is 0;
///   flat           both sides constant within 1, step across the boundary within the limits; one
///                  edge in three is flat over 4 samples only;
///   high_variance  steps on both sides of each limit: mask and hev go either way about as often,
///                  and on edges wider than 4 so do flat and flat2.
/// `content` must not be Content::input.
void fill_edge(gates::Content content, const vp9::LoopFilterEdge& edge,
               const vp9::LoopFilterPlane& plane, Random& random);

}  // namespace sidecore::bench
