// Tests of the gates with a Vulkan device: a toy kernel whose QPU variant is the empty shader, and
// clips as test content.
// ctest: threads
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/cpu_affinity.h"
#include "base/error.h"
#include "gates/result_document.h"
#include "gates/run.h"
#include "gates/toy_kernel.h"
#include "gates/workload_source.h"
#include "temporary_directory.h"

namespace sidecore::gates::test_gates_on_device {
namespace {

using test::Flaw;
using test::ToyKernel;

GateOptions small_options() {
  GateOptions options;
  options.width = 64;
  options.height = 32;
  options.seed = 2001;
  options.threads = static_cast<int>(std::min<std::size_t>(2, allowed_cpus().size()));
  options.repetitions = 3;
  options.empty_repetitions = 5;
  options.rounds = 2;
  options.window = std::chrono::milliseconds(5);
  options.minimum_units = 1000;
  options.contents = {Content::random};
  return options;
}

/// A fixture with the default device; skips the test if there is none.
template <class Fixture>
class OnDevice : public Fixture {
 protected:
  void SetUp() override {
    try {
      device_ = qpu::Device::open(qpu::DeviceOptions::from_environment());
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
  }

  std::unique_ptr<qpu::Device> device_;
};

class GatesOnDevice : public OnDevice<testing::Test> {
 protected:
  RunSetting setting(const ToyKernel& kernel, const ToyKernel* beside = nullptr) const {
    return {.kernels = {&kernel}, .beside = {beside}, .device = {device_.get()}, .root = "/"};
  }
};

TEST_F(GatesOnDevice, AllFiveRunAndAgree) {
  const ToyKernel kernel({Flaw::none, true, {"empty"}});
  const ToyKernel beside({Flaw::none, true, {"empty"}}, "beside");
  const GateReport report = run_gates(setting(kernel, &beside), small_options());
  const KernelReport& toy = report.kernels.at(0);
  EXPECT_TRUE(report.agrees());
  ASSERT_EQ(toy.m1->agreements.size(), 2U);
  EXPECT_EQ(toy.m1->agreements[1].implementation, "qpu empty");
  EXPECT_TRUE(toy.m1->agreements[1].compared->holds());
  ASSERT_TRUE(toy.m2) << toy.m2.reason;
  EXPECT_EQ(toy.m2->contents.at(0).runs.at(0).submit_to_fence.raw.size(), 3U);
  const QpuThroughputReport& m2 = *toy.m2;
  if (device_->info().performance_counters == 0) {
    EXPECT_EQ(m2.counter_passes.reason, device_->info().no_performance_counters);
  }
  EXPECT_TRUE(m2.counter_passes.asked());
  EXPECT_EQ(m2.contents.at(0).runs.at(0).counts.empty(), !m2.counter_passes);
  EXPECT_EQ(report.m5->submissions.size(), 7U);
  EXPECT_EQ(report.m5->submissions.back().dispatches, 64U);
  ASSERT_TRUE(toy.m4) << toy.m4.reason;
}

TEST_F(GatesOnDevice, BaselinesAreMeasuredAndNeverRunInWindows) {
  const ToyKernel kernel({Flaw::none, true, {"empty"}, {"baseline"}});
  GateOptions options = small_options();
  options.variants = {"baseline"};
  const GateReport alone = run_gates(setting(kernel), options);
  ASSERT_TRUE(alone.kernels.at(0).m2) << alone.kernels[0].m2.reason;
  EXPECT_EQ(alone.kernels[0].m2->contents.at(0).runs.at(0).variant, "baseline");
  EXPECT_FALSE(alone.kernels[0].m4);
  EXPECT_TRUE(alone.kernels[0].m4.reason.starts_with("only baselines"))
      << alone.kernels[0].m4.reason;
  options.gates = {Gate::m4};  // M4 uses the first variant that can run, because M2 does not run
  options.variants = {"all"};
  const GateReport all = run_gates(setting(kernel), options);
  EXPECT_EQ(all.kernels.at(0).m4.value.value().contents.at(0).variant, "empty");
  options.variants = {"baseline"};
  options.gates_named = true;
  EXPECT_THROW((void)run_gates(setting(kernel), options), Error);
}

TEST_F(GatesOnDevice, WindowsCountPicturesOfBothSides) {
  const ToyKernel kernel({Flaw::none, true, {"empty"}});
  const ToyKernel beside({Flaw::none, true, {"empty"}}, "beside");
  const GateOptions options = small_options();
  const KernelUnderTest subject = make_kernel_under_test(kernel, &beside, {device_.get()}, {});
  const ContentWindows windows = run_m4_content(subject, options, Content::random, "empty");
  EXPECT_EQ(windows.beside.value, "beside");
  ASSERT_EQ(windows.windows.size(), window_plans(options.threads, true).size());
  for (const WindowResult& window : windows.windows) {
    SCOPED_TRACE(window.plan.label());
    ASSERT_EQ(window.rate.raw.size(), 2U) << "one sample per round";
    EXPECT_EQ(window.plan.neon_threads > 0, window.neon_passes.min > 0);
    EXPECT_EQ(window.plan.qpu, window.qpu_passes.min > 0);
    for (std::size_t round = 0; round < 2; ++round) {
      const double neon = window.neon_passes.raw[round];
      const double qpu = window.qpu_passes.raw[round];
      const double expected = window.plan.work == WindowWork::same
                                  ? (neon + qpu) * static_cast<double>(windows.units)
                              : window.plan.work == WindowWork::mixed_qpu ? std::min(neon, qpu)
                                                                          : neon;
      EXPECT_DOUBLE_EQ(window.rate.raw[round], expected);
    }
    EXPECT_FALSE(window.branches_at_end.empty());
  }
  EXPECT_EQ(windows.mixed.has_value(), !device_->info().is_cpu());
}

TEST_F(GatesOnDevice, TheBoardIsWatchedInEveryWindow) {
  const test::TemporaryDirectory root;
  std::filesystem::create_directories(root / "sys/class/thermal/thermal_zone0");
  std::filesystem::create_directories(root / "sys/devices/platform/soc/soc:firmware");
  root.write("sys/class/thermal/thermal_zone0/temp", "71500\n");
  root.write("sys/devices/platform/soc/soc:firmware/get_throttled", "2\n");
  const ToyKernel kernel({Flaw::none, true, {"empty"}});
  BoardWatch watch(root.path());
  KernelUnderTest subject = make_kernel_under_test(kernel, nullptr, {device_.get()}, {});
  subject.watch = &watch;
  const ContentWindows windows = run_m4_content(subject, small_options(), Content::random, "empty");
  ASSERT_FALSE(windows.windows.empty());
  for (const WindowResult& window : windows.windows) {
    ASSERT_EQ(window.states.size(), 2U) << "one per round";
    EXPECT_EQ(to_string(window.states[1]), "at most 71.5 °C, get_throttled 0x2");
    EXPECT_EQ(throttled_during(window.states[1]), "frequency capped while windows of M4 ran");
  }
  ToyKernel decoder;
  decoder.play({"5ca1", "5ca1", "5ca1"});
  subject.kernel = &decoder;
  const auto player = run_m4_player(subject, small_options());
  ASSERT_TRUE(player);
  ASSERT_FALSE(player->states.empty());
  EXPECT_EQ(player->states.size(), player->neon.raw.size()) << "one per round";
  EXPECT_EQ(to_string(player->states[0]), "at most 71.5 °C, get_throttled 0x2");
  EXPECT_FALSE(player->paced.has_value()) << "no rate was given";
  GateOptions options = small_options();
  options.fps = 1000;
  std::filesystem::create_directories(root / "sys/class/hwmon/hwmon0");
  root.write("sys/class/hwmon/hwmon0/name", "stand-in");
  root.write("sys/class/hwmon/hwmon0/power1_input", "3000000");
  EnergyMeter energy(root.path());
  subject.energy = &energy;
  const auto at_rate = run_m4_player(subject, options);
  ASSERT_TRUE(at_rate && at_rate->paced.has_value());
  EXPECT_EQ(at_rate->paced->neon.pictures, 3 * at_rate->neon.raw.size()) << "3 a window";
  EXPECT_EQ(at_rate->paced->mixed.cpu_ns_per_picture.raw.size(), at_rate->mixed.raw.size());
  EXPECT_EQ(at_rate->states.size(), at_rate->neon.raw.size() + 1);
  EXPECT_EQ(at_rate->paced->energy_sensor, "the sensor 'stand-in' (power1_input)");
  EXPECT_GT(at_rate->paced->neon.joules_per_picture.value.value_or(0), 0);
  EXPECT_GT(at_rate->paced->mixed.joules_per_picture.value.value_or(0), 0);
  std::filesystem::remove(root / "sys/class/hwmon/hwmon0/power1_input");
  const auto vanished = run_m4_player(subject, options);
  ASSERT_TRUE(vanished && vanished->paced.has_value());
  EXPECT_FALSE(vanished->paced->neon.joules_per_picture);
  EXPECT_NE(vanished->paced->neon.joules_per_picture.reason.find("stopped answering"),
            std::string::npos);
}

/// Gives `good` plausible readings, then the reading `then`, which must be rejected.
class Unreliable final : public PowerSensor {
 public:
  Unreliable(std::size_t good, PowerReading then) : good_(good), then_(std::move(then)) {}
  [[nodiscard]] std::string description() const override { return "the stand-in"; }
  [[nodiscard]] std::optional<PowerReading> read() override {
    const std::size_t number = read_++;
    if (number >= good_) return then_;
    return PowerReading{
        .microjoules = then_.microjoules ? std::optional(1000 + 1000 * number) : std::nullopt,
        .watts = 2,
        .raw = std::to_string(number),
        .parts = "CORE, MEMORY"};
  }

