// ciede: values of libvmaf 3.2.0 for pictures of the synthetic clip, and the errors of NEON's
// functions, on which its exactness rests.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "error_text.h"
#include "metrics/score_cases.h"
#include "neon/metrics/ciede_functions.h"
#include "neon/metrics/feature_kernels.h"

namespace sidecore::test_ciede {
namespace {

using metrics::parse_feature_request;
using neon::ciede::Doubles;
using video::Chroma;

void expect_libvmafs_scores(metrics::KernelChoice kernels) {
  const std::vector<test::ScoreCase> cases{
      {{176, 144, {Chroma::c420, 8}}, "ciede", {39.60360226811101}},
      {{176, 144, {Chroma::c420, 10}}, "ciede", {40.203882175863235}},
      {{97, 65, {Chroma::c444, 12}}, "ciede", {39.53522910530551}},
      {{176, 144, {Chroma::c420, 16}}, "ciede", {40.19003329848905}}};
  test::expect_scores(kernels, cases, 1e-12);
}

TEST(Ciede, IsWhatLibvmafSays) {
  expect_libvmafs_scores(metrics::scalar_kernels);
}
TEST(CiedeNeon, IsWhatLibvmafSays) {
  expect_libvmafs_scores(neon::kernels);
}

TEST(CiedeNeon, OfIdenticalPicturesIsInfinite) {
  const video::SyntheticClip clip({65, 48, {Chroma::c444, 10}});
  EXPECT_EQ(test::score_pair(neon::kernels, parse_feature_request("ciede"), clip.reference(0),
                             clip.reference(0)),
            std::vector<double>(1, std::numeric_limits<double>::infinity()));
}

TEST(Ciede, RefusesFormatsForWhichItIsNotDefined) {
  const auto refusal = [](Chroma chroma, int bits) {
    return test::error_text([&] {
      parse_feature_request("ciede").check({64, 48, {chroma, bits}});
    });
  };
  EXPECT_EQ(refusal(Chroma::c422, 8),
            "ciede is defined for 4:2:0 and 4:4:4, not for 64x48 yuv422p");
  EXPECT_EQ(refusal(Chroma::c400, 8), "ciede is defined for 4:2:0 and 4:4:4, not for 64x48 gray");
  EXPECT_EQ(refusal(Chroma::c420, 9),
            "ciede is defined for 8, 10, 12 and 16 bits a sample, not for 9");
}

/// Expects the relative error of `found` to be at most 2^-bits between `first` and `last`.
void expect_error(const std::function<Doubles(Doubles)>& found, long double (*exact)(long double),
                  double first, double last, int bits) {
  constexpr int kSteps = 20001;
  for (int i = 0; i < kSteps; ++i) {
    const double x = first + (last - first) * i / (kSteps - 1);
    const Doubles lanes = found(neon::ciede::splat(x));
    const long double expected = exact(x);
    for (const double value : {vgetq_lane_f64(lanes.low, 0), vgetq_lane_f64(lanes.high, 1)}) {
      ASSERT_LE(std::abs(value - expected), std::ldexp(std::abs(expected), -bits)) << x;
    }
  }
}

TEST(CiedeNeon, FunctionsHaveTheErrorsThatTheyState) {
  const neon::ciede::Power light(2.4);
  const neon::ciede::Power root(1.0 / 3.0);
  const auto exact_light = [](long double x) { return std::pow(x, static_cast<long double>(2.4)); };
  const auto exact_root = [](long double x) {
    return std::pow(x, static_cast<long double>(1.0 / 3.0));
  };
  expect_error(light, exact_light, 1.0 / 128, 7.99, 41);
  expect_error(root, exact_root, 1.0 / 128, 7.99, 41);
  expect_error(
      neon::ciede::sine, [](long double x) { return std::sin(x); }, -1.97, 1.97, 46);
  // The cosine passes 0, where only its absolute error is small.
  expect_error(
      neon::ciede::cosine, [](long double x) { return std::cos(x); }, -1.5, 1.5, 45);
  expect_error(
      neon::ciede::arc_tangent, [](long double x) { return std::atan(x); }, -1, 1, 44);
  expect_error(
      neon::ciede::exponential, [](long double x) { return std::exp(x); }, -40, 0, 44);
}

TEST(CiedeNeon, IsInDoubtOnlyNearTheMiddleOfTwoNumbers) {
  const auto is_in_doubt = [](double value) {
    neon::ciede::Doubt doubt;
    EXPECT_EQ(vgetq_lane_f32(doubt.round(neon::ciede::splat(value)), 3), static_cast<float>(value));
    return vgetq_lane_u32(doubt.lanes(), 0) != 0;
  };
  const double unit = std::ldexp(1.0, -23);   // last place of binary32 numbers from 1 to 2
  const double error = std::ldexp(1.0, -38);  // above the largest one of numbers from 1 to 2
  for (const double sign : {-1.0, 1.0}) {
    EXPECT_TRUE(is_in_doubt(sign * (1 + unit / 2)));
    EXPECT_TRUE(is_in_doubt(sign * (1 + unit / 2 - error / 2)));
    EXPECT_TRUE(is_in_doubt(sign * (1 + unit / 2 + error / 2)));
    EXPECT_FALSE(is_in_doubt(sign * (1 + unit / 2 - error * 2)));
    EXPECT_FALSE(is_in_doubt(sign * (1 + unit / 2 + error * 2)));
    EXPECT_FALSE(is_in_doubt(sign));
  }
  EXPECT_FALSE(is_in_doubt(0));
}

}  // namespace
}  // namespace sidecore::test_ciede
