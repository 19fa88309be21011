// Halves of four binary32 lanes in binary64 and back, products of bytes, and halves of those in
// binary32. On x86 by the instructions there are: SIMDe 0.7.4 converts the upper half of four lanes
// one by one, and gcc 12 may take the lower one apart and widens eight bytes as two times four.
#pragma once

#include <bit>

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

#if defined(__SSE2__) && !defined(__ARM_NEON)
inline uint16x8_t byte_products(uint8x8_t a, uint8x8_t b) {
  const auto words = [](uint8x8_t bytes) {
    return _mm_unpacklo_epi8(_mm_cvtsi64_si128(std::bit_cast<long long>(bytes)),
                             _mm_setzero_si128());
  };
  return uint16x8_t(_mm_mullo_epi16(words(a), words(b)));
}
inline float32x4_t float_low(uint16x8_t lanes) {
  return float32x4_t(_mm_cvtepi32_ps(_mm_unpacklo_epi16(__m128i(lanes), _mm_setzero_si128())));
}
inline float32x4_t float_high(uint16x8_t lanes) {
  return float32x4_t(_mm_cvtepi32_ps(_mm_unpackhi_epi16(__m128i(lanes), _mm_setzero_si128())));
}
#else
inline uint16x8_t byte_products(uint8x8_t a, uint8x8_t b) {
  return vmull_u8(a, b);
}
inline float32x4_t float_low(uint16x8_t lanes) {
  return vcvtq_f32_u32(vmovl_u16(vget_low_u16(lanes)));
}
inline float32x4_t float_high(uint16x8_t lanes) {
  return vcvtq_f32_u32(vmovl_u16(vget_high_u16(lanes)));
}
#endif

}  // namespace sidecore::neon