 private:
  std::size_t good_;
  PowerReading then_;
  std::size_t read_ = 0;
};

TEST_F(GatesOnDevice, APlayersEnergyIsNotKnownWhereItsSensorIsNotToBeBelieved) {
  ToyKernel decoder;
  decoder.play({"5ca1", "5ca1", "5ca1"});
  KernelUnderTest subject = make_kernel_under_test(decoder, nullptr, {device_.get()}, {});
  GateOptions options = small_options();
  options.fps = 1000;
  const PowerReading one_rail{.microjoules = {}, .watts = 1, .raw = "less", .parts = "CORE"};
  const PowerReading back{.microjoules = 5, .watts = 0, .raw = "5", .parts = "CORE, MEMORY"};
  for (const auto& [then, because] :
       {std::pair{one_rail, "now sums the rails CORE, before CORE, MEMORY"},
        std::pair{back, "decreased"}}) {
    // The first time window has at least two readings.
    EnergyMeter energy(FoundPowerSensor{std::make_unique<Unreliable>(1, then)});
    subject.energy = &energy;
    const auto player = run_m4_player(subject, options);
    ASSERT_TRUE(player && player->paced.has_value());
    const Outcome<double>& joules = player->paced->neon.joules_per_picture;
    EXPECT_FALSE(joules);
    EXPECT_NE(joules.reason.find(because), std::string::npos) << joules.reason;
  }
}

TEST_F(GatesOnDevice, BusyTimeIsReadAroundEveryWindow) {
  const test::TemporaryDirectory root;
  std::filesystem::create_directories(root / "proc/self/fdinfo");
  root.write("proc/self/fdinfo/3", "drm-driver:\tv3d\ndrm-client-id:\t1\ndrm-engine-csd:\t5 ns\n");
  const ToyKernel kernel({Flaw::none, true, {"empty"}});
  GpuUsage usage(root.path());
  KernelUnderTest subject = make_kernel_under_test(kernel, nullptr, {device_.get()}, {});
  subject.usage = &usage;
  const ContentWindows windows = run_m4_content(subject, small_options(), Content::random, "empty");
  ASSERT_FALSE(windows.windows.empty());
  for (const WindowResult& window : windows.windows) {
    ASSERT_EQ(window.gpu_busy.size(), 2U) << "one per round";
    ASSERT_EQ(window.gpu_busy[1].size(), 1U);
    EXPECT_EQ(window.gpu_busy[1][0].engine, "csd");
    EXPECT_EQ(window.gpu_busy[1][0].share, 0) << "the counter did not change";
  }
}

TEST_F(GatesOnDevice, ACpuInAGpusPlaceHasNoBusyTime) {
  if (!device_->info().is_cpu()) GTEST_SKIP() << "the device is a GPU";
  const ToyKernel kernel({Flaw::none, true, {"empty"}});
  const GateReport report = run_gates(setting(kernel), small_options());
  const ConcurrencyReport& m4 = *report.kernels.at(0).m4;
  EXPECT_EQ(m4.gpu_busy_source.reason, "the Vulkan device is a CPU");
  EXPECT_TRUE(m4.contents.at(0).windows.at(0).gpu_busy.empty());
}

TEST_F(GatesOnDevice, WithoutAnotherKernelThereIsNoMixedWork) {
  const ToyKernel kernel({Flaw::none, true, {"empty"}});
  const KernelUnderTest subject = make_kernel_under_test(kernel, nullptr, {device_.get()}, {});
  const ContentWindows windows = run_m4_content(subject, small_options(), Content::random, "empty");
  EXPECT_EQ(windows.beside.reason, "no other kernel is registered");
  EXPECT_FALSE(windows.mixed.has_value());
}

TEST_F(GatesOnDevice, WhatTheOtherKernelCannotWorkOnIsNotMixed) {
  const ToyKernel kernel({Flaw::none, true, {"empty"}});
  ToyKernel beside({Flaw::none, true, {"empty"}}, "beside");
  beside.refusal = "nothing in it for me";
  const KernelUnderTest subject = make_kernel_under_test(kernel, &beside, {device_.get()}, {});
  const GateOptions options = small_options();
  const ContentWindows windows = run_m4_content(subject, options, Content::random, "empty");
  EXPECT_EQ(windows.beside.reason, "beside: nothing in it for me");
  EXPECT_FALSE(windows.beside);
  EXPECT_EQ(windows.windows.size(), window_plans(options.threads, false).size());
}

TEST_F(GatesOnDevice, QpuTwinThatDoesNothingFailsM1) {
  const ToyKernel kernel({Flaw::none, false, {"empty"}});
  GateOptions options = small_options();
  options.gates = {Gate::m1};
  const GateReport report = run_gates(setting(kernel), options);
  EXPECT_FALSE(report.agrees());
  const auto& agreements = report.kernels.at(0).m1->agreements;
  EXPECT_TRUE(agreements.at(0).compared->holds()) << "NEON is right";
  const ComparedUnits& qpu = agreements.at(1).compared.value.value();
  EXPECT_FALSE(qpu.holds());
  EXPECT_LT(qpu.agreeing, qpu.units);
  EXPECT_EQ(qpu.first.value().origin, "seed 2001");
}

TEST_F(GatesOnDevice, NeonIsTimedInTheMemoryOfTheQpuExactlyWhereItIsShared) {
  const ToyKernel kernel({Flaw::none, true, {"empty"}});
  const KernelUnderTest subject = make_kernel_under_test(kernel, nullptr, {device_.get()}, {});
  const CpuThroughputReport report = run_m3(subject, small_options());
  const bool timed = std::ranges::any_of(report.contents.at(0).runs, [](const CpuRun& run) {
    return run.memory == CpuMemory::device;
  });
  const bool shared = !device_->create_buffer(256)->staged();
  EXPECT_EQ(timed, shared);
  EXPECT_EQ(report.device_memory_refusal.empty(), shared) << report.device_memory_refusal;
}

TEST_F(GatesOnDevice, CpuThatPlaysTheGpuGetsNoVerdictAndIsNamed) {
  if (!device_->info().is_cpu()) GTEST_SKIP() << device_->info().name << " is a GPU";
  const ToyKernel kernel({Flaw::none, true, {"empty"}});
  GateReport report = run_gates(setting(kernel), small_options());
  const Verdict& verdict = report.kernels.at(0).verdicts.at(0).verdict;
  EXPECT_EQ(verdict.conclusion,
            report.throttled.empty() ? Conclusion::correctness_only : Conclusion::throttled);
  EXPECT_FALSE(verdict.ratio.has_value());
  EXPECT_NE(to_text(report).find("says nothing about the gain on a GPU"), std::string::npos);
  const auto json = nlohmann::json::parse(to_json(report));
  EXPECT_EQ(json.at("device").at("cpu_device"), true);
  EXPECT_TRUE(json.at("kernels").at(0).at("verdicts").at(0).at("ratio").is_null());
  EXPECT_EQ(json.at("m5").at("submissions").size(), 7U);
}

/// A Y4M clip of 16x8 pictures. All luma samples of a picture are its number.
class GatesOnAClip : public testing::Test {
 protected:
  GatesOnAClip() {
    std::string name = (std::filesystem::temp_directory_path() / "sidecore-clip-XXXXXX").native();
    ::close(::mkstemp(name.data()));
    path_ = name;
    std::ofstream file(path_, std::ios::binary);
    file << "YUV4MPEG2 W16 H8 F25:1 Ip A1:1 C420jpeg\n";
    for (const char luma : {'\0', '\1', '\2'}) {
      file << "FRAME\n" << std::string(16 * 8, luma) << std::string(2 * 8 * 4, '\x80');
    }
  }
  ~GatesOnAClip() override { std::filesystem::remove(path_); }

