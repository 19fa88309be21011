// cambi: the mean of the largest contrasts, whose order of addition matters only for large sums.
#include "metrics/cambi.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <vector>

#include "base/random.h"

namespace sidecore::test_cambi {
namespace {

/// Returns `size` contrasts, of which about `positive` are at least 0.5 and the others 0.
std::vector<float> random_contrasts(std::size_t size, std::uint32_t positive, Random& random) {
  std::vector<float> contrasts(size);
  for (float& contrast : contrasts) {
    if (random.below(static_cast<std::uint32_t>(size)) >= positive) continue;
    contrast = 0.5F + static_cast<float>(random.below(1U << 24)) * 0x1p-20F;
  }
  return contrasts;
}

TEST(CambiMean, IsThatOfTheLargestContrastsWhetherFewOrManyArePositive) {
  Random random(3);
  constexpr std::size_t kSize = 997;
  for (const std::uint32_t positive : {0U, 1U, 300U, 590U, 600U, 610U, 990U}) {
    const std::vector<float> contrasts = random_contrasts(kSize, positive, random);
    for (const std::size_t count : {std::size_t{1}, std::size_t{598}, kSize}) {
      std::vector<float> sorted = contrasts;
      std::ranges::sort(sorted, std::greater());
      const double sum =
          std::accumulate(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(count), 0.0);
      std::vector<float> values = contrasts;
      EXPECT_EQ(metrics::cambi_mean_of_largest(values, count), sum / static_cast<double>(count))
          << positive << " positive contrasts, the largest " << count;
    }
  }
}

TEST(CambiMean, RoundsALargeSumInTheOrderOfAddition) {
  // Each of the many last values is half of the unit of the sum of the first ones. It is lost if it
  // is added alone.
  std::vector<float> values(1U << 16, 0x1p13F);
  values.resize(2 * values.size(), 0.5F + 0x1p-24F);
  const double in_order = std::accumulate(values.begin(), values.end(), 0.0);
  const double exact = 0x1p29 + (0x1p15 + 0x1p-8);
  ASSERT_NE(in_order, exact);
  const std::size_t count = values.size();
  EXPECT_EQ(metrics::cambi_mean_of_largest(values, count), in_order / static_cast<double>(count));
}

}  // namespace
}  // namespace sidecore::test_cambi
