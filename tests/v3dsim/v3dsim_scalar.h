// Scalar model of the operations, which computes one lane at a time. It is written from the
// instruction set's description and uses no code of the executor.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>

#include "base/random.h"
#include "v3dsim/half_float.h"
#include "v3dsim/instruction.h"

namespace sidecore::v3dsim::scalar {

inline constexpr std::uint32_t kCorners[] = {
    0,          1,          2,          31,         32,         33,         0x7fffffff, 0x80000000,
    0xffffffff, 0x80000001, 0x00ffffff, 0x01000000, 0x3f800000, 0xbf800000, 0x3f000000, 0x40200000,
    0x7f800000, 0xff800000, 0x7fc00000, 0xffc00001, 0x00000001, 0x007fffff, 0x00800000, 0x7f7fffff,
    0x4effffff, 0x4f000000, 0xcf000000, 0x4f800000, 0x477fe000, 0x477ff000, 0x33000000, 0x38800000};

inline std::uint32_t operand_bits(Random& random) {
  switch (random.below(4)) {
    case 0:
      return kCorners[random.below(std::size(kCorners))];
    case 1:
      return random();
    case 2:  // a random float of moderate size
      return (random() & 0x807fffffU) | (120 + random.below(16)) << 23;
    default:
      return random.below(64);
  }
}

inline float f(std::uint32_t bits) {
  return std::bit_cast<float>(bits);
}
inline std::uint32_t u(float value) {
  return std::isnan(value) ? 0x7fc00000U : std::bit_cast<std::uint32_t>(value);
}

/// Converts as FTOIN, FTOIZ and FTOUZ do, without the host's conversions.
inline std::uint32_t saturate(double value, double low, double high) {
  if (std::isnan(value)) return 0;
  if (value < low) value = low;
  if (value > high) value = high;
  return static_cast<std::uint32_t>(static_cast<std::int64_t>(value));
}

inline double half_even(double x) {
  const double below = std::floor(x), rest = x - below;
  if (rest < 0.5 || (rest == 0.5 && std::fmod(below, 2.0) == 0.0)) return below;
  return below + 1.0;
}

using Binary = std::function<std::uint32_t(std::uint32_t, std::uint32_t)>;

/// Returns the scalar model of an add-ALU operation that works lane by lane.
inline std::optional<Binary> add_model(AddOp op) {
  using U = std::uint32_t;
  const auto s = [](U x) { return static_cast<std::int64_t>(static_cast<std::int32_t>(x)); };
  switch (op) {
    case AddOp::add:
      return [](U x, U y) { return static_cast<U>(std::uint64_t{x} + y); };
    case AddOp::sub:
      return [](U x, U y) { return static_cast<U>(std::uint64_t{x} - y); };
    case AddOp::min:
      return [s](U x, U y) { return static_cast<U>(std::min(s(x), s(y))); };
    case AddOp::max:
      return [s](U x, U y) { return static_cast<U>(std::max(s(x), s(y))); };
    case AddOp::umin:
      return [](U x, U y) { return std::min(x, y); };
    case AddOp::umax:
      return [](U x, U y) { return std::max(x, y); };
    case AddOp::shl:
      return [](U x, U y) { return static_cast<U>(std::uint64_t{x} << (y % 32)); };
    case AddOp::shr:
      return [](U x, U y) { return static_cast<U>(std::uint64_t{x} >> (y % 32)); };
    case AddOp::asr:
      return [s](U x, U y) { return static_cast<U>(s(x) >> (y % 32)); };
    case AddOp::ror:
      return [](U x, U y) { return std::rotr(x, static_cast<int>(y % 32)); };
    case AddOp::and_:
      return [](U x, U y) { return x & y; };
    case AddOp::or_:
      return [](U x, U y) { return x | y; };
    case AddOp::xor_:
      return [](U x, U y) { return x ^ y; };
    case AddOp::not_:
      return [](U x, U) { return ~x; };
    case AddOp::neg:
      return [](U x, U) { return static_cast<U>(-std::int64_t{x}); };
    case AddOp::clz:
      return [](U x, U) {
        U n = 0;
        while (n < 32 && (x >> (31 - n) & 1) == 0) ++n;
        return n;
      };
    case AddOp::fadd:
      return [](U x, U y) { return u(f(x) + f(y)); };
    case AddOp::fsub:
    case AddOp::fcmp:
      return [](U x, U y) { return u(f(x) - f(y)); };
    case AddOp::fmin:
      return [](U x, U y) { return std::isnan(f(x)) ? y : (f(y) < f(x) ? y : x); };
    case AddOp::fmax:
      return [](U x, U y) { return std::isnan(f(x)) ? y : (f(y) > f(x) ? y : x); };
    case AddOp::vfpack:
      return [](U x, U y) { return half_from_float_bits(x) | half_from_float_bits(y) << 16; };
    case AddOp::vpack:
      return [](U x, U y) { return x % 65536 + y % 65536 * 65536; };
    case AddOp::fround:
      return [](U x, U) {
        return u(static_cast<float>(std::copysign(std::abs(half_even(f(x))), f(x))));
      };
    case AddOp::ftrunc:
      return [](U x, U) { return u(std::trunc(f(x))); };
    case AddOp::ffloor:
      return [](U x, U) { return u(std::floor(f(x))); };
    case AddOp::fceil:
      return [](U x, U) { return u(std::ceil(f(x))); };
    case AddOp::ftoin:
      return [](U x, U) { return saturate(half_even(f(x)), -0x1p31, 0x1p31 - 1); };
    case AddOp::ftoiz:
      return [](U x, U) { return saturate(std::trunc(double{f(x)}), -0x1p31, 0x1p31 - 1); };
    case AddOp::ftouz:
      return [](U x, U) { return saturate(std::trunc(double{f(x)}), 0, 0x1p32 - 1); };
    case AddOp::itof:
      return [s](U x, U) { return u(static_cast<float>(s(x))); };
    case AddOp::utof:
      return [](U x, U) { return u(static_cast<float>(std::uint64_t{x})); };
    case AddOp::mov:
    case AddOp::fmov:
      return [](U x, U) { return x; };
    default:
      return std::nullopt;
  }
}

/// Applies an operand modifier, by the modifier's definition.
inline std::uint32_t modified(std::uint32_t x, Unpack unpack) {
  switch (unpack) {
    case Unpack::abs:
      return x & 0x7fffffff;
    case Unpack::low:
      return float_bits_from_half(x & 0xffff);
    case Unpack::high:
      return float_bits_from_half(x >> 16);
    case Unpack::clamp_unit:
    case Unpack::clamp_sign: {
      const float low = unpack == Unpack::clamp_unit ? 0.0F : -1.0F;
      return u(f(x) > low ? std::min(f(x), 1.0F) : low);
    }
    case Unpack::max_zero:
      return f(x) > 0 ? x : 0;
    case Unpack::u16_low:
      return x % 65536;
    case Unpack::u16_high:
      return x / 65536;
    case Unpack::i16_low:
      return static_cast<std::uint32_t>(static_cast<std::int16_t>(x));
    case Unpack::i16_high:
      return static_cast<std::uint32_t>(static_cast<std::int16_t>(x >> 16));
    default:
      return x;
  }
}

/// Computes flag Z, N or C of an operation from its definition. Returns nothing if C is not
/// defined.
inline std::optional<bool> flag_model(AddOp op, char which, std::uint32_t x, std::uint32_t y,
                                      std::uint32_t result) {
  const auto s = [](std::uint32_t v) { return static_cast<std::int32_t>(v); };
  if (op == AddOp::fcmp) {
    if (which == 'z') return f(x) == f(y);
    return which == 'n' ? f(x) < f(y) : f(x) <= f(y);
  }
  const bool is_real = info(op).result == ResultKind::real;
  if (which == 'z') return is_real ? f(result) == 0 : result == 0;
  if (which == 'n') return is_real ? f(result) < 0 : s(result) < 0;
  switch (op) {
    case AddOp::add:
      return std::uint64_t{x} + y > 0xffffffff;
    case AddOp::sub:
      return x < y;
    case AddOp::min:
    case AddOp::max:
      return s(x) > s(y);
    case AddOp::umin:
    case AddOp::umax:
      return x > y;
    default:
      return std::nullopt;
  }
}

}  // namespace sidecore::v3dsim::scalar
