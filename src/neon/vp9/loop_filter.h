// NEON twin of vp9/loop_filter.h, for 8-bit samples. On x86 the same source compiles through SIMDe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "vp9/loop_filter.h"

namespace sidecore::neon {

/// Twin of vp9::filter_edge() at 8 bits: one edge of any kind.
void filter_edge(vp9::LoopFilterKind kind, std::uint8_t* q0, std::ptrdiff_t stride,
                 const vp9::LoopFilterLimits& limits);

/// Two edges of one kind at once that touch no common sample; typically two adjoining ones, 16
/// samples long. All reads happen before the first write.
void filter_edge_pair(vp9::LoopFilterKind kind, std::uint8_t* q0_a, std::uint8_t* q0_b,
                      std::ptrdiff_t stride, const vp9::LoopFilterLimits& limits_a,
                      const vp9::LoopFilterLimits& limits_b);

/// filter_edge() and filter_edge_pair() of h_4.
void loop_filter_h_4_8(std::uint8_t* q0, std::ptrdiff_t stride,
                       const vp9::LoopFilterLimits& limits);
void loop_filter_h_4_8_dual(std::uint8_t* q0_a, std::uint8_t* q0_b, std::ptrdiff_t stride,
                            const vp9::LoopFilterLimits& limits_a,
                            const vp9::LoopFilterLimits& limits_b);

/// Twin of vp9::loop_filter_h_4_8(plane, edges): pairs of list neighbours at once.
void loop_filter_h_4_8(const vp9::LoopFilterPlane& plane,
                       std::span<const vp9::LoopFilterEdge> edges);

/// Twin of vp9::loop_filter() for lists that satisfy vp9::check_edges(): pairs of list neighbours
/// of one kind at once.
void loop_filter(const vp9::LoopFilterPlane& plane, std::span<const vp9::LoopFilterEdge> edges);

/// Twin of vp9::filter_edges_in_order(): list neighbours of one kind that touch no common sample
/// go in pairs. Throws as that does, for the same lists.
void filter_edges_in_order(const vp9::LoopFilterPicture<std::uint8_t>& picture,
                           std::span<const vp9::PictureEdge> edges, int sharpness);

}  // namespace sidecore::neon
