// Tests of the board's state as the gates read it, from simulated trees of /proc and /sys.
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "gates/board_watch.h"
#include "gates/driver_warnings.h"
#include "gates/environment.h"
#include "gates/gpu_usage.h"
#include "gates/perf_counters.h"
#include "gates/run.h"
#include "gates/throttle_flags.h"

namespace sidecore::gates::test_gate_environment {
namespace {

/// Fixture with a temporary directory as root of the simulated tree.
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

  /// Path of get_throttled on a Pi 5.
  static constexpr const char* kThrottled =
      "sys/devices/platform/soc@107c000000/soc@107c000000:firmware/get_throttled";

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
    put("sys/devices/platform/soc@107c000000/soc@107c000000:timer/name", "timer\n");
    put(kThrottled, throttled);
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
  ASSERT_EQ(record.cpus.size(), 3U) << "CPU 10 is offline, and cpufreq is not a CPU";
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
  put(kThrottled, "50004\n");
  watch.sample();
  put_pi("50000\n");
  watch.sample();
  const BoardState state = watch.take();
  EXPECT_EQ(to_string(state), "600 to 2400 MHz, at most 84.0 °C, get_throttled 0x50004");
  // The states before and after show no throttling, because the since-boot flag was set before.
  EXPECT_EQ(throttled_between({0x50000, {}}, {0x50000, {}}), "");
  EXPECT_EQ(throttled_during(state), "throttled while windows of M4 ran");
  watch.sample();
  EXPECT_EQ(throttled_during(watch.take()), "") << "take() begins a new time window";
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

TEST_F(FakeRoot, APi4TellsOfThrottlingAsAPi5Does) {
  put("sys/devices/platform/soc/soc:firmware/get_throttled", "0x50002\n");
  EXPECT_EQ(record_environment(root_).throttle.firmware_flags, 0x50002U);
  BoardWatch watch(root_);
  watch.sample();
  EXPECT_EQ(watch.take().throttle_flags, 0x50002U);
}

TEST_F(FakeRoot, WithoutTheAttributeTheFirmwareIsAsked) {
  using Message = std::vector<std::uint32_t>;
  Message asked;
  const auto answering = [&](std::uint32_t state, std::uint32_t of_tag) {
    return [&, state, of_tag](const std::filesystem::path& device, std::span<std::uint32_t> words) {
      EXPECT_EQ(device, root_ / "dev/vcio");
      asked.assign(words.begin(), words.end());
      words[1] = state;
      words[4] = of_tag;
      words[5] = 0x50005;
      return true;
    };
  };
  EXPECT_EQ(ThrottleFlags(root_, answering(0x80000000, 0x80000004)).read(), 0x50005U);
  EXPECT_EQ(asked, (Message{28, 0, 0x30046, 4, 0, 0, 0}));
  EXPECT_FALSE(ThrottleFlags(root_, answering(0x80000001, 0x80000004)).read().has_value());
  EXPECT_FALSE(ThrottleFlags(root_, answering(0x80000000, 0)).read().has_value())
      << "a firmware without this tag";
  const auto silent = [](const std::filesystem::path&, std::span<std::uint32_t>) { return false; };
  EXPECT_FALSE(ThrottleFlags(root_, silent).read().has_value());
  put("dev/vcio", "no device");
  EXPECT_FALSE(ThrottleFlags(root_).read().has_value());
  put_pi("50001\n");
  asked.clear();
  EXPECT_EQ(ThrottleFlags(root_, answering(0x80000000, 0x80000004)).read(), 0x50001U);
  EXPECT_TRUE(asked.empty());
}

TEST_F(FakeRoot, AReportSaysWhenNothingTellsOfThrottling) {
  GateReport report;
  report.before = record_environment(root_);
  report.after = report.before;
  EXPECT_NE(to_text(report).find("; throttling unknown"), std::string::npos) << to_text(report);
  report.before.throttle.firmware_flags = 0;
  report.after.throttle = {std::nullopt, 3};
  EXPECT_EQ(to_text(report).find("throttling unknown"), std::string::npos) << to_text(report);
}

/// Returns what the warnings of a Pi 5 with this kernel affect, in order.
std::string affected(const std::string& kernel, const std::string& build) {
  EnvironmentRecord record;
  record.board = "Raspberry Pi 5 Model B Rev 1.0";
  record.kernel = "Linux " + kernel;
  record.kernel_build = build;
  std::string all;
  for (const DriverWarning& warning : driver_warnings(record)) {
    all += (all.empty() ? "" : " ") + warning.affects;
    EXPECT_EQ(warning.text.find('{'), std::string::npos) << warning.text;
  }
  return all;
}

std::string debian(const std::string& version, const std::string& day) {
  return "#1 SMP PREEMPT Debian 1:" + version + "-1+rpt1 (" + day + ")";
}

TEST(GateDriverWarnings, DayOfTheBuildDecides) {
  const auto of = [](const std::string& version, const std::string& day) {
    return affected(version + "+rpt-rpi-2712", debian(version, day));
  };
  EXPECT_EQ(of("6.6.62", "2024-11-25"), "gpu_counters");
  EXPECT_EQ(of("6.6.65", "2024-12-10"), "gpu_counters");
  EXPECT_EQ(of("6.6.65", "2024-12-11"), "") << "the first day with the fix";
  EXPECT_EQ(of("6.6.74", "2025-01-27"), "");
  EXPECT_EQ(of("6.12.1", "2024-12-01"), "gpu_counters gpu_time");
  EXPECT_EQ(of("6.12.9", "2025-01-14"), "gpu_timestamps");
  EXPECT_EQ(of("6.12.13", "2025-01-15"), "");
  EXPECT_EQ(of("6.12.34", "2025-06-26"), "");
  EXPECT_EQ(of("6.18.10", "2026-02-20"), "energy run");
  EXPECT_EQ(of("6.18.29", "2026-05-08"), "run");
  EXPECT_EQ(of("6.18.36", "2026-07-15"), "run");
  EXPECT_EQ(of("6.18.38", "2026-07-16"), "");
}

TEST(GateDriverWarnings, WithoutADayTheVersionDecidesOrIsNotEnough) {
  const std::string other = "#1 SMP PREEMPT_DYNAMIC Mon Jan  6 10:00:00 UTC 2025";
  EXPECT_EQ(affected("6.1.21-v8+", other), "gpu_counters");
  EXPECT_EQ(affected("6.6.73", other), "gpu_counters");
  EXPECT_EQ(affected("6.6.74", other), "");
  EXPECT_EQ(affected("6.7", other), "gpu_counters") << "a line of releases without the fix";
  EXPECT_EQ(affected("6.12.9", other), "gpu_counters gpu_time gpu_timestamps");
  EXPECT_EQ(affected("6.12.10", other), "gpu_timestamps");
  EXPECT_EQ(affected("6.12.13", other), "");
  EXPECT_EQ(affected("6.13.0-rc3", other), "");
  EXPECT_EQ(affected("6.18.40", other), "energy run") << "no version is known to have the fixes";
  EXPECT_EQ(affected("6.17.5", other), "");
}

TEST(GateDriverWarnings, AreOnlyOfAKnownKernelOnAPi) {
  EnvironmentRecord record;
  record.kernel = "Linux 6.6.51+rpt-rpi-v8";
  record.kernel_build = debian("6.6.51", "2024-10-01");
  record.board = "Some PC";
  EXPECT_TRUE(driver_warnings(record).empty());
  EXPECT_EQ(counters_distrust(record), "");
  record.board = "Raspberry Pi 4 Model B Rev 1.4";
  EXPECT_NE(counters_distrust(record).find("driver does not clear"), std::string::npos)
      << counters_distrust(record);
  record.kernel_build.clear();
  EXPECT_NE(counters_distrust(record).find("driver may not clear"), std::string::npos)
      << counters_distrust(record);
  record.kernel = "";
  EXPECT_TRUE(driver_warnings(record).empty());
}

TEST_F(FakeRoot, AReportNamesWhatTheKernelMakesUntrustworthy) {
  put_pi("0\n");
  put("proc/sys/kernel/osrelease", "6.6.51+rpt-rpi-2712\n");
  put("proc/sys/kernel/version", debian("6.6.51", "2024-10-01") + "\n");
  GateReport report;
  report.before = record_environment(root_);
  EXPECT_EQ(report.before.kernel_build, debian("6.6.51", "2024-10-01"));
  EXPECT_NE(to_text(report).find("  WARNING   gpu_counters: the driver does not clear"),
            std::string::npos)
      << to_text(report);
  put("proc/sys/kernel/osrelease", "6.12.34+rpt-rpi-2712\n");
  put("proc/sys/kernel/version", debian("6.12.34", "2025-06-26") + "\n");
  report.before = record_environment(root_);
  EXPECT_EQ(to_text(report).find("WARNING"), std::string::npos) << to_text(report);
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

// --- Busy time of the GPU ------------------------------------------------------------------------

/// Returns the fdinfo text of an open render node, written after the v3d driver's source and
/// drm-usage-stats.rst, not copied from a board.
std::string v3d_client(std::uint64_t csd_ns, int client = 12) {
  return "pos:\t0\nflags:\t02400002\nmnt_id:\t27\nino:\t467\ndrm-driver:\tv3d\ndrm-client-id:\t" +
         std::to_string(client) +
         "\ndrm-engine-bin: \t0 ns\nv3d-jobs-bin: \t0 jobs\ndrm-engine-render: \t0 ns\n"
         "v3d-jobs-render: \t0 jobs\ndrm-engine-tfu: \t0 ns\nv3d-jobs-tfu: \t0 jobs\n"
         "drm-engine-csd: \t" +
         std::to_string(csd_ns) +
         " ns\nv3d-jobs-csd: \t17 jobs\ndrm-engine-cache_clean: \t500 ns\n"
         "v3d-jobs-cache_clean: \t17 jobs\ndrm-total-memory:\t1024 KiB\n";
}

constexpr const char* kIntelClient =
    "pos:\t0\nflags:\t0100002\ndrm-driver:\ti915\ndrm-pdev:\t0000:00:02.0\ndrm-client-id:\t7\n"
    "drm-engine-render:\t25662044495 ns\ndrm-engine-copy:\t0 ns\ndrm-engine-video:\t100 ns\n"
    "drm-engine-capacity-video:\t2\ndrm-engine-video-enhance:\t0 ns\n"
    "drm-cycles-rcs:\t28257900\n";

/// Text of gpu_stats, from the Linux kernel's documentation.
constexpr const char* kGpuStats =
    "queue\ttimestamp\tjobs\truntime\nbin\t239043069420\t22620\t17438164056\n"
    "render\t239043069420\t22619\t27284814161\ntfu\t239043069420\t8763\t394592566\n"
    "csd\t239043069420\t3168\t10787905530\ncache_clean\t239043069420\t6127\t237375940\n";

TEST(GpuUsageText, FdinfoOfADrmFileIsReadAndOfAnyOtherIsNot) {
  const auto v3d = parse_fdinfo(v3d_client(1234567890123));
  ASSERT_TRUE(v3d.has_value());
  EXPECT_EQ(v3d->driver, "v3d");
  EXPECT_EQ(v3d->device, "");
  EXPECT_EQ(v3d->id, "12");
  EXPECT_EQ(v3d->busy_ns.size(), 5U);
  EXPECT_EQ(v3d->busy_ns.at("csd"), 1234567890123U);
  const auto intel = parse_fdinfo(kIntelClient);
  ASSERT_TRUE(intel.has_value());
  EXPECT_EQ(intel->device, "0000:00:02.0");
  EXPECT_EQ(intel->busy_ns.size(), 4U) << "capacities are not engines";
  EXPECT_EQ(intel->capacity.at("video"), 2U);
  for (const char* text :
       {"", "pos:\t0\nflags:\t02\n", "drm-driver:\tnvidia\n", "drm-engine-csd:\t5 ns\n",
        "drm-driver:\tv3d\ndrm-engine-csd:\tmany ns\n",
        "drm-driver:\tv3d\ndrm-engine-csd:\t5 jobs\n", "drm-driver:\tv3d\ndrm-engine-csd"}) {
    EXPECT_FALSE(parse_fdinfo(text).has_value()) << text;
  }
}

TEST(GpuUsageText, GpuStatsAreReadAndNothingElse) {
  const auto busy = parse_gpu_stats(kGpuStats);
  EXPECT_EQ(busy.size(), 5U);
  EXPECT_EQ(busy.at("csd"), 10787905530U);
  EXPECT_EQ(parse_gpu_stats("queue timestamp jobs runtime\nv3d_csd 1 2 777\n").at("csd"), 777U);
  EXPECT_TRUE(parse_gpu_stats("csd\t1\t2\t3\n").empty()) << "the heading is missing";
  EXPECT_TRUE(parse_gpu_stats("queue\ttimestamp\tjobs\tsomething\ncsd\t1\t2\t3\n").empty());
  EXPECT_TRUE(parse_gpu_stats("queue\ttimestamp\tjobs\truntime\ncsd\t1\t2\tx\n").empty());
}

double share_of(const std::vector<EngineShare>& shares, const std::string& engine) {
  for (const EngineShare& share : shares) {
    if (share.engine == engine) return share.share;
  }
  return -1;
}

TEST_F(FakeRoot, QueuesOfThisProcessAreBusyForAShareOfTheTime) {
  put("proc/self/fdinfo/0", "pos:\t0\n");
  put("proc/self/fdinfo/5", v3d_client(1000));
  put("proc/self/fdinfo/6", v3d_client(1000));
  put("proc/self/fdinfo/9", v3d_client(0, 13));
  put("sys/bus/platform/devices/1002000000.v3d/gpu_stats", kGpuStats);
  GpuUsage usage(root_);
  EXPECT_EQ(usage.source().value, "drm-engine times of this process (/proc/self/fdinfo)");
  EXPECT_EQ(usage.source().reason, "");
  usage.start();
  put("proc/self/fdinfo/5", v3d_client(5000));
  put("proc/self/fdinfo/6", v3d_client(5000));
  put("proc/self/fdinfo/9", v3d_client(1000, 13));
  const std::vector<EngineShare> shares = usage.stop(Nanoseconds{10000});
  EXPECT_EQ(shares.size(), 5U);
  EXPECT_DOUBLE_EQ(share_of(shares, "csd"), 0.5) << "a copied descriptor counts once";
  EXPECT_DOUBLE_EQ(share_of(shares, "bin"), 0);
  EXPECT_EQ(to_string({shares, shares}), "v3d csd 50.0 %");
  EXPECT_TRUE(usage.stop(Nanoseconds{0}).empty());
}

TEST_F(FakeRoot, EnginesOfOneNameShareTheirTime) {
  put("proc/self/fdinfo/5", kIntelClient);
  GpuUsage usage(root_);
  usage.start();
  std::string later = kIntelClient;
  later.replace(later.find("\t100 ns"), 7, "\t1100 ns");
  put("proc/self/fdinfo/5", later);
  EXPECT_DOUBLE_EQ(share_of(usage.stop(Nanoseconds{1000}), "video"), 0.5);
}

TEST_F(FakeRoot, WithoutFdinfoV3dTellsOfAllProcesses) {
  put("sys/bus/platform/devices/1002000000.v3d/gpu_stats", kGpuStats);
  GpuUsage usage(root_);
  EXPECT_EQ(usage.source().value, "gpu_stats of the v3d driver (sysfs), all processes");
  usage.start();
  std::string later = kGpuStats;
  later.replace(later.find("10787905530"), 11, "10787906280");
  put("sys/bus/platform/devices/1002000000.v3d/gpu_stats", later);
  EXPECT_EQ(to_string({usage.stop(Nanoseconds{1000})}), "v3d csd 75.0 %");
}

TEST_F(FakeRoot, ASystemThatTellsNoBusyTimeIsSaidToTellNone) {
  GpuUsage usage(root_);
  EXPECT_FALSE(usage.source());
  EXPECT_NE(usage.source().reason, "");
  usage.start();
  EXPECT_TRUE(usage.stop(Nanoseconds{1000}).empty());
}

}  // namespace
}  // namespace sidecore::gates::test_gate_environment
