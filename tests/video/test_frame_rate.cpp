// Tests the estimation of frame rates from time stamps.
#include "video/frame_rate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace sidecore::video::test_frame_rate {
namespace {

using Stamps = std::vector<std::int64_t>;

std::string rate_of(FrameRate ticks, const Stamps& stamps) {
  const FrameRate rate = estimate_frame_rate(ticks, stamps);
  return std::to_string(rate.numerator) + ":" + std::to_string(rate.denominator);
}

/// Returns the stamps of `count` frames at a frame rate, each rounded to a tick.
Stamps rounded(double ticks_per_second, double frames_per_second, int count,
               std::int64_t first = 0) {
  Stamps stamps;
  for (int frame = 0; frame < count; ++frame) {
    stamps.push_back(first + std::llround(frame * ticks_per_second / frames_per_second));
  }
  return stamps;
}

TEST(FrameRate, EqualDifferencesGiveIt) {
  EXPECT_EQ(rate_of({1000, 1}, {0, 40, 80, 120}), "25:1");
  EXPECT_EQ(rate_of({30, 1}, {0, 1, 2}), "30:1");
  EXPECT_EQ(rate_of({60, 1}, {0, 2, 4}), "30:1");
  EXPECT_EQ(rate_of({90000, 1}, {0, 3003, 6006}), "30000:1001");
  EXPECT_EQ(rate_of({30000, 1001}, {0, 1, 2}), "30000:1001");
  EXPECT_EQ(rate_of({1000, 1}, {0, 80, 160}), "25:2");
  EXPECT_EQ(rate_of({1, 1}, {0, 10, 20}), "1:10");
}

TEST(FrameRate, TheFirstStampMayBeAny) {
  EXPECT_EQ(rate_of({1000, 1}, {1875, 1915, 1955}), "25:1");
  EXPECT_EQ(rate_of({1000, 1}, {-80, -40, 0, 40}), "25:1");
  constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(rate_of({1000, 1}, {kMin, kMin + 40, kMin + 80}), "25:1");
}

TEST(FrameRate, StampsInMillisecondsAreRoundedOnes) {
  for (const auto& [frames, text] : {std::pair{24.0, "24:1"},
                                     {24000 / 1001.0, "24000:1001"},
                                     {30.0, "30:1"},
                                     {30000 / 1001.0, "30000:1001"},
                                     {60.0, "60:1"},
                                     {60000 / 1001.0, "60000:1001"},
                                     {15.0, "15:1"},
                                     {120.0, "120:1"}}) {
    EXPECT_EQ(rate_of({1000, 1}, rounded(1000, frames, 64)), text);
    EXPECT_EQ(rate_of({1000, 1}, rounded(1000, frames, 64, 7777)), text);
  }
  // Lost packets must not change the result.
  Stamps stamps = rounded(1000, 30, 64);
  stamps.erase(stamps.begin() + 5, stamps.begin() + 9);
  EXPECT_EQ(rate_of({1000, 1}, stamps), "30:1");
}

TEST(FrameRate, OfVariableStampsTheMostCommonDifferenceCounts) {
  EXPECT_EQ(rate_of({1000, 1}, {0, 40, 80, 300, 340, 900}), "25:1");
  EXPECT_EQ(rate_of({1000, 1}, {0, 100, 150, 250, 300}), "20:1")
      << "the smaller of two equally common ones";
  EXPECT_EQ(rate_of({30, 1}, {0, 1, 2, 5, 6}), "30:1");
  EXPECT_EQ(rate_of({1000, 1}, {0, 500}), "2:1");
}

TEST(FrameRate, StampsThatRepeatOrGoBackAreNoDifference) {
  EXPECT_EQ(rate_of({1000, 1}, {0, 0, 40, 40, 80, 80, 80}), "25:1");
  EXPECT_EQ(rate_of({1000, 1}, {0, 80, 40, 80, 120, 160}), "25:1");
}

TEST(FrameRate, WithoutADifferenceATickMayBeAFrame) {
  for (const Stamps& stamps : {Stamps{}, Stamps{1875}, Stamps{5, 5, 5}, Stamps{3, 2, 1}}) {
    EXPECT_EQ(rate_of({30, 1}, stamps), "30:1");
    EXPECT_EQ(rate_of({30000, 1001}, stamps), "30000:1001");
    EXPECT_EQ(rate_of({1000, 1}, stamps), "0:1") << "the frames are too long for a frame rate";
  }
}

TEST(FrameRate, AnUnknownUnitGivesNone) {
  for (const FrameRate ticks : {FrameRate{0, 1}, {30, 0}, {0, 0}, {-30, 1}, {30, -1}}) {
    EXPECT_EQ(rate_of(ticks, {0, 1, 2}), "0:1");
    EXPECT_EQ(rate_of(ticks, {}), "0:1");
  }
}

TEST(FrameRate, WhatFitsNoRateIsUnknown) {
  constexpr int kMax = std::numeric_limits<int>::max();
  constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(rate_of({1, kMax}, {0, 1000000007}), "0:1");
  EXPECT_EQ(rate_of({kMax, 1}, {-kFar, kFar}), "0:1");
  EXPECT_EQ(rate_of({kMax, 1}, {0, 1}), std::to_string(kMax) + ":1");
}

TEST(FrameRate, ADurationInNanosecondsIsTheRateThatItWasRoundedFrom) {
  const auto rate = [](std::uint64_t nanoseconds) {
    const FrameRate found = frame_rate_of_duration(nanoseconds);
    return std::to_string(found.numerator) + ":" + std::to_string(found.denominator);
  };
  EXPECT_EQ(rate(40000000), "25:1");
  EXPECT_EQ(rate(33333333), "30:1");
  EXPECT_EQ(rate(33366667), "30000:1001");
  EXPECT_EQ(rate(41708333), "24000:1001");
  EXPECT_EQ(rate(133333333), "15:2");
  EXPECT_EQ(rate(2000000000), "1:2");
  EXPECT_EQ(frame_rate_of_duration(0).numerator, 0);
  EXPECT_EQ(frame_rate_of_duration(~std::uint64_t{0}).numerator, 0);
}

}  // namespace
}  // namespace sidecore::video::test_frame_rate
