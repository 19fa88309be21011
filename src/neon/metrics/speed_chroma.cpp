#include "neon/metrics/speed_chroma.h"

#include <algorithm>
#include <array>

#include "neon/metrics/families.h"
#include "neon/neon.h"

namespace sidecore::neon {
namespace {

using metrics::kSpeedElements;
using metrics::kSpeedLanes;
using metrics::kSpeedRowLanes;
using metrics::kSpeedTaps;
using metrics::SpeedDeviations;
using metrics::SpeedProducts;
using metrics::SpeedRows;
using metrics::SpeedVector;

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

/// Computes rows k to k + 3 of the sums, in `pairs` pairs of lanes from `pair` on: as many as
/// registers hold.
template <std::size_t pairs>
void multiply_rows(std::span<const SpeedDeviations> deviations, std::size_t k, std::size_t pair,
                   SpeedProducts& products) {
  std::array<std::array<float64x2_t, pairs>, 4> sums;
  for (auto& row : sums) row.fill(vdupq_n_f64(0));
  for (const SpeedDeviations& at : deviations) {
    const float64x2_t a = vld1q_f64(at.data() + k);
    const float64x2_t b = vld1q_f64(at.data() + k + 2);
    for (std::size_t i = 0; i < pairs; ++i) {
      const float64x2_t other = vld1q_f64(at.data() + 2 * (pair + i));
      sums[0][i] = vaddq_f64(sums[0][i], vmulq_laneq_f64(other, a, 0));
      sums[1][i] = vaddq_f64(sums[1][i], vmulq_laneq_f64(other, a, 1));
      sums[2][i] = vaddq_f64(sums[2][i], vmulq_laneq_f64(other, b, 0));
      sums[3][i] = vaddq_f64(sums[3][i], vmulq_laneq_f64(other, b, 1));
    }
  }
  for (std::size_t row = 0; row < sums.size(); ++row) {
    for (std::size_t i = 0; i < pairs; ++i) {
      vst1q_f64(products[k + row].data() + 2 * (pair + i), sums[row][i]);
    }
  }
}

void multiply(std::span<const SpeedDeviations> deviations, SpeedProducts& products) {
  constexpr std::size_t kPairs = kSpeedLanes / 2;
  constexpr std::size_t kLastElement = kSpeedElements - 1;
  static_assert(kLastElement % 4 == 0);
  for (std::size_t k = 0; k < kLastElement; k += 4) {
    std::size_t pair = k / 2;
    for (; pair + 4 <= kPairs; pair += 4) multiply_rows<4>(deviations, k, pair, products);
    for (; pair + 3 <= kPairs; pair += 3) multiply_rows<3>(deviations, k, pair, products);
    for (; pair < kPairs; ++pair) multiply_rows<1>(deviations, k, pair, products);
  }
  double last = 0;
  for (const SpeedDeviations& at : deviations) last += at[kLastElement] * at[kLastElement];
  products[kLastElement][kLastElement] = last;
}

/// Computes rows i and i + 1 of the product, in vectors of 4 columns from `vector` on. If there is
/// no row i + 1, row i is computed twice.
template <std::size_t vectors>
void reflect_rows(const SpeedRows& from, const SpeedVector& u, std::size_t first, std::size_t i,
                  std::size_t vector, SpeedRows& to) {
  const std::size_t k = std::min(i + 1, kSpeedElements - 1);
  SpeedVector above;
  SpeedVector below;
  for (std::size_t l = first; l < kSpeedElements; ++l) {
    above[l] = -2 * u[i] * u[l];
    below[l] = -2 * u[k] * u[l];
  }
  above[i] += 1;
  below[k] += 1;
  std::array<float32x4_t, vectors> first_sums;
  std::array<float32x4_t, vectors> second_sums;
  first_sums.fill(vdupq_n_f32(0));
  second_sums.fill(vdupq_n_f32(0));
  for (std::size_t l = first; l < kSpeedElements; ++l) {
    for (std::size_t j = 0; j < vectors; ++j) {
      const float32x4_t row = vld1q_f32(from[l].data() + 4 * (vector + j));
      first_sums[j] = vaddq_f32(first_sums[j], vmulq_n_f32(row, above[l]));
      second_sums[j] = vaddq_f32(second_sums[j], vmulq_n_f32(row, below[l]));
    }
  }
  for (std::size_t j = 0; j < vectors; ++j) {
    vst1q_f32(to[i].data() + 4 * (vector + j), first_sums[j]);
    vst1q_f32(to[k].data() + 4 * (vector + j), second_sums[j]);
  }
}

template <std::size_t vectors>
void reflect_columns(SpeedRows& rows, const SpeedVector& u, std::size_t first) {
  SpeedRows from;
  std::copy(rows.begin() + static_cast<std::ptrdiff_t>(first), rows.end(),
            from.begin() + static_cast<std::ptrdiff_t>(first));
  for (std::size_t i = first; i < kSpeedElements; i += 2) {
    reflect_rows<vectors>(from, u, first, i, kSpeedRowLanes / 4 - vectors, rows);
  }
}

void reflect(SpeedRows& rows, const SpeedVector& u, std::size_t first, std::size_t first_column) {
  using Columns = void (*)(SpeedRows & rows, const SpeedVector& u, std::size_t first);
  static constexpr std::array<Columns, kSpeedRowLanes / 4> kColumns{
      reflect_columns<7>, reflect_columns<6>, reflect_columns<5>, reflect_columns<4>,
      reflect_columns<3>, reflect_columns<2>, reflect_columns<1>};
  kColumns[first_column / 4](rows, u, first);
}

}  // namespace

const metrics::SpeedChromaSums& speed_chroma_sums() {
  static constexpr metrics::SpeedChromaSums kSums{filter, multiply, reflect};
  return kSums;
}

std::unique_ptr<metrics::PairKernel> make_speed_chroma(
    const video::PictureFormat& format, std::span<const metrics::FeatureRequest> requests,
    std::size_t threads) {
  return metrics::make_speed_chroma_kernel(format, requests, threads, speed_chroma_sums());
}

}  // namespace sidecore::neon
