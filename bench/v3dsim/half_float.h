// Conversions between IEEE binary16 and binary32, subnormals included.
#pragma once

#include <bit>
#include <cstdint>

namespace sidecore::v3dsim {

/// Converts exactly. `half` is the low 16 bits; a NaN keeps its payload.
[[nodiscard]] inline std::uint32_t float_bits_from_half(std::uint32_t half) {
  const std::uint32_t sign = (half & 0x8000U) << 16, exponent = (half >> 10) & 0x1fU;
  const std::uint32_t fraction = half & 0x3ffU;
  if (exponent == 0x1f) return sign | 0x7f800000U | (fraction << 13);
  if (exponent != 0) return sign | ((exponent + 112) << 23) | (fraction << 13);
  // The value is subnormal or zero: fraction * 2^-24, which is exact in binary32.
  return sign | std::bit_cast<std::uint32_t>(static_cast<float>(fraction) * 0x1p-24F);
}

/// Rounds to nearest, ties to even. Overflow gives infinity, a NaN gives a quiet NaN.
[[nodiscard]] inline std::uint32_t half_from_float_bits(std::uint32_t bits) {
  const std::uint32_t sign = (bits >> 16) & 0x8000U, magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) return sign | 0x7e00U | ((magnitude >> 13) & 0x1ffU);
  // The result is infinity for 65536 and above.
  if (magnitude >= 0x47800000U) return sign | 0x7c00U;
  if (magnitude < 0x38800000U) {  // the result is a multiple of 2^-24 below 2^-14
    // The product is exact and at most 1024.
    const float scaled = std::bit_cast<float>(magnitude) * 0x1p24F;
    const auto whole = static_cast<std::uint32_t>(scaled);
    const float rest = scaled - static_cast<float>(whole);
    const bool up = rest > 0.5F || (rest == 0.5F && (whole & 1) != 0);
    return sign | (whole + (up ? 1 : 0));
  }
  // A carry from rounding increments the exponent, which is the correct result.
  const std::uint32_t rounded = magnitude + 0xfffU + ((magnitude >> 13) & 1);
  return sign | ((rounded - 0x38000000U) >> 13);
}

}  // namespace sidecore::v3dsim
