// Similarities of four windows at a time. They equal metrics::window_similarity() to within an
// error that certified sums allow.
#pragma once

#include "metrics/ssim.h"
#include "neon/neon.h"

namespace sidecore::neon {

/// Similarities that are computed for a window; all other similarities stay 0.
enum class Similarities {
  ssim,                ///< computes only the product of the similarities
  contrast_structure,  ///< contrast and structure, but no product
  all
};

/// Sums over two or four windows. Structure's terms equal the scalar definition's bit for bit,
/// because a rounding error would add up over all windows. The error of luminance, contrast and the
/// product is less than kSimilarityError per window.
struct SimilarityLanes {
  float64x2_t luminance, contrast, structure, ssim;
};

/// Limit of the error. The sum of two quotients is computed with one divisor and about a dozen
/// roundings of 2^-53 each.
inline constexpr double kSimilarityError = 0x1p-48;

/// Moments of four windows.
struct FourWindows {
  float32x4_t mu1, mu2, deviations;
  float32x4_t luminance_divisor, contrast_divisor, structure;

  FourWindows() = default;
  FourWindows(float32x4_t a, float32x4_t b, float32x4_t s11, float32x4_t s22, float32x4_t s12)
      : mu1(a), mu2(b) {
    const float32x4_t zero = vdupq_n_f32(0);
    const float32x4_t square1 = vmulq_f32(mu1, mu1);
    const float32x4_t square2 = vmulq_f32(mu2, mu2);
    const float32x4_t variance1 = vmaxq_f32(zero, vsubq_f32(s11, square1));
    const float32x4_t variance2 = vmaxq_f32(zero, vsubq_f32(s22, square2));
    const float32x4_t covariance = vsubq_f32(s12, vmulq_f32(mu1, mu2));
    deviations = vsqrtq_f32(vmulq_f32(variance1, variance2));
    luminance_divisor = vaddq_f32(vaddq_f32(square1, square2), vdupq_n_f32(metrics::kSsimC1));
    contrast_divisor = vaddq_f32(vaddq_f32(variance1, variance2), vdupq_n_f32(metrics::kSsimC2));
    const uint32x4_t flat = vandq_u32(vcltq_f32(covariance, zero), vceqq_f32(deviations, zero));
    const float32x4_t clamped =
        vreinterpretq_f32_u32(vbicq_u32(vreinterpretq_u32_f32(covariance), flat));
    const float32x4_t c3 = vdupq_n_f32(metrics::kSsimC3);
    structure = vdivq_f32(vaddq_f32(clamped, c3), vaddq_f32(deviations, c3));
  }
};

/// Two quotients, one per lane.
struct Quotients {
  float64x2_t dividend, divisor;
};

/// Returns a + b, lane by lane. Three multiplications cost less than one more division.
inline float64x2_t sum_of(const Quotients& a, const Quotients& b) {
  const float64x2_t dividend =
      vaddq_f64(vmulq_f64(a.dividend, b.divisor), vmulq_f64(b.dividend, a.divisor));
  return vdivq_f64(dividend, vmulq_f64(a.divisor, b.divisor));
}

/// Quotients of two of the four windows, either the lower or the upper two; `wide` converts them to
/// binary64. Luminance and contrast are half of the scalar definition's, and their product a
/// quarter, because the factor 2.0 in each dividend is left out.
template <class Widen>
struct HalfOfWindows {
  HalfOfWindows(const FourWindows& four, Widen wide)
      : structure(wide(four.structure)),
        luminance{vaddq_f64(vmulq_f64(wide(four.mu1), wide(four.mu2)),
                            vdupq_n_f64(static_cast<double>(metrics::kSsimC1) / 2)),
                  wide(four.luminance_divisor)},
        contrast{vaddq_f64(wide(four.deviations),
                           vdupq_n_f64(static_cast<double>(metrics::kSsimC2) / 2)),
                 wide(four.contrast_divisor)} {}

  [[nodiscard]] Quotients ssim() const {
    return {vmulq_f64(vmulq_f64(luminance.dividend, contrast.dividend), structure),
            vmulq_f64(luminance.divisor, contrast.divisor)};
  }

  /// Returns one similarity of a window, equal to metrics::window_similarity() bit for bit.
  template <metrics::SsimPart Part>
  [[nodiscard]] float64x2_t exact() const {
    const auto twice = [](const Quotients& half) {
      return vmulq_f64(half.dividend / half.divisor, vdupq_n_f64(2));
    };
    switch (Part) {
      case metrics::SsimPart::luminance:
        return twice(luminance);
      case metrics::SsimPart::contrast:
        return twice(contrast);
      case metrics::SsimPart::structure:
        return structure;
      case metrics::SsimPart::ssim:
        break;
    }
    return vmulq_f64(vmulq_f64(twice(luminance), twice(contrast)), structure);
  }

  float64x2_t structure;
  Quotients luminance, contrast;
};

/// Returns the sums over the four windows. Sums that `Kind` leaves out are undefined.
template <Similarities Kind>
SimilarityLanes similarities(const FourWindows& windows) {
  const HalfOfWindows low(windows,
                          [](float32x4_t lanes) { return vcvt_f64_f32(vget_low_f32(lanes)); });
  const HalfOfWindows high(windows, [](float32x4_t lanes) { return vcvt_high_f64_f32(lanes); });
  const float64x2_t two = vdupq_n_f64(2);
  SimilarityLanes sums;
  if constexpr (Kind != Similarities::contrast_structure) {
    sums.ssim = vmulq_f64(sum_of(low.ssim(), high.ssim()), vdupq_n_f64(4));
  }
  if constexpr (Kind == Similarities::all) {
    sums.luminance = vmulq_f64(sum_of(low.luminance, high.luminance), two);
  }
  if constexpr (Kind != Similarities::ssim) {
    sums.contrast = vmulq_f64(sum_of(low.contrast, high.contrast), two);
    sums.structure = vaddq_f64(low.structure, high.structure);
  }
  return sums;
}

/// Returns one similarity of each of the four windows, equal to metrics::window_similarity() bit
/// for bit.
template <metrics::SsimPart Part>
void store_similarities(const FourWindows& windows, double* to) {
  const HalfOfWindows low(windows,
                          [](float32x4_t lanes) { return vcvt_f64_f32(vget_low_f32(lanes)); });
  const HalfOfWindows high(windows, [](float32x4_t lanes) { return vcvt_high_f64_f32(lanes); });
  vst1q_f64(to, low.template exact<Part>());
  vst1q_f64(to + 2, high.template exact<Part>());
}

}  // namespace sidecore::neon
