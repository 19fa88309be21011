// `sidecore gate` as a user runs it.
// ctest: streams, long
// Under sanitizers these tests take long, and they run the same code as other tests.
// ctest: unsanitized *AllKernelsOfAClip*:*TheEdgesAreItsOwn*:*TheWholeBackEndIsPlayed*
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/run_command.h"
#include "kernels/registry.h"
#include "temporary_directory.h"

namespace sidecore::test_gate_command {
namespace {

constexpr const char* kSchemaCheck = SIDECORE_ROOT "/tests/check_results_schema.py";

using test::CommandResult;

class GateCommand : public ::testing::Test {
 protected:
  CommandResult gate(const std::vector<std::string>& arguments,
                     const test::Environment& changes = {}) {
    std::vector<std::string> argv = {SIDECORE_COMMAND, "gate", "loop_filter", "--size",    "256x64",
                                     "--seed",         "7",    "--json",      result_file_};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return test::run_command(argv, changes);
  }

  nlohmann::json result() const {
    std::ifstream file(result_file_);
    return nlohmann::json::parse(file);
  }

  /// Returns the MD5 that vpxdec computed for a stream of the corpus.
  static std::string read_md5(const std::string& stream) {
    std::ifstream file(std::string(SIDECORE_VP9_CORPUS) + "/" + stream + ".md5");
    std::string md5;
    file >> md5;
    return md5;
  }

