// Tests of sidecore called as `vmaf`: the words, files and exit statuses of libvmaf's command.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/run_command.h"
#include "temporary_directory.h"
#include "video/synthetic_clip.h"
#include "video/y4m_writer.h"

namespace sidecore::test_vmaf_command {
namespace {

using test::CommandResult;

class VmafCommand : public ::testing::Test {
 protected:
  VmafCommand() {
    write("reference.y4m", 3, &video::SyntheticClip::reference);
    write("distorted.y4m", 3, &video::SyntheticClip::distorted);
    write("short.y4m", 2, &video::SyntheticClip::distorted);
  }

  CommandResult vmaf(const std::vector<std::string>& words,
                     const std::string& distorted = "distorted.y4m") const {
    const std::filesystem::path command = SIDECORE_COMMAND;
    std::vector<std::string> argv{
        command.parent_path() / "vmaf", "-r", directory_ / "reference.y4m", "-d",
        directory_ / distorted,         "-o", directory_ / "scores"};
    argv.insert(argv.end(), words.begin(), words.end());
    return test::run_command(argv, {{"SIDECORE_METRICS", "neon"}});
  }
  /// Returns the text of the file after a run that prints nothing.
  std::string text(const std::vector<std::string>& words) const {
    const CommandResult result = vmaf(words);
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.out + result.err, "");
    std::ifstream file(directory_ / "scores");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  nlohmann::json log(std::vector<std::string> words) const {
    words.emplace_back("--json");
    return nlohmann::json::parse(text(words));
  }

 private:
  void write(const char* name, int pictures,
             video::Picture (video::SyntheticClip::*picture)(int) const) const {
    const video::SyntheticClip clip({192, 180, {video::Chroma::c420, 8}});
    video::Y4mWriter writer(directory_ / name, clip.format(), {25, 1});
    for (int t = 0; t < pictures; ++t) writer.write((clip.*picture)(t));
    writer.commit();
  }

  test::TemporaryDirectory directory_;
};

TEST_F(VmafCommand, WritesXmlWithTheModelOfLibvmafByDefault) {
  const std::string xml = text({});
  EXPECT_EQ(xml.find("<VMAF version=\"3.2.0"), 0U);
  EXPECT_NE(xml.find("<frame frameNum=\"2\" "), std::string::npos);
  EXPECT_NE(xml.find(" vmaf=\""), std::string::npos);
  EXPECT_NE(xml.find("integer_vif_scale3=\""), std::string::npos);
}

TEST_F(VmafCommand, ScoresFeaturesModelsAndCollections) {
  const nlohmann::json found =
      log({"-m", "version=vmaf_v0.6.1neg:name=neg:disable_clip", "--model",
           "version=vmaf_b_v0.6.3:name=b:adm.adm_enhn_gain_limit=1.5", "--feature",
           "float_ssim=scale=1:enable_db=true", "--threads", "2", "--subsample", "2", "-q"});
  ASSERT_EQ(found.at("frames").size(), 2);
  const nlohmann::json& metrics = found.at("frames")[1].at("metrics");
  for (const char* const name : {"neg", "b_bagging", "b_ci_p95_lo", "float_ssim",
                                 "integer_adm2_egl_1", "integer_adm2_egl_1.5"}) {
    EXPECT_TRUE(metrics.contains(name)) << name;
  }
}

TEST_F(VmafCommand, KnowsNamedSetsOfFeatures) {
  const nlohmann::json found = log({"--aom_ctc", "v2.0", "--frame_cnt", "1"});
  EXPECT_EQ(found.at("aggregate_metrics").size(), 3);
  for (const char* const name : {"vmaf", "vmaf_neg", "ciede2000", "float_ms_ssim", "psnr_hvs"}) {
    EXPECT_TRUE(found.at("frames")[0].at("metrics").contains(name)) << name;
  }
  EXPECT_EQ(vmaf({"--aom_ctc", "v9.0"}).status, 1);
}

TEST_F(VmafCommand, SkipsPictures) {
  const nlohmann::json all = log({"-n", "--feature", "psnr"});
  const nlohmann::json rest =
      log({"-n", "--feature", "psnr", "--frame_skip_ref", "1", "--frame_skip_dist", "1"});
  ASSERT_EQ(rest.at("frames").size(), 2);
  EXPECT_EQ(rest.at("frames")[1].at("metrics"), all.at("frames")[2].at("metrics"));
}

TEST_F(VmafCommand, ScoresWhatBothClipsHave) {
  const CommandResult result = vmaf({"-n", "--feature", "psnr", "--sub"}, "short.y4m");
  EXPECT_EQ(result.status, 0);
  EXPECT_NE(result.err.find("short.y4m\" ended before \""), std::string::npos) << result.err;
}

TEST_F(VmafCommand, HasTheExitStatusesOfLibvmafsCommand) {
  EXPECT_EQ(vmaf({"--version"}).status, 0);
  EXPECT_EQ(vmaf({"--no_such_word"}).status, 1);
  EXPECT_EQ(vmaf({"--threads", "many"}).status, 1);
  EXPECT_EQ(vmaf({"-m", "version=vmaf_v0.6.1", "-m", "version=vmaf_v0.6.1neg"}).status, 1)
      << "both are named vmaf";
  EXPECT_EQ(vmaf({"-m", "version=none"}).status, 255);
  EXPECT_EQ(vmaf({"--feature", "none"}).status, 255);
  EXPECT_EQ(vmaf({}, "absent.y4m").status, 255);
}

}  // namespace
}  // namespace sidecore::test_vmaf_command
