// Halves of four binary32 lanes in binary64, and back. On x86 by the instructions there are: SIMDe
// 0.7.4 converts the upper half lane by lane, and gcc 12 may take the lower one apart.
#pragma once

#include "neon/neon.h"

namespace sidecore::neon {

#if defined(__ARM_NEON)
inline float64x2_t widen_low(float32x4_t lanes) {
  return vcvt_f64_f32(vget_low_f32(lanes));
}
inline float64x2_t widen_high(float32x4_t lanes) {
  return vcvt_high_f64_f32(lanes);
}
inline float32x4_t narrow(float64x2_t low, float64x2_t high) {
  return vcvt_high_f32_f64(vcvt_f32_f64(low), high);
}
#elif defined(__SSE2__)
inline float64x2_t widen_low(float32x4_t lanes) {
  return float64x2_t(_mm_cvtps_pd(__m128(lanes)));
}
inline float64x2_t widen_high(float32x4_t lanes) {
  return float64x2_t(_mm_cvtps_pd(_mm_movehl_ps(__m128(lanes), __m128(lanes))));
}
inline float32x4_t narrow(float64x2_t low, float64x2_t high) {
  return float32x4_t(_mm_movelh_ps(_mm_cvtpd_ps(__m128d(low)), _mm_cvtpd_ps(__m128d(high))));
}
#else
inline float64x2_t widen_low(float32x4_t lanes) {
  return vcvt_f64_f32(vget_low_f32(lanes));
}
inline float64x2_t widen_high(float32x4_t lanes) {
  return vcvt_f64_f32(vget_high_f32(lanes));
}
inline float32x4_t narrow(float64x2_t low, float64x2_t high) {
  return vcombine_f32(vcvt_f32_f64(low), vcvt_f32_f64(high));
}
#endif

}  // namespace sidecore::neon