  test::TemporaryDirectory directory_;
  std::string result_file_ = directory_ / "gate.json";
};

TEST_F(GateCommand, AShaderThatRoundsWronglyFailsM1) {
  const std::string shaders = directory_ / "shaders";
  std::filesystem::create_directory(shaders);
  std::filesystem::copy_file(SIDECORE_WRONG_LOOP_FILTER, shaders + "/loop_filter.spv");
  const CommandResult run =
      gate({"--gates", "m1", "--content", "high_variance", "--shader-dir", shaders});
  EXPECT_EQ(run.status, 1) << run.err;
  EXPECT_EQ(run.err, "sidecore: M1 failed: an implementation differs from the scalar definition\n");
  EXPECT_NE(run.out.find("qpu levels"), std::string::npos);
  EXPECT_NE(run.out.find("FAIL"), std::string::npos) << run.out;
  EXPECT_EQ(result().at("schema"), "sidecore-gate");
}

TEST_F(GateCommand, TheSameRunWithTheRealShaderPasses) {
  const CommandResult run = gate({"--gates", "m1", "--content", "high_variance"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "") << "progress is shown on a terminal only";
  EXPECT_NE(run.out.find("100.0000"), std::string::npos);
  EXPECT_EQ(run.out.find("FAIL"), std::string::npos) << run.out;
}

TEST_F(GateCommand, OfAVp9StreamTheEdgesAreItsOwn) {
  const std::string clip = SIDECORE_VP9_CORPUS "/tile-rows.ivf";
  const CommandResult run = gate({"--quick", "--window", "0.02", "--rounds", "1", "--content",
                                  "input", "--input", clip, "--device", "cpu"});
  EXPECT_EQ(run.status, 0) << run.err;
  for (const std::string& part :
       {std::string("tile-rows.ivf  qpu levels"), "frame 0 of '" + clip + "'",
        std::string("6 pictures and 7 frames"), std::string("6 submissions, 6 fence waits"),
        "scalar decoder's: MD5 " + read_md5("tile-rows")}) {
    EXPECT_NE(run.out.find(part), std::string::npos) << part << "\n" << run.out;
  }
  const CommandResult schema =
      test::run_command({SIDECORE_PYTHON, kSchemaCheck, SIDECORE_COMMAND, "gate", result_file_});
  EXPECT_EQ(schema.status, 0) << schema.err;
}

// These streams have superblock waves of another form than 4:2:0, because 4:2:2 and 4:4:0 halve
// chroma in one direction only.
TEST_F(GateCommand, EveryChromaSamplingOfAStreamIsFilteredRight) {
  for (const std::string stream : {"profile-1-422", "profile-1-440", "profile-3-422-12"}) {
    const CommandResult run = gate({"--gates", "m1", "--content", "input", "--input",
                                    SIDECORE_VP9_CORPUS "/" + stream + ".ivf", "--device", "cpu"});
    EXPECT_EQ(run.status, 0) << stream << run.err;
    EXPECT_NE(run.out.find("qpu waves"), std::string::npos) << run.out;
  }
}

TEST_F(GateCommand, TheWholeBackEndIsPlayedOnEitherProcessorAndDivided) {
  const std::string clip = SIDECORE_VP9_CORPUS "/tile-rows.ivf";
  const CommandResult run = test::run_command(
      {SIDECORE_COMMAND, "gate", "vp9_back_end", "--gates", "m4", "--window", "0.02", "--rounds",
       "1", "--fps", "60", "--input", clip, "--device", "cpu", "--json", result_file_});
  EXPECT_EQ(run.status, 0) << run.err;
  for (const std::string& part :
       {std::string("  qpu  "), std::string("  divided  "), std::string("at 60 pictures/s"),
        std::string("its work is included: no verdict"),
        "scalar decoder's: MD5 " + read_md5("tile-rows")}) {
    EXPECT_NE(run.out.find(part), std::string::npos) << part << "\n" << run.out;
  }
  EXPECT_EQ(run.out.find("branches"), std::string::npos)
      << "there are no time windows of single kernels";
  const nlohmann::json content = result().at("kernels").at(0).at("m4").at("contents").at(0);
  const nlohmann::json player = content.at("player");
  EXPECT_TRUE(player.at("pay_off").is_null()) << "the Vulkan device is a CPU";
  EXPECT_EQ(player.at("mixed_plan"), "qpu");
  EXPECT_EQ(player.at("divided").at("md5"), read_md5("tile-rows"));
  EXPECT_EQ(player.at("paced").at("divided").at("pictures"), 6);
  const CommandResult schema =
      test::run_command({SIDECORE_PYTHON, kSchemaCheck, SIDECORE_COMMAND, "gate", result_file_});
  EXPECT_EQ(schema.status, 0) << schema.err;
  const std::string page = directory_ / "report.html";
  const CommandResult report =
      test::run_command({SIDECORE_COMMAND, "report", result_file_, "-o", page});
  EXPECT_EQ(report.status, 0) << report.err;
}

TEST_F(GateCommand, SamplesOfHighBitDepthAreJudgedAndPlayedToo) {
  const std::string clip = SIDECORE_VP9_CORPUS "/profile-2-10.ivf";
  const CommandResult run = gate({"--quick", "--window", "0.02", "--rounds", "1", "--content",
                                  "input", "--input", clip, "--device", "cpu"});
  EXPECT_EQ(run.status, 0) << run.err;
  for (const std::string& part :
       {std::string("profile-2-10.ivf  qpu levels"), std::string("100.0000"),
        "scalar decoder's: MD5 " + read_md5("profile-2-10")}) {
    EXPECT_NE(run.out.find(part), std::string::npos) << part << "\n" << run.out;
  }
  const nlohmann::json kernel = result().at("kernels").at(0);
  EXPECT_EQ(kernel.at("variants").at(0).at("name"), "levels");
  EXPECT_EQ(kernel.at("variants").size(), 2U);
  EXPECT_EQ(kernel.at("m2").at("contents").at(0).at("runs").size(), 2U)
      << "variants levels and waves";
}

TEST_F(GateCommand, OfAllKernelsThoseRunThatTheClipSuits) {
  const auto all = [this](const std::string& clip) {
    return test::run_command({SIDECORE_COMMAND, "gate", "all", "--gates", "m5", "--quick",
                              "--device", "cpu", "--content", "input", "--input", clip, "--json",
                              result_file_});
  };
  const CommandResult run = all(SIDECORE_VP9_CORPUS "/alt-ref.ivf");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err,
            "left out: cambi needs pictures of at least 216 samples on one side, not 176x144\n");
  const CommandResult none = all(directory_ / "nothing.ivf");
  EXPECT_EQ(none.status, 2);
  EXPECT_EQ(std::ranges::count(none.err, '\n'), 1) << none.err;
}

// Runs everything that the first run on a board does, on the smallest clip that suits every kernel
// except cambi.
TEST_F(GateCommand, AllKernelsOfAClipAreWeighedBesideWhatADecoderDoesMeanwhile) {
  const std::string clip = SIDECORE_VP9_CORPUS "/alt-ref.ivf";
  const CommandResult run = test::run_command(
      {SIDECORE_COMMAND, "gate",     "all",      "--input",  clip,     "--fps",     "30",
       "--quick",        "--window", "0.02",     "--rounds", "1",      "--frames",  "6",
       "--gates",        "m4",       "--device", "cpu",      "--json", result_file_});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("correctness only"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("at 30 pictures/s"), std::string::npos) << run.out;
  std::map<std::string, std::string> beside;
  std::map<std::string, bool> plays;
  const nlohmann::json document = result();
  for (const nlohmann::json& kernel : document.at("kernels")) {
    const nlohmann::json content = kernel.at("m4").at("contents").at(0);
    EXPECT_EQ(content.at("content"), "input");
    beside[kernel.at("name")] = content.value("beside", "");
    plays[kernel.at("name")] = content.contains("player") && !content.at("player").is_null();
  }
  EXPECT_EQ(beside.erase("vp9_back_end"), 1U);
  const std::map<std::string, std::string> in_a_decoder{{"inter_prediction", "inverse_transform"},
                                                        {"inverse_transform", "inter_prediction"},
                                                        {"intra_prediction", "loop_filter"}};
  for (const gates::Kernel& kernel : bench::kernels()) {
    if (kernel.name == "cambi") continue;  // cambi is skipped, because the clip is too small for it
    const std::string name(kernel.name);
    ASSERT_TRUE(beside.contains(name)) << name;
    const auto found = in_a_decoder.find(name);
    const bool filter = name.starts_with("loop_filter");
    EXPECT_EQ(beside[name], found != in_a_decoder.end() ? found->second
                            : filter                    ? "inter_prediction"
                                                        : "loop_filter");
    beside.erase(name);
  }
  EXPECT_TRUE(beside.empty()) << beside.begin()->first;
  for (const char* const stage : {"loop_filter", "inter_prediction", "inverse_transform",
                                  "intra_prediction", "vp9_back_end"}) {
    EXPECT_TRUE(plays[stage]) << stage;
  }
}

TEST_F(GateCommand, APartnerThatHasNothingToDoMakesRoomForAnother) {
  const auto partner = [this](const std::string& input, std::vector<std::string> more) {
    more.insert(more.begin(),
                {SIDECORE_COMMAND, "gate",     "loop_filter", "--quick",  "--window",
                 "0.02",           "--rounds", "1",           "--frames", "1",
                 "--gates",        "m4",       "--device",    "cpu",      "--content",
                 "input",          "--input",  input,         "--json",   result_file_});
    const CommandResult run = test::run_command(more);
    EXPECT_EQ(run.status, 0) << run.err;
    return result().at("kernels").at(0).at("m4").at("contents").at(0).at("beside");
  };
  const std::string intra =
      SIDECORE_VP9_CORPUS "/tile-rows.ivf";  // the first frame of this clip is an intra frame
  EXPECT_EQ(partner(intra, {}), "inverse_transform");
  EXPECT_EQ(partner(intra, {"--beside", "float_psnr"}), "float_psnr");
  const std::string pictures = directory_ / "pictures.y4m";
  ASSERT_EQ(test::run_command({SIDECORE_COMMAND, "decode", intra, "--frames", "2", "-o", pictures})
                .status,
            0);
  EXPECT_EQ(partner(pictures, {}), "inter_prediction");
}

TEST_F(GateCommand, AVp9StreamWithoutEdgesOfTheKernelIsRefused) {
  const std::string clip = SIDECORE_VP9_CORPUS "/no-loop-filter.ivf";
  const CommandResult run = gate({"--input", clip});
  EXPECT_EQ(run.status, 2);
  EXPECT_EQ(run.err, "sidecore: '" + clip + "': none of its 7 frames has an edge to filter\n");
}

// Intra prediction on the QPU reads neighbours from the frame; NEON reads them from copies. Both
// must produce the same frame.
TEST_F(GateCommand, AStageIsMeasuredOnAStreamOnEitherProcessor) {
  const std::string clip = SIDECORE_VP9_CORPUS "/tile-rows.ivf";
  const CommandResult run = test::run_command(
      {SIDECORE_COMMAND, "gate", "intra_prediction", "--quick", "--content", "input", "--input",
       clip, "--frames", "2", "--gates", "m1,m3", "--device", "cpu", "--json", result_file_});
  EXPECT_EQ(run.status, 0) << run.err;
  for (const std::string& part :
       {std::string("tile-rows.ivf  neon"), std::string("tile-rows.ivf  qpu waves"),
        std::string("100.0000"), "of '" + clip + "'"}) {
    EXPECT_NE(run.out.find(part), std::string::npos) << part << "\n" << run.out;
  }
  const nlohmann::json kernel = result().at("kernels").at(0);
  EXPECT_TRUE(kernel.at("m1").at("holds"));
  EXPECT_GE(kernel.at("m3").at("contents").at(0).at("runs").size(), 2U);
  const CommandResult schema =
      test::run_command({SIDECORE_PYTHON, kSchemaCheck, SIDECORE_COMMAND, "gate", result_file_});
  EXPECT_EQ(schema.status, 0) << schema.err;
}

TEST_F(GateCommand, AStageRefusesWhatItCannotRunInALine) {
  const std::string clip = SIDECORE_VP9_CORPUS "/key-frames.ivf";
  const auto refused = [](const std::string& stage, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {SIDECORE_COMMAND, "gate", stage});
    const CommandResult run = test::run_command(arguments);
    EXPECT_EQ(run.status, 2);
    return run.err;
  };
  EXPECT_EQ(refused("inter_prediction", {"--input", clip, "--frames", "1"}),
            "sidecore: '" + clip + "': none of its 1 frames has a block for inter_prediction\n");
  EXPECT_EQ(refused("vp9_back_end", {}), "sidecore: vp9_back_end plays a clip: give --input\n");
}

TEST_F(GateCommand, EveryGateRunsAndACpuDeviceGetsNoPayOff) {
  const CommandResult run =
      gate({"--quick", "--window", "0.02", "--content", "smooth", "--device", "cpu"},
           test::heard_by_validation());
  EXPECT_EQ(run.status, 0) << run.err;
  for (const char* gate_name : {"M1  ", "M2  ", "M3  ", "M4  ", "M5  "}) {
    EXPECT_NE(run.out.find(gate_name), std::string::npos) << gate_name;
  }
  EXPECT_NE(run.out.find("correctness only"), std::string::npos) << run.out;
  const nlohmann::json document = result();
  EXPECT_EQ(document.at("version"), 1);
  EXPECT_TRUE(document.at("device").at("cpu_device").get<bool>());
  const CommandResult schema =
      test::run_command({SIDECORE_PYTHON, kSchemaCheck, SIDECORE_COMMAND, "gate", result_file_});
  EXPECT_EQ(schema.status, 0) << schema.err;
}

}  // namespace
}  // namespace sidecore::test_gate_command
