// Arithmetic of ciede in four lanes of binary64: functions that are a little less exact than the C
// library's, and the rounding to binary32 that detects where this could matter.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include "neon/neon.h"

namespace sidecore::neon::ciede {

/// Four values in binary64.
struct Doubles {
  float64x2_t low;
  float64x2_t high;
};

inline Doubles splat(double value) {
  return {vdupq_n_f64(value), vdupq_n_f64(value)};
}
inline Doubles widen(float32x4_t a) {
  return {vcvt_f64_f32(vget_low_f32(a)), vcvt_high_f64_f32(a)};
}
inline float32x4_t narrow(Doubles a) {
  return vcvt_high_f32_f64(vcvt_f32_f64(a.low), a.high);
}
inline Doubles operator+(Doubles a, Doubles b) {
  return {vaddq_f64(a.low, b.low), vaddq_f64(a.high, b.high)};
}
inline Doubles operator-(Doubles a, Doubles b) {
  return {vsubq_f64(a.low, b.low), vsubq_f64(a.high, b.high)};
}
inline Doubles operator*(Doubles a, Doubles b) {
  return {vmulq_f64(a.low, b.low), vmulq_f64(a.high, b.high)};
}
inline Doubles operator/(Doubles a, Doubles b) {
  return {vdivq_f64(a.low, b.low), vdivq_f64(a.high, b.high)};
}
inline Doubles operator+(Doubles a, double b) {
  return a + splat(b);
}
inline Doubles operator-(Doubles a, double b) {
  return a - splat(b);
}
inline Doubles operator*(Doubles a, double b) {
  return a * splat(b);
}
inline Doubles square_root(Doubles a) {
  return {vsqrtq_f64(a.low), vsqrtq_f64(a.high)};
}
/// Returns sum + a * b, rounded once or twice: only for values that may have a small error.
inline Doubles add_product(Doubles sum, Doubles a, Doubles b) {
  return {vfmaq_f64(sum.low, a.low, b.low), vfmaq_f64(sum.high, a.high, b.high)};
}
inline Doubles larger(Doubles a, Doubles b) {
  return {vmaxq_f64(a.low, b.low), vmaxq_f64(a.high, b.high)};
}
inline Doubles smaller(Doubles a, Doubles b) {
  return {vminq_f64(a.low, b.low), vminq_f64(a.high, b.high)};
}
/// Returns the lanes of `above` where a > b, those of `other` elsewhere.
inline Doubles select_above(Doubles a, double b, Doubles above, Doubles other) {
  return {vbslq_f64(vcgtq_f64(a.low, vdupq_n_f64(b)), above.low, other.low),
          vbslq_f64(vcgtq_f64(a.high, vdupq_n_f64(b)), above.high, other.high)};
}

/// Lanes whose binary32 value the definition may round otherwise.
class Doubt {
 public:
  /// Returns values rounded to binary32. Their relative error must be at most 2^-39. Lanes that lie
  /// so near to the middle of two numbers of binary32 that this error decides are in doubt.
  float32x4_t round(Doubles a) {
    low_ = vorrq_u64(low_, near_middle(a.low));
    high_ = vorrq_u64(high_, near_middle(a.high));
    return narrow(a);
  }
  /// Adds lanes where |a| < b.
  void add_small(Doubles a, double b) {
    low_ = vorrq_u64(low_, vcltq_f64(vabsq_f64(a.low), vdupq_n_f64(b)));
    high_ = vorrq_u64(high_, vcltq_f64(vabsq_f64(a.high), vdupq_n_f64(b)));
  }
  /// Returns lanes of ones for values in doubt.
  [[nodiscard]] uint32x4_t lanes() const { return vcombine_u32(vmovn_u64(low_), vmovn_u64(high_)); }

 private:
  static constexpr std::uint64_t kMiddle = std::uint64_t{1} << 28;  // middle of the 29 cut bits
  static constexpr std::uint64_t kError = std::uint64_t{1}
                                          << 14;  // error in units of the last place

  static uint64x2_t near_middle(float64x2_t a) {
    const uint64x2_t cut = vaddq_u64(vreinterpretq_u64_f64(a), vdupq_n_u64(kMiddle + kError));
    return vcgeq_u64(vdupq_n_u64(2 * kError << 35U), vshlq_n_u64(cut, 35));
  }

  uint64x2_t low_ = vdupq_n_u64(0);
  uint64x2_t high_ = vdupq_n_u64(0);
};

/// Returns the polynomial of x with these coefficients, that of x^0 first.
template <std::size_t count>
Doubles polynomial(Doubles x, const std::array<double, count>& coefficients) {
  Doubles sum = splat(coefficients[count - 1]);
  for (std::size_t i = count - 1; i-- > 0;) sum = add_product(splat(coefficients[i]), sum, x);
  return sum;
}

/// x^exponent for x from 2^-7 to 2^3, with a relative error below 2^-41. A table has the powers of
/// the middles of 32 intervals per octave, and the binomial series gives the rest.
class Power {
 public:
  explicit Power(double exponent) {
    double coefficient = 1;
    for (std::size_t i = 0; i < series_.size(); ++i) {
      series_[i] = coefficient;
      coefficient *= (exponent - static_cast<double>(i)) / static_cast<double>(i + 1);
    }
    for (std::size_t i = 0; i < intervals_.size(); ++i) {
      const double octave = std::ldexp(1.0, static_cast<int>(i / kIntervals) + kFirstOctave);
      const double inverse =
          1 / (octave * (1 + (static_cast<double>(i % kIntervals) + 0.5) / kIntervals));
      intervals_[i] = {inverse, std::pow(1 / inverse, exponent)};
    }
  }

