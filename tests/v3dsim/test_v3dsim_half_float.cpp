// Tests f16 to f32 and back, for every value.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "v3dsim/half_float.h"

namespace sidecore::v3dsim::test_v3dsim_half_float {
namespace {

float f(std::uint32_t bits) {
  return std::bit_cast<float>(bits);
}

TEST(V3dHalfFloat, EveryHalfSurvivesTheWayThroughSingleAndBack) {
  for (std::uint32_t half = 0; half < 0x10000; ++half) {
    const bool nan = (half & 0x7c00) == 0x7c00 && (half & 0x3ff) != 0;
    const std::uint32_t back = half_from_float_bits(float_bits_from_half(half));
    ASSERT_EQ(back, nan ? half | 0x200 : half);
  }
}

TEST(V3dHalfFloat, RoundsToNearestEvenBetweenEveryTwoNeighbours) {
  for (std::uint32_t half = 0; half < 0x7bff; ++half) {
    const double low = f(float_bits_from_half(half)), high = f(float_bits_from_half(half + 1));
    const auto to_half = [](double x) {
      return half_from_float_bits(std::bit_cast<std::uint32_t>(static_cast<float>(x)));
    };
    const double middle = (low + high) / 2;  // this value is exact in single precision
    const float inside = static_cast<float>(middle);
    ASSERT_EQ(to_half(middle), half + (half & 1));
    ASSERT_EQ(to_half(std::nextafter(inside, 0.0F)), half);
    ASSERT_EQ(to_half(std::nextafter(inside, 1e9F)), half + 1);
  }
  EXPECT_EQ(half_from_float_bits(0x477fefff), 0x7bffU);  // just below 65520
  EXPECT_EQ(half_from_float_bits(0x477ff000), 0x7c00U);  // 65520 rounds to infinity
}

}  // namespace
}  // namespace sidecore::v3dsim::test_v3dsim_half_float
