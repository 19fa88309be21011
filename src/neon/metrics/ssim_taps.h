// Code shared by both passes of SSIM's filter. A product is added to the two windows (one, for the
// middle weight) in which its sample has that weight. The sums of all incomplete windows stay in
// registers.
#pragma once

#include <array>
#include <cstddef>

#include "metrics/ssim.h"
#include "neon/neon.h"

namespace sidecore::neon {

/// Index of the last row or column of a window.
inline constexpr std::size_t kSsimLast = metrics::kSsimWindow - 1;
/// Number of different weights, which are symmetric; they are numbered from the outermost.
inline constexpr std::size_t kSsimDistinctWeights = metrics::kSsimWindow / 2 + 1;

/// Sums of the eleven windows that contain a row or column of samples. Index: number, modulo 11, of
/// the window's first row or column.
template <class Sum>
using IncompleteSums = std::array<Sum, metrics::kSsimWindow>;

/// Returns the index of the window in which row or column `Number`, modulo 11, has the weight
/// `tap`, 0..10.
template <std::size_t Number>
constexpr std::size_t slot_of(std::size_t tap) {
  return (Number + metrics::kSsimWindow - tap) % metrics::kSsimWindow;
}

/// Adds products of the weight `Tap`, which must not be the outermost, to both windows that need
/// them.
template <std::size_t Number, std::size_t Tap, class Sum>
[[gnu::always_inline]] inline void add_product(Sum product, IncompleteSums<Sum>& sums) {
  static_assert(Tap > 0);
  sums[slot_of<Number>(Tap)] += product;
  if constexpr (Tap + 1 < kSsimDistinctWeights) sums[slot_of<Number>(kSsimLast - Tap)] += product;
}

/// Adds products of the outermost weight. They complete one window, whose sums are returned, and
/// begin another.
template <std::size_t Number, class Sum>
[[gnu::always_inline]] inline Sum complete_sums(Sum product, IncompleteSums<Sum>& sums) {
  const Sum complete = sums[slot_of<Number>(kSsimLast)] + product;
  sums[slot_of<Number>(0)] = product;
  return complete;
}

/// Converts the first or last two of four binary32 lanes to binary64.
inline float64x2_t first_pair(float32x4_t lanes) {
  return vcvt_f64_f32(vget_low_f32(lanes));
}
inline float64x2_t last_pair(float32x4_t lanes) {
  return vcvt_high_f64_f32(lanes);
}
/// Rounds both pairs to binary32 and joins them in one register.
inline float32x4_t rounded(float64x2_t first, float64x2_t last) {
  return vcvt_high_f32_f64(vcvt_f32_f64(first), last);
}

/// Weights in the lanes of two registers. Six separate constants would leave too few registers for
/// the sums of two pairs.
class SsimWeights {
 public:
  template <std::size_t Tap>
  [[nodiscard]] float32x4_t products(float32x4_t samples) const {
    return vmulq_laneq_f32(samples, lanes_[Tap / 4], Tap % 4);
  }

 private:
  /// Returns the address of the weights. The compiler does not know this address, so it cannot
  /// replace the weights by constants.
  static const float* weights() {
    const float* at = metrics::kSsimWeights.data();
    asm("" : "+r"(at));
    return at;
  }

  std::array<float32x4_t, 2> lanes_{vld1q_f32(weights()), vld1q_f32(weights() + 4)};
};

}  // namespace sidecore::neon
