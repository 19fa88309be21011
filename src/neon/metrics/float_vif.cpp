#include "metrics/float_vif.h"

#include <algorithm>
#include <array>

#include "neon/metrics/families.h"
#include "neon/metrics/filter_taps.h"
#include "neon/metrics/float_filter.h"
#include "neon/neon.h"

namespace sidecore::neon {
namespace {

using metrics::FloatFilter;
using metrics::FloatTapRows;
using metrics::FloatVifModel;
using metrics::FloatVifRows;
using metrics::FloatVifSums;
using metrics::kFloatVifEpsilon;

template <std::size_t taps>
void filter_moments_of(const FloatTapRows& first, const FloatTapRows& second, int width,
                       const FloatFilter& filter, FloatVifRows& to) {
  for (int x = 0; x < width; x += 4) {
    const float32x4_t zero = vdupq_n_f32(0);
    float32x4_t mean1 = zero;
    float32x4_t mean2 = zero;
    float32x4_t square1 = zero;
    float32x4_t square2 = zero;
    float32x4_t product = zero;
    for (std::size_t t = 0; t < taps; ++t) {
      const float tap = filter.tap[t];
      const float32x4_t a = vld1q_f32(first[t] + x);
      const float32x4_t b = vld1q_f32(second[t] + x);
      mean1 = vaddq_f32(mean1, vmulq_n_f32(a, tap));
      mean2 = vaddq_f32(mean2, vmulq_n_f32(b, tap));
      square1 = vaddq_f32(square1, vmulq_n_f32(vmulq_f32(a, a), tap));
      square2 = vaddq_f32(square2, vmulq_n_f32(vmulq_f32(b, b), tap));
      product = vaddq_f32(product, vmulq_n_f32(vmulq_f32(a, b), tap));
    }
    vst1q_f32(to.mean1.data() + x, mean1);
    vst1q_f32(to.mean2.data() + x, mean2);
    vst1q_f32(to.square1.data() + x, square1);
    vst1q_f32(to.square2.data() + x, square2);
    vst1q_f32(to.product.data() + x, product);
  }
}

void filter_float_moments(const FloatTapRows& first, const FloatTapRows& second, int width,
                          const FloatFilter& filter, FloatVifRows& to) {
  with_taps(filter.taps,
            [&](auto taps) { filter_moments_of<taps>(first, second, width, filter, to); });
  for (metrics::FloatFilterRow* const row :
       {&to.mean1, &to.mean2, &to.square1, &to.square2, &to.product}) {
    row->mirror_ends(width, filter.taps);
  }
}

float32x4_t approximate_log2(float32x4_t number) {
  const uint32x4_t bits = vreinterpretq_u32_f32(number);
  const uint32x4_t mantissa =
      vorrq_u32(vandq_u32(bits, vdupq_n_u32(0x007fffff)), vdupq_n_u32(0x3f800000));
  const float32x4_t x = vsubq_f32(vreinterpretq_f32_u32(mantissa), vdupq_n_f32(1));
  float32x4_t sum = vdupq_n_f32(metrics::kFloatVifLog2[0]);
  for (std::size_t i = 1; i < metrics::kFloatVifLog2.size(); ++i) {
    sum = vaddq_f32(vmulq_f32(sum, x), vdupq_n_f32(metrics::kFloatVifLog2[i]));
  }
  const uint32x4_t exponent = vandq_u32(vshrq_n_u32(bits, 23), vdupq_n_u32(0xff));
  const int32x4_t power = vsubq_s32(vreinterpretq_s32_u32(exponent), vdupq_n_s32(127));
  return vaddq_f32(vcvtq_f32_s32(power), vmulq_f32(sum, x));
}

/// Returns 1 + a / (b + noise), computed in binary64 and rounded to binary32.
float32x2_t one_and_ratio(float32x2_t a, float32x2_t b, float64x2_t noise) {
  const float64x2_t ratio = vdivq_f64(vcvt_f64_f32(a), vaddq_f64(vcvt_f64_f32(b), noise));
  return vcvt_f32_f64(vaddq_f64(vdupq_n_f64(1), ratio));
}

float32x4_t information(float32x4_t signal, float32x4_t beside_noise, float64x2_t noise) {
  return approximate_log2(
      vcombine_f32(one_and_ratio(vget_low_f32(signal), vget_low_f32(beside_noise), noise),
                   one_and_ratio(vget_high_f32(signal), vget_high_f32(beside_noise), noise)));
}

float32x4_t zero_where(uint32x4_t condition, float32x4_t value) {
  return vreinterpretq_f32_u32(vbicq_u32(vreinterpretq_u32_f32(value), condition));
}

/// Returns all ones in lanes whose variance is below the noise; binary64 compares them.
uint32x4_t below_noise(float32x4_t variance, float64x2_t noise) {
  return vcombine_u32(vmovn_u64(vcltq_f64(vcvt_f64_f32(vget_low_f32(variance)), noise)),
                      vmovn_u64(vcltq_f64(vcvt_f64_f32(vget_high_f32(variance)), noise)));
}

/// Numbers that four windows add to the sums.
struct WindowLanes {
  float32x4_t kept;
  float32x4_t there;
};

WindowLanes window_lanes(const FloatVifRows& rows, int x, const FloatVifModel& model) {
  const float32x4_t mean1 = vld1q_f32(rows.mean1.data() + x);
  const float32x4_t mean2 = vld1q_f32(rows.mean2.data() + x);
  const float32x4_t epsilon = vdupq_n_f32(kFloatVifEpsilon);
  const float32x4_t zero = vdupq_n_f32(0);
  const float64x2_t noise = vdupq_n_f64(model.noise);
  float32x4_t variance1 = vsubq_f32(vld1q_f32(rows.square1.data() + x), vmulq_f32(mean1, mean1));
  variance1 = zero_where(vcltq_f32(variance1, epsilon), variance1);
  const float32x4_t variance2 =
      vmaxq_f32(vsubq_f32(vld1q_f32(rows.square2.data() + x), vmulq_f32(mean2, mean2)), zero);
  const uint32x4_t flat = below_noise(variance1, noise);
  const float32x4_t flat_kept =
      vsubq_f32(vdupq_n_f32(1), vmulq_n_f32(variance2, model.flat_weight));
  const float32x4_t one = vdupq_n_f32(1);
  if (vminvq_u32(flat) != 0) return {flat_kept, one};

  const float32x4_t covariance =
      vsubq_f32(vld1q_f32(rows.product.data() + x), vmulq_f32(mean1, mean2));
  float32x4_t gain = vdivq_f32(covariance, vaddq_f32(variance1, epsilon));
  float32x4_t unexplained = vsubq_f32(variance2, vmulq_f32(gain, covariance));
  const uint32x4_t no_reference = vceqq_f32(variance1, zero);
  unexplained = vbslq_f32(no_reference, variance2, unexplained);
  const uint32x4_t no_distorted = vcltq_f32(variance2, epsilon);
  unexplained = zero_where(no_distorted, unexplained);
  gain = zero_where(vorrq_u32(no_reference, no_distorted), gain);
  const uint32x4_t negative = vcltq_f32(gain, zero);
  unexplained = vmaxq_f32(vbslq_f32(negative, variance2, unexplained), epsilon);
  gain = vminq_f32(zero_where(negative, gain), vdupq_n_f32(model.gain_limit));
  const float32x4_t signal = vmulq_f32(vmulq_f32(gain, gain), variance1);
  const float32x4_t kept =
      zero_where(vcltq_f32(covariance, zero), information(signal, unexplained, noise));
  const float32x4_t there = information(variance1, zero, noise);
  return {vbslq_f32(flat, flat_kept, kept), vbslq_f32(flat, one, there)};
}

FloatVifSums sum_float_windows(const FloatVifRows& rows, int width, const FloatVifModel& model) {
  FloatVifSums sums;
  // Numbers that are added one after the other, because these sums are binary32 and depend on the
  // order.
  std::array<float, 4> kept{};
  std::array<float, 4> there{};
  for (int x = 0; x < width; x += 4) {
    const WindowLanes lanes = window_lanes(rows, x, model);
    vst1q_f32(kept.data(), lanes.kept);
    vst1q_f32(there.data(), lanes.there);
    const auto count = static_cast<std::size_t>(std::min(width - x, 4));
    for (std::size_t i = 0; i < count; ++i) {
      sums.kept += kept[i];
      sums.there += there[i];
    }
  }
  return sums;
}

}  // namespace

std::unique_ptr<metrics::PairKernel> make_float_vif(
    const video::PictureFormat& format, std::span<const metrics::FeatureRequest> requests,
    std::size_t threads) {
  static constexpr metrics::FloatVifRowFunctions kRows{filter_float_moments, filter_float_rows,
                                                       filter_float_columns, sum_float_windows};
  return metrics::make_float_vif_kernel(format, requests, threads, kRows);
}

}  // namespace sidecore::neon
