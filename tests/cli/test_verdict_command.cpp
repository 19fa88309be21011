// `sidecore verdict` as a user runs it, with the shortest time windows and lavapipe.
// ctest: streams, long
// ctest: unsanitized *KilledRun*:*WithoutVulkan*:*Throttled*:*WithoutRights*
#include <gtest/gtest.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/text_file.h"
#include "cli/run_command.h"
#include "temporary_directory.h"

namespace sidecore::test_verdict_command {
namespace {

using nlohmann::json;
using test::CommandResult;

const test::Environment kNoVulkan{{"VK_DRIVER_FILES", "/nowhere.json"},
                                  {"VK_ICD_FILENAMES", "/nowhere.json"}};
const std::vector<std::string> kOwnMounts{"unshare", "--map-root-user", "--mount"};

class VerdictCommand : public ::testing::Test {
 protected:
  VerdictCommand() { std::filesystem::copy_file(SIDECORE_VP9_CORPUS "/alt-ref.ivf", clip_); }

  [[nodiscard]] CommandResult verdict(const std::vector<std::string>& arguments = {},
                                      const test::Environment& changes = {},
                                      const std::function<bool()>& interrupt_when = {}) const {
    std::vector<std::string> argv{SIDECORE_COMMAND, "verdict", clip_, "--quick",
                                  "--threads",      "1",       "-o",  file_};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return test::run_command(argv, changes, interrupt_when);
  }

  /// Runs verdict() in a mount namespace of its own, after `mounts`, a shell script. There is no
  /// Vulkan driver, because the processor's steps suffice.
  [[nodiscard]] CommandResult verdict_behind(const std::string& mounts) const {
    std::vector<std::string> argv = kOwnMounts;
    argv.insert(argv.end(), {"sh", "-ec", mounts + "\nexec \"$@\"", "sh", SIDECORE_COMMAND,
                             "verdict", clip_, "--quick", "--threads", "1", "-o", file_});
    return test::run_command(argv, kNoVulkan);
  }

  /// Returns true if this user may have mounts of its own.
  static bool may_mount() {
    std::vector<std::string> argv = kOwnMounts;
    argv.emplace_back("true");
    return test::run_command(argv).status == 0;
  }

  [[nodiscard]] json document() const { return json::parse(read_text_file(file_)); }

  static std::vector<std::string> steps_of(const json& document) {
    std::vector<std::string> names;
    for (const json& step : document["steps"]) names.push_back(step["step"]);
    std::ranges::sort(names);
    return names;
  }
  static const json* find_figure(const json& document, const std::string& name) {
    for (const json& step : document["steps"]) {
      for (const json& figure : step["figures"]) {
        if (figure["name"] == name) return &figure;
      }
    }
    return nullptr;
  }
  static void expect_one_line(const CommandResult& result, int status, const std::string& says) {
    EXPECT_EQ(result.status, status) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    EXPECT_NE(result.err.find(says), std::string::npos) << result.err;
  }

