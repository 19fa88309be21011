// `sidecore metrics` on a pair that real codecs made, against FFmpeg's own measurement of it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "metrics/feature_family.h"
#include "qpu/picture_scorer.h"
#include "run_command.h"
#include "temporary_directory.h"

namespace sidecore {
namespace {

using test::CommandResult;
using test::run_command;

constexpr std::size_t kPictures = 6;

class MetricsCommand : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    directory_ = new test::TemporaryDirectory;
    ffmpeg({"-f", "lavfi", "-i", "mandelbrot=size=638x358:rate=25", "-frames:v",
            std::to_string(kPictures), "-pix_fmt", "yuv420p", reference()});
    ffmpeg({"-i", reference(), "-c:v", "libvpx-vp9", "-crf", "45", "-b:v", "0", "-cpu-used", "8",
            distorted()});
  }
  static void TearDownTestSuite() {
    delete directory_;
    directory_ = nullptr;
  }

  static std::string reference() { return *directory_ / "reference.y4m"; }
  static std::string distorted() { return *directory_ / "distorted.webm"; }

  static void ffmpeg(const std::vector<std::string>& arguments) {
    std::vector<std::string> argv = {"ffmpeg", "-v", "error", "-nostdin", "-y"};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    const CommandResult result = run_command(argv);
    ASSERT_EQ(result.status, 0) << result.err;
  }

  /// Luma PSNR of every picture, as the psnr filter prints it: two digits behind the point.
  static std::vector<double> ffmpeg_psnr() {
    const std::string log = *directory_ / "psnr.log";
    ffmpeg({"-i", distorted(), "-i", reference(), "-lavfi", "psnr=stats_file=" + log, "-f", "null",
            "-"});
    std::vector<double> values;
    std::ifstream file(log);
    for (std::string line; std::getline(file, line);) {
      const std::size_t at = line.find("psnr_y:");
      if (at != std::string::npos) values.push_back(std::stod(line.substr(at + 7)));
    }
    return values;
  }

  static nlohmann::json score(const std::string& backend,
                              const std::vector<std::string>& more = {}) {
    const std::string file = *directory_ / (backend + ".json");
    std::vector<std::string> argv = {
        SIDECORE_COMMAND, "metrics",    "-r",        reference(), "-d", distorted(),
        "--feature",      "float_psnr", "--backend", backend,     "-o", file};
    argv.insert(argv.end(), more.begin(), more.end());
    const CommandResult result = run_command(argv);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.err, "") << "progress belongs on a terminal";
    std::ifstream stream(file);
    return nlohmann::json::parse(stream);
  }

  static test::TemporaryDirectory* directory_;
};

test::TemporaryDirectory* MetricsCommand::directory_ = nullptr;

TEST_F(MetricsCommand, FloatPsnrIsFfmpegsPsnrWithinItsPrintedDigits) {
  const std::vector<double> expected = ffmpeg_psnr();
  ASSERT_EQ(expected.size(), kPictures);
  const nlohmann::json result = score("scalar");
  ASSERT_EQ(result.at("frames").size(), kPictures);
  for (std::size_t i = 0; i < kPictures; ++i) {
    const double value = result.at("frames").at(i).at("metrics").at("float_psnr");
    EXPECT_LT(value, 60.0) << "the pair must differ, or the comparison shows nothing";
    EXPECT_LE(std::abs(value - expected[i]), 0.005 + 1e-9) << "picture " << i;
  }
}

/// --feature for each feature that every backend has.
std::vector<std::string> all_features() {
  std::vector<std::string> arguments;
  for (const metrics::FeatureFamily* const family : metrics::families()) {
    for (const metrics::Feature& feature : family->features) {
      if (!qpu::refusal(metrics::parse_feature_request(feature.name)).empty()) continue;
      arguments.insert(arguments.end(), {"--feature", std::string(feature.name)});
    }
  }
  return arguments;
}

TEST_F(MetricsCommand, EveryBackendPrintsTheSameDigitsOfEveryFeature) {
  const nlohmann::json scalar = score("scalar", all_features());
  for (const char* backend : {"neon", "qpu"}) {
    const nlohmann::json other = score(backend, all_features());
    if (std::string(backend) == "qpu") {
      EXPECT_EQ(other.at("sidecore").at("submits_per_picture"), 1) << "for all features together";
    }
    EXPECT_EQ(other.at("frames"), scalar.at("frames")) << backend;
    EXPECT_EQ(other.at("pooled_metrics"), scalar.at("pooled_metrics")) << backend;
  }
}

