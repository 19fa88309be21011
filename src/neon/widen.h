// Halves of four binary32 lanes in binary64, and back. On x86 by the instructions there are: SIMDe
// 0.7.4 converts the upper half lane by lane.
#pragma once

#include "neon/neon.h"

namespace sidecore::neon {

inline float64x2_t widen_low(float32x4_t lanes) {
  return vcvt_f64_f32(vget_low_f32(lanes));
}

#if defined(__ARM_NEON)
inline float64x2_t widen_high(float32x4_t lanes) {
  return vcvt_high_f64_f32(lanes);
}
inline float32x4_t narrow(float64x2_t low, float64x2_t high) {
  return vcvt_high_f32_f64(vcvt_f32_f64(low), high);
}
#else
#if defined(__SSE2__)
inline float64x2_t widen_high(float32x4_t lanes) {
  return float64x2_t(_mm_cvtps_pd(_mm_movehl_ps(__m128(lanes), __m128(lanes))));
}
#else
inline float64x2_t widen_high(float32x4_t lanes) {
  return vcvt_f64_f32(vget_high_f32(lanes));
}
#endif
inline float32x4_t narrow(float64x2_t low, float64x2_t high) {
  return vcombine_f32(vcvt_f32_f64(low), vcvt_f32_f64(high));
}
#endif

}  // namespace sidecore::neon
