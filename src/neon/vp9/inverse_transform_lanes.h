// Arithmetic of the inverse transforms on vectors, one lane per row (or column): rotations with the
// scalar definition's rounding, on 16-bit lanes with 32-bit sums and on 32-bit lanes with 64-bit
// sums.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "neon/neon.h"
#include "vp9/inverse_transform_steps.h"

namespace sidecore::neon::inverse_transform {

/// Factors of the transforms, in the order of their use; each line is one vector of 16-bit lanes.
/// Lines 1 to 4 have the DCT's cosines: sizes 4 and 8; odd part of size 16; odd part of size 32
/// (two lines). Line 5 has negated cosines of the DCT; line 6 has negated cosines of the ADST of
/// size 16 and the sines of the ADST of size 4.
inline constexpr std::array<std::int16_t, 48> kFactors = {
    11585,  -11585, 6270,   15137,  3196,   16069, 13623, 9102,  //
    1606,   16305,  12665,  10394,  7723,   14449, 15679, 4756,  //
    804,    16364,  12140,  11003,  7005,   14811, 15426, 5520,  //
    3981,   15893,  14053,  8423,   9760,   13160, 16207, 2404,  //
    -15137, -16069, -9102,  -16305, -14449, 0,     0,     0,     //
    -16364, -15893, -14811, -13160, 5283,   9929,  13377, 15212};
/// kFactors as 32-bit lanes.
inline constexpr auto kFactors32 = [] {
  std::array<std::int32_t, kFactors.size()> wide{};
  for (std::size_t index = 0; index < wide.size(); ++index) wide[index] = kFactors[index];
  return wide;
}();
/// Doubled factors, for products with a single value. In blocks with coefficients only in the upper
/// left part, the other value of a rotation's pair is zero.
inline constexpr std::array<std::int16_t, 32> kDoubles = {
    2 * 11585, -2 * 11585, 2 * 6270,   2 * 15137, 2 * 3196, 2 * 16069, -2 * 9102, 2 * 13623,  //
    2 * 1606,  2 * 16305,  -2 * 10394, 2 * 12665, 2 * 7723, 2 * 14449, -2 * 4756, 2 * 15679,  //
    2 * 804,   2 * 16364,  -2 * 11003, 2 * 12140, 2 * 7005, 2 * 14811, -2 * 5520, 2 * 15426,  //
    2 * 3981,  2 * 15893,  -2 * 8423,  2 * 14053, 2 * 9760, 2 * 13160, -2 * 2404, 2 * 16207};

/// Returns the index of a value in a table.
template <std::size_t size>
constexpr std::size_t find_place(const std::array<std::int16_t, size>& table, int value) {
  std::size_t place = 0;
  while (table.at(place) != value) ++place;  // does not compile if the value is not in the table
  return place;
}

template <const auto& table, int value>
inline constexpr std::size_t kPlace = find_place(table, value);

template <const auto& table, int value>
[[gnu::always_inline]] inline int16x8_t vector_with() {
  const std::int16_t* const from = table.data() + kPlace<table, value> / 8 * 8;
  return vld1q_s16(from);
}
template <const auto& table, int value>
inline constexpr int kLane = static_cast<int>(kPlace<table, value> % 8);

/// Returns the four factors of kFactors that contain `value`, as 32-bit lanes.
template <int value>
[[gnu::always_inline]] inline int32x4_t wide_vector_with() {
  const std::int32_t* const from = kFactors32.data() + kPlace<kFactors, value> / 4 * 4;
  return vld1q_s32(from);
}

/// Eight 16-bit lanes. Values that do not fit in a lane wrap around. If `fits` is true, the sum of
/// two values also fits in a lane.
template <bool fits>
struct Lanes16 {
  using Value = int16x8_t;
  static constexpr bool kFits = fits;
  struct Sum {
    int32x4_t low, high;
  };

  template <int factor>
  [[gnu::always_inline]] static Sum product(Value x) {
    const int16x8_t f = vector_with<kFactors, factor>();
    return {vmull_laneq_s16(vget_low_s16(x), f, (kLane<kFactors, factor>)),
            vmull_high_laneq_s16(x, f, (kLane<kFactors, factor>))};
  }
  template <int factor>
  [[gnu::always_inline]] static void add_product(Sum& sum, Value x) {
    constexpr int kMagnitude = factor < 0 ? -factor : factor;
    constexpr int kIndex = kLane<kFactors, kMagnitude>;
    const int16x8_t f = vector_with<kFactors, kMagnitude>();
    if constexpr (factor < 0) {
      sum.low = vmlsl_laneq_s16(sum.low, vget_low_s16(x), f, kIndex);
      sum.high = vmlsl_high_laneq_s16(sum.high, x, f, kIndex);
    } else {
      sum.low = vmlal_laneq_s16(sum.low, vget_low_s16(x), f, kIndex);
      sum.high = vmlal_high_laneq_s16(sum.high, x, f, kIndex);
    }
  }
  static Sum add(const Sum& a, const Sum& b) {
    return {vaddq_s32(a.low, b.low), vaddq_s32(a.high, b.high)};
  }
  static Sum subtract(const Sum& a, const Sum& b) {
    return {vsubq_s32(a.low, b.low), vsubq_s32(a.high, b.high)};
  }
  static Value rounded(const Sum& sum) {
    return vrshrn_high_n_s32(vrshrn_n_s32(sum.low, 14), sum.high, 14);
  }
  /// Returns x * factor / 2^14, rounded. One instruction gives the exact result, because twice any
  /// factor fits into 16 bits.
  template <int factor>
  [[gnu::always_inline]] static Value scaled(Value x) {
    return vqrdmulhq_laneq_s16(x, (vector_with<kDoubles, 2 * factor>()),
                               (kLane<kDoubles, 2 * factor>));
  }
  static Value add(Value a, Value b) { return vaddq_s16(a, b); }
  static Value subtract(Value a, Value b) { return vsubq_s16(a, b); }
  static Value negated(Value a) { return vnegq_s16(a); }
};

/// Four 16-bit lanes.
struct HalfLanes16 {
  using Value = int16x4_t;
  using Sum = int32x4_t;

