// `sidecore metrics` on a pair that real codecs made, against FFmpeg's own measurement of it.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

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

  static nlohmann::json score(const std::string& backend) {
    const std::string file = *directory_ / (backend + ".json");
    const CommandResult result =
        run_command({SIDECORE_COMMAND, "metrics", "-r", reference(), "-d", distorted(), "--feature",
                     "float_psnr", "--backend", backend, "-o", file});
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

TEST_F(MetricsCommand, EveryBackendPrintsTheSameDigits) {
  const nlohmann::json scalar = score("scalar");
  for (const char* backend : {"neon", "qpu"}) {
    const nlohmann::json other = score(backend);
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

}  // namespace
}  // namespace sidecore
