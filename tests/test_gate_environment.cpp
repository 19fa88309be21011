// What the gates read of a board, from trees that stand in for /proc and /sys.
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>

#include "gates/board_watch.h"
#include "gates/environment.h"
#include "gates/perf_counters.h"

namespace sidecore::gates {
namespace {

/// A directory that goes away with the test.
class FakeRoot : public testing::Test {
 protected:
  FakeRoot() {
    std::string name = (std::filesystem::temp_directory_path() / "sidecore-root-XXXXXX").native();
    root_ = ::mkdtemp(name.data());
  }
  ~FakeRoot() override { std::filesystem::remove_all(root_); }

  void put(const std::string& path, const std::string& text) const {
    std::filesystem::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path, std::ios::binary) << text;
  }

  void put_pi(const std::string& throttled) const {
    put("proc/device-tree/model", std::string("Raspberry Pi 5 Model B Rev 1.0\0", 31));
    put("proc/cpuinfo", "processor\t: 0\nCPU part\t: 0xd0b\n\nModel\t\t: Raspberry Pi 5 Model B\n");
    put("proc/sys/kernel/ostype", "Linux\n");
    put("proc/sys/kernel/osrelease", "6.12.34+rpt-rpi-2712\n");
    put("proc/sys/kernel/arch", "aarch64\n");
    put("proc/loadavg", "0.52 0.58 0.59 1/189 4021\n");
    put("etc/os-release", "NAME=\"Debian\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n");
    for (const int cpu : {0, 1, 10, 2}) {
      const std::string folder = "sys/devices/system/cpu/cpu" + std::to_string(cpu);
      put(folder + "/cpufreq/scaling_governor", "ondemand\n");
      put(folder + "/cpufreq/scaling_cur_freq", "1500000\n");
      put(folder + "/cpufreq/cpuinfo_max_freq", "2400000\n");
    }
    put("sys/devices/system/cpu/cpu10/online", "0\n");
    put("sys/devices/system/cpu/cpufreq/boost", "1\n");
    put("sys/class/thermal/thermal_zone0/type", "cpu-thermal\n");
    put("sys/class/thermal/thermal_zone0/temp", "61850\n");
    put("sys/devices/platform/soc/soc:firmware/get_throttled", throttled);
  }

