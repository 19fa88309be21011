// Edges and samples for the loop filters where no stream gives them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.h"
#include "gates/kernel.h"
#include "vp9/loop_filter.h"

namespace sidecore::bench {

/// Boundaries of one kind on a grid over a luma plane of width x height samples, all of one level,
/// as close as edges that may run at once can lie: every 8 samples, every 16 for filters 16 wide.
/// An edge is there when its 8 lines and all samples that it reads are. Vertical boundaries come in
/// bands of 16 rows from top to bottom; in each, for x ascending, the edge of the upper 8 rows and
/// then that of the lower 8; horizontal ones row by row: adjoining edges are neighbours in the
/// list.
[[nodiscard]] std::vector<vp9::LoopFilterEdge> grid_edges(vp9::LoopFilterKind kind, int width,
                                                          int height, int level);

/// Fills the 8 lines of an edge, as far as its kind reads them; its limits decide what is smooth or
/// flat. `q0` and `stride` are those of vp9::Dsp::LoopFilter.
///   random         uniform noise;
///   smooth         gradients, steps across the boundary within the limits: every mask is met, hev
///                  is rare, and so is flat unless the gradient is 0;
///   flat           both sides constant within 1, step across the boundary within the limits; one
///                  edge in three is flat over 4 samples only;
///   high_variance  steps on both sides of each limit: mask and hev go either way about as often,
///                  and on edges wider than 4 so do flat and flat2.
/// `content` must not be Content::input.
void fill_edge(gates::Content content, vp9::LoopFilterKind kind,
               const vp9::LoopFilterLimits& limits, std::uint8_t* q0, std::ptrdiff_t stride,
               Random& random);

}  // namespace sidecore::bench
