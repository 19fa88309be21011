// Lane-wise building blocks. Only the inner loop includes this file, once per variant.
#pragma once

#include "v3dsim/core/prelude.h"

namespace sidecore::v3dsim::V3DSIM_CORE {

template <class F>
inline void map(Lanes& __restrict result, const Lanes& x, F f) {
  for (std::size_t i = 0; i < kLanes; ++i) result.lane[i] = f(x.lane[i]);
}
template <class F>
inline void map(Lanes& __restrict result, const Lanes& x, const Lanes& y, F f) {
  for (std::size_t i = 0; i < kLanes; ++i) result.lane[i] = f(x.lane[i], y.lane[i]);
}

inline float real(std::uint32_t bits) {
  return std::bit_cast<float>(bits);
}
inline std::uint32_t bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}
inline std::int32_t integer(std::uint32_t value) {
  return std::bit_cast<std::int32_t>(value);
}

/// Returns all ones if `value` is true, as in flags and masks.
inline std::uint32_t mask(bool value) {
  return value ? 0xffffffffU : 0U;
}

/// Returns the bits of `value` with one fixed NaN, because hosts differ in the sign of the NaN from
/// an invalid operation.
inline std::uint32_t canonical(float value) {
  return value != value ? 0x7fc00000U : bits(value);
}

inline LaneMask lane_mask(const Lanes& flags) {
  LaneMask result = 0;
  for (std::size_t i = 0; i < kLanes; ++i) result |= (flags.lane[i] & 1U) << i;
  return result;
}

inline float clamp(float x, float low, float high) {
  // The comparison is false for a NaN, which then gives the lower bound.
  if (!(x > low)) return low;
  return x < high ? x : high;
}

/// Rounds to the nearest integer, ties to even, keeping the sign of zero.
inline float round_half_even(float x) {
  const float magnitude = std::fabs(x);
  const float rounded = std::copysign((magnitude + 0x1p23F) - 0x1p23F, x);
  return magnitude < 0x1p23F ? rounded : x;
}

inline std::uint32_t to_signed(float x) {
  if (x >= 0x1p31F) return 0x7fffffffU;
  if (x < -0x1p31F) return 0x80000000U;
  return x == x ? static_cast<std::uint32_t>(static_cast<std::int32_t>(x)) : 0U;
}

inline std::uint32_t to_unsigned(float x) {
  if (x >= 0x1p32F) return 0xffffffffU;
  return x > 0.0F ? static_cast<std::uint32_t>(x) : 0U;
}

/// Returns the operand after its modifier: `x` itself if there is none, otherwise `space`, filled
/// with the modified lanes.
inline const Lanes& unpacked(const Lanes& x, Unpack unpack, Lanes& space) {
  switch (unpack) {
    case Unpack::none:
      return x;
    case Unpack::abs:
      map(space, x, [](std::uint32_t v) { return v & 0x7fffffffU; });
      break;
    case Unpack::low:
      map(space, x, [](std::uint32_t v) { return float_bits_from_half(v & 0xffffU); });
      break;
    case Unpack::high:
      map(space, x, [](std::uint32_t v) { return float_bits_from_half(v >> 16); });
      break;
    case Unpack::clamp_unit:
      map(space, x, [](std::uint32_t v) { return bits(clamp(real(v), 0.0F, 1.0F)); });
      break;
    case Unpack::clamp_sign:
      map(space, x, [](std::uint32_t v) { return bits(clamp(real(v), -1.0F, 1.0F)); });
      break;
    case Unpack::max_zero:
      map(space, x, [](std::uint32_t v) { return real(v) > 0.0F ? v : 0U; });
      break;
    case Unpack::u16_low:
      map(space, x, [](std::uint32_t v) { return v & 0xffffU; });
      break;
    case Unpack::u16_high:
      map(space, x, [](std::uint32_t v) { return v >> 16; });
      break;
    case Unpack::i16_low:
      map(space, x,
          [](std::uint32_t v) { return static_cast<std::uint32_t>(integer(v << 16) >> 16); });
      break;
    case Unpack::i16_high:
      map(space, x, [](std::uint32_t v) { return static_cast<std::uint32_t>(integer(v) >> 16); });
      break;
    default:
      raise(FaultKind::bad_code, "an operand mode that is not executed");
  }
  return space;
}

inline const Lanes& operand(const Thread& thread, std::uint8_t index, Unpack unpack, Lanes& space) {
  static const Lanes* const immediates = immediate_table();
  const Lanes& x =
      index < kFirstImmediate ? thread.registers[index] : immediates[index - kFirstImmediate];
  return unpacked(x, unpack, space);
}

/// Computes the lanes in which a condition holds with the current flags.
inline void condition_lanes(Lanes& result, const Thread& thread, Condition condition) {
  switch (condition) {
    case Condition::always:
      std::fill_n(result.lane, kLanes, 0xffffffffU);
      break;
    case Condition::if_a:
      result = thread.a;
      break;
    case Condition::if_b:
      result = thread.b;
      break;
    case Condition::if_not_a:
      map(result, thread.a, [](std::uint32_t a) { return ~a; });
      break;
    case Condition::if_not_b:
      map(result, thread.b, [](std::uint32_t b) { return ~b; });
      break;
  }
}

}  // namespace sidecore::v3dsim::V3DSIM_CORE
