// One-dimensional inverse transforms on any kind of lanes. For blocks whose coefficients end early
// they skip operations on zeros. Source: VP9 specification v0.6, section 8.7.1.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "neon/vp9/inverse_transform_lanes.h"
#include "neon/vp9/unrolled.h"

namespace sidecore::neon::inverse_transform {

/// Returns x f + y g, not rounded.
template <class Lanes, int f, int g>
[[gnu::always_inline]] inline typename Lanes::Sum combined(typename Lanes::Value x,
                                                           typename Lanes::Value y) {
  if constexpr (f < 0 && g > 0) {
    return combined<Lanes, g, f>(y, x);
  } else {
    typename Lanes::Sum sum = Lanes::template product<f>(x);
    Lanes::template add_product<g>(sum, y);
    return sum;
  }
}

/// Computes B(a, b, angle, 0) of section 8.7.1.1. One of a and b may be zero.
template <class Lanes, int angle, bool a_is_zero, bool b_is_zero>
[[gnu::always_inline]] inline void rotate(typename Lanes::Value& a, typename Lanes::Value& b) {
  constexpr int kCos = vp9::cosine(angle);
  constexpr int kSin = vp9::sine(angle);
  const typename Lanes::Value x = a;
  const typename Lanes::Value y = b;
  if constexpr (b_is_zero && kCos == kSin) {
    a = b = Lanes::template scaled<kCos>(x);
  } else if constexpr (b_is_zero) {
    a = Lanes::template scaled<kCos>(x);
    b = Lanes::template scaled<kSin>(x);
  } else if constexpr (a_is_zero) {
    a = Lanes::template scaled<-kSin>(y);
    b = Lanes::template scaled<kCos>(y);
  } else if constexpr (kCos == kSin && Lanes::kFits) {
    a = Lanes::template scaled<kCos>(Lanes::subtract(x, y));
    b = Lanes::template scaled<kCos>(Lanes::add(x, y));
  } else {
    a = Lanes::rounded(combined<Lanes, kCos, -kSin>(x, y));
    b = Lanes::rounded(combined<Lanes, kSin, kCos>(x, y));
  }
}

/// H(a, b, 0) of section 8.7.1.1.
template <class Lanes, bool a_is_zero = false, bool b_is_zero = false>
[[gnu::always_inline]] inline void butterfly(typename Lanes::Value& a, typename Lanes::Value& b) {
  const typename Lanes::Value x = a;
  if constexpr (b_is_zero) {
    b = a;
  } else if constexpr (a_is_zero) {
    a = b;
    b = Lanes::negated(b);
  } else {
    a = Lanes::add(x, b);
    b = Lanes::subtract(x, b);
  }
}

/// Returns, for each odd step of a DCT of N, the set of values that are zero before the step, one
/// bit per value. All inputs from `inputs` on are zero.
template <int N, int inputs>
constexpr auto find_zeros_before_steps() {
  std::array<std::uint32_t, vp9::kOddSteps<N>.size() + 1> zeros{};
  for (int index = 0; index < N; ++index) {
    if (index >= inputs) zeros[0] |= 1U << vp9::bit_reversed(index, N);
  }
  for (std::size_t step = 0; step < vp9::kOddSteps<N>.size(); ++step) {
    const std::uint32_t pair = 1U << vp9::kOddSteps<N>[step].a | 1U << vp9::kOddSteps<N>[step].b;
    zeros[step + 1] = (zeros[step] & pair) == pair ? zeros[step] : zeros[step] & ~pair;
  }
  return zeros;
}

template <class Lanes, int N, int inputs, std::size_t index>
[[gnu::always_inline]] inline void odd_step(typename Lanes::Value* t) {
  constexpr vp9::Step kStep = vp9::kOddSteps<N>[index];
  constexpr std::uint32_t kZeros = find_zeros_before_steps<N, inputs>()[index];
  constexpr bool kIsAZero = (kZeros >> kStep.a & 1) != 0;
  constexpr bool kIsBZero = (kZeros >> kStep.b & 1) != 0;
  if constexpr (kIsAZero && kIsBZero) {
    return;
  } else if constexpr (kStep.kind == vp9::kButterfly) {
    butterfly<Lanes, kIsAZero, kIsBZero>(t[kStep.a], t[kStep.b]);
  } else {
    rotate<Lanes, kStep.angle, kIsAZero, kIsBZero>(t[kStep.a], t[kStep.b]);
    if constexpr (kStep.kind == vp9::kRotateAndExchange) std::swap(t[kStep.a], t[kStep.b]);
  }
}

/// Runs a DCT except for its last butterflies: outputs k and N - 1 - k are sum and difference of
/// t[k] and t[N - 1 - k]. Inputs are in bit-reversed order. Inputs from `inputs` on, in natural
/// order, count as zero and are not read.
template <class Lanes, int N, int inputs>
[[gnu::always_inline]] inline void dct_halves(typename Lanes::Value* t);

template <class Lanes, int N, int inputs>
[[gnu::always_inline]] inline void dct(typename Lanes::Value* t) {
  if constexpr (N == 2) {
    rotate<Lanes, 16, false, inputs == 1>(t[0], t[1]);
    std::swap(t[0], t[1]);
  } else {
    dct_halves<Lanes, N, inputs>(t);
    unrolled<N / 2>([t](auto k) __attribute__((always_inline)) {
      butterfly<Lanes, false, inputs == 1>(t[k], t[N - 1 - k]);
    });
  }
}

template <class Lanes, int N, int inputs>
[[gnu::always_inline]] inline void dct_halves(typename Lanes::Value* t) {
  dct<Lanes, N / 2, (inputs + 1) / 2>(t);
  unrolled<vp9::kOddSteps<N>.size()>([t](auto index) __attribute__((always_inline)) {
    odd_step<Lanes, N, inputs, index>(t);
  });
}

/// Rotates a and b by one angle, c and d by another, and adds and subtracts the results before
/// rounding (SB and SH of section 8.7.1.1). One value of each pair may be known to be zero.
template <class Lanes, int angle_ab, int angle_cd, bool a_zero = false, bool b_zero = false,
          bool c_zero = false, bool d_zero = false>
[[gnu::always_inline]] inline void rotate_and_cross(typename Lanes::Value& a,
                                                    typename Lanes::Value& b,
                                                    typename Lanes::Value& c,
                                                    typename Lanes::Value& d) {
  using Sum = typename Lanes::Sum;
  const auto turned = []<int f, int g, bool x_zero, bool y_zero>(auto x, auto y)
                          __attribute__((always_inline))
                              ->Sum {
    if constexpr (y_zero) {
      return Lanes::template product<f>(x);
    } else if constexpr (x_zero) {
      return Lanes::template product<g>(y);
    } else {
      return combined<Lanes, f, g>(x, y);
    }
  };
  constexpr int kCos1 = vp9::cosine(angle_ab);
  constexpr int kSin1 = vp9::sine(angle_ab);
  constexpr int kCos2 = vp9::cosine(angle_cd);
  constexpr int kSin2 = vp9::sine(angle_cd);
  const Sum p = turned.template operator()<kCos1, kSin1, a_zero, b_zero>(a, b);
  const Sum q = turned.template operator()<kSin1, -kCos1, a_zero, b_zero>(a, b);
  const Sum r = turned.template operator()<kCos2, kSin2, c_zero, d_zero>(c, d);
  const Sum s = turned.template operator()<kSin2, -kCos2, c_zero, d_zero>(c, d);
  a = Lanes::rounded(Lanes::add(p, r));
  b = Lanes::rounded(Lanes::add(q, s));
  c = Lanes::rounded(Lanes::subtract(p, r));
  d = Lanes::rounded(Lanes::subtract(q, s));
}

/// Sets (a, b) to (sign * (a + b), a - b) * cos(pi / 4). With `exchange`, the two terms of b are
/// exchanged.
template <class Lanes, int sign, bool exchange>
[[gnu::always_inline]] inline void halve(typename Lanes::Value& a, typename Lanes::Value& b) {
  constexpr int kCos = vp9::cosine(16);
  const typename Lanes::Value x = exchange ? b : a;
  const typename Lanes::Value y = exchange ? a : b;
  if constexpr (Lanes::kFits) {
    a = Lanes::template scaled<sign * kCos>(Lanes::add(x, y));
    b = Lanes::template scaled<kCos>(Lanes::subtract(x, y));
  } else {
    a = Lanes::rounded(combined<Lanes, sign * kCos, sign * kCos>(x, y));
    b = Lanes::rounded(combined<Lanes, kCos, -kCos>(x, y));
  }
}

/// Sine transforms, with inputs and outputs in natural order. The ADST of 4 returns sums before
/// rounding. Inputs from `inputs` on count as zero and are not read.
template <class Lanes>
[[gnu::always_inline]] inline void adst4_sums(const typename Lanes::Value* in,
                                              typename Lanes::Sum* sums) {
  using Sum = typename Lanes::Sum;
  constexpr int kSine1 = 5283;
  constexpr int kSine2 = 9929;
  constexpr int kSine3 = 13377;
  constexpr int kSine4 = 15212;
  Sum a = combined<Lanes, kSine1, kSine4>(in[0], in[2]);
  Lanes::template add_product<kSine2>(a, in[3]);
  Sum b = combined<Lanes, kSine2, -kSine1>(in[0], in[2]);
  Lanes::template add_product<-kSine4>(b, in[3]);
  const Sum c = Lanes::template product<kSine3>(in[1]);
  sums[0] = Lanes::add(a, c);
  sums[1] = Lanes::add(b, c);
  sums[2] = combined<Lanes, kSine3, -kSine3>(in[0], in[2]);
  Lanes::template add_product<kSine3>(sums[2], in[3]);
  sums[3] = Lanes::subtract(Lanes::add(a, b), c);
}

template <class Lanes, int inputs>
[[gnu::always_inline]] inline void adst8(typename Lanes::Value* t) {
  constexpr bool kZero = inputs <= 4;  // true: inputs from 4 on are zero
  typename Lanes::Value x[8] = {t[7], t[0], t[5], t[2], t[3], t[4], t[1], t[6]};
  rotate_and_cross<Lanes, 2, 18, kZero, false, false, kZero>(x[0], x[1], x[4], x[5]);
  rotate_and_cross<Lanes, 10, 26, kZero, false, false, kZero>(x[2], x[3], x[6], x[7]);
  butterfly<Lanes>(x[0], x[2]);
  butterfly<Lanes>(x[1], x[3]);
  rotate_and_cross<Lanes, 8, 40>(x[4], x[5], x[6], x[7]);
  halve<Lanes, 1, false>(x[2], x[3]);
  halve<Lanes, 1, false>(x[6], x[7]);
  t[0] = x[0];
  t[1] = Lanes::negated(x[4]);
  t[2] = x[6];
  t[3] = Lanes::negated(x[2]);
  t[4] = x[3];
  t[5] = Lanes::negated(x[7]);
  t[6] = x[5];
  t[7] = Lanes::negated(x[1]);
}

template <class Lanes, int inputs>
[[gnu::always_inline]] inline void adst16(typename Lanes::Value* t) {
  constexpr bool kZero = inputs <= 8;  // true: inputs from 8 on are zero
  typename Lanes::Value x[16] = {t[15], t[0], t[13], t[2],  t[11], t[4],  t[9], t[6],
                                 t[7],  t[8], t[5],  t[10], t[3],  t[12], t[1], t[14]};
  rotate_and_cross<Lanes, 1, 17, kZero, false, false, kZero>(x[0], x[1], x[8], x[9]);
  rotate_and_cross<Lanes, 5, 21, kZero, false, false, kZero>(x[2], x[3], x[10], x[11]);
  rotate_and_cross<Lanes, 9, 25, kZero, false, false, kZero>(x[4], x[5], x[12], x[13]);
  rotate_and_cross<Lanes, 13, 29, kZero, false, false, kZero>(x[6], x[7], x[14], x[15]);
  unrolled<4>([&x](auto k) __attribute__((always_inline)) { butterfly<Lanes>(x[k], x[k + 4]); });
  rotate_and_cross<Lanes, 4, 36>(x[8], x[9], x[12], x[13]);
  rotate_and_cross<Lanes, 20, 52>(x[10], x[11], x[14], x[15]);
  unrolled<2>([&x](auto half) __attribute__((always_inline)) {
    constexpr std::size_t k = 8 * half;
    butterfly<Lanes>(x[k], x[k + 2]);
    butterfly<Lanes>(x[k + 1], x[k + 3]);
    rotate_and_cross<Lanes, 8, 40>(x[k + 4], x[k + 5], x[k + 6], x[k + 7]);
  });
  halve<Lanes, -1, false>(x[2], x[3]);
  halve<Lanes, 1, true>(x[6], x[7]);
  halve<Lanes, 1, true>(x[10], x[11]);
  halve<Lanes, -1, false>(x[14], x[15]);
  t[0] = x[0];
  t[1] = Lanes::negated(x[8]);
  t[2] = x[12];
  t[3] = Lanes::negated(x[4]);
  t[4] = x[6];
  t[5] = x[14];
  t[6] = x[10];
  t[7] = x[2];
  t[8] = x[3];
  t[9] = x[11];
  t[10] = x[15];
  t[11] = x[7];
  t[12] = x[5];
  t[13] = Lanes::negated(x[13]);
  t[14] = x[9];
  t[15] = Lanes::negated(x[1]);
}

/// Applies the Walsh-Hadamard transform of section 8.7.1.10, without the shift of the first pass.
/// If `fits` is true, sums of four values fit into a lane. Damaged streams can need every bit of
/// these sums.
template <class Lanes, bool fits>
[[gnu::always_inline]] inline void walsh_hadamard(typename Lanes::Value* t) {
  using Value = typename Lanes::Value;
  const Value in1 = t[1];
  const Value in3 = t[3];
  const Value a = Lanes::add(t[0], in1);
  const Value d = Lanes::subtract(t[2], in3);
  const Value e =
      fits ? Lanes::half(Lanes::subtract(a, d))
           : Lanes::add(Lanes::add(Lanes::half_difference(t[0], t[2]), Lanes::half_sum(in1, in3)),
                        Lanes::both_odd(t[0], t[2], in1, in3));
  t[1] = Lanes::subtract(e, in3);
  t[2] = Lanes::subtract(e, in1);
  t[0] = Lanes::subtract(a, t[1]);
  t[3] = Lanes::add(d, t[2]);
}

}  // namespace sidecore::neon::inverse_transform
