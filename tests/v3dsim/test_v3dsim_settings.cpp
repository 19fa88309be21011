// Tests the simulator's switches.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "v3dsim/drm/settings.h"

namespace sidecore::v3dsim::test_v3dsim_settings {
namespace {

TEST(V3dSettings, ReadsEverySwitch) {
  const std::vector<std::pair<std::string, std::string>> environment{
      {"HOME", "/"},
      {"SIDECORE_V3DSIM_VERSION", "4.2"},
      {"SIDECORE_V3DSIM_ORDER", "random"},
      {"SIDECORE_V3DSIM_SEED", "18446744073709551615"},
      {"SIDECORE_V3DSIM_THREADS", "4"},
      {"SIDECORE_V3DSIM_POISON", "1"},
      {"SIDECORE_V3DSIM_SFU_ULP", "16"},
      {"SIDECORE_V3DSIM_RACES", "ordered-lanes"},
      {"SIDECORE_V3DSIM_BOUNDS", "job"},
      {"SIDECORE_V3DSIM_TIMESTAMPS", "model"},
      {"SIDECORE_V3DSIM_CPU_QUEUE", "0"},
      {"SIDECORE_V3DSIM_EXPLAIN", "1"},
      {"SIDECORE_V3DSIM_STATISTICS", "out.json"},
      {"SIDECORE_V3DSIM_RECORD", "out.jobs"},
      {"SIDECORE_V3DSIM_EXECUTOR", "5"}};
  const Settings settings = parse_settings(environment);
  EXPECT_EQ(settings.version, Version::v42);
  EXPECT_EQ(settings.options.order, Order::random);
  EXPECT_EQ(settings.options.seed, UINT64_MAX);
  EXPECT_EQ(settings.options.disturbance.seed, UINT64_MAX);
  EXPECT_EQ(settings.options.host_threads, 4U);
  EXPECT_TRUE(settings.options.poison);
  EXPECT_EQ(settings.options.disturbance.ulps, 16U);
  EXPECT_TRUE(settings.options.check_races && settings.options.lanes_are_ordered);
  EXPECT_EQ(settings.bounds, Bounds::job);
  EXPECT_EQ(settings.timestamps, TimestampSource::model);
  EXPECT_FALSE(settings.cpu_queue);
  EXPECT_TRUE(settings.explain);
  EXPECT_EQ(settings.statistics, "out.json");
  EXPECT_EQ(settings.record, "out.jobs");
  EXPECT_EQ(settings.executor, 5);
}

TEST(V3dSettings, NamesWhatItDoesNotTake) {
  const auto message = [](const char* name, const char* value) -> std::string {
    const std::vector<std::pair<std::string, std::string>> environment{
        {std::string(kSettingsPrefix) + name, value}};
    try {
      (void)parse_settings(environment);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message("VERSION", "5.0"), "SIDECORE_V3DSIM_VERSION must be 4.2 or 7.1, not '5.0'");
  EXPECT_EQ(message("SFU_ULP", "5000"), "SIDECORE_V3DSIM_SFU_ULP must be 0..4096, not '5000'");
  EXPECT_EQ(message("THREADS", ""), "SIDECORE_V3DSIM_THREADS must be 1..256, not ''");
  EXPECT_EQ(message("SPEED", "11"), "the simulator has no switch SIDECORE_V3DSIM_SPEED");
}

}  // namespace
}  // namespace sidecore::v3dsim::test_v3dsim_settings
