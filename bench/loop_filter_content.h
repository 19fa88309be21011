// Sample content for loop-filter edges: lines of samples made to drive the filter's branches.
#pragma once

#include <cstdint>

#include "base/random.h"
#include "gates/kernel.h"
#include "vp9/loop_filter.h"

namespace sidecore::bench {

/// Fills the 8 lines p3..q3 of `edge`, whose limits decide what is smooth or flat. The plane is
/// `bytes`, rows `stride` bytes apart; the edge satisfies vp9::check_edges_h4().
///   random         uniform noise;
///   smooth         gradients, steps across the boundary within the limits: every mask is met, hev
///   is
///                  rare;
///   flat           both sides constant within 1, step across the boundary within the limits;
///   high_variance  steps on both sides of each limit: mask and hev go either way about as often.
/// `content` must not be Content::input.
void fill_edge(gates::Content content, const vp9::LoopFilterEdge& edge,
               const vp9::LoopFilterPlane& plane, Random& random);

}  // namespace sidecore::bench