  /// Clamps x to the range of the table.
  [[nodiscard]] Doubles operator()(Doubles x) const {
    x = smaller(larger(x, splat(kSmallest)), splat(kLargest));
    Doubles inverse;
    Doubles power;
    look_up(x.low, inverse.low, power.low);
    look_up(x.high, inverse.high, power.high);
    return power * polynomial(add_product(splat(-1), x, inverse), series_);
  }

 private:
  static constexpr int kFirstOctave = -7;
  static constexpr int kOctaves = 10;
  static constexpr int kIntervalBits = 5;
  static constexpr int kIntervals = 1 << kIntervalBits;
  static constexpr double kSmallest = 1.0 / 128;
  static constexpr double kLargest = 7.9999;

  struct Interval {
    double inverse = 0;  ///< 1 / middle
    double power = 0;    ///< middle^exponent
  };

  void look_up(float64x2_t x, float64x2_t& inverse, float64x2_t& power) const {
    constexpr std::uint64_t kFirst = std::uint64_t{1023 + kFirstOctave} << kIntervalBits;
    const uint64x2_t place = vshrq_n_u64(vreinterpretq_u64_f64(x), 52 - kIntervalBits);
    const auto at = [&](std::uint64_t index) {
      return vld1q_f64(&intervals_[index - kFirst].inverse);
    };
    const float64x2_t first = at(vgetq_lane_u64(place, 0));
    const float64x2_t second = at(vgetq_lane_u64(place, 1));
    inverse = vzip1q_f64(first, second);
    power = vzip2q_f64(first, second);
  }

  std::array<double, 6> series_{};
  std::array<Interval, std::size_t{kOctaves} * kIntervals> intervals_{};
};

/// Returns the sine for |x| <= 1.97, with a relative error below 2^-46.
inline Doubles sine(Doubles x) {
  static constexpr std::array kSeries{
      0.9999999999999958,   -0.1666666666665275,   0.008333333332579953,  -0.0001984126968583211,
      2.75573034659422e-06, -2.50512400394302e-08, 1.603248644347776e-10, -7.222288891041151e-13};
  return x * polynomial(x * x, kSeries);
}

/// Returns the cosine for |x| <= 1.97, with an error below 2^-51.
inline Doubles cosine(Doubles x) {
  static constexpr std::array kSeries{
      0.9999999999999998,     -0.4999999999999905,     0.04166666666660145,
      -0.0013888888887162597, 2.4801587072595217e-05,  -2.7557302151482194e-07,
      2.0876008601228845e-09, -1.1451590680245536e-11, 4.5138936137222745e-14};
  return polynomial(x * x, kSeries);
}

/// Returns the arc tangent for |x| <= 1, with a relative error below 2^-44.
inline Doubles arc_tangent(Doubles x) {
  static constexpr std::array kSeries{
      0.9999999999999531,   -0.33333333330931053,   0.19999999793953496,   -0.14285707246678706,
      0.11110983774962185,  -0.0908950250900279,    0.07681984916045911,   -0.06613494495894422,
      0.056826465091119466, -0.047005235904944216,  0.0354478304883713,    -0.02279206378279654,
      0.011594726016119614, -0.0042695010966784085, 0.0009961348991062624, -0.00010950133737292665};
  return x * polynomial(x * x, kSeries);
}

/// Returns e^x for -40 <= x <= 0, with a relative error below 2^-44.
inline Doubles exponential(Doubles x) {
  static constexpr std::array kSeries{
      1.0000000000000135,    0.6931471805599462,    0.2402265069564034,    0.05550410866465167,
      0.009618129193934313,  0.0013333558200794592, 0.0001540343375125101, 1.5252672924850737e-05,
      1.325964524488711e-06, 1.0205905413765595e-07};
  const Doubles power = x * std::numbers::log2e;
  const Doubles whole{vrndnq_f64(power.low), vrndnq_f64(power.high)};
  const Doubles fraction = polynomial(power - whole, kSeries);
  // Adds the whole power to the exponents.
  const auto scaled = [](float64x2_t a, float64x2_t by) {
    return vreinterpretq_f64_s64(
        vaddq_s64(vreinterpretq_s64_f64(a), vshlq_n_s64(vcvtq_s64_f64(by), 52)));
  };
  return {scaled(fraction.low, whole.low), scaled(fraction.high, whole.high)};
}

}  // namespace sidecore::neon::ciede
