// Functions of the add ALU. Only the inner loop includes this file.
#pragma once

#include "v3dsim/core/cross_lane.h"

namespace sidecore::v3dsim::V3DSIM_CORE {

/// Computes operations on the thread's own state: identity, flags, pushes.
inline void state_operation(Lanes& r, const Thread& thread, AddOp op, const Lanes& a) {
  switch (op) {
    case AddOp::tidx:
      return broadcast(r, thread.tidx);
    case AddOp::eidx:
      for (std::size_t i = 0; i < kLanes; ++i) r.lane[i] = static_cast<std::uint32_t>(i);
      return;
    case AddOp::msf:
      return map(r, thread.active, [](std::uint32_t x) { return x & 0xfU; });
    case AddOp::vfla:
      return map(r, thread.a, [](std::uint32_t f) { return f & 0x00010001U; });
    case AddOp::vflna:
      return map(r, thread.a, [](std::uint32_t f) { return ~f & 0x00010001U; });
    case AddOp::vflb:
      return map(r, thread.b, [](std::uint32_t f) { return f & 0x00010001U; });
    case AddOp::vflnb:
      return map(r, thread.b, [](std::uint32_t f) { return ~f & 0x00010001U; });
    case AddOp::flafirst:
      return first_flag(r, thread.a, true);
    case AddOp::flnafirst:
      return first_flag(r, thread.a, false);
    case AddOp::flapush:
      return map(r, a, thread.a,
                 [](std::uint32_t x, std::uint32_t f) { return x << 2 | (f & 3U); });
    case AddOp::flbpush:
      return map(r, a, thread.b,
                 [](std::uint32_t x, std::uint32_t f) { return x << 2 | (f & 3U); });
    default:  // for barrierid and tmuwt the value has no meaning
      r = {};
  }
}

inline void float_to_other(Lanes& r, AddOp op, const Lanes& a) {
  switch (op) {
    case AddOp::fround:
      return map(r, a, [](std::uint32_t x) { return canonical(round_half_even(real(x))); });
    case AddOp::ftrunc:
      return map(r, a, [](std::uint32_t x) { return canonical(std::trunc(real(x))); });
    case AddOp::ffloor:
      return map(r, a, [](std::uint32_t x) { return canonical(std::floor(real(x))); });
    case AddOp::fceil:
      return map(r, a, [](std::uint32_t x) { return canonical(std::ceil(real(x))); });
    case AddOp::ftoin:
      return map(r, a, [](std::uint32_t x) { return to_signed(round_half_even(real(x))); });
    case AddOp::ftoiz:
      return map(r, a, [](std::uint32_t x) { return to_signed(real(x)); });
    case AddOp::ftouz:
      return map(r, a, [](std::uint32_t x) { return to_unsigned(real(x)); });
    case AddOp::itof:
      return map(r, a, [](std::uint32_t x) { return bits(static_cast<float>(integer(x))); });
    case AddOp::utof:
      return map(r, a, [](std::uint32_t x) { return bits(static_cast<float>(x)); });
    default:
      raise(FaultKind::bad_code, "an operation of the add ALU that is not executed");
  }
}

/// Computes an add-ALU operation. `a` and `b` are unpacked operands; a missing one is all zeros.
inline void add_operation(Lanes& r, const Thread& thread, const Context& context,
                          const StepHalf<AddOp>& half, const Lanes& a, const Lanes& b) {
  using U = std::uint32_t;
  switch (half.op) {
    case AddOp::add:
      return map(r, a, b, [](U x, U y) { return x + y; });
    case AddOp::sub:
      return map(r, a, b, [](U x, U y) { return x - y; });
    case AddOp::and_:
      return map(r, a, b, [](U x, U y) { return x & y; });
    case AddOp::or_:
      return map(r, a, b, [](U x, U y) { return x | y; });
    case AddOp::xor_:
      return map(r, a, b, [](U x, U y) { return x ^ y; });
    case AddOp::not_:
      return map(r, a, [](U x) { return ~x; });
    case AddOp::neg:
      return map(r, a, [](U x) { return 0U - x; });
    case AddOp::shl:
      return map(r, a, b, [](U x, U y) { return x << (y & 31U); });
    case AddOp::shr:
      return map(r, a, b, [](U x, U y) { return x >> (y & 31U); });
    case AddOp::asr:
      return map(r, a, b, [](U x, U y) { return static_cast<U>(integer(x) >> (y & 31U)); });
    case AddOp::ror:
      return map(r, a, b, [](U x, U y) { return x >> (y & 31U) | x << ((32U - y) & 31U); });
    case AddOp::min:
      return map(r, a, b, [](U x, U y) { return integer(x) < integer(y) ? x : y; });
    case AddOp::max:
      return map(r, a, b, [](U x, U y) { return integer(x) > integer(y) ? x : y; });
    case AddOp::umin:
      return map(r, a, b, [](U x, U y) { return x < y ? x : y; });
    case AddOp::umax:
      return map(r, a, b, [](U x, U y) { return x > y ? x : y; });
    case AddOp::clz:
      return map(r, a, [](U x) { return static_cast<U>(std::countl_zero(x)); });
    case AddOp::fadd:
      return map(r, a, b, [](U x, U y) { return canonical(real(x) + real(y)); });
    case AddOp::fsub:
    case AddOp::fcmp:
      return map(r, a, b, [](U x, U y) { return canonical(real(x) - real(y)); });
    case AddOp::fmin:  // a NaN loses to the other operand
      return map(r, a, b, [](U x, U y) { return real(y) < real(x) || real(x) != real(x) ? y : x; });
    case AddOp::fmax:
      return map(r, a, b, [](U x, U y) { return real(y) > real(x) || real(x) != real(x) ? y : x; });
    case AddOp::vfpack:
      return map(r, a, b,
                 [](U x, U y) { return half_from_float_bits(x) | half_from_float_bits(y) << 16; });
    case AddOp::vpack:
      return map(r, a, b, [](U x, U y) { return (x & 0xffffU) | y << 16; });
    case AddOp::mov:
    case AddOp::fmov:
      r = a;
      return;
    case AddOp::recip:
    case AddOp::rsqrt:
    case AddOp::rsqrt2:
    case AddOp::exp:
    case AddOp::log:
    case AddOp::sin: {
      special_function(r, half.op, a, context.version, context.options->disturbance);
      const Lanes raw = r;
      return map(r, raw, [](U x) { return canonical(real(x)); });
    }
    case AddOp::ballot:
    case AddOp::bcastf:
    case AddOp::alleq:
    case AddOp::allfeq:
      return vote(r, thread, half.op, half.condition, a);
    case AddOp::shuffle:
      return shuffle(r, a, b);
    case AddOp::rot:
      return rotate(r, a, b.lane[0]);
    case AddOp::rotq:
      return rotate_quads(r, a, b.lane[0]);
    case AddOp::tidx:
    case AddOp::eidx:
    case AddOp::msf:
    case AddOp::vfla:
    case AddOp::vflna:
    case AddOp::vflb:
    case AddOp::vflnb:
    case AddOp::flafirst:
    case AddOp::flnafirst:
    case AddOp::flapush:
    case AddOp::flbpush:
    case AddOp::barrierid:
    case AddOp::tmuwt:
      return state_operation(r, thread, half.op, a);
    default:
      return float_to_other(r, half.op, a);
  }
}

}  // namespace sidecore::v3dsim::V3DSIM_CORE
