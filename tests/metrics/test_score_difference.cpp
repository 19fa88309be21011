// Tests of differences between scores, and of the logs that scores are read from.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/error.h"
#include "error_text.h"
#include "metrics/result_file.h"
#include "metrics/score_difference.h"
#include "metrics/score_log.h"
#include "temporary_directory.h"

namespace sidecore::metrics::test_score_difference {
namespace {

using ::sidecore::test::error_text;
using ::sidecore::test::TemporaryDirectory;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

ScoreDifference compare(const std::vector<double>& expected, const std::vector<double>& found) {
  std::vector<std::uint64_t> numbers;
  for (std::size_t i = 0; i < expected.size(); ++i) numbers.push_back(10 + 2 * i);
  return difference(numbers, expected, found);
}

TEST(ScoreDifference, IsMaxMeanAndTheFirstFrameThatDiffers) {
  const ScoreDifference found = compare({1, 2, 3, 4}, {1, 2, 3.5, 4.25});
  EXPECT_EQ(found.frames, 4U);
  EXPECT_EQ(found.max, 0.5);
  EXPECT_EQ(found.mean, 0.1875);
  EXPECT_EQ(found.first, 14U);
  EXPECT_FALSE(found.identical());
}

TEST(ScoreDifference, TheLastBitCounts) {
  const ScoreDifference found = compare({1, 0.1}, {1, std::nextafter(0.1, 1)});
  EXPECT_FALSE(found.identical());
  EXPECT_EQ(found.first, 12U);
  EXPECT_GE(found.places(), 16);
}

TEST(ScoreDifference, PlacesAreDigitsBehindThePointThatRoundToZero) {
  EXPECT_TRUE(compare({0}, {4.9e-5}).within(4));
  EXPECT_FALSE(compare({0}, {5.1e-5}).within(4));
  EXPECT_EQ(compare({0}, {5.1e-5}).places(), 3);
  EXPECT_EQ(compare({0}, {4.9e-5}).places(), 4);
  EXPECT_EQ(compare({0}, {7}).places(), -1);
  EXPECT_EQ(compare({1}, {1}).places(), 17);
}

TEST(ScoreDifference, WhatIsNotFiniteIsEqualToItselfAndFarFromTheRest) {
  EXPECT_TRUE(compare({kInfinity, kNan, -kInfinity}, {kInfinity, kNan, -kInfinity}).identical());
  for (const auto& [a, b] : std::vector<std::pair<double, double>>{
           {kInfinity, 60}, {60, kNan}, {kNan, kInfinity}, {kInfinity, -kInfinity}}) {
    EXPECT_EQ(compare({a}, {b}).max, kInfinity);
    EXPECT_EQ(compare({a}, {b}).places(), -1);
  }
}

/// A log in the layout of libvmaf's JSON writer: two features and three frames, the second left out
/// by subsampling.
constexpr const char* kLibvmafLog = R"({
  "version": "3.0.0",
  "fps": 19.93,
  "frames": [
    {
      "frameNum": 0,
      "metrics": {
        "float_psnr": 30.755064,
        "psnr_hvs": null
      }
    },
    {
      "frameNum": 2,
      "metrics": {
        "float_psnr": 29.950000,
        "psnr_hvs": 31.500000
      }
    }
  ],
  "pooled_metrics": {
    "float_psnr": {
      "min": 29.950000,
      "max": 30.755064,
      "mean": 30.352532,
      "harmonic_mean": 30.347364
    }
  },
  "aggregate_metrics": {
  }
}
)";

TEST(ScoreLog, LibvmafsIsRead) {
  const TemporaryDirectory directory;
  directory.write("vmaf.json", kLibvmafLog);
  const ScoreLog log = read_score_log(directory / "vmaf.json");
  EXPECT_EQ(log.version, "3.0.0");
  ASSERT_EQ(log.outputs.size(), 2U);
  EXPECT_EQ(log.outputs.at("float_psnr"), (LoggedScores{{0, 30.755064}, {2, 29.95}}));
  EXPECT_TRUE(std::isnan(log.outputs.at("psnr_hvs").at(0)));
}

TEST(ScoreLog, OursIsReadBackToTheSameBits) {
  ScoreTable table({"float_psnr"});
  table.append(0, std::vector<double>{37.478702034482126});
  table.append(5, std::vector<double>{0.1 + 0.2});
  const TemporaryDirectory directory;
  directory.write("ours.json", format_result(ResultFormat::json, table, {}, std::nullopt));
  EXPECT_EQ(read_score_log(directory / "ours.json").outputs.at("float_psnr"),
            (LoggedScores{{0, 37.478702034482126}, {5, 0.1 + 0.2}}));
}

TEST(ScoreLog, APictureHasAWholeNumber) {
  for (const char* number :
       {"-1", "1.5", "1e300", "-1e300", "18446744073709551616", "true", "\"0\"", "null"}) {
    const std::string text =
        fmt::format(R"({{"frames": [{{"frameNum": {}, "metrics": {{"a": 1}}}}]}})", number);
    EXPECT_EQ(error_text([&] { (void)parse_score_log(text, "log"); }),
              "'log' has a frameNum that is not an integer of at least 0")
        << number;
  }
  const std::string greatest =
      R"({"frames": [{"frameNum": 18446744073709551615, "metrics": {"a": 1}}]})";
  EXPECT_EQ(parse_score_log(greatest, "log").outputs.at("a"),
            (LoggedScores{{std::numeric_limits<std::uint64_t>::max(), 1.0}}));
}

TEST(ScoreLog, BadFilesAreRefusedByName) {
  const TemporaryDirectory directory;
  const auto refusal = [&](const std::string& text) {
    directory.write("log", text);
    return error_text([&] { (void)read_score_log(directory / "log"); });
  };
  EXPECT_NE(refusal("<VMAF>").find("log' is not a JSON log"), std::string::npos);
  for (const char* text : {"{}", "[]", "{\"frames\": 3}", "{\"frames\": [{}]}",
                           "{\"frames\": [{\"frameNum\": 0, \"metrics\": {\"a\": \"b\"}}]}"}) {
    EXPECT_NE(refusal(text).find("does not have frames"), std::string::npos) << text;
  }
  EXPECT_NE(error_text([&] { (void)read_score_log(directory / "missing"); }).find("No such file"),
            std::string::npos);
}

}  // namespace
}  // namespace sidecore::metrics::test_score_difference
