// Synthetic edges and samples for the loop filters of one kind of edge.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "gates/kernel.h"
#include "vp9/loop_filter.h"

namespace sidecore::bench {

/// Returns edges of one kind on a grid over a luma plane of width x height samples, all of one
/// filter level. Boundaries are 8 samples apart, 16 for filters 16 wide: the smallest distance at
/// which edges can be filtered at once. Only edges whose 8 lines and samples lie inside the plane
/// are included. Vertical edges are sorted in bands of 16 rows, then by x, then upper before lower
/// 8 rows; horizontal edges by rows. Adjoining edges are neighbours in the list.
[[nodiscard]] std::vector<vp9::LoopFilterEdge> grid_edges(vp9::LoopFilterKind kind, int width,
                                                          int height, int level);

/// Fills the samples of an edge's 8 lines that its kind reads. The edge's limits determine smooth
/// and flat content. `q0` and `stride` are those of vp9::Dsp::LoopFilter.
///   random         uniform noise;
///   smooth         gradients, with steps across the boundary within the limits: every mask passes,
///                  hev is rare, and flat is rare unless the gradient is 0;
///   flat           both sides constant within 1, step across the boundary within the limits; one
///                  edge in three is flat over 4 samples only;
///   high_variance  steps around each limit: mask and hev are true and false about equally often,
///                  and on edges wider than 4 also flat and flat2.
/// `content` must not be Content::input.
void fill_edge(gates::Content content, vp9::LoopFilterKind kind,
               const vp9::LoopFilterLimits& limits, std::uint8_t* q0, std::ptrdiff_t stride,
               Random& random);

}  // namespace sidecore::bench
