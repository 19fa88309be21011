// Operations across lanes. Only the inner loop includes this file.
#pragma once

#include "v3dsim/core/arithmetic.h"

namespace sidecore::v3dsim::V3DSIM_CORE {

inline void broadcast(Lanes& result, std::uint32_t value) {
  std::fill_n(result.lane, kLanes, value);
}

/// Writes 1 into the first lane whose flag A equals `wanted`, 0 into the others.
inline void first_flag(Lanes& result, const Lanes& a, bool wanted) {
  result = {};
  for (std::size_t i = 0; i < kLanes; ++i) {
    if (((a.lane[i] & 1U) != 0) != wanted) continue;
    result.lane[i] = 1;
    return;
  }
}

/// Computes an operation of the ballot class over the lanes that are active and for which the
/// condition holds.
inline void vote(Lanes& result, const Thread& thread, AddOp op, Condition condition,
                 const Lanes& x) {
  Lanes condition_holds;
  condition_lanes(condition_holds, thread, condition);
  const LaneMask lanes = lane_mask(condition_holds) & thread.active_mask;
  std::uint32_t ballot = 0;
  bool all_equal = true;
  const std::uint32_t first = lanes == 0 ? 0 : x.lane[std::countr_zero(lanes)];
  for (std::size_t i = 0; i < kLanes; ++i) {
    if ((lanes >> i & 1U) == 0) continue;
    if (x.lane[i] != 0) ballot |= 1U << i;
    all_equal =
        all_equal && (op == AddOp::allfeq ? real(x.lane[i]) == real(first) : x.lane[i] == first);
  }
  if (op == AddOp::ballot) {
    broadcast(result, ballot);
  } else if (op == AddOp::bcastf) {
    broadcast(result, first);
  } else {
    broadcast(result, all_equal ? 1 : 0);
  }
}

inline void shuffle(Lanes& result, const Lanes& a, const Lanes& b) {
  for (std::size_t i = 0; i < kLanes; ++i) result.lane[i] = a.lane[b.lane[i] & 15U];
}

inline void rotate(Lanes& result, const Lanes& a, std::uint32_t by) {
  for (std::size_t i = 0; i < kLanes; ++i) result.lane[i] = a.lane[(i + by) & 15U];
}

inline void rotate_quads(Lanes& result, const Lanes& a, std::uint32_t by) {
  for (std::size_t i = 0; i < kLanes; ++i) {
    result.lane[i] = a.lane[(i & ~std::size_t{3}) | ((i + by) & 3U)];
  }
}

}  // namespace sidecore::v3dsim::V3DSIM_CORE