  template <int factor>
  [[gnu::always_inline]] static Sum product(Value x) {
    return vmull_laneq_s16(x, (vector_with<kFactors, factor>()), (kLane<kFactors, factor>));
  }
  template <int factor>
  [[gnu::always_inline]] static void add_product(Sum& sum, Value x) {
    constexpr int kMagnitude = factor < 0 ? -factor : factor;
    const int16x8_t f = vector_with<kFactors, kMagnitude>();
    sum = factor < 0 ? vmlsl_laneq_s16(sum, x, f, (kLane<kFactors, kMagnitude>))
                     : vmlal_laneq_s16(sum, x, f, (kLane<kFactors, kMagnitude>));
  }
  static Sum add(Sum a, Sum b) { return vaddq_s32(a, b); }
  static Sum subtract(Sum a, Sum b) { return vsubq_s32(a, b); }

  static Value add(Value a, Value b) { return vadd_s16(a, b); }
  static Value subtract(Value a, Value b) { return vsub_s16(a, b); }
  static Value half(Value a) { return vshr_n_s16(a, 1); }
  static Value half_sum(Value a, Value b) { return vhadd_s16(a, b); }
  static Value half_difference(Value a, Value b) { return vhsub_s16(a, b); }
  /// Returns 1 in lanes where the last bits of a and b differ and the last bits of c and d differ
  /// too.
  static Value both_odd(Value a, Value b, Value c, Value d) {
    return vand_s16(vand_s16(veor_s16(a, b), veor_s16(c, d)), vdup_n_s16(1));
  }
};

/// Four 32-bit lanes, to which values wrap.
struct Lanes32 {
  using Value = int32x4_t;
  static constexpr bool kFits = false;
  struct Sum {
    int64x2_t low, high;
  };

  /// Index of the lane that holds a factor in the vector that wide_vector_with() returns.
  template <int factor>
  static constexpr int kWideLane = kLane<kFactors, factor> % 4;

  template <int factor>
  [[gnu::always_inline]] static Sum product(Value x) {
    const int32x4_t f = wide_vector_with<factor>();
    return {vmull_laneq_s32(vget_low_s32(x), f, kWideLane<factor>),
            vmull_high_laneq_s32(x, f, kWideLane<factor>)};
  }
  template <int factor>
  [[gnu::always_inline]] static void add_product(Sum& sum, Value x) {
    constexpr int kMagnitude = factor < 0 ? -factor : factor;
    const int32x4_t f = wide_vector_with<kMagnitude>();
    if constexpr (factor < 0) {
      sum.low = vmlsl_laneq_s32(sum.low, vget_low_s32(x), f, kWideLane<kMagnitude>);
      sum.high = vmlsl_high_laneq_s32(sum.high, x, f, kWideLane<kMagnitude>);
    } else {
      sum.low = vmlal_laneq_s32(sum.low, vget_low_s32(x), f, kWideLane<kMagnitude>);
      sum.high = vmlal_high_laneq_s32(sum.high, x, f, kWideLane<kMagnitude>);
    }
  }
  static Sum add(const Sum& a, const Sum& b) {
    return {vaddq_s64(a.low, b.low), vaddq_s64(a.high, b.high)};
  }
  static Sum subtract(const Sum& a, const Sum& b) {
    return {vsubq_s64(a.low, b.low), vsubq_s64(a.high, b.high)};
  }
  static Value rounded(const Sum& sum) {
    return vrshrn_high_n_s64(vrshrn_n_s64(sum.low, 14), sum.high, 14);
  }
  template <int factor>
  [[gnu::always_inline]] static Value scaled(Value x) {
    return rounded(product<factor>(x));
  }
  static Value add(Value a, Value b) { return vaddq_s32(a, b); }
  static Value subtract(Value a, Value b) { return vsubq_s32(a, b); }
  static Value negated(Value a) { return vnegq_s32(a); }
  static Value half(Value a) { return vshrq_n_s32(a, 1); }
  static Value half_sum(Value a, Value b) { return vhaddq_s32(a, b); }
  static Value half_difference(Value a, Value b) { return vhsubq_s32(a, b); }
  static Value both_odd(Value a, Value b, Value c, Value d) {
    return vandq_s32(vandq_s32(veorq_s32(a, b), veorq_s32(c, d)), vdupq_n_s32(1));
  }
};

}  // namespace sidecore::neon::inverse_transform
