// The inverse transforms against their plain definition: sums over cosines and sines.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "base/random.h"
#include "vp9/inverse_transform.h"

namespace sidecore::vp9 {
namespace {

/// Value at `n` of the basis function of coefficient `k`, orthonormal.
double dct_basis(int size, int k, int n) {
  const double scale = k == 0 ? std::sqrt(1.0 / size) : std::sqrt(2.0 / size);
  return scale * std::cos(std::numbers::pi * (2 * n + 1) * k / (2.0 * size));
}
double adst_basis(int size, int k, int n) {
  if (size == 4) {
    return 2.0 / 3 * std::sin(std::numbers::pi * (n + 1) * (2 * k + 1) / 9.0);
  }
  return std::sqrt(2.0 / size) *
         std::sin(std::numbers::pi * (2 * n + 1) * (2 * k + 1) / (4.0 * size));
}

/// The transforms are orthonormal ones times an eighth, of 32x32 a quarter.
double gain(int size) {
  return size == 32 ? 0.25 : 0.125;
}

std::vector<double> definition(const std::vector<std::int32_t>& coefficients, int size,
                               TransformType type) {
  const bool sine_columns = type == kAdstDct || type == kAdstAdst;
  const bool sine_rows = type == kDctAdst || type == kAdstAdst;
  const auto column_basis = sine_columns ? adst_basis : dct_basis;
  const auto row_basis = sine_rows ? adst_basis : dct_basis;
  std::vector<double> samples(coefficients.size(), 0);
  for (int v = 0; v < size; ++v) {
    for (int u = 0; u < size; ++u) {
      const double value = coefficients.data()[v * size + u] * gain(size);
      if (value == 0) continue;
      for (int y = 0; y < size; ++y) {
        for (int x = 0; x < size; ++x) {
          samples.data()[y * size + x] += value * column_basis(size, v, y) * row_basis(size, u, x);
        }
      }
    }
  }
  return samples;
}

struct Case {
  TransformSize size;
  TransformType type;
};

/// A few coefficients such as an encoder would leave, all or the first `rows` rows.
std::vector<std::int32_t> random_coefficients(Random& random, int size, int rows, int largest) {
  std::vector<std::int32_t> coefficients(static_cast<std::size_t>(size * size), 0);
  for (int index = 0; index < size * rows; ++index) {
    if (random.below(3) != 0) continue;
    const auto magnitude =
        static_cast<std::int32_t>(random.below(static_cast<std::uint32_t>(largest)));
    coefficients[static_cast<std::size_t>(index)] = random.below(2) == 0 ? magnitude : -magnitude;
  }
  return coefficients;
}

class Vp9Transform : public ::testing::TestWithParam<Case> {};

TEST_P(Vp9Transform, IsWithinRoundingOfItsDefinition) {
  const auto [transform_size, type] = GetParam();
  const int size = 4 << transform_size;
  Random random(static_cast<std::uint64_t>(size) * 16 + type);
  for (int round = 0; round < 12; ++round) {
    const int rows = round % 2 == 0
                         ? size
                         : 1 + static_cast<int>(random.below(static_cast<std::uint32_t>(size)));
    const std::vector<std::int32_t> coefficients =
        random_coefficients(random, size, rows, round < 4 ? 2 : 600);
    std::vector<std::int16_t> narrow(coefficients.begin(), coefficients.end());
    std::vector<std::uint16_t> samples(coefficients.size(), 2048);
    TransformBlock block;
    block.size = transform_size;
    block.type = type;
    block.rows = static_cast<std::uint8_t>(rows);
    block.end = static_cast<std::uint16_t>(size * size);
    add_residual(block, coefficients.data(), samples.data(), size, 12);
    const std::vector<double> expected = definition(coefficients, size, type);
    for (std::size_t index = 0; index < samples.size(); ++index) {
      const double value = std::clamp(2048 + expected[index], 0.0, 4095.0);
      ASSERT_NEAR(samples[index], value, 1.6) << "sample " << index << ", round " << round;
    }
    // The same at 8 bits, where samples are clamped sooner.
    std::vector<std::uint8_t> bytes(coefficients.size(), 128);
    add_residual(block, narrow.data(), bytes.data(), size, 8);
    for (std::size_t index = 0; index < bytes.size(); ++index) {
      ASSERT_EQ(bytes[index], std::clamp(samples[index] - 2048 + 128, 0, 255));
    }
  }
}

TEST_P(Vp9Transform, TheShortcutForASingleCoefficientIsExact) {
  const auto [transform_size, type] = GetParam();
  const std::ptrdiff_t size = 4 << transform_size;
  const auto count = static_cast<std::size_t>(size * size);
  for (std::int32_t dc = -3000; dc <= 3000; dc += 37) {
    std::vector<std::int32_t> coefficients(count, 0);
    coefficients[0] = dc;
    TransformBlock block;
    block.size = transform_size;
    block.type = type;
    block.rows = 1;
    block.end = 1;
    std::vector<std::uint16_t> shortcut(count, 2048);
    add_residual(block, coefficients.data(), shortcut.data(), size, 12);
    block.end = 2;
    std::vector<std::uint16_t> whole(count, 2048);
    add_residual(block, coefficients.data(), whole.data(), size, 12);
    ASSERT_EQ(shortcut, whole) << dc;
  }
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const TransformSize size : {kTransform4x4, kTransform8x8, kTransform16x16}) {
    for (const TransformType type : {kDctDct, kAdstDct, kDctAdst, kAdstAdst})
      all.push_back({size, type});
  }
  all.push_back({kTransform32x32, kDctDct});
  return all;
}

INSTANTIATE_TEST_SUITE_P(AllPairs, Vp9Transform, ::testing::ValuesIn(cases()),
                         [](const auto& pair) {
                           return std::to_string(4 << pair.param.size) + "x" +
                                  std::to_string(4 << pair.param.size) + "_type" +
                                  std::to_string(int{pair.param.type});
                         });

TEST(Vp9WalshHadamard, AFirstCoefficientOf16RaisesEverySampleByOne) {
  std::vector<std::int16_t> coefficients(16, 0);
  coefficients[0] = 16;
  std::vector<std::uint8_t> samples(16, 10);
  TransformBlock block;
  block.type = kWalshHadamard;
  block.rows = 1;
  block.end = 1;
  add_residual(block, coefficients.data(), samples.data(), 4, 8);
  EXPECT_EQ(samples, std::vector<std::uint8_t>(16, 11));
}

}  // namespace
}  // namespace sidecore::vp9
