#include "metrics/psnr_hvs.h"

#include <cstddef>

namespace sidecore::metrics {
namespace {

using Vector8 = std::array<std::int32_t, 8>;

// Returns half of the value, rounded towards zero.
std::int32_t half(std::int32_t value) {
  return value / 2;
}

// Returns value * factor / 2^shift, rounded to nearest, halves up.
std::int32_t scaled(std::int32_t value, std::int32_t factor, int shift) {
  return (value * factor + (1 << (shift - 1))) >> shift;
}

// Transforms eight values. Each variable has the number of the coefficient that it becomes.
Vector8 transform(const Vector8& a) {
  auto [t0, t4, t2, t6, t7, t3, t5, t1] = a;

  t1 = t0 - t1;
  const std::int32_t half1 = half(t1);
  t0 -= half1;
  t4 += t5;
  const std::int32_t half4 = half(t4);
  t5 -= half4;
  t3 = t2 - t3;
  t2 -= half(t3);
  t6 += t7;
  const std::int32_t half6 = half(t6);
  t7 = half6 - t7;

  t0 += half6;
  t6 = t0 - t6;
  t2 = half4 - t2;
  t4 = t2 - t4;

  t0 -= scaled(t4, 13573, 15);
  t4 += scaled(t0, 11585, 14);
  t0 -= scaled(t4, 13573, 15);
  t6 -= scaled(t2, 21895, 15);
  t2 += scaled(t6, 15137, 14);
  t6 -= scaled(t2, 21895, 15);

  t3 += scaled(t5, 19195, 15);
  t5 += scaled(t3, 11585, 14);
  t3 -= scaled(t5, 7489, 13);
  t7 = half(t5) - t7;
  t5 -= t7;
  t3 = half1 - t3;
  t1 -= t3;
  t7 += scaled(t1, 3227, 15);
  t1 -= scaled(t7, 6393, 15);
  t7 += scaled(t1, 3227, 15);
  t5 += scaled(t3, 2485, 13);
  t3 -= scaled(t5, 18205, 15);
  t5 += scaled(t3, 2485, 13);

  return {t0, t1, t2, t3, t4, t5, t6, t7};
}

// Transforms every column; a column's coefficients become a row.
HvsCoefficients transform_columns(const HvsCoefficients& from) {
  HvsCoefficients to{};
  for (std::size_t column = 0; column < 8; ++column) {
    Vector8 samples{};
    for (std::size_t row = 0; row < 8; ++row) samples[row] = from[row * 8 + column];
    const Vector8 coefficients = transform(samples);
    for (std::size_t i = 0; i < 8; ++i) to[column * 8 + i] = coefficients[i];
  }
  return to;
}

}  // namespace

HvsCoefficients hvs_dct(const HvsCoefficients& samples) {
  return transform_columns(transform_columns(samples));
}

}  // namespace sidecore::metrics
