// `sidecore compare` succeeds silently if all agree, and names each difference and fails otherwise.
// ctest: long
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/random.h"
#include "cli/run_command.h"
#include "temporary_directory.h"
#include "video/picture.h"
#include "video/y4m_writer.h"

namespace sidecore::test_compare_command {
namespace {

using nlohmann::json;
using test::CommandResult;
using test::run_command;

constexpr int kPictures = 4;

class CompareCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    write_noise("a.y4m", 11);
    write_noise("b.y4m", 12);
  }

  void write_noise(const char* name, std::uint64_t seed) const {
    const video::PictureFormat format{67, 45, {video::Chroma::c420, 8}};
    Random random(seed);
    video::Picture picture(format);
    video::Y4mWriter writer(directory_ / name, format, {25, 1});
    for (int i = 0; i < kPictures; ++i) {
      for (std::byte& sample : picture.bytes()) sample = static_cast<std::byte>(random.below(256));
      writer.write(picture);
    }
    writer.commit();
  }

  [[nodiscard]] CommandResult command(std::vector<std::string> arguments) const {
    const std::vector<std::string> clips = {"-r", directory_ / "a.y4m", "-d", directory_ / "b.y4m"};
    arguments.insert(arguments.begin(), SIDECORE_COMMAND);
    arguments.insert(arguments.end(), clips.begin(), clips.end());
    return run_command(arguments);
  }

  [[nodiscard]] json report() const {
    std::ifstream file(directory_ / "report.json");
    return json::parse(file);
  }

  /// Writes sidecore's log of the clips after `change`, and returns its file.
  template <class Change>
  [[nodiscard]] std::string changed_log(const Change& change) const {
    const CommandResult result = command({"metrics", "--backend", "scalar", "-o", "-", "--json"});
    EXPECT_EQ(result.status, 0) << result.err;
    json log = json::parse(result.out);
    change(log);
    return directory_.write("log.json", log.dump());
  }

  test::TemporaryDirectory directory_;
};

TEST_F(CompareCommand, BackendsThatAgreeAreSuccess) {
  const CommandResult result = command({"compare", "--json", directory_ / "report.json"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const json found = report();
  EXPECT_EQ(found.at("schema"), "sidecore-compare");
  EXPECT_EQ(found.at("base"), "scalar");
  ASSERT_EQ(found.at("comparisons").size(), 2U) << "one for neon, one for qpu";
  for (const json& line : found.at("comparisons")) {
    EXPECT_EQ(line.at("metric"), "float_psnr");
    EXPECT_EQ(line.at("frames"), kPictures);
    EXPECT_EQ(line.at("identical"), true);
    EXPECT_EQ(line.at("max"), 0);
    EXPECT_TRUE(line.at("first_frame").is_null());
  }
}

TEST_F(CompareCommand, AWrongShaderIsNoticed) {
  const std::string shaders = directory_ / "shaders";
  std::filesystem::create_directory(shaders);
  std::filesystem::copy_file(SIDECORE_WRONG_FLOAT_PSNR, shaders + "/float_psnr_total.spv");
  const CommandResult result =
      command({"compare", "--shader-dir", shaders, "--json", directory_ / "report.json"});
  EXPECT_EQ(result.status, 1) << result.out;
  EXPECT_EQ(result.err, "sidecore: 1 of 2 comparisons differ by more than allowed\n");
  EXPECT_NE(result.out.find("DIFFERS"), std::string::npos);
  const json found = report().at("comparisons").at(1);
  EXPECT_EQ(found.at("holds"), false);
  EXPECT_GT(found.at("max"), 0.0);
  EXPECT_LT(found.at("max"), 1e-4) << "the sum of squares differs by 1";
  // The scores do not differ in the first three decimal places.
  EXPECT_EQ(command({"compare", "--shader-dir", shaders, "--places", "3"}).status, 0);
}

TEST_F(CompareCommand, ALogThatAgreesIsSuccessAndItsRoundingIsForgiven) {
  const std::string log = changed_log([](json& file) {
    for (json& frame : file.at("frames")) {
      json& score = frame.at("metrics").at("float_psnr");
      score = std::stod(fmt::format("{:.6f}", score.get<double>()));
    }
  });
  const CommandResult result = command({"compare", "--backend", "scalar", "--log", log});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(command({"compare", "--backend", "scalar", "--log", log, "--places", "12"}).status, 1);
}

TEST_F(CompareCommand, TheFirstFrameThatDiffersFromALogIsNamed) {
  const std::string log = changed_log([](json& file) {
    json& score = file.at("frames").at(2).at("metrics").at("float_psnr");
    score = score.get<double>() + 0.25;
  });
  const CommandResult result =
      command({"compare", "--backend", "neon", "--log", log, "--json", directory_ / "report.json"});
  EXPECT_EQ(result.status, 1);
  const json found = report().at("comparisons").at(0);
  EXPECT_EQ(found.at("first_frame"), 2);
  EXPECT_NEAR(found.at("max"), 0.25, 1e-9);
  EXPECT_NEAR(found.at("mean"), 0.25 / kPictures, 1e-9);
  EXPECT_EQ(found.at("places"), 0);
}

TEST_F(CompareCommand, ALogWithoutTheScoresIsRefused) {
  const std::string other = changed_log([](json& file) {
    for (json& frame : file.at("frames")) frame.at("metrics") = {{"vmaf", 90}};
  });
  EXPECT_EQ(command({"compare", "--backend", "neon", "--log", other}).status, 2);
  const std::string shorter = changed_log([](json& file) { file.at("frames").erase(3); });
  const CommandResult result = command({"compare", "--backend", "neon", "--log", shorter});
  EXPECT_EQ(result.status, 2);
  EXPECT_NE(result.err.find("has no score float_psnr for frame 3"), std::string::npos)
      << result.err;
}

TEST_F(CompareCommand, ASubsampleIsComparedWithTheLogsFramesOfTheSameNumbers) {
  const std::string log = changed_log([](json&) {});
  const CommandResult result =
      command({"compare", "--backend", "neon", "--log", log, "--subsample", "3", "--places", "15"});
  EXPECT_EQ(result.status, 0) << result.err;
  EXPECT_NE(result.out.find("2 frames scored by neon"), std::string::npos) << result.out;
}

}  // namespace
}  // namespace sidecore::test_compare_command
