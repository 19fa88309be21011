// Similarities of four windows at a time: metrics::window_similarity() to within an error that sums
// to be certified can bear.
#pragma once

#include <cmath>

#include "metrics/ssim.h"
#include "neon/neon.h"

namespace sidecore::neon {

/// Structure is that of the definition, bit for bit: a rounding error would add up over all
/// windows. Luminance, contrast and their product with it are off by less than kSimilarityError.
struct FourSimilarities {
  struct Two {
    float64x2_t luminance, contrast, structure, ssim;
  };
  Two low, high;
  float32x4_t structure;
};

/// A reciprocal in binary32 is off by 2^-24 of itself, after a step of Newton's in binary64 by its
/// square; quotients and their product add roundings of 2^-53.
inline constexpr double kSimilarityError = 0x1p-46;

#if defined(__ARM_NEON)
inline float32x4_t square_root(float32x4_t x) {
  return vsqrtq_f32(x);
}
#else
// SIMDe 0.7.4 has no vsqrtq_f32.
inline float32x4_t square_root(float32x4_t x) {
  float lanes[4];
  vst1q_f32(lanes, x);
  for (float& lane : lanes) lane = std::sqrt(lane);
  return vld1q_f32(lanes);
}
#endif

/// What the similarities of four windows are made of; divisions by operator, SIMDe 0.7.4 has no
/// vdivq.
struct FourWindows {
  float32x4_t mu1, mu2, deviations;
  float32x4_t luminance_divisor, contrast_divisor, structure;

  FourWindows(float32x4_t a, float32x4_t b, float32x4_t s11, float32x4_t s22, float32x4_t s12)
      : mu1(a), mu2(b) {
    const float32x4_t zero = vdupq_n_f32(0);
    const float32x4_t square1 = vmulq_f32(mu1, mu1);
    const float32x4_t square2 = vmulq_f32(mu2, mu2);
    const float32x4_t variance1 = vmaxq_f32(zero, vsubq_f32(s11, square1));
    const float32x4_t variance2 = vmaxq_f32(zero, vsubq_f32(s22, square2));
    const float32x4_t covariance = vsubq_f32(s12, vmulq_f32(mu1, mu2));
    deviations = square_root(vmulq_f32(variance1, variance2));
    luminance_divisor = vaddq_f32(vaddq_f32(square1, square2), vdupq_n_f32(metrics::kSsimC1));
    contrast_divisor = vaddq_f32(vaddq_f32(variance1, variance2), vdupq_n_f32(metrics::kSsimC2));
    const uint32x4_t flat = vandq_u32(vcltq_f32(covariance, zero), vcleq_f32(deviations, zero));
    const float32x4_t clamped = vbslq_f32(flat, zero, covariance);
    const float32x4_t c3 = vdupq_n_f32(metrics::kSsimC3);
    structure = vaddq_f32(clamped, c3) / vaddq_f32(deviations, c3);
  }
};

/// 1 / divisor from an estimate in binary32.
inline float64x2_t reciprocal(float32x2_t divisor, float32x2_t estimate) {
  const float64x2_t r = vcvt_f64_f32(estimate);
  return vmulq_f64(r, vsubq_f64(vdupq_n_f64(2.0), vmulq_f64(vcvt_f64_f32(divisor), r)));
}

/// Of the lower or upper two windows; `half` is vget_low_f32 or vget_high_f32.
template <class Half>
FourSimilarities::Two two_similarities(const FourWindows& windows, float32x4_t luminance_estimate,
                                       float32x4_t contrast_estimate, Half half) {
  const float64x2_t two = vdupq_n_f64(2.0);
  const float64x2_t mu1 = vcvt_f64_f32(half(windows.mu1));
  const float64x2_t mu2 = vcvt_f64_f32(half(windows.mu2));
  const float64x2_t deviations = vcvt_f64_f32(half(windows.deviations));
  const float64x2_t luminance =
      vmulq_f64(vaddq_f64(vmulq_f64(vmulq_f64(two, mu1), mu2), vdupq_n_f64(metrics::kSsimC1)),
                reciprocal(half(windows.luminance_divisor), half(luminance_estimate)));
  const float64x2_t contrast =
      vmulq_f64(vaddq_f64(vmulq_f64(two, deviations), vdupq_n_f64(metrics::kSsimC2)),
                reciprocal(half(windows.contrast_divisor), half(contrast_estimate)));
  const float64x2_t structure = vcvt_f64_f32(half(windows.structure));
  return {luminance, contrast, structure, vmulq_f64(vmulq_f64(luminance, contrast), structure)};
}

inline FourSimilarities four_similarities(const FourWindows& windows) {
  const float32x4_t one = vdupq_n_f32(1.0F);
  const float32x4_t luminance = one / windows.luminance_divisor;
  const float32x4_t contrast = one / windows.contrast_divisor;
  return {two_similarities(windows, luminance, contrast,
                           [](float32x4_t lanes) { return vget_low_f32(lanes); }),
          two_similarities(windows, luminance, contrast,
                           [](float32x4_t lanes) { return vget_high_f32(lanes); }),
          windows.structure};
}

}  // namespace sidecore::neon
