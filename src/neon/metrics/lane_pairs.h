// Four binary32 lanes as two pairs in binary64, to be added up and rounded to binary32 again. On
// x86 the units that add also convert, and they are what a sum of products waits for: numbers
// without a sign are widened by the units that multiply.
#pragma once

#include "neon/metrics/widen.h"
#include "neon/neon.h"

namespace sidecore::neon {

/// Signs that the lanes may have. -0 is a sign.
enum class Signs { none, any };

#if defined(__SSE2__) && !defined(__ARM_NEON)

// Pairs are lanes 0 and 2, and lanes 1 and 3, all times 2^-896: that is the number whose exponent
// has the same bits in binary64. It is a number of binary64 for every one of binary32, the least
// ones included (2^-149 to 2^-1045), and sums of them are rounded as sums of the numbers themselves
// are: those too small for 53 bits of a normal number are multiples of 2^-1045 and exact.

/// The first pair.
template <Signs Of>
inline float64x2_t first_pair(float32x4_t lanes) {
  if constexpr (Of == Signs::none) {
    // The bits shifted to where they are in binary64.
    return float64x2_t(_mm_mul_epu32(__m128i(lanes), _mm_set1_epi64x(1 << 29)));
  } else {
    const __m128 together = _mm_shuffle_ps(__m128(lanes), __m128(lanes), _MM_SHUFFLE(2, 0, 2, 0));
    return float64x2_t(_mm_mul_pd(_mm_cvtps_pd(together), _mm_set1_pd(0x1p-896)));
  }
}
/// The last pair.
template <Signs Of>
inline float64x2_t last_pair(float32x4_t lanes) {
  return first_pair<Of>(float32x4_t(_mm_shuffle_epi32(__m128i(lanes), _MM_SHUFFLE(3, 3, 1, 1))));
}
/// A pair's numbers, rounded.
inline float32x4_t round_pair(float64x2_t pair) {
  return float32x4_t(_mm_cvtpd_ps(_mm_mul_pd(__m128d(pair), _mm_set1_pd(0x1p896))));
}
/// Both rounded pairs' lanes where they were.
inline float32x4_t join_pairs(float32x4_t first, float32x4_t last) {
  return float32x4_t(_mm_unpacklo_ps(__m128(first), __m128(last)));
}

/// Lanes in an order in which neighbours are pairs.
inline float32x4_t neighbours_in_pairs(float32x4_t lanes) {
  return float32x4_t(_mm_shuffle_epi32(__m128i(lanes), _MM_SHUFFLE(3, 1, 2, 0)));
}
/// Both rounded pairs of neighbours.
inline float32x4_t join_neighbours(float32x4_t first, float32x4_t last) {
  return float32x4_t(_mm_movelh_ps(__m128(first), __m128(last)));
}

/// Whether numbers without a sign are widened in a way of their own.
inline constexpr bool kSignsMatter = true;
/// Whether the sums of both pairs, eleven each, fit into registers at once.
inline constexpr bool kRegistersForBothPairs = false;

#else

template <Signs>
inline float64x2_t first_pair(float32x4_t lanes) {
  return widen_low(lanes);
}
template <Signs>
inline float64x2_t last_pair(float32x4_t lanes) {
  return widen_high(lanes);
}
inline float32x2_t round_pair(float64x2_t pair) {
  return vcvt_f32_f64(pair);
}
inline float32x4_t join_pairs(float32x2_t first, float32x2_t last) {
  return vcombine_f32(first, last);
}
inline float32x4_t neighbours_in_pairs(float32x4_t lanes) {
  return lanes;
}
inline float32x4_t join_neighbours(float32x2_t first, float32x2_t last) {
  return vcombine_f32(first, last);
}
inline constexpr bool kSignsMatter = false;
inline constexpr bool kRegistersForBothPairs = true;

#endif

/// first_pair() or last_pair().
using Pair = float64x2_t (*)(float32x4_t lanes);

}  // namespace sidecore::neon
