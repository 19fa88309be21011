// Tests of `sidecore metrics` on a pair of clips made by real codecs, compared with FFmpeg's PSNR.
// ctest: long
// Under sanitizers these tests take long, and they run the same code as test_features_agree_qpu.
// ctest: unsanitized *SaysHowExact*:*APairOfPicturesIsOneSubmission*:*EveryBackendPrintsTheSameDigits*
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "cli/run_command.h"
#include "metrics/feature_family.h"
#include "metrics/golden.h"
#include "qpu/metrics/picture_scorer.h"
#include "temporary_directory.h"
#include "video/synthetic_clip.h"
#include "video/y4m_writer.h"

namespace sidecore::test_metrics_command {
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

  /// Returns the luma PSNR of every picture from FFmpeg's psnr filter, with two decimal places.
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

  static nlohmann::json score(const std::string& backend, const std::vector<std::string>& more = {},
                              const test::Environment& changes = {}) {
    const std::string file = *directory_ / (backend + ".json");
    std::vector<std::string> argv = {
        SIDECORE_COMMAND, "metrics",    "-r",        reference(), "-d", distorted(),
        "--feature",      "float_psnr", "--backend", backend,     "-o", file};
    argv.insert(argv.end(), more.begin(), more.end());
    const CommandResult result = run_command(argv, changes);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.err, "") << "progress is for terminals only";
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
    EXPECT_LT(value, 60.0) << "the clips must differ, or the test compares nothing";
    EXPECT_LE(std::abs(value - expected[i]), 0.005 + 1e-9) << "picture " << i;
  }
}

/// Returns --feature arguments for each feature that every backend has.
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
    const nlohmann::json other = score(backend, all_features(), test::heard_by_validation());
    EXPECT_EQ(other.at("frames"), scalar.at("frames")) << backend;
    EXPECT_EQ(other.at("pooled_metrics"), scalar.at("pooled_metrics")) << backend;
  }
}

TEST_F(MetricsCommand, APairOfPicturesIsOneSubmissionOfAllFeatures) {
  // cambi is left out, because it needs a second submission if the order of adding its contrasts
  // matters.
  std::vector<std::string> features = all_features();
  const auto cambi = std::ranges::find(features, "cambi");
  ASSERT_NE(cambi, features.end());
  features.erase(cambi - 1, cambi + 1);
  EXPECT_EQ(score("qpu", features).at("sidecore").at("submits_per_picture"), 1);
  const double with_cambi = score("qpu", all_features()).at("sidecore").at("submits_per_picture");
  EXPECT_GE(with_cambi, 1);
  EXPECT_LE(with_cambi, 2);
}

