// Provides arm_neon.h on machines without NEON, through SIMDe. SIMDe 0.7.4 (Debian 12) lacks some
// functions and computes three wrongly. This file adds plain code for those; speed does not matter,
// because on CPUs that are not ARM only the results count. SIMDe 0.8.2 (Debian 13) has all of them,
// but computes two wrongly, too. Only neon.h includes this file.
#pragma once

#define SIMDE_ENABLE_NATIVE_ALIASES
#ifndef __clang__
// SIMDe fills vectors lane by lane. gcc 14 takes this for reads of uninitialized values, and warns
// where it inlines the functions.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <simde/arm/neon.h>
#ifndef __clang__
#pragma GCC diagnostic pop
#endif

#include <cmath>
#include <cstdint>

#if SIMDE_VERSION < HEDLEY_VERSION_ENCODE(0, 8, 0)

// Functions that SIMDe 0.7.4 lacks. gcc and clang have operators for vectors.
inline float32x4_t vdivq_f32(float32x4_t a, float32x4_t b) {
  return a / b;
}
inline float64x2_t vdivq_f64(float64x2_t a, float64x2_t b) {
  return a / b;
}
inline float32x4_t vsqrtq_f32(float32x4_t a) {
  for (int lane = 0; lane < 4; ++lane) a[lane] = std::sqrt(a[lane]);
  return a;
}
inline float64x2_t vsqrtq_f64(float64x2_t a) {
  for (int lane = 0; lane < 2; ++lane) a[lane] = std::sqrt(a[lane]);
  return a;
}
inline float64x2_t vcvt_high_f64_f32(float32x4_t a) {
  return vcvt_f64_f32(vget_high_f32(a));
}
inline float32x4_t vcvt_high_f32_f64(float32x2_t low, float64x2_t high) {
  return vcombine_f32(low, vcvt_f32_f64(high));
}
#define vqrshrn_high_n_s16(low, a, n) vcombine_s8(low, vqrshrn_n_s16(a, n))
#define vqrshrun_high_n_s32(low, a, n) vcombine_u16(low, vqrshrun_n_s32(a, n))
#define vmull_high_laneq_s16(a, b, lane) vmull_laneq_s16(vget_high_s16(a), b, lane)
#define vmlal_high_laneq_s16(sum, a, b, lane) vmlal_laneq_s16(sum, vget_high_s16(a), b, lane)
#define vmlsl_high_laneq_s16(sum, a, b, lane) vmlsl_laneq_s16(sum, vget_high_s16(a), b, lane)
#define vrshrn_high_n_s32(low, a, n) vcombine_s16(low, vrshrn_n_s32(a, n))
#define vrshrn_high_n_s64(low, a, n) vcombine_s32(low, vrshrn_n_s64(a, n))
#define vmull_high_laneq_s32(a, b, lane) vmull_laneq_s32(vget_high_s32(a), b, lane)
#undef vmlal_high_laneq_s32
#define vmlal_high_laneq_s32(sum, a, b, lane) vmlal_laneq_s32(sum, vget_high_s32(a), b, lane)
#undef vmlsl_high_laneq_s32
#define vmlsl_high_laneq_s32(sum, a, b, lane) vmlsl_laneq_s32(sum, vget_high_s32(a), b, lane)

// This function is replaced because SIMDe 0.7.4 computes products as int, which is wrong from 2^31
// on.
#undef vmull_u16
inline uint32x4_t vmull_u16(uint16x4_t a, uint16x4_t b) {
  uint32x4_t product;
  for (int lane = 0; lane < 4; ++lane) product[lane] = std::uint32_t{a[lane]} * b[lane];
  return product;
}

#endif

#if SIMDE_VERSION <= HEDLEY_VERSION_ENCODE(0, 8, 2)

// This function is replaced because SIMDe rounds the product where the CPU has no fused
// multiply-add.
#undef vfmaq_f32
inline float32x4_t vfmaq_f32(float32x4_t sum, float32x4_t a, float32x4_t b) {
  for (int lane = 0; lane < 4; ++lane) sum[lane] = std::fma(a[lane], b[lane], sum[lane]);
  return sum;
}

// This function is replaced because SIMDe converts numbers from 2^31 on wrongly: SSE2's conversions
// end at 2^31. SIMDe 0.8.2 does so only from 2^32 on.
#undef vcvtq_u32_f32
inline uint32x4_t vcvtq_u32_f32(float32x4_t a) {
  uint32x4_t converted;
  for (int lane = 0; lane < 4; ++lane) converted[lane] = static_cast<std::uint32_t>(a[lane]);
  return converted;
}

#endif
