#include "metrics/float_ansnr.h"

#include "neon/metrics/families.h"
#include "neon/neon.h"

namespace sidecore::neon {
namespace {

template <std::size_t taps>
void filter(const metrics::AnsnrRows<taps>& rows, const metrics::AnsnrWeights<taps>& weights,
            int width, float* to) {
  constexpr auto kReach = static_cast<int>(taps / 2);
  for (int x = 0; x < width; x += 4) {
    float32x4_t sum = vdupq_n_f32(0);
    for (std::size_t t = 0; t < taps; ++t) {
      const float* const from = rows[t] + x - kReach;
      float32x4_t row_sum = vmulq_n_f32(vld1q_f32(from), weights[taps * t]);
      for (std::size_t u = 1; u < taps; ++u) {
        row_sum = vaddq_f32(row_sum, vmulq_n_f32(vld1q_f32(from + u), weights[taps * t + u]));
      }
      sum = vaddq_f32(sum, row_sum);
    }
    vst1q_f32(to + x, sum);
  }
}

/// Adds the columns in order. The two lanes are the sums of signal and noise.
metrics::AnsnrSums sum(const float* reference, const float* distorted, int width) {
  float32x2_t sums = vdup_n_f32(0);
  int x = 0;
  for (; x + 4 <= width; x += 4) {
    const float32x4_t filtered = vld1q_f32(reference + x);
    const float32x4_t difference = vsubq_f32(filtered, vld1q_f32(distorted + x));
    const float32x4x2_t squares =
        vzipq_f32(vmulq_f32(filtered, filtered), vmulq_f32(difference, difference));
    sums = vadd_f32(sums, vget_low_f32(squares.val[0]));
    sums = vadd_f32(sums, vget_high_f32(squares.val[0]));
    sums = vadd_f32(sums, vget_low_f32(squares.val[1]));
    sums = vadd_f32(sums, vget_high_f32(squares.val[1]));
  }
  metrics::AnsnrSums total{vget_lane_f32(sums, 0), vget_lane_f32(sums, 1)};
  for (; x < width; ++x) {
    const float difference = reference[x] - distorted[x];
    total.signal += reference[x] * reference[x];
    total.noise += difference * difference;
  }
  return total;
}

}  // namespace

std::unique_ptr<metrics::PairKernel> make_float_ansnr(
    const video::PictureFormat& format, std::span<const metrics::FeatureRequest> /*the one*/,
    std::size_t threads) {
  static constexpr metrics::AnsnrRowFunctions kRows{filter<3>, filter<5>, sum};
  return metrics::make_float_ansnr_kernel(format, threads, kRows);
}

}  // namespace sidecore::neon