  std::filesystem::path root_;
};

TEST_F(FakeRoot, PiIsRecordedInFull) {
  put_pi("50000\n");
  const EnvironmentRecord record = record_environment(root_);
  EXPECT_EQ(record.board, "Raspberry Pi 5 Model B Rev 1.0");
  EXPECT_EQ(record.cpu_model, "Raspberry Pi 5 Model B");
  EXPECT_EQ(record.kernel, "Linux 6.12.34+rpt-rpi-2712");
  EXPECT_EQ(record.os, "Debian GNU/Linux 12 (bookworm)");
  EXPECT_EQ(record.machine, "aarch64");
  ASSERT_EQ(record.cpus.size(), 3U) << "CPU 10 is offline, cpufreq is no CPU";
  EXPECT_EQ(record.cpus[2].cpu, 2);
  EXPECT_EQ(record.cpus[0].governor, "ondemand");
  EXPECT_DOUBLE_EQ(record.cpus[0].mhz.value(), 1500);
  EXPECT_DOUBLE_EQ(record.cpus[0].maximum_mhz.value(), 2400);
  ASSERT_EQ(record.temperatures.size(), 1U);
  EXPECT_EQ(record.temperatures[0].zone, "cpu-thermal");
  EXPECT_DOUBLE_EQ(record.temperatures[0].celsius, 61.85);
  EXPECT_EQ(record.throttle.firmware_flags.value(), 0x50000U);
  EXPECT_DOUBLE_EQ(record.load_average.value()[1], 0.58);
}

TEST_F(FakeRoot, PersonalComputerIsNamedByItsBoardTables) {
  put("proc/cpuinfo", "processor : 0\nmodel name : Some CPU @ 2.0GHz\n");
  put("sys/class/dmi/id/sys_vendor", "Acme\n");
  put("sys/class/dmi/id/product_name", "Bench 3000\n");
  put("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "3\n");
  put("sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "4\n");
  const EnvironmentRecord record = record_environment(root_);
  EXPECT_EQ(record.board, "Acme Bench 3000");
  EXPECT_EQ(record.cpu_model, "Some CPU @ 2.0GHz");
  EXPECT_EQ(record.throttle.core_events.value(), 7U);
  EXPECT_FALSE(record.throttle.firmware_flags.has_value());
}

TEST_F(FakeRoot, SilentSystemLeavesEverythingEmpty) {
  const EnvironmentRecord record = record_environment(root_);
  EXPECT_EQ(record.board, "");
  EXPECT_TRUE(record.cpus.empty());
  EXPECT_TRUE(record.temperatures.empty());
  EXPECT_FALSE(record.load_average.has_value());
  EXPECT_EQ(throttled_between(record.throttle, record.throttle), "");
}

TEST_F(FakeRoot, NonsenseInFilesIsNotAFigure) {
  put_pi("not hex\n");
  put("sys/class/thermal/thermal_zone0/temp", "hot\n");
  const EnvironmentRecord record = record_environment(root_);
  EXPECT_TRUE(record.temperatures.empty());
  EXPECT_FALSE(record.throttle.firmware_flags.has_value());
}

TEST_F(FakeRoot, AWatchTellsTheExtremesOfItsSamples) {
  put_pi("50000\n");
  BoardWatch watch(root_);
  watch.sample();
  put("sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "2400000\n");
  put("sys/devices/system/cpu/cpu2/cpufreq/scaling_cur_freq", "600000\n");
  put("sys/class/thermal/thermal_zone0/temp", "84000\n");
  put("sys/devices/platform/soc/soc:firmware/get_throttled", "50004\n");
  watch.sample();
  put_pi("50000\n");
  watch.sample();
  const BoardState state = watch.take();
  EXPECT_EQ(to_string(state), "600 to 2400 MHz, at most 84.0 °C, get_throttled 0x50004");
  // Before and after say nothing: the flag is as old as it was.
  EXPECT_EQ(throttled_between({0x50000, {}}, {0x50000, {}}), "");
  EXPECT_EQ(throttled_during(state), "throttled while windows of M4 ran");
  watch.sample();
  EXPECT_EQ(throttled_during(watch.take()), "") << "the next window is another one";
}

TEST_F(FakeRoot, AWatchOfASilentSystemSaysNothing) {
  BoardWatch watch(root_);
  watch.sample();
  EXPECT_EQ(to_string(watch.take()), "");
  put_pi("not hex\n");
  put("sys/class/thermal/thermal_zone0/temp", "hot\n");
  BoardWatch nonsense(root_);
  nonsense.sample();
  EXPECT_EQ(to_string(nonsense.take()), "1500 MHz");
}

TEST(GateThrottling, OldFlagsDoNotVoidARunAndNewOnesDo) {
  const auto flags = [](std::uint32_t value) { return ThrottleState{value, std::nullopt}; };
  EXPECT_EQ(throttled_between(flags(0), flags(0)), "");
  EXPECT_EQ(throttled_between(flags(0x50000), flags(0x50000)), "");
  EXPECT_EQ(throttled_between(flags(0), flags(0x40000)), "throttled (get_throttled 0x40000)");
  EXPECT_EQ(throttled_between(flags(0x40000), flags(0x40004)), "throttled (get_throttled 0x40004)");
  EXPECT_EQ(throttled_between(flags(0x20002), flags(0x20000)),
            "frequency capped (get_throttled 0x20000)");
  EXPECT_EQ(throttled_between(flags(0), flags(0x90001)),
            "under-voltage, soft temperature limit (get_throttled 0x90001)");
}

TEST(GateThrottling, CoreEventsDuringTheRunVoidIt) {
  const auto events = [](std::uint64_t count) { return ThrottleState{std::nullopt, count}; };
  EXPECT_EQ(throttled_between(events(7), events(7)), "");
  EXPECT_EQ(throttled_between(events(7), events(9)), "2 core throttle events");
}

TEST(GateCounters, RefusalNamesItsReason) {
  PerfCounters counters([](std::uint64_t) {
    errno = EACCES;
    return -1;
  });
  EXPECT_EQ(counters.refusal().find("not permitted here (reason: perf_event_open: "), 0U)
      << counters.refusal();
  counters.start();
  const PerfCounts counts = counters.stop();
  EXPECT_FALSE(counts.cycles.has_value());
  EXPECT_FALSE(instructions_per_cycle(counts).has_value());
}

TEST(GateCounters, CounterThatTheCpuLacksIsAbsentAlone) {
  int opened = 0;
  int refused = 0;
  {
    PerfCounters counters([&](std::uint64_t config) {
      if (config == PERF_COUNT_HW_STALLED_CYCLES_BACKEND) {
        ++refused;
        errno = ENOENT;
        return -1;
      }
      ++opened;
      return ::dup(STDERR_FILENO);
    });
    EXPECT_EQ(counters.refusal(), "");
  }
  EXPECT_EQ(opened, 3);
  EXPECT_EQ(refused, 1);
}

TEST(GateCounters, ThreadsAddUp) {
  PerfCounts sum;
  sum += PerfCounts{100, 250, std::nullopt, std::nullopt};
  sum += PerfCounts{100, 150, 5, std::nullopt};
  EXPECT_EQ(sum.cycles, 200U);
  EXPECT_EQ(sum.cache_misses, 5U);
  EXPECT_FALSE(sum.stalled_cycles_backend.has_value());
  EXPECT_DOUBLE_EQ(instructions_per_cycle(sum).value(), 2.0);
}

}  // namespace
}  // namespace sidecore::gates
