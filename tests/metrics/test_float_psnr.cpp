// float_psnr: libvmaf's values on its golden clips, and equal integer sums from every
// implementation.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "metrics/float_psnr.h"
#include "metrics/golden.h"
#include "metrics/score_pair.h"
#include "neon/metrics/feature_kernels.h"
#include "neon/metrics/float_psnr.h"
#include "video/synthetic_clip.h"

namespace sidecore::test_float_psnr {
namespace {

using metrics::SquaredErrorSum;
using test::Golden;
using video::PlaneView;

/// libvmaf's files have 17 significant digits; 1e-12 dB allows for the last bit of log10.
constexpr double kGoldenTolerance = 1e-12;

void expect_golden_scores(const Golden& golden, metrics::KernelChoice kernels) {
  const auto request = metrics::parse_feature_request("float_psnr");
  const std::vector<double> expected = golden.scores("float_psnr");
  const video::SyntheticClip clip(golden.format);
  video::Picture reference(golden.format);
  video::Picture distorted(golden.format);
  ASSERT_EQ(expected.size(), static_cast<std::size_t>(golden.pictures));
  for (int t = 0; t < golden.pictures; ++t) {
    clip.fill_reference(t, reference);
    clip.fill_distorted(t, reference, distorted);
    const double score = test::score_pair(kernels, request, reference, distorted)[0];
    EXPECT_NEAR(score, expected[static_cast<std::size_t>(t)], kGoldenTolerance) << "picture " << t;
  }
}

class FloatPsnrGolden : public ::testing::TestWithParam<Golden> {};
TEST_P(FloatPsnrGolden, IsWhatLibvmafSays) {
  expect_golden_scores(GetParam(), metrics::scalar_kernels);
}

class FloatPsnrNeonGolden : public ::testing::TestWithParam<Golden> {};
TEST_P(FloatPsnrNeonGolden, IsWhatLibvmafSays) {
  expect_golden_scores(GetParam(), neon::kernels);
}

const auto kName = [](const auto& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(Clips, FloatPsnrGolden, ::testing::ValuesIn(test::load_goldens()), kName);
INSTANTIATE_TEST_SUITE_P(Clips, FloatPsnrNeonGolden, ::testing::ValuesIn(test::load_goldens()),
                         kName);

/// Samples in memory that ends with the last one, so that sanitizers detect a read past it.
template <class Sample>
struct Plane {
  Plane(int plane_width, int plane_height, int plane_stride)
      : width(plane_width),
        height(plane_height),
        stride(plane_stride),
        samples(static_cast<std::size_t>(stride) * static_cast<std::size_t>(height - 1) +
                static_cast<std::size_t>(width)) {}

  [[nodiscard]] PlaneView<const Sample> view() const {
    return {samples.data(), width, height, stride};
  }
  void randomise(Random& random, int max_value) {
    for (Sample& sample : samples) {
      sample = static_cast<Sample>(random.below(static_cast<unsigned>(max_value) + 1));
    }
  }

  int width;
  int height;
  int stride;
  std::vector<Sample> samples;
};

SquaredErrorSum scalar_sum(const Plane<std::uint8_t>& a, const Plane<std::uint8_t>& b, int) {
  return metrics::squared_error_sum(a.view(), b.view());
}
SquaredErrorSum scalar_sum(const Plane<std::uint16_t>& a, const Plane<std::uint16_t>& b, int bits) {
  return metrics::squared_error_sum(a.view(), b.view(), bits);
}
SquaredErrorSum neon_sum(const Plane<std::uint8_t>& a, const Plane<std::uint8_t>& b, int) {
  return neon::squared_error_sum(a.view(), b.view());
}
SquaredErrorSum neon_sum(const Plane<std::uint16_t>& a, const Plane<std::uint16_t>& b, int bits) {
  return neon::squared_error_sum(a.view(), b.view(), bits);
}

template <class Sample>
void expect_implementations_agree(int width, int height, int bits, Random& random) {
  const int max_value = (1 << bits) - 1;
  Plane<Sample> a(width, height, width + static_cast<int>(random.below(9)));
  Plane<Sample> b(width, height, width + static_cast<int>(random.below(9)));
  a.randomise(random, max_value);
  b.randomise(random, max_value);
  EXPECT_EQ(neon_sum(a, b, bits), scalar_sum(a, b, bits))
      << width << "x" << height << ", " << bits << " bits";
}

void expect_implementations_agree(int width, int height, int bits, Random& random) {
  if (bits == 8) {
    expect_implementations_agree<std::uint8_t>(width, height, bits, random);
  } else {
    expect_implementations_agree<std::uint16_t>(width, height, bits, random);
  }
}

class FloatPsnrNeon : public ::testing::TestWithParam<int> {};

TEST_P(FloatPsnrNeon, EveryWidthGivesTheScalarSum) {
  Random random(4);
  for (int width = 1; width <= 70; ++width)
    expect_implementations_agree(width, 3, GetParam(), random);
}

TEST_P(FloatPsnrNeon, RandomSizesGiveTheScalarSum) {
  const std::uint64_t seed = 5;
  Random random(seed);
  for (int i = 0; i < 60; ++i) {
    const int width = static_cast<int>(random.below(700)) + 1;
    const int height = static_cast<int>(random.below(40)) + 1;
    SCOPED_TRACE(fmt::format("seed {}, size number {}", seed, i));
    expect_implementations_agree(width, height, GetParam(), random);
  }
}

TEST_P(FloatPsnrNeon, TheLargestDifferencesOverflowNothing) {
  const int bits = GetParam();
  const int max_value = (1 << bits) - 1;
  const auto check = [&]<class Sample>(Sample) {
    const Plane<Sample> black(video::kMaxDimension, 40, video::kMaxDimension);
    Plane<Sample> white = black;
    std::fill(white.samples.begin(), white.samples.end(), static_cast<Sample>(max_value));
    auto square = static_cast<std::uint32_t>(max_value) * static_cast<std::uint32_t>(max_value);
    if (bits == 16) square = metrics::round_square_to_binary32(square);
    const SquaredErrorSum expected = std::uint64_t{square} * black.samples.size();
    EXPECT_EQ(scalar_sum(black, white, bits), expected);
    EXPECT_EQ(neon_sum(black, white, bits), expected);
    EXPECT_EQ(neon_sum(white, black, bits), expected);
  };
  if (bits == 8) {
    check(std::uint8_t{});
  } else {
    check(std::uint16_t{});
  }
}

INSTANTIATE_TEST_SUITE_P(Bits, FloatPsnrNeon, ::testing::Values(8, 10, 12, 16));

/// A difference whose square needs more than 24 bits, and that square rounded to binary32 by hand.
struct RoundedSquare {
  std::uint16_t difference;
  std::uint32_t square;
};
constexpr RoundedSquare kRoundedSquares[] = {
    {4095, 16769025},  // 24 bits: exact
    // Square 16785409: a tie between ...408 and ...410, rounded to the even half of ...408.
    {4097, 16785408},
    {4099, 16801800},     // square 16801801: a tie between ...800 and ...802, rounded to even
    {4101, 16818200},     // square 16818201: a tie, rounded to even
    {5793, 33558848},     // square 33558849, units of 4: a quarter above, rounded down
    {5795, 33582024},     // square 33582025, units of 4: a quarter above, rounded down
    {5794, 33570436},     // square is exact in units of 4
    {11585, 134212224},   // square 134212225, units of 8: rounded down
    {46341, 2147488256},  // square 2147488281, units of 256: 25 above, rounded down
    {65533, 4294574080},  // square 4294574089, units of 256: 9 above, rounded down
    {65535, 4294836224},  // square 4294836225, units of 256: 1 above, rounded down
    {65519, 4292739328},  // square 4292739361, units of 256: 33 above, rounded down
    {65525, 4293525504},  // square 4293525625, units of 256: 121 above, rounded down
    {65521, 4293001472},  // square 4293001441, units of 256: 225 above, rounded up
};

TEST(FloatPsnr, SquaresOfSixteenBitsAreRoundedAsBinary32) {
  for (const auto& [difference, square] : kRoundedSquares) {
    const std::uint32_t exact = std::uint32_t{difference} * difference;
    EXPECT_EQ(metrics::round_square_to_binary32(exact), square) << difference;
    EXPECT_EQ(static_cast<std::uint32_t>(static_cast<float>(exact)), square) << difference;
  }
}

TEST(FloatPsnr, EveryDifferenceOfSixteenBitsIsRoundedAsBinary32) {
  for (std::uint32_t difference = 0; difference <= 65535; ++difference) {
    const std::uint32_t exact = difference * difference;
    // The volatile variable forces the conversion to 32 bits.
    volatile float rounded = static_cast<float>(exact);
    ASSERT_EQ(metrics::round_square_to_binary32(exact), static_cast<std::uint32_t>(rounded))
        << difference;
  }
}

TEST(FloatPsnrNeonRounding, SquaresOfSixteenBitsAreRoundedAsBinary32) {
  for (const auto& [difference, square] : kRoundedSquares) {
    Plane<std::uint16_t> a(11, 1, 11);
    const Plane<std::uint16_t> b(11, 1, 11);
    std::fill(a.samples.begin(), a.samples.end(), difference);
    EXPECT_EQ(neon_sum(a, b, 16), std::uint64_t{square} * 11) << difference;
    EXPECT_EQ(scalar_sum(a, b, 16), std::uint64_t{square} * 11) << difference;
  }
}

TEST(FloatPsnr, IdenticalPicturesGetTheCap) {
  EXPECT_EQ(metrics::float_psnr(0, 64, 48, 8), 60);
  EXPECT_EQ(metrics::float_psnr(0, 64, 48, 10), 72);
  EXPECT_EQ(metrics::float_psnr(0, 64, 48, 12), 84);
  EXPECT_EQ(metrics::float_psnr(0, 64, 48, 16), 108);
}

TEST(FloatPsnr, OneLevelOfDifferenceScoresAsTheFormulaSays) {
  // A mean squared error of 1 in 8-bit units: sum = pixels * 4^(bits-8).
  EXPECT_DOUBLE_EQ(metrics::float_psnr(100, 10, 10, 8), 20 * std::log10(255.0));
  EXPECT_DOUBLE_EQ(metrics::float_psnr(1600, 10, 10, 10), 20 * std::log10(255.75));
  EXPECT_DOUBLE_EQ(metrics::float_psnr(25600, 10, 10, 12), 20 * std::log10(255.9375));
  EXPECT_DOUBLE_EQ(metrics::float_psnr(6553600, 10, 10, 16), 20 * std::log10(255.99609375));
}

TEST(FloatPsnr, OtherDepthsAreRefused) {
  for (const int bits : {9, 11, 13, 14, 15}) {
    EXPECT_THROW(metrics::check_float_psnr_depth(bits), Error) << bits;
    EXPECT_THROW((void)metrics::float_psnr(1, 2, 2, bits), Error) << bits;
  }
}

}  // namespace
}  // namespace sidecore::test_float_psnr
