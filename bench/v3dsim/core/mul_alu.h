// Functions of the mul ALU. Only the inner loop includes this file.
#pragma once

#include "v3dsim/core/arithmetic.h"

namespace sidecore::v3dsim::V3DSIM_CORE {

/// Computes a mul-ALU operation. MULTOP and UMUL24 together make the low word of a 32 x 32-bit
/// product: MULTOP leaves the cross products of the high bytes in rtop, UMUL24 adds them at bit 24
/// and clears rtop.
inline void mul_operation(Lanes& r, Thread& thread, const StepHalf<MulOp>& half, const Lanes& a,
                          const Lanes& b) {
  using U = std::uint32_t;
  switch (half.op) {
    case MulOp::add:
      return map(r, a, b, [](U x, U y) { return x + y; });
    case MulOp::sub:
      return map(r, a, b, [](U x, U y) { return x - y; });
    case MulOp::umul24:
      for (std::size_t i = 0; i < kLanes; ++i) {
        r.lane[i] = (a.lane[i] & 0xffffffU) * (b.lane[i] & 0xffffffU) + (thread.rtop.lane[i] << 24);
      }
      thread.rtop = {};
      return;
    case MulOp::multop:
      map(r, a, b, [](U x, U y) { return (x >> 24) * y + (y >> 24) * x; });
      thread.rtop = r;
      return;
    case MulOp::fmul:
      return map(r, a, b, [](U x, U y) { return canonical(real(x) * real(y)); });
    case MulOp::mov:
    case MulOp::fmov:
      r = a;
      return;
    default:
      raise(FaultKind::bad_code, "an operation of the mul ALU that is not executed");
  }
}

}  // namespace sidecore::v3dsim::V3DSIM_CORE
