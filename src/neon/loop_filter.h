// NEON twin of vp9/loop_filter.h. On x86 the same source compiles through SIMDe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "vp9/loop_filter.h"

namespace sidecore::neon {

/// Twin of vp9::loop_filter_h_4_8(q0, stride, limits): one edge, 8 rows.
void loop_filter_h_4_8(std::uint8_t* q0, std::ptrdiff_t stride,
                       const vp9::LoopFilterLimits& limits);

/// Two edges at once, 8 rows each, that touch no common sample; typically two adjoining ones, whose
/// rows make 16. All reads happen before the first write.
void loop_filter_h_4_8_dual(std::uint8_t* q0_a, std::uint8_t* q0_b, std::ptrdiff_t stride,
                            const vp9::LoopFilterLimits& limits_a,
                            const vp9::LoopFilterLimits& limits_b);

/// Twin of vp9::loop_filter_h_4_8(plane, edges): pairs of list neighbours through the dual form.
void loop_filter_h_4_8(const vp9::LoopFilterPlane& plane,
                       std::span<const vp9::LoopFilterEdge> edges);

}  // namespace sidecore::neon
