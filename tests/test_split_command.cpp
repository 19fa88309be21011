// `sidecore split` as a user runs it. What it predicts is a matter of the machine; that it runs its
// own proposal, and in which shape it says so, is not.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "run_command.h"
#include "temporary_directory.h"

namespace sidecore {
namespace {

using test::CommandResult;

class SplitCommand : public ::testing::Test {
 protected:
  static std::string stream(const std::string& name) {
    return std::string(SIDECORE_VP9_CORPUS) + "/" + name + ".ivf";
  }
  static CommandResult split(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {SIDECORE_COMMAND, "split"});
    return test::run_command(arguments);
  }
  static void expect_failure(const std::vector<std::string>& arguments, const std::string& says) {
    const CommandResult result = split(arguments);
    EXPECT_EQ(result.status, 2) << result.err;
    EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    EXPECT_NE(result.err.find(says), std::string::npos) << result.err;
  }

  test::TemporaryDirectory directory_;
};

TEST_F(SplitCommand, ProposesRunsAndSaysWhatItAssumed) {
  const std::string file = directory_ / "split.json";
  const CommandResult result =
      split({stream("alt-ref"), "--threads", "2", "--no-qpu", "--json", file});
  ASSERT_EQ(result.status, 0) << result.err;
  for (const char* const words : {"proposal: ", "predicted", "measured", "assumed:",
                                  "neon filter, 2 threads", "no plan with a QPU: --no-qpu"}) {
    EXPECT_NE(result.out.find(words), std::string::npos) << words << " in " << result.out;
  }
  const auto json = nlohmann::json::parse(std::ifstream(file));
  EXPECT_EQ(json["schema"], "sidecore-split");
  EXPECT_EQ(json["plans"].size(), 4U);
  for (const auto& plan : json["plans"]) {
    const auto& predicted = plan["predicted_frames_per_second"];
    EXPECT_LT(predicted["low"], predicted["expected"]);
    EXPECT_LT(predicted["expected"], predicted["high"]);
    EXPECT_GT(plan["measured_frames_per_second"], 0);
  }
  const auto& proposed = json["plans"][json["proposal"].get<std::size_t>()];
  for (const auto& plan : json["plans"]) {
    EXPECT_GE(proposed["predicted_frames_per_second"]["expected"],
              plan["predicted_frames_per_second"]["expected"]);
  }
}

TEST_F(SplitCommand, PlansOfTheQpuArePredictedAndRun) {
  const CommandResult result = split({stream("alt-ref"), "--packets", "14", "--sample", "0.5",
                                      "--threads", "1", "--device", "cpu", "--json", "-"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  ASSERT_EQ(json["plans"].size(), 4U);
  EXPECT_EQ(json["plans"][3]["loop_filter"], "split");
  for (const auto& plan : json["plans"]) {
    EXPECT_GT(plan["predicted_frames_per_second"]["expected"], 0);
    EXPECT_GT(plan["measured_frames_per_second"], 0);
  }
}

TEST_F(SplitCommand, WithoutARunNothingIsMeasured) {
  const CommandResult result =
      split({stream("alt-ref"), "--no-qpu", "--no-run", "--threads", "1", "--json", "-"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto json = nlohmann::json::parse(result.out);
  EXPECT_EQ(json["not_run"], "not asked for");
  for (const auto& plan : json["plans"]) {
    EXPECT_TRUE(plan["measured_frames_per_second"].is_null());
    EXPECT_TRUE(plan["error"].is_null());
  }
}

TEST_F(SplitCommand, BadInputEndsInOneSentence) {
  const std::string alt_ref = stream("alt-ref");
  expect_failure({directory_ / "missing.ivf"}, "No such file");
  expect_failure({alt_ref, "--packets", "8"}, "each part needs at least 6");
  expect_failure({alt_ref, "--sample", "2"}, "--sample");
  expect_failure({alt_ref, "--no-qpu", "--device", "cpu"}, "xcludes");
  expect_failure({alt_ref, "--results", directory_ / "missing.json"}, "missing.json");
  expect_failure({alt_ref, "--results", directory_.write("other.json", "{}")},
                 "is not a result of sidecore gate");
  expect_failure({alt_ref, "--results", directory_.write("cut.json", "{\"schema\"")},
                 "is not a whole JSON document");
  expect_failure({stream("unsupported-422"), "--no-qpu"}, "unsupported-422");
  const std::string json = directory_ / "split.json";
  expect_failure({stream("unsupported-422"), "--no-qpu", "--json", json}, "unsupported-422");
  EXPECT_FALSE(std::filesystem::exists(json));
}

}  // namespace
}  // namespace sidecore
