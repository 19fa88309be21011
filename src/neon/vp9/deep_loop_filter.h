// NEON twin of vp9/loop_filter.h, for samples of 10 and 12 bits. On x86 the same source compiles
// through SIMDe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "vp9/loop_filter.h"

namespace sidecore::neon {

/// Twin of vp9::filter_edge() of 16-bit samples: one edge of any kind. `bits` is 8..12, and no
/// sample is above 2^bits - 1; `stride` is in samples.
void filter_deep_edge(vp9::LoopFilterKind kind, std::uint16_t* q0, std::ptrdiff_t stride,
                      const vp9::LoopFilterLimits& limits, int bits);

/// Twin of vp9::filter_edges_in_order() of 16-bit samples, under filter_deep_edge()'s conditions.
/// Throws as that does, for the same lists.
void filter_deep_edges_in_order(const vp9::LoopFilterPicture<std::uint16_t>& picture,
                                std::span<const vp9::PictureEdge> edges, int sharpness);

}  // namespace sidecore::neon