  test::TemporaryDirectory directory_;
  std::string clip_ = directory_ / "holiday-of-jane.ivf";
  std::string file_ = directory_ / "verdict.json";
};

const std::vector<std::string> kSteps{
    "back_end",          "dispatch",    "inter_prediction", "intra_prediction",
    "inverse_transform", "loop_filter", "published",        "split"};

TEST_F(VerdictCommand, RunsAllStepsAndAFileContinuesWithTheMissingOnes) {
  const CommandResult first = verdict();
  ASSERT_EQ(first.status, 0) << first.err;
  EXPECT_EQ(std::ranges::count(first.out, '\n'), 11) << first.out;
  for (const char* const words :
       {"substitute device, no speed, quick: no measurement", "loop filter: 100.0000 % of",
        "all pixel stages: pictures right", "split: proposal", "file to send: "}) {
    EXPECT_NE(first.out.find(words), std::string::npos) << words << " in " << first.out;
  }
  json written = document();
  EXPECT_EQ(steps_of(written), kSteps);
  for (const char* const name : {"dispatch.submission", "published.prediction", "loop_filter.right",
                                 "loop_filter.qpu", "inter_prediction.neon_1", "back_end.neon_cpu",
                                 "back_end.qpu_speed", "split.neon.1.speed"}) {
    EXPECT_NE(find_figure(written, name), nullptr) << name;
  }
  EXPECT_EQ((*find_figure(written, "loop_filter.right"))["value"], 100);
  const CommandResult schema =
      test::run_command({SIDECORE_PYTHON, SIDECORE_ROOT "/tests/check_results_schema.py",
                         SIDECORE_COMMAND, "verdict", file_});
  EXPECT_EQ(schema.status, 0) << schema.err;

  // The file names neither the place of anything nor the machine or its user.
  const std::string text = read_text_file(file_);
  std::array<char, 256> host{};
  ASSERT_EQ(::gethostname(host.data(), host.size() - 1), 0);
  const passwd* const user = ::getpwuid(::getuid());
  std::vector<std::string> secrets{"jane", "sidecore-test-", "verdict.json",
                                   "/tmp", "/home",          std::string("\"") + host.data()};
  if (user != nullptr) secrets.push_back(user->pw_dir + std::string("/"));
  for (const std::string& secret : secrets) {
    EXPECT_EQ(text.find(secret), std::string::npos) << secret << " in " << text;
  }

  // A kept step keeps even an impossible figure; a step that is gone runs again.
  for (json& step : written["steps"]) {
    if (step["step"] == "dispatch") step["figures"][0]["value"] = 123456;
  }
  std::erase_if(written["steps"].get_ref<json::array_t&>(), [](const json& step) {
    return step["step"] == "loop_filter" || step["step"] == "split";
  });
  directory_.write("verdict.json", written.dump());
  const CommandResult second = verdict();
  ASSERT_EQ(second.status, 0) << second.err;
  EXPECT_EQ(steps_of(document()), kSteps);
  EXPECT_EQ((*find_figure(document(), "dispatch.submission"))["value"], 123456);
  EXPECT_NE(find_figure(document(), "loop_filter.qpu"), nullptr);
  EXPECT_NE(second.err.find("M5: cost of a dispatch: kept from an earlier run"), std::string::npos);
  EXPECT_EQ(second.err.find("M2 and M3 of the loop filter: kept"), std::string::npos);

  // A file of another board is neither continued nor overwritten.
  written = document();
  written["environment"]["board"] = "Raspberry Pi 5 Model B Rev 1.0";
  directory_.write("verdict.json", written.dump());
  expect_one_line(verdict(), 2, "another board 'Raspberry Pi 5 Model B Rev 1.0'");
  EXPECT_EQ(document(), written);
}

TEST_F(VerdictCommand, AKilledRunKeepsItsFinishedSteps) {
  const auto has_a_step = [&] {
    return std::filesystem::exists(file_) && !document()["steps"].empty();
  };
  const CommandResult killed = verdict({}, {}, has_a_step);
  ASSERT_EQ(killed.status, 128 + SIGINT) << killed.err;
  EXPECT_NE(killed.err.find("keeps the finished steps: the same command continues"),
            std::string::npos)
      << killed.err;
  const json kept = document();
  ASSERT_FALSE(kept["steps"].empty());
  ASSERT_LT(kept["steps"].size(), kSteps.size());
  const CommandResult continued = verdict();
  ASSERT_EQ(continued.status, 0) << continued.err;
  EXPECT_EQ(document()["steps"][0], kept["steps"][0]);
  EXPECT_EQ(steps_of(document()), kSteps);
  EXPECT_EQ(std::ranges::distance(std::filesystem::directory_iterator(directory_.path()),
                                  std::filesystem::directory_iterator()),
            2)
      << "a partial file remains";
}

TEST_F(VerdictCommand, WithoutVulkanTheCpusStepsRunAndTheOthersSayWhy) {
  const CommandResult result = verdict({}, kNoVulkan);
  EXPECT_EQ(result.status, 3) << result.err;
  EXPECT_NE(
      result.err.find("sidecore: these steps did not run, or only in part: dispatch, published"),
      std::string::npos)
      << result.err;
  const json written = document();
  EXPECT_EQ(steps_of(written), kSteps);
  EXPECT_NE(find_figure(written, "inverse_transform.neon_1"), nullptr);
  EXPECT_NE(find_figure(written, "split.neon.1.speed"), nullptr);
  EXPECT_EQ(find_figure(written, "inverse_transform.qpu"), nullptr);
  for (const json& step : written["steps"]) EXPECT_NE(step["missing"], "") << step;
  EXPECT_EQ(read_text_file(file_).find("nowhere.json"), std::string::npos);
}

TEST_F(VerdictCommand, AThrottledBoardsStepsAreVoidUntilTheyRunAgain) {
  if (!may_mount()) GTEST_SKIP() << "this user may not mount anything";
  // A folder with the firmware's flags takes the place of the system's devices.
  const std::string firmware = directory_ / "devices/soc/soc:firmware";
  std::filesystem::create_directories(firmware);
  const std::string mounts = "mount --bind " + (directory_ / "devices") + " /sys/devices/platform";
  directory_.write("devices/soc/soc:firmware/get_throttled", "0x4\n");
  const CommandResult hot = verdict_behind(mounts);
  EXPECT_EQ(hot.status, 3) << hot.err;
  EXPECT_NE(hot.err.find("sidecore: the board throttled, so these figures are void: dispatch, "
                         "published, loop_filter, "),
            std::string::npos)
      << hot.err;
  EXPECT_NE(hot.out.find("VOID, the board throttled: throttled (get_throttled 0x4)"),
            std::string::npos)
      << hot.out;
  for (const json& step : document()["steps"]) EXPECT_NE(step["throttled"], "") << step;

  // Flags that were set before the run, and none of which is set now, spoil nothing.
  directory_.write("devices/soc/soc:firmware/get_throttled", "0x40000\n");
  const CommandResult cool = verdict_behind(mounts);
  EXPECT_EQ(cool.err.find("kept from an earlier run"), std::string::npos) << cool.err;
  EXPECT_EQ(cool.out.find("VOID"), std::string::npos) << cool.out;
  for (const json& step : document()["steps"]) EXPECT_EQ(step["throttled"], "") << step;
}

TEST_F(VerdictCommand, WithoutRightsToTheGpuOneLineNamesTheRemedy) {
  if (!may_mount()) GTEST_SKIP() << "this user may not mount anything";
  // The mounts replace /dev with a folder that has a read-only render node.
  std::filesystem::create_directories(directory_ / "dev/dri");
  directory_.write("dev/dri/renderD128", "");
  const std::string mounts = "cd " + (directory_ / "dev") +
                             "\nfor device in null zero full random urandom; do"
                             "\n  touch $device\n  mount --bind /dev/$device $device\ndone"
                             "\nmount --bind dri dri\nmount -o remount,bind,ro dri"
                             "\nmount --rbind . /dev";
  const CommandResult result = verdict_behind(mounts);
  EXPECT_EQ(result.status, 3) << result.err;
  const std::string remedy =
      "/dev/dri/renderD128 may not be opened: sudo usermod -aG render $USER, then log in again";
  EXPECT_NE(result.err.find("verdict: no GPU: " + remedy + "\n"), std::string::npos) << result.err;
  EXPECT_NE(
      result.err.find("sidecore: these steps did not run, or only in part: dispatch, published"),
      std::string::npos)
      << result.err;
  for (const json& step : document()["steps"]) {
    EXPECT_NE(step["missing"].get<std::string>().find("usermod -aG render"), std::string::npos);
  }
  EXPECT_NE(find_figure(document(), "inverse_transform.neon_1"), nullptr);
}

TEST_F(VerdictCommand, AStepThatTakesTooLongIsEnded) {
  const CommandResult result = verdict({"--minutes", "0.0001"});
  EXPECT_EQ(result.status, 2) << "below the least number of minutes";
  // The installed clip is the one that the boards' models are of.
  const CommandResult ended =
      test::run_command({SIDECORE_COMMAND, "verdict", "--minutes", "0.01", "-o", file_});
  EXPECT_EQ(ended.status, 3) << ended.err;
  EXPECT_EQ(steps_of(document()), kSteps);
  for (const char* const model : {"model_pi4.json", "model_pi5.json"}) {
    const std::string file = std::string(SIDECORE_ROOT "/bench/boards/") + model;
    EXPECT_EQ(document()["clip"], json::parse(read_text_file(file))["clip"]) << model;
  }
  EXPECT_NE(ended.out.find("it took longer than"), std::string::npos) << ended.out;
}

TEST_F(VerdictCommand, BadInputGetsOneLine) {
  const auto run = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {SIDECORE_COMMAND, "verdict"});
    return test::run_command(arguments);
  };
  const std::string text = directory_.write("text.webm", "no video");
  expect_one_line(run({text, "-o", file_}), 2, "text.webm");
  expect_one_line(run({directory_ / "absent.ivf", "-o", file_}), 2, "absent.ivf");
  EXPECT_FALSE(std::filesystem::exists(file_));
  expect_one_line(run({clip_, "-o", directory_ / "absent/verdict.json"}), 2, "cannot write");
  expect_one_line(run({clip_, "-o", "-"}), 2, "-o must be a file");
  expect_one_line(run({clip_, "-o", "/dev/full"}), 3, "No space left on device");
  expect_one_line(run({clip_, "-o", file_, "--device", "no such GPU"}), 3, "no such GPU");
  const std::string other = directory_.write("other.json", "{\"schema\": \"sidecore-gate\"}");
  expect_one_line(run({clip_, "-o", other}), 2, "--fresh starts it anew");
  EXPECT_EQ(read_text_file(other), "{\"schema\": \"sidecore-gate\"}");
}

}  // namespace
}  // namespace sidecore::test_verdict_command
