// Similarities of four windows at a time: metrics::window_similarity() to within an error that sums
// to be certified can bear.
#pragma once

#include <cmath>

#include "metrics/ssim.h"
#include "neon/neon.h"
#include "neon/widen.h"

namespace sidecore::neon {

/// Which of a window's similarities are computed; the others stay 0.
enum class Similarities {
  ssim,                ///< the product alone, without its factors
  contrast_structure,  ///< these two
  all
};

/// Of two windows. Structure is that of the definition, bit for bit: a rounding error would add up
/// over all windows. Luminance, contrast and the product are off by less than kSimilarityError.
struct TwoSimilarities {
  float64x2_t luminance, contrast, structure, ssim;
};

/// A reciprocal in binary32 is off by 2^-23 of itself, its divisor being a rounded product, after a
/// step of Newton's in binary64 by its square; quotients and their product add roundings of 2^-53.
inline constexpr double kSimilarityError = 0x1p-45;

#if defined(__ARM_NEON)
inline float32x4_t square_root(float32x4_t x) {
  return vsqrtq_f32(x);
}
#elif defined(__SSE__)
// SIMDe 0.7.4 has no vsqrtq_f32; std::sqrt() in a loop would be four roots and four looks for
// errno.
inline float32x4_t square_root(float32x4_t x) {
  return float32x4_t(_mm_sqrt_ps(__m128(x)));
}
#else
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

/// 1 / divisor from an estimate of it that is off by up to 2^-23 of itself.
inline float64x2_t reciprocal(float64x2_t divisor, float64x2_t estimate) {
  return vmulq_f64(estimate, vsubq_f64(vdupq_n_f64(2.0), vmulq_f64(divisor, estimate)));
}

/// Estimates that reciprocal() starts from, for four windows.
template <Similarities Kind>
struct FourEstimates {
  explicit FourEstimates(const FourWindows& windows) {
    const float32x4_t one = vdupq_n_f32(1.0F);
    if constexpr (Kind == Similarities::ssim) {
      both = one / vmulq_f32(windows.luminance_divisor, windows.contrast_divisor);
    } else {
      contrast = one / windows.contrast_divisor;
      if constexpr (Kind == Similarities::all) luminance = one / windows.luminance_divisor;
    }
  }

  float32x4_t luminance, contrast, both;
};

/// Of the lower or upper two windows; `wide` is widen_low or widen_high.
template <Similarities Kind, class Widen>
TwoSimilarities two_similarities(const FourWindows& windows, const FourEstimates<Kind>& estimates,
                                 Widen wide) {
  const auto luminance_dividend = [&] {
    const float64x2_t twice = wide(vaddq_f32(windows.mu1, windows.mu1));
    return vaddq_f64(vmulq_f64(twice, wide(windows.mu2)), vdupq_n_f64(metrics::kSsimC1));
  };
  const float64x2_t contrast_dividend = vaddq_f64(
      wide(vaddq_f32(windows.deviations, windows.deviations)), vdupq_n_f64(metrics::kSsimC2));
  const float64x2_t structure = wide(windows.structure);
  const float64x2_t zero = vdupq_n_f64(0);
  if constexpr (Kind == Similarities::ssim) {
    const float64x2_t divisor =
        vmulq_f64(wide(windows.luminance_divisor), wide(windows.contrast_divisor));
    const float64x2_t dividend = vmulq_f64(luminance_dividend(), contrast_dividend);
    return {zero, zero, zero,
            vmulq_f64(vmulq_f64(dividend, reciprocal(divisor, wide(estimates.both))), structure)};
  } else {
    const float64x2_t contrast = vmulq_f64(
        contrast_dividend, reciprocal(wide(windows.contrast_divisor), wide(estimates.contrast)));
    if constexpr (Kind == Similarities::contrast_structure) {
      return {zero, contrast, structure, zero};
    } else {
      const float64x2_t luminance =
          vmulq_f64(luminance_dividend(),
                    reciprocal(wide(windows.luminance_divisor), wide(estimates.luminance)));
      return {luminance, contrast, structure, vmulq_f64(vmulq_f64(luminance, contrast), structure)};
    }
  }
}

}  // namespace sidecore::neon
