// Result files have the vmaf command's format, and pooled scores equal libvmaf's.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "metrics/pooling.h"
#include "metrics/result_file.h"

namespace sidecore::metrics::test_result_file {
namespace {

using nlohmann::json;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

ScoreTable make_table(const std::vector<std::string>& names,
                      const std::vector<std::vector<double>>& pictures) {
  ScoreTable table(names);
  for (const std::vector<double>& scores : pictures) table.append(table.pictures(), scores);
  return table;
}

const ScoreTable kTwoFeatures =
    make_table({"float_psnr", "psnr_hvs_cb"}, {{37.478702034482126, 40.5}, {60, 41.25}});
const RunFacts kFacts{
    "1.2.3", 123.456, 576, 324, {{"backend", "qpu"}, {"submits", std::uint64_t{2}}, {"ms", 0.5}}};

TEST(Pooling, IsMinMaxMeanAndHarmonicMean) {
  const std::vector<double> scores{3, 1, 7};
  const Pooled pooled = pool(scores);
  EXPECT_EQ(pooled.min, 1);
  EXPECT_EQ(pooled.max, 7);
  EXPECT_DOUBLE_EQ(pooled.mean, 11.0 / 3);
  EXPECT_DOUBLE_EQ(pooled.harmonic_mean, 3 / (1.0 / 4 + 1.0 / 2 + 1.0 / 8) - 1);
}

TEST(Pooling, AScoreOfZeroDoesNotMakeTheHarmonicMeanZero) {
  EXPECT_DOUBLE_EQ(pool(std::vector<double>{0, 1}).harmonic_mean, 2 / 1.5 - 1);
}

TEST(Pooling, AnInfinityIsTheMaximumAndTheMeanButNotTheHarmonicMean) {
  const Pooled pooled = pool(std::vector<double>{1, kInfinity});
  EXPECT_EQ(pooled.min, 1);
  EXPECT_EQ(pooled.max, kInfinity);
  EXPECT_EQ(pooled.mean, kInfinity);
  EXPECT_DOUBLE_EQ(pooled.harmonic_mean, 3);
}

TEST(Pooling, ANanMakesTheMeansNan) {
  const Pooled later = pool(std::vector<double>{2, kNan, 1});
  EXPECT_TRUE(std::isnan(later.mean));
  EXPECT_TRUE(std::isnan(later.harmonic_mean));
  EXPECT_EQ(later.min, 1);
  EXPECT_EQ(later.max, 2);
  EXPECT_TRUE(std::isnan(pool(std::vector<double>{kNan, 1}).min));
}

TEST(Pooling, OfNothingIsRefused) {
  EXPECT_THROW((void)pool({}), Error);
}

TEST(ResultFile, JsonHasTheMembersOfTheVmafCommands) {
  const json file = json::parse(format_result(ResultFormat::json, kTwoFeatures, kFacts, {}));
  EXPECT_EQ(file.at("version"), "1.2.3");
  EXPECT_EQ(file.at("fps"), 123.46);
  ASSERT_EQ(file.at("frames").size(), 2U);
  EXPECT_EQ(file.at("frames")[1].at("frameNum"), 1);
  EXPECT_EQ(file.at("frames")[0].at("metrics").at("float_psnr"), 37.478702034482126);
  EXPECT_EQ(file.at("frames")[1].at("metrics").at("psnr_hvs_cb"), 41.25);
  const json& pooled = file.at("pooled_metrics").at("float_psnr");
  const Pooled expected = pool(kTwoFeatures.column(0));
  EXPECT_EQ(pooled.at("min"), expected.min);
  EXPECT_EQ(pooled.at("max"), expected.max);
  EXPECT_EQ(pooled.at("mean"), expected.mean);
  EXPECT_EQ(pooled.at("harmonic_mean"), expected.harmonic_mean);
  EXPECT_TRUE(file.at("aggregate_metrics").is_object());
  EXPECT_EQ(file.at("sidecore"), json::parse(R"({"backend": "qpu", "submits": 2, "ms": 0.5})"));
}

TEST(ResultFile, JsonHasNullForWhatIsNotFinite) {
  const ScoreTable table = make_table({"psnr_hvs"}, {{kInfinity}, {40.0}});
  const json file = json::parse(format_result(ResultFormat::json, table, kFacts, {}));
  EXPECT_TRUE(file.at("frames")[0].at("metrics").at("psnr_hvs").is_null());
  EXPECT_TRUE(file.at("pooled_metrics").at("psnr_hvs").at("mean").is_null());
  EXPECT_EQ(file.at("pooled_metrics").at("psnr_hvs").at("min"), 40);
}

TEST(ResultFile, JsonTextIsEscapedAndAlwaysUtf8) {
  RunFacts facts = kFacts;
  facts.sidecore = {{"device", "a \"b\" \\ \n \xff"}};
  const json file = json::parse(format_result(ResultFormat::json, kTwoFeatures, facts, {}));
  EXPECT_EQ(file.at("sidecore").at("device"), "a \"b\" \\ \n \xef\xbf\xbd");
}

TEST(ResultFile, XmlIsTheVmafCommands) {
  const ScoreTable table = make_table({"float_psnr", "float_ssim"}, {{40, 0.5}, {20, 1}});
  EXPECT_EQ(format_result(ResultFormat::xml, table, kFacts, 6),
            "<VMAF version=\"1.2.3\">\n"
            "  <params qualityWidth=\"576\" qualityHeight=\"324\" />\n"
            "  <fyi fps=\"123.46\" />\n"
            "  <frames>\n"
            "    <frame frameNum=\"0\" float_psnr=\"40.000000\" float_ssim=\"0.500000\" />\n"
            "    <frame frameNum=\"1\" float_psnr=\"20.000000\" float_ssim=\"1.000000\" />\n"
            "  </frames>\n"
            "  <pooled_metrics>\n"
            "    <metric name=\"float_psnr\" min=\"20.000000\" max=\"40.000000\" "
            "mean=\"30.000000\" harmonic_mean=\"26.774194\" />\n"
            "    <metric name=\"float_ssim\" min=\"0.500000\" max=\"1.000000\" "
            "mean=\"0.750000\" harmonic_mean=\"0.714286\" />\n"
            "  </pooled_metrics>\n"
            "  <aggregate_metrics />\n"
            "</VMAF>\n");
}

TEST(ResultFile, CsvIsTheVmafCommands) {
  EXPECT_EQ(format_result(ResultFormat::csv, kTwoFeatures, kFacts, 6),
            "Frame,float_psnr,psnr_hvs_cb,\n"
            "0,37.478702,40.500000,\n"
            "1,60.000000,41.250000,\n");
}

TEST(ResultFile, ScoresAreReadBackBitForBit) {
  const std::uint64_t seed = 6;
  Random random(seed);
  for (int i = 0; i < 1000; ++i) {
    const double score = (static_cast<double>(random()) + 1) / (static_cast<double>(random()) + 1);
    EXPECT_EQ(std::stod(format_score(score, {})), score) << "seed " << seed << ", number " << i;
  }
  EXPECT_EQ(format_score(0.1, {}), "0.1");
  EXPECT_EQ(format_score(60, {}), "60");
  EXPECT_EQ(format_score(-kInfinity, {}), "-inf");
  EXPECT_EQ(format_score(kNan, 3), "nan");
}

TEST(ResultFile, TheFormatFollowsTheExtension) {
  EXPECT_EQ(format_of_extension("a/b.json"), ResultFormat::json);
  EXPECT_EQ(format_of_extension("b.XML"), ResultFormat::xml);
  EXPECT_EQ(format_of_extension("b.csv"), ResultFormat::csv);
  EXPECT_EQ(format_of_extension("b.txt"), std::nullopt);
  EXPECT_EQ(format_of_extension("json"), std::nullopt);
}

TEST(ResultFile, AClipWithoutPicturesIsRefused) {
  EXPECT_THROW((void)format_result(ResultFormat::csv, ScoreTable({"float_psnr"}), kFacts, {}),
               Error);
}

}  // namespace
}  // namespace sidecore::metrics::test_result_file