TEST_F(MetricsCommand, APairOfPicturesIsOneSubmissionOfIntegerSamples) {
  const nlohmann::json record = score("qpu").at("sidecore");
  EXPECT_EQ(record.at("submits"), kPictures);
  EXPECT_EQ(record.at("submits_per_picture"), 1);
  // Where memory is staged, the two luma planes travel as the bytes they are and nothing else does.
  const std::size_t rows_of_bytes = 2 * 640 * 358;
  EXPECT_LE(record.at("uploaded_bytes").get<std::size_t>(), kPictures * rows_of_bytes);
}

TEST_F(MetricsCommand, ReadsRawFilesAsItReadsY4m) {
  const std::string raw = *directory_ / "reference.yuv";
  ffmpeg({"-i", reference(), "-f", "rawvideo", raw});
  const CommandResult result = run_command(
      {SIDECORE_COMMAND, "metrics", "-r", raw, "-d", raw, "--width", "638", "--height", "358",
       "--pixel_format", "420", "--bitdepth", "8", "--backend", "neon", "--csv", "-o", "-"});
  EXPECT_EQ(result.status, 0) << result.err;
  std::istringstream lines(result.out);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "Frame,float_psnr,");
  std::size_t pictures = 0;
  for (; std::getline(lines, line) && !line.empty(); ++pictures) {
    EXPECT_EQ(line, std::to_string(pictures) + ",60,");
  }
  EXPECT_EQ(pictures, kPictures);
}

TEST_F(MetricsCommand, SubsampledFramesKeepTheirNumbersAndScores) {
  const nlohmann::json all = score("neon");
  const nlohmann::json some = score("neon", {"--subsample", "2", "--frame_cnt", "5"});
  ASSERT_EQ(some.at("frames").size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(some.at("frames").at(i), all.at("frames").at(2 * i));
  }
}

TEST_F(MetricsCommand, SkippedFramesShiftOneClipAgainstTheOther) {
  const nlohmann::json result =
      score("neon", {"--frame_skip_ref", "1", "--frame_skip_dist", "1", "--threads", "3"});
  ASSERT_EQ(result.at("frames").size(), kPictures - 1);
  EXPECT_EQ(result.at("frames").at(0).at("frameNum"), 0);
  EXPECT_EQ(result.at("frames").at(0).at("metrics"),
            score("neon").at("frames").at(1).at("metrics"));
}

TEST_F(MetricsCommand, ReadsStandardInput) {
  const std::string command = std::string(SIDECORE_COMMAND) +
                              " metrics --backend neon -o - --json -r - -d '" + distorted() +
                              "' <'" + reference() + "'";
  const CommandResult result = run_command({"sh", "-c", command});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(nlohmann::json::parse(result.out).at("frames"), score("neon").at("frames"));
}

TEST_F(MetricsCommand, SaysHowExactEachFeatureIsAndWhatTheFirstPictureCost) {
  const test::TemporaryDirectory cache;
  double cost_ms[2];
  std::vector<std::string> argv = {
      SIDECORE_COMMAND, "metrics",   "-r",  reference(),   "-d", distorted(), "-o", "-",
      "--json",         "--backend", "qpu", "--frame_cnt", "1"};
  for (const char* const feature :
       {"float_psnr", "float_ssim", "float_ms_ssim", "psnr_hvs", "float_adm"}) {
    argv.insert(argv.end(), {"--feature", feature});
  }
  for (const auto& [run, state] : {std::pair{0, "cold"}, std::pair{1, "warm"}}) {
    // A cold run finds neither our cache nor Mesa's own, which lies in the same directory.
    const CommandResult result = run_command(argv, {{"XDG_CACHE_HOME", cache.path()}});
    ASSERT_EQ(result.status, 0) << result.err;
    const nlohmann::json record = nlohmann::json::parse(result.out).at("sidecore");
    EXPECT_EQ(record.at("pipeline_cache"), state);
    const std::string exactness = record.at("exactness");
    EXPECT_NE(exactness.find("float_psnr: equal to libvmaf"), std::string::npos) << exactness;
    EXPECT_NE(exactness.find("psnr_hvs: equal to libvmaf"), std::string::npos) << exactness;
    EXPECT_NE(exactness.find("float_adm: "), std::string::npos) << exactness;
    EXPECT_GE(record.at("first_picture_ms"), record.at("start_up_ms"));
    EXPECT_GT(record.at("start_up_ms"), 0.0);
    cost_ms[run] = record.at("first_picture_ms");
  }
  // Shown, not judged: it is the machine's business.
  RecordProperty("first_picture_warm_over_cold", std::to_string(cost_ms[1] / cost_ms[0]));
}

