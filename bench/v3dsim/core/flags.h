// Flags, which are computed from a result and combined into A and B. Only the inner loop includes
// this file.
#pragma once

#include "v3dsim/core/arithmetic.h"

namespace sidecore::v3dsim::V3DSIM_CORE {

inline void zero_or_negative(Lanes& out, FlagSource flag, ResultKind kind, const Lanes& result) {
  const bool is_real = kind == ResultKind::real;
  if (flag == FlagSource::z) {
    if (is_real) {
      map(out, result, [](std::uint32_t r) { return mask((r << 1) == 0); });
    } else {
      map(out, result, [](std::uint32_t r) { return mask(r == 0); });
    }
  } else if (is_real) {
    map(out, result, [](std::uint32_t r) { return mask(real(r) < 0.0F); });
  } else {
    map(out, result, [](std::uint32_t r) { return mask(integer(r) < 0); });
  }
}

inline void carry(Lanes& out, AddOp op, const Lanes& a, const Lanes& b, const Lanes& result) {
  switch (op) {
    case AddOp::add:
      map(out, result, a, [](std::uint32_t r, std::uint32_t x) { return mask(r < x); });
      break;
    case AddOp::sub:
      map(out, a, b, [](std::uint32_t x, std::uint32_t y) { return mask(x < y); });
      break;
    case AddOp::min:
    case AddOp::max:
      map(out, a, b,
          [](std::uint32_t x, std::uint32_t y) { return mask(integer(x) > integer(y)); });
      break;
    case AddOp::umin:
    case AddOp::umax:
      map(out, a, b, [](std::uint32_t x, std::uint32_t y) { return mask(x > y); });
      break;
    default:
      // Behaviour of hardware that is not proven; the statistics count it (unproven_flags).
      out = {};
  }
}

inline void carry(Lanes& out, MulOp op, const Lanes& a, const Lanes& b, const Lanes& result) {
  if (op == MulOp::add) return carry(out, AddOp::add, a, b, result);
  if (op == MulOp::sub) return carry(out, AddOp::sub, a, b, result);
  out = {};
}

/// Computes FCMP's flags from its operands, because the difference, its result, does not determine
/// them.
inline void compare_flags(Lanes& out, FlagSource flag, const Lanes& a, const Lanes& b) {
  switch (flag) {
    case FlagSource::z:
      map(out, a, b, [](std::uint32_t x, std::uint32_t y) { return mask(real(x) == real(y)); });
      break;
    case FlagSource::n:
      map(out, a, b, [](std::uint32_t x, std::uint32_t y) { return mask(real(x) < real(y)); });
      break;
    case FlagSource::c:
      map(out, a, b, [](std::uint32_t x, std::uint32_t y) { return mask(real(x) <= real(y)); });
      break;
  }
}

template <class Op>
inline void result_flag(Lanes& out, const StepHalf<Op>& half, const Lanes& a, const Lanes& b,
                        const Lanes& result) {
  if constexpr (std::is_same_v<Op, AddOp>) {
    if (half.op == AddOp::fcmp) return compare_flags(out, half.flag, a, b);
  }
  if (half.flag == FlagSource::c) return carry(out, half.op, a, b, result);
  zero_or_negative(out, half.flag, info(half.op).result, result);
}

inline void apply_flag(Thread& thread, FlagMode mode, const Lanes& f) {
  Lanes& a = thread.a;
  switch (mode) {
    case FlagMode::none:
      break;
    case FlagMode::push:
      thread.b = a;
      a = f;
      break;
    case FlagMode::and_:
      for (std::size_t i = 0; i < kLanes; ++i) a.lane[i] &= f.lane[i];
      break;
    case FlagMode::and_not:
      for (std::size_t i = 0; i < kLanes; ++i) a.lane[i] &= ~f.lane[i];
      break;
    case FlagMode::nor:
      for (std::size_t i = 0; i < kLanes; ++i) a.lane[i] = ~(a.lane[i] | f.lane[i]);
      break;
    case FlagMode::nor_not:
      for (std::size_t i = 0; i < kLanes; ++i) a.lane[i] = ~a.lane[i] & f.lane[i];
      break;
  }
}

}  // namespace sidecore::v3dsim::V3DSIM_CORE