TEST_F(MetricsCommand, APairOfPicturesIsOneSubmissionOfIntegerSamples) {
  const nlohmann::json record = score("qpu").at("sidecore");
  EXPECT_EQ(record.at("submits"), kPictures);
  EXPECT_EQ(record.at("submits_per_picture"), 1);
  // With staged memory, only the bytes of the two luma planes are uploaded.
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

TEST_F(MetricsCommand, ShortOptionsAreThoseOfTheVmafCommand) {
  const std::string raw = *directory_ / "short.yuv";
  ffmpeg({"-i", reference(), "-f", "rawvideo", raw});
  const CommandResult result = run_command({SIDECORE_COMMAND,
                                            "metrics",
                                            "-r",
                                            raw,
                                            "-d",
                                            raw,
                                            "-w",
                                            "638",
                                            "-h",
                                            "358",
                                            "-p",
                                            "420",
                                            "-b",
                                            "8",
                                            "-m",
                                            "version=vmaf_v0.6.1",
                                            "-q",
                                            "--csv",
                                            "-o",
                                            "-"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("\n5,"), std::string::npos) << result.out;
  EXPECT_EQ(run_command({SIDECORE_COMMAND, "metrics", "--help"}).status, 0);
}

TEST_F(MetricsCommand, SubsampledFramesKeepTheirNumbersAndScores) {
  const nlohmann::json all = score("neon");
  const nlohmann::json some = score("neon", {"--subsample", "2", "--frame_cnt", "5"});
  ASSERT_EQ(some.at("frames").size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(some.at("frames").at(i), all.at("frames").at(2 * i));
  }
}

// 0 means the default, as for the vmaf command.
TEST_F(MetricsCommand, ZeroMeansTheDefault) {
  const nlohmann::json all = score("neon");
  const nlohmann::json same =
      score("neon", {"--subsample", "0", "--frame_cnt", "0", "--threads", "0"});
  EXPECT_EQ(same.at("frames"), all.at("frames"));
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

TEST_F(MetricsCommand, PrintsNothingBesideADocumentOnStandardOutput) {
  for (const auto& [option, beginning] : {std::pair{"-o", "{"}, std::pair{"--plot", "<svg"}}) {
    for (const char* const name : {"-", "/dev/stdout", "/proc/self/fd/1"}) {
      const CommandResult result =
          run_command({SIDECORE_COMMAND, "metrics", "-r", reference(), "-d", distorted(),
                       "--backend", "neon", option, name});
      ASSERT_EQ(result.status, 0) << result.err;
      EXPECT_TRUE(result.out.starts_with(beginning))
          << option << " " << name << ": " << result.out.substr(0, 200);
      EXPECT_EQ(result.out.find("float_psnr: equal to libvmaf\n"), std::string::npos) << result.out;
    }
  }
  EXPECT_EQ(run_command({SIDECORE_COMMAND, "metrics", "-r", reference(), "-d", distorted(), "-o",
                         "-", "--plot", "/dev/stdout"})
                .err,
            "sidecore: --output and --plot cannot both go to standard output\n");
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
    // A cold run finds neither sidecore's cache nor Mesa's, which is in the same directory.
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
  // The ratio is recorded but not checked, because it depends on the machine.
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

/// Figures that a user computes from libvmaf's log: the worst frame, and if the mean suffices.
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

/// Returns the log that libvmaf would write for a golden clip, in its layout and with its six
/// digits.
std::string libvmafs_log(const test::Golden& golden, const std::vector<std::string>& metrics) {
  const auto joined = [](const auto& range, auto&& print) {
    std::string text;
    for (const auto& element : range) text += (text.empty() ? "" : ",\n") + print(element);
    return text;
  };
  std::vector<int> numbers(static_cast<std::size_t>(golden.pictures));
  std::iota(numbers.begin(), numbers.end(), 0);
  const std::string frames = joined(numbers, [&](int number) {
    return fmt::format(R"({{"frameNum": {}, "metrics": {{{}}}}})", number,
                       joined(metrics, [&](const std::string& metric) {
                         return fmt::format(
                             R"("{}": {:.6f})", metric,
                             golden.scores(metric)[static_cast<std::size_t>(number)]);
                       }));
  });
  const std::string pooled = joined(metrics, [&](const std::string& metric) {
    const std::vector<double> scores = golden.scores(metric);
    const auto count = static_cast<double>(scores.size());
    double sum = 0;
    double reciprocals = 0;
    for (const double score : scores) {
      sum += score;
      reciprocals += 1 / (score + 1);
    }
    return fmt::format(
        R"("{}": {{"min": {:.6f}, "max": {:.6f}, "mean": {:.6f}, "harmonic_mean": {:.6f}}})",
        metric, *std::ranges::min_element(scores), *std::ranges::max_element(scores), sum / count,
        count / reciprocals - 1);
  });
  return fmt::format(
      R"({{"version": "3.2.0", "fps": 24.71, "frames": [{}], "pooled_metrics": {{{}}},)"
      R"("aggregate_metrics": {{}}}})",
      frames, pooled);
}

/// Expects `ours` to have everything that `theirs` has: members of objects, types, and the shape of
/// array elements.
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

/// Returns libvmaf's names of all outputs of our features, except those of its debug options.
const std::vector<std::string>& libvmafs_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = {
        "float_psnr", "psnr_hvs_y",   "psnr_hvs_cb",  "psnr_hvs_cr",  "psnr_hvs",     "adm2",
        "aim",        "adm3",         "adm_scale0",   "adm_scale1",   "adm_scale2",   "adm_scale3",
        "float_ssim", "float_ssim_l", "float_ssim_c", "float_ssim_s", "float_ms_ssim"};
    for (const char* const part : {"l", "c", "s"}) {
      for (int scale = 0; scale < 5; ++scale) {
        all.push_back(fmt::format("float_ms_ssim_{}_scale{}", part, scale));
      }
    }
    return all;
  }();
  return names;
}

/// Returns sidecore's log of a golden clip, with further arguments.
nlohmann::json our_log(const test::Golden& golden, const test::TemporaryDirectory& directory,
                       const std::vector<std::string>& more) {
  const video::SyntheticClip clip(golden.format);
  video::Y4mWriter references(directory / "golden_reference.y4m", golden.format, {25, 1});
  video::Y4mWriter distorted(directory / "golden_distorted.y4m", golden.format, {25, 1});
  for (int t = 0; t < golden.pictures; ++t) {
    references.write(clip.reference(t));
    distorted.write(clip.distorted(t));
  }
  references.commit();
  distorted.commit();
  std::vector<std::string> argv = {SIDECORE_COMMAND,
                                   "metrics",
                                   "-r",
                                   directory / "golden_reference.y4m",
                                   "-d",
                                   directory / "golden_distorted.y4m",
                                   "--backend",
                                   "neon",
                                   "--json",
                                   "-o",
                                   "-"};
  argv.insert(argv.end(), more.begin(), more.end());
  const CommandResult result = run_command(argv);
  EXPECT_EQ(result.status, 0) << result.err;
  return nlohmann::json::parse(result.out);
}

class LibvmafsLog : public ::testing::Test {
 protected:
  const test::TemporaryDirectory directory_;
  const test::Golden golden_ =
      test::load_goldens().at(1);  // the smallest clip; its three planes have the same size
  const nlohmann::json theirs_ = nlohmann::json::parse(libvmafs_log(golden_, libvmafs_names()));
  const nlohmann::json ours_ =
      our_log(golden_, directory_,
              {"--feature", "float_psnr", "--feature", "float_ssim=enable_lcs=true", "--feature",
               "float_ms_ssim=enable_lcs=true", "--feature", "psnr_hvs", "--feature", "float_adm"});
};

TEST_F(LibvmafsLog, HasNothingThatOursHasNot) {
  ASSERT_EQ(golden_.name, "s352_8b444");
  ASSERT_EQ(ours_.at("frames").size(), theirs_.at("frames").size());
  expect_shape(theirs_, ours_, "");
}

TEST_F(LibvmafsLog, LeadsAScriptToTheSameJudgementsAsOurs) {
  for (const std::string& metric : libvmafs_names()) {
    const Judgement theirs = judge(theirs_, metric);
    const Judgement ours = judge(ours_, metric);
    // Two frames may be equal in the six printed digits.
    const double there = ours_.at("frames").at(theirs.worst_frame).at("metrics").at(metric);
    EXPECT_NEAR(there, ours.worst, 1e-6) << metric;
    // The tolerance covers that libvmaf prints only six digits, and that float_adm differs slightly
    // between processors.
    EXPECT_NEAR(ours.worst, theirs.worst, 0.7e-6) << metric;
    EXPECT_NEAR(ours.mean, theirs.mean, 0.7e-6) << metric;
    EXPECT_NEAR(ours.harmonic_mean, theirs.harmonic_mean, 0.7e-6) << metric;
    EXPECT_EQ(ours.worst, ours_.at("pooled_metrics").at(metric).at("min")) << metric;
  }
}

TEST(VmafsLog, OfAModelIsOurs) {
  const test::TemporaryDirectory directory;
  test::Golden golden = test::load_goldens().at(1);
  ASSERT_EQ(golden.name, "s352_8b444");
  golden.pictures = 2;
  const nlohmann::json ours =
      our_log(golden, directory,
              {"--model", "version=vmaf_v1.0.16_5d0h", "--precision", "6", "--threads", "2"});
  std::ifstream file(std::string(SIDECORE_TEST_DATA) + "/vmaf_log.json");
  const nlohmann::json theirs = nlohmann::json::parse(file);
  for (const auto& [member, value] : theirs.items()) {
    ASSERT_TRUE(ours.contains(member)) << member;
    EXPECT_EQ(ours.at(member).type(), value.type()) << member;
    if (member != "version" && member != "fps") {
      EXPECT_EQ(ours.at(member), value) << member;
    }
  }
  const CommandResult compared = run_command(
      {SIDECORE_COMMAND, "compare", "-r", directory / "golden_reference.y4m", "-d",
       directory / "golden_distorted.y4m", "--backend", "neon", "--model",
       "version=vmaf_v1.0.16_5d0h", "--log", std::string(SIDECORE_TEST_DATA) + "/vmaf_log.json"});
  EXPECT_EQ(compared.status, 0) << compared.err;
  EXPECT_NE(compared.out.find("  vmaf  "), std::string::npos) << compared.out;
}

}  // namespace
}  // namespace sidecore::test_metrics_command