  GateOptions options() const {
    GateOptions options = small_options();
    options.input = path_;
    options.contents = {Content::input};
    return options;
  }

  static int luma(const std::shared_ptr<const video::Picture>& picture) {
    return picture->plane<std::uint8_t>(0).samples[0];
  }

  std::filesystem::path path_;
};

TEST_F(GatesOnAClip, EveryPictureIsAWorkloadWithThePreviousOneBesideIt) {
  const ToyKernel kernel;
  const KernelUnderTest subject =
      make_kernel_under_test(kernel, nullptr, Outcome<qpu::Device*>::none("none"), {});
  const AgreementReport report = run_m1(subject, options());
  EXPECT_EQ(report.agreements.at(0).compared->workloads, 3U) << "all pictures, however few units";
  EXPECT_TRUE(report.holds());
  ASSERT_EQ(kernel.requests.size(), 3U);
  for (int i = 0; i < 3; ++i) {
    const WorkloadRequest& request = kernel.requests[static_cast<std::size_t>(i)];
    EXPECT_EQ(request.width, 16);
    EXPECT_EQ(request.height, 8);
    EXPECT_EQ(luma(request.picture), i);
    EXPECT_EQ(luma(request.other), std::max(0, i - 1));
  }
}

TEST_F(GatesOnAClip, FramesLimitsThePictures) {
  const ToyKernel kernel;
  GateOptions limited = options();
  limited.frames = 2;
  const KernelUnderTest subject =
      make_kernel_under_test(kernel, nullptr, Outcome<qpu::Device*>::none("none"), {});
  EXPECT_EQ(run_m1(subject, limited).agreements.at(0).compared->workloads, 2U);
}

/// Runs only M4, on kernels with playback tests.
class PlayersOnAClip : public OnDevice<GatesOnAClip> {
 protected:
  GateReport run(const std::vector<const Kernel*>& kernels) const {
    GateOptions windows = options();
    windows.gates = {Gate::m4};
    windows.rounds = 3;
    return run_gates({kernels, std::vector<const Kernel*>(kernels.size()), {device_.get()}, "/"},
                     windows);
  }
  static const ContentWindows& windows_of(const GateReport& report, std::size_t kernel) {
    return report.kernels.at(kernel).m4->contents.at(0);
  }
};

TEST_F(PlayersOnAClip, WindowsAreAllOfOnePicture) {
  const ToyKernel kernel({Flaw::none, true, {"empty"}});
  GateOptions windows = options();
  windows.threads = 2;
  (void)run_m4_content(make_kernel_under_test(kernel, &kernel, {device_.get()}, {}), windows,
                       Content::input, "empty");
  ASSERT_FALSE(kernel.requests.empty());
  for (const gates::WorkloadRequest& request : kernel.requests) {
    EXPECT_EQ(luma(request.picture), 0) << "other pictures may have less work";
  }
}

TEST_F(PlayersOnAClip, PlayOnceForAllKernelsOfAStage) {
  ToyKernel first({Flaw::none, true, {"empty"}}, "first");
  ToyKernel second({Flaw::none, true, {"empty"}}, "second");
  const ToyKernel third({Flaw::none, true, {"empty"}}, "third");
  first.play({"same", "same", "same"});
  second.play({"same", "same", "same"});
  const GateReport report = run({&first, &second, &third});
  const ContentWindows& windows = windows_of(report, 0);
  ASSERT_TRUE(windows.player) << windows.player.reason;
  EXPECT_TRUE(windows.player->agrees());
  const std::vector<double> samples =
      device_->info().is_cpu() ? std::vector<double>{1} : std::vector<double>{1, 2, 3};
  EXPECT_EQ(windows.player->neon.raw, samples) << "one per round";
  EXPECT_EQ(windows.player->mixed.raw, samples);
  EXPECT_EQ(windows.player->clip.fence_waits, 2U);
  EXPECT_EQ(windows.player_pay_off.has_value(), !device_->info().is_cpu());
  EXPECT_EQ(windows_of(report, 1).player.reason,
            "the playback test ran for first: it covers the whole stage (toy stage)");
  EXPECT_FALSE(windows_of(report, 1).player);
  EXPECT_EQ(windows_of(report, 1).player_pay_off.has_value(), !device_->info().is_cpu())
      << "the gain decides the verdict of all kernels of the stage";
  EXPECT_FALSE(windows_of(report, 2).player.asked());
  EXPECT_FALSE(windows_of(report, 2).player_pay_off.has_value());
  const std::string text = to_text(report);
  EXPECT_NE(text.find("playback test: toy clip, 3 pictures and 4 frames"), std::string::npos)
      << text;
  EXPECT_NE(text.find("equal the scalar decoder's: MD5 same"), std::string::npos) << text;
}

TEST_F(PlayersOnAClip, KeepM4FromStoppingEarlyForAllKernelsOfTheStage) {
  // Band RED: the QPU takes ten times as long as one NEON thread; two threads take half as long.
  GateReport report;
  report.options = options();
  report.options.threads = 2;
  report.device.value.emplace().type = qpu::DeviceType::integrated;
  KernelReport red;
  red.m2.value.emplace().contents = {
      {Content::input, "", 100, {}, {{"empty", SampleSet({1e6}), {}, 1, 0, {}}}}};
  red.m3.value.emplace().contents = {
      {Content::input,
       "",
       100,
       {},
       {{CpuImplementation::neon, 1, CpuMemory::heap, SampleSet({1e5}), {}},
        {CpuImplementation::neon, 2, CpuMemory::heap, SampleSet({5e4}), {}}}}};
  ToyKernel kernel({Flaw::none, true, {"empty"}});
  KernelUnderTest subject = make_kernel_under_test(kernel, nullptr, {device_.get()}, {});
  const auto stops = [&] { return leaves_out_windows(subject, report, red, Content::input); };
  EXPECT_TRUE(stops()) << "the kernel belongs to no decoder stage";
  kernel.play({"", "", ""});
  EXPECT_TRUE(stops()) << "the playback test cannot decode the clip";
  subject.played = EarlierPlayback{"first", {}};
  EXPECT_FALSE(stops()) << "the playback test has run";
  subject.played.reset();
  kernel.play({"same", "same", "same"});
  EXPECT_FALSE(stops());
  EXPECT_FALSE(has_player(subject, options(), Content::random)) << "no clip";
  kernel.player_stage = {};
  report.options.gates_named = true;
  EXPECT_FALSE(stops());
}

TEST_F(PlayersOnAClip, ThatShowOtherPicturesAreWrong) {
  ToyKernel kernel({Flaw::none, true, {"empty"}});
  for (const std::size_t wrong : {1U, 2U, 3U}) {
    std::vector<std::string> shown(4, "same");
    shown[wrong] = "other";
    kernel.play(shown);
    const GateReport report = run({&kernel});
    EXPECT_FALSE(report.agrees());
    EXPECT_NE(to_text(report).find("FAILED: MD5"), std::string::npos);
    const Verdict& verdict = report.kernels.at(0).verdicts.at(0).verdict;
    EXPECT_EQ(verdict.conclusion, Conclusion::wrong) << verdict.text;
  }
}

TEST_F(PlayersOnAClip, DivideAStageWhereItCanBe) {
  ToyKernel kernel({Flaw::none, true, {"empty"}});
  kernel.play({"same", "same", "same"});
  const GateReport whole = run({&kernel});
  EXPECT_FALSE(windows_of(whole, 0).player->divided);
  EXPECT_NE(to_text(whole).find("not divided between NEON and QPU: a toy is one piece"),
            std::string::npos);
  kernel.play({"same", "same", "same", "same"});
  GateOptions rate = options();
  rate.gates = {Gate::m4};
  rate.fps = 1000;
  const GateReport report = run_gates({{&kernel}, {nullptr}, {device_.get()}, "/"}, rate);
  const PlaybackResult& player = windows_of(report, 0).player.value.value();
  EXPECT_TRUE(player.agrees());
  EXPECT_EQ(player.mixed_plan, "toy=qpu");
  EXPECT_EQ(player.divided.value.value().plan, "toy=divided");
  EXPECT_EQ(player.divided->rate.raw, player.neon.raw) << "as many time windows";
  EXPECT_EQ(player.divided->clip.submissions, 2U);
  EXPECT_EQ(player.paced.value().divided.value().pictures, player.paced->neon.pictures);
  const std::string text = to_text(report);
  EXPECT_NE(text.find("  toy=divided: 2 submissions, 2 fence waits"), std::string::npos) << text;
  EXPECT_EQ(text.find("not divided"), std::string::npos) << text;
}

TEST_F(PlayersOnAClip, OfAWholeDecoderAreM4Alone) {
  ToyKernel decoder({Flaw::none, true, {"empty"}}, "decoder");
  decoder.play({"same", "same", "same", "same"});
  decoder.make_workload = nullptr;
  ASSERT_TRUE(is_whole_decoder(decoder));
  const RunSetting setting{{&decoder}, {nullptr}, {device_.get()}, "/"};
  GateOptions all = options();
  all.contents = {};
  const GateReport report = run_gates(setting, all);
  const KernelReport& whole = report.kernels.at(0);
  EXPECT_FALSE(whole.m1);
  for (const std::string* why : {&whole.m1.reason, &whole.m2.reason, &whole.m3.reason}) {
    EXPECT_NE(why->find("whole decoder"), std::string::npos) << *why;
  }
  EXPECT_TRUE(windows_of(report, 0).windows.empty());
  EXPECT_TRUE(windows_of(report, 0).player->divided);
  ASSERT_EQ(whole.verdicts.size(), 1U) << "only on the clip";
  EXPECT_EQ(whole.verdicts[0].content, Content::input);
  EXPECT_EQ(whole.verdicts[0].verdict.conclusion == Conclusion::correctness_only,
            device_->info().is_cpu() && report.throttled.empty());
  EXPECT_EQ(to_json(parse_result(to_json(report), "decoder.json")), to_json(report));

  const auto refusal = [&](const GateOptions& asked) {
    try {
      (void)run_gates(setting, asked);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  GateOptions other = all;
  other.gates = {Gate::m1};
  EXPECT_EQ(refusal(other), "decoder is a whole decoder: only M4 runs it");
  other = all;
  other.input.clear();
  EXPECT_EQ(refusal(other), "decoder plays a clip: give --input");
  decoder.play({"", "", ""});
  EXPECT_EQ(refusal(all), "decoder cannot decode '" + path_.native() + "'");
  const ToyKernel beside({Flaw::none, true, {"empty"}}, "beside");
  const GateReport unplayed =
      run_gates({{&beside, &decoder}, {nullptr, nullptr}, {device_.get()}, "/"}, all);
  EXPECT_NE(windows_of(unplayed, 1).player.reason, "");
  EXPECT_TRUE(unplayed.kernels[1].verdicts.empty()) << "nothing was played";
}

TEST(PlayerPayOff, IsOfTheFasterWayWithTheQpu) {
  PlaybackResult player;
  player.threads = 4;
  player.neon = SampleSet({10});
  player.mixed = SampleSet({8});
  EXPECT_NEAR(compute_gain(player).value().gain, -0.2, 1e-12);
  EXPECT_EQ(compute_gain(player)->winner, "NEON x4 + QPU");
  player.divided.value.emplace().rate = SampleSet({7});
  EXPECT_EQ(compute_gain(player)->winner, "NEON x4 + QPU");
  player.divided.value->rate = SampleSet({12});
  EXPECT_NEAR(compute_gain(player)->gain, 0.2, 1e-12);
  EXPECT_EQ(compute_gain(player)->winner, "NEON x4 + QPU, divided");
}

TEST_F(PlayersOnAClip, ThatCannotPlayItAreLeftOut) {
  ToyKernel kernel({Flaw::none, true, {"empty"}});
  kernel.play({"", "", ""});
  const GateReport report = run({&kernel});
  EXPECT_EQ(windows_of(report, 0).player.reason,
            "the playback test cannot decode '" + path_.native() + "'");
  EXPECT_TRUE(report.agrees());
}

TEST_F(GatesOnAClip, ContentInputWithoutAClipIsAUsageError) {
  const ToyKernel kernel;
  GateOptions none = options();
  none.input.clear();
  try {
    const WorkloadSource source(kernel, none, Content::input);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
  }
}

}  // namespace
}  // namespace sidecore::gates::test_gates_on_device
