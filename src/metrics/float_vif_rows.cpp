#include <algorithm>
#include <bit>
#include <cstdint>

#include "metrics/float_vif.h"

namespace sidecore::metrics {
namespace {

void filter_float_moments(const FloatTapRows& first, const FloatTapRows& second, int width,
                          const FloatFilter& filter, FloatVifRows& to) {
  for (int x = 0; x < width; ++x) {
    float mean1 = 0;
    float mean2 = 0;
    float square1 = 0;
    float square2 = 0;
    float product = 0;
    for (std::size_t t = 0; t < static_cast<std::size_t>(filter.taps); ++t) {
      const float tap = filter.tap[t];
      const float a = first[t][x];
      const float b = second[t][x];
      mean1 += tap * a;
      mean2 += tap * b;
      square1 += tap * (a * a);
      square2 += tap * (b * b);
      product += tap * (a * b);
    }
    to.mean1.data()[x] = mean1;
    to.mean2.data()[x] = mean2;
    to.square1.data()[x] = square1;
    to.square2.data()[x] = square2;
    to.product.data()[x] = product;
  }
  for (FloatFilterRow* const row : {&to.mean1, &to.mean2, &to.square1, &to.square2, &to.product}) {
    row->mirror_ends(width, filter.taps);
  }
}

/// Returns libvmaf's approximation of log2; `number` must be at least 1.
float approximate_log2(float number) {
  const auto bits = std::bit_cast<std::uint32_t>(number);
  const float x = std::bit_cast<float>((bits & 0x007fffffU) | 0x3f800000U) - 1.0F;
  float sum = 0;
  for (const float coefficient : kFloatVifLog2) sum = sum * x + coefficient;
  const int exponent = static_cast<int>(bits >> 23 & 0xffU) - 127;
  return static_cast<float>(exponent) + sum * x;
}

/// Returns the part of the reference's information that the distorted window preserves.
float kept_information(float variance1, float variance2, float covariance,
                       const FloatVifModel& model) {
  float gain = covariance / (variance1 + kFloatVifEpsilon);
  float unexplained = variance2 - gain * covariance;
  if (variance1 == 0) {
    gain = 0;
    unexplained = variance2;
  }
  if (variance2 < kFloatVifEpsilon) {
    gain = 0;
    unexplained = 0;
  }
  if (gain < 0) {
    gain = 0;
    unexplained = variance2;
  }
  unexplained = std::max(unexplained, kFloatVifEpsilon);
  gain = std::min(gain, model.gain_limit);
  const float signal = gain * gain * variance1;
  return approximate_log2(
      static_cast<float>(1 + double{signal} / (double{unexplained} + model.noise)));
}

FloatVifSums sum_float_windows(const FloatVifRows& rows, int width, const FloatVifModel& model) {
  FloatVifSums sums;
  for (int x = 0; x < width; ++x) {
    const float mean1 = rows.mean1.data()[x];
    const float mean2 = rows.mean2.data()[x];
    float variance1 = rows.square1.data()[x] - mean1 * mean1;
    if (variance1 < kFloatVifEpsilon) variance1 = 0;
    const float variance2 = std::max(rows.square2.data()[x] - mean2 * mean2, 0.0F);
    if (double{variance1} < model.noise) {
      sums.kept += 1.0F - variance2 * model.flat_weight;
      sums.there += 1.0F;
      continue;
    }
    const float covariance = rows.product.data()[x] - mean1 * mean2;
    sums.kept += covariance < 0 ? 0 : kept_information(variance1, variance2, covariance, model);
    sums.there += approximate_log2(static_cast<float>(1 + double{variance1} / model.noise));
  }
  return sums;
}

}  // namespace

const FloatVifRowFunctions& float_vif_rows() {
  static constexpr FloatVifRowFunctions kRows{filter_float_moments, filter_float_rows,
                                              filter_float_columns, sum_float_windows};
  return kRows;
}

}  // namespace sidecore::metrics