TEST_F(MetricsCommand, TheTableEndsWithHowExactEachFeatureIs) {
  const CommandResult result = run_command({SIDECORE_COMMAND, "metrics", "-r", reference(), "-d",
                                            distorted(), "--backend", "neon", "--precision", "3"});
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(result.out.starts_with("6 frames of 638x358 yuv420p, neon, ")) << result.out;
  EXPECT_TRUE(result.out.ends_with("\nfloat_psnr: equal to libvmaf\n")) << result.out;
}

TEST_F(MetricsCommand, PlotsTheScores) {
  const std::string plot = *directory_ / "plot.svg";
  (void)score("neon", {"--plot", plot});
  std::stringstream svg;
  svg << std::ifstream(plot).rdbuf();
  EXPECT_TRUE(svg.str().starts_with("<svg "));
  EXPECT_NE(svg.str().find("distorted.webm against reference.y4m"), std::string::npos);
}

/// What a user of libvmaf's log computes: the worst frame, and whether the mean is good enough.
struct Judgement {
  std::uint64_t worst_frame = 0;
  double worst = 0;
  double mean = 0;
  double harmonic_mean = 0;
};

Judgement judge(const nlohmann::json& log, const std::string& metric) {
  Judgement judgement;
  for (const nlohmann::json& frame : log["frames"]) {
    const double score = frame["metrics"][metric];
    if (judgement.worst != 0 && score >= judgement.worst) continue;
    judgement.worst = score;
    judgement.worst_frame = frame["frameNum"];
  }
  judgement.mean = log["pooled_metrics"][metric]["mean"];
  judgement.harmonic_mean = log["pooled_metrics"][metric]["harmonic_mean"];
  return judgement;
}

/// A log as libvmaf lays it out.
constexpr const char* kLibvmafLog = R"({
  "version": "3.0.0",
  "fps": 24.71,
  "frames": [
    {"frameNum": 0, "metrics": {"float_psnr": 34.500000}},
    {"frameNum": 1, "metrics": {"float_psnr": 33.250000}}
  ],
  "pooled_metrics": {
    "float_psnr": {"min": 33.250000, "max": 34.500000, "mean": 33.875000, "harmonic_mean": 33.863796}
  },
  "aggregate_metrics": {
  }
})";

TEST_F(MetricsCommand, AScriptForLibvmafsLogReadsOurs) {
  const Judgement theirs = judge(nlohmann::json::parse(kLibvmafLog), "float_psnr");
  EXPECT_EQ(theirs.worst_frame, 1U);
  EXPECT_EQ(theirs.mean, 33.875);
  const nlohmann::json log = score("neon");
  const Judgement ours = judge(log, "float_psnr");
  EXPECT_EQ(ours.worst, log["pooled_metrics"]["float_psnr"]["min"]);
  EXPECT_LT(ours.worst, ours.harmonic_mean);
  EXPECT_LT(ours.harmonic_mean, ours.mean);
}

/// Whether `ours` has all that `theirs` has: members of objects, types, the shape of array
/// elements.
void expect_shape(const nlohmann::json& theirs, const nlohmann::json& ours, const std::string& at) {
  EXPECT_STREQ(ours.type_name(), theirs.type_name()) << at;
  if (theirs.is_object()) {
    for (const auto& [name, value] : theirs.items()) {
      ASSERT_TRUE(ours.contains(name)) << at << "/" << name;
      expect_shape(value, ours.at(name), fmt::format("{}/{}", at, name));
    }
  } else if (theirs.is_array()) {
    for (const nlohmann::json& element : ours) expect_shape(theirs.front(), element, at + "[]");
  }
}

TEST_F(MetricsCommand, TheLogHasEverythingThatLibvmafsHas) {
  expect_shape(nlohmann::json::parse(kLibvmafLog), score("neon"), "");
}

}  // namespace
}  // namespace sidecore
