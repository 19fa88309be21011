// The timing model: what it answers, what it refuses, and that it says what it is.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

#include "v3dsim/model.h"
#include "v3dsim/unproven_points.h"

namespace sidecore::v3dsim {
namespace {

Statistics loop_filter_like() {
  // The counts of the published loop filter geometry: 65,536 edges of 8 lanes.
  Statistics s;
  s.threads = 32768;
  s.threads_per_qpu = 4;
  s.instructions = 32768 * 125;
  s.waits = 32768 * 9 / 2;
  s.tmu.words = 407'634;
  s.tmu.lanes = s.tmu.words * 16;
  s.tmu.unique_lines = 65536;
  return s;
}

TEST(V3dModel, GivesAnIntervalThatNamesTheBoundsAndSaysModel) {
  Machine machine = pi5();
  machine.clock_hz = 1e9;
  const ModelTime time = model_time(loop_filter_like(), machine);
  // Issue: 4 cycles * 125 * 32768 / 12 QPUs at 1 GHz.
  EXPECT_NEAR(time.bounds[static_cast<std::size_t>(Bound::issue)].low, 1.3653e-3, 1e-6);
  // TMU: 16 words * kappa over three units.
  EXPECT_NEAR(time.bounds[static_cast<std::size_t>(Bound::tmu)].low, 2.1740e-3, 1e-6);
  EXPECT_NEAR(time.bounds[static_cast<std::size_t>(Bound::tmu)].high, 3.2611e-3, 1e-6);
  EXPECT_LT(time.seconds.low, time.seconds.high);
  EXPECT_EQ(time.low_bound, Bound::tmu);
  // The published time of that geometry, 3336 us, lies inside.
  EXPECT_LT(time.seconds.low, 3336e-6);
  EXPECT_GT(time.seconds.high, 3336e-6);
  EXPECT_EQ(describe(time).rfind("model: ", 0), 0U);
}

TEST(V3dModel, RefusesSmallDispatchesOtherMachinesAndUncountedLines) {
  Statistics s = loop_filter_like();
  s.threads = 9999;
  EXPECT_THROW((void)model_time(s, pi5()), std::invalid_argument);
  s = loop_filter_like();
  EXPECT_THROW((void)model_time(s, pi4()), std::invalid_argument) << "nothing to fit it to";
  s.tmu.unique_lines = 0;
  EXPECT_THROW((void)model_time(s, pi5()), std::invalid_argument);
}

TEST(V3dModel, TellsTheBoundsOfADispatchOfAnySizeInProportion) {
  const ModelBounds large = model_time(loop_filter_like(), pi5()).bounds;
  Statistics s = loop_filter_like();
  for (std::uint64_t* const count :
       {&s.threads, &s.instructions, &s.waits, &s.tmu.words, &s.tmu.lanes, &s.tmu.unique_lines}) {
    *count /= 32;
  }
  const ModelBounds small = model_bounds(s, pi5());
  for (std::size_t i = 0; i < small.size(); ++i) {
    EXPECT_NEAR(small[i].low * 32, large[i].low, large[i].low * 1e-4);
    EXPECT_NEAR(small[i].high * 32, large[i].high, large[i].high * 1e-4);
  }
  EXPECT_THROW((void)model_bounds(s, pi4()), std::invalid_argument);
}

TEST(V3dUnprovenPoints, EachHasATopicAndAnAssumption) {
  EXPECT_GT(unproven_points().size(), 15U);
  std::set<std::string_view> topics;
  for (const UnprovenPoint& point : unproven_points()) {
    EXPECT_TRUE(topics.insert(point.topic).second) << point.topic;
    EXPECT_FALSE(point.assumption.empty());
  }
}

/// The file's text with every run of blanks and line ends as one blank.
std::string flowing(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  for (std::string word; file >> word;) text += word + " ";
  return text;
}

TEST(V3dUnprovenPoints, StandInTheReadmeAndNoOthersDo) {
  const std::string readme = flowing(SIDECORE_ROOT "/src/v3dsim/README.md");
  std::size_t listed = 0;
  for (std::size_t at = readme.find("- **"); at != std::string::npos;
       at = readme.find("- **", at + 1)) {
    ++listed;
  }
  EXPECT_EQ(listed, unproven_points().size());
  for (const UnprovenPoint& point : unproven_points()) {
    const std::string entry = fmt::format("- **{}**: {} ", point.topic, point.assumption);
    EXPECT_NE(readme.find(entry), std::string::npos) << entry;
  }
}

TEST(V3dUnprovenPoints, AreWhatTheProbesProbe) {
  std::set<std::string> topics;
  for (const UnprovenPoint& point : unproven_points()) topics.emplace(point.topic);
  std::size_t probes = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(SIDECORE_ROOT "/tests/v3dsim/probes")) {
    std::ifstream file(entry.path());
    std::string line;
    std::getline(file, line);
    const std::string prefix = "// probes: ";
    ASSERT_TRUE(line.starts_with(prefix)) << entry.path();
    EXPECT_TRUE(topics.contains(line.substr(prefix.size()))) << entry.path();
    ++probes;
  }
  EXPECT_GE(probes, 8U);
}

}  // namespace
}  // namespace sidecore::v3dsim
