#include "neon/metrics/speed_chroma.h"

#include <algorithm>

#include "neon/metrics/families.h"
#include "neon/neon.h"

namespace sidecore::neon {
namespace {

using metrics::kSpeedElements;
using metrics::kSpeedLanes;
using metrics::kSpeedTaps;
using metrics::SpeedDeviations;
using metrics::SpeedProducts;

void filter(const std::array<const float*, kSpeedTaps>& rows,
            std::span<const float, kSpeedTaps> taps, int width, float* to) {
  for (int x = 0; x < width; x += 4) {
    float32x4_t sum = vdupq_n_f32(0);
    for (std::size_t t = 0; t < kSpeedTaps; ++t) {
      sum = vaddq_f32(sum, vmulq_n_f32(vld1q_f32(rows[t] + x), taps[t]));
    }
    vst1q_f32(to + x, sum);
  }
}

/// Rows k and k + 1 of the sums, whose lanes from `pair` on are wanted: as many pairs as registers
/// hold.
template <std::size_t pairs>
void multiply_rows(std::span<const SpeedDeviations> deviations, std::size_t k, std::size_t pair,
                   SpeedProducts& products) {
  std::array<float64x2_t, pairs> first;
  std::array<float64x2_t, pairs> second;
  first.fill(vdupq_n_f64(0));
  second.fill(vdupq_n_f64(0));
  const bool last = k + 1 == kSpeedElements;
  for (const SpeedDeviations& at : deviations) {
    const float64x2_t a = vdupq_n_f64(at[k]);
    const float64x2_t b = vdupq_n_f64(at[k + 1]);
    for (std::size_t i = 0; i < pairs; ++i) {
      const float64x2_t other = vld1q_f64(at.data() + 2 * (pair + i));
      first[i] = vaddq_f64(first[i], vmulq_f64(a, other));
      second[i] = vaddq_f64(second[i], vmulq_f64(b, other));
    }
  }
  for (std::size_t i = 0; i < pairs; ++i) {
    vst1q_f64(products[k].data() + 2 * (pair + i), first[i]);
    if (!last) vst1q_f64(products[k + 1].data() + 2 * (pair + i), second[i]);
  }
}

void multiply(std::span<const SpeedDeviations> deviations, SpeedProducts& products) {
  constexpr std::size_t kPairs = kSpeedLanes / 2;
  for (std::size_t k = 0; k < kSpeedElements; k += 2) {
    std::size_t pair = k / 2;
    for (; pair + 7 <= kPairs; pair += 7) multiply_rows<7>(deviations, k, pair, products);
    for (; pair + 3 <= kPairs; pair += 3) multiply_rows<3>(deviations, k, pair, products);
    for (; pair < kPairs; ++pair) multiply_rows<1>(deviations, k, pair, products);
  }
}

}  // namespace

const metrics::SpeedChromaSums& speed_chroma_sums() {
  static constexpr metrics::SpeedChromaSums kSums{filter, multiply};
  return kSums;
}

std::unique_ptr<metrics::PairKernel> make_speed_chroma(
    const video::PictureFormat& format, std::span<const metrics::FeatureRequest> requests,
    std::size_t threads) {
  return metrics::make_speed_chroma_kernel(format, requests, threads, speed_chroma_sums());
}

}  // namespace sidecore::neon
