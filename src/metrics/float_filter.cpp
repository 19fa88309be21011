#include "metrics/float_filter.h"

#include <cmath>
#include <cstdlib>
#include <numbers>

namespace sidecore::metrics {

void fill_gaussian(float sigma, std::span<float> weights) {
  const auto unit = static_cast<float>(1.0 / (double{sigma} * std::sqrt(2.0 * std::numbers::pi)));
  const std::size_t middle = weights.size() / 2;
  float sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double x = static_cast<double>(i) - static_cast<double>(middle);
    const auto weight = static_cast<float>(std::exp(-0.5 * x / double{sigma} * x / double{sigma}));
    weights[i] = weight / unit;
    sum += weights[i];
  }
  for (float& weight : weights) weight /= sum;
}

FloatTapRows float_tap_rows(const FloatPlane& plane, int y, int taps) {
  FloatTapRows rows{};
  const int height = plane.height();
  for (int t = 0; t < taps; ++t) {
    const int from = std::abs(y + t - taps / 2);
    rows[static_cast<std::size_t>(t)] = plane.row(from < height ? from : 2 * height - 2 - from);
  }
  return rows;
}

void FloatFilterRow::mirror_ends(int width, int taps) {
  float* const row = data();
  for (int i = 1; i <= taps / 2; ++i) {
    row[-i] = row[i];
    row[width - 1 + i] = row[width - 1 - i];
  }
}

void filter_float_rows(const FloatTapRows& rows, int width, const FloatFilter& filter,
                       FloatFilterRow& to) {
  for (int x = 0; x < width; ++x) {
    float sum = 0;
    for (std::size_t t = 0; t < static_cast<std::size_t>(filter.taps); ++t) {
      sum += filter.tap[t] * rows[t][x];
    }
    to.data()[x] = sum;
  }
  to.mirror_ends(width, filter.taps);
}

void filter_float_columns(const FloatFilterRow& from, int width, int step,
                          const FloatFilter& filter, float* to) {
  for (int x = 0; x < width; ++x) {
    const float* const at = from.data() + std::ptrdiff_t{x} * step - filter.taps / 2;
    float sum = 0;
    for (int t = 0; t < filter.taps; ++t) sum += filter.tap[static_cast<std::size_t>(t)] * at[t];
    to[x] = sum;
  }
}

}  // namespace sidecore::metrics
