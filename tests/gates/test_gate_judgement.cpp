// Tests of the conclusions that the gates draw from figures: statistics, shares, gains, verdicts.
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "base/error.h"
#include "base/statistics.h"
#include "gates/m4_concurrency.h"
#include "gates/options.h"
#include "gates/run.h"
#include "gates/verdict.h"

namespace sidecore::gates::test_gate_judgement {
namespace {

TEST(GateShare, IsHundredOnlyWhenEveryUnitAgrees) {
  EXPECT_EQ(format_share(65536, 65536), "100.0000");
  EXPECT_EQ(format_share(65535, 65536), "99.9984");
  EXPECT_EQ(format_share(999'999'999'999, 1'000'000'000'000), "99.9999");
  constexpr std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(format_share(kHuge - 1, kHuge), "99.9999");
  EXPECT_EQ(format_share(kHuge, kHuge), "100.0000");
}

TEST(GateShare, IsRoundedDownEverywhere) {
  EXPECT_EQ(format_share(2, 3), "66.6666");
  EXPECT_EQ(format_share(1, 3), "33.3333");
  EXPECT_EQ(format_share(0, 7), "0.0000");
  EXPECT_EQ(format_share(1, 1'000'000), "0.0001");
  EXPECT_EQ(format_share(1, 1'000'001), "0.0000");
}

TEST(GateShare, OfNothingIsNotAgreement) {
  EXPECT_EQ(format_share(0, 0), "0.0000");
}

TEST(GateBranches, AreWeightedByWhatTheyAreAShareOf) {
  std::vector<BranchRate> sum;
  add_rates(sum, {{"mask", 0.5, "lines", 80}, {"hev", 1.0, "masked lines", 40}});
  add_rates(sum, {{"mask", 0.25, "lines", 240}, {"hev", 0.0, "masked lines", 60}});
  add_rates(sum, {{"mask", 0.0, "lines", 0}, {"hev", 0.0, "masked lines", 0}});
  ASSERT_EQ(sum.size(), 2U);
  EXPECT_DOUBLE_EQ(sum[0].rate, 100.0 / 320);
  EXPECT_DOUBLE_EQ(sum[0].among, 320);
  EXPECT_DOUBLE_EQ(sum[1].rate, 0.4);
}

TEST(GateStatistics, MedianAndQuantilesInterpolateBetweenSamples) {
  const SampleSet even({4, 1, 3, 2});
  EXPECT_DOUBLE_EQ(even.median, 2.5);
  EXPECT_DOUBLE_EQ(even.min, 1);
  EXPECT_DOUBLE_EQ(even.max, 4);
  std::vector<double> hundred_and_one;
  for (int i = 100; i >= 0; --i) hundred_and_one.push_back(i);
  const SampleSet set(hundred_and_one);
  EXPECT_DOUBLE_EQ(set.p10, 10);
  EXPECT_DOUBLE_EQ(set.median, 50);
  EXPECT_DOUBLE_EQ(set.p90, 90);
  EXPECT_DOUBLE_EQ(set.p99, 99);
}

TEST(GateStatistics, SamplesKeepTheOrderTheyWereTakenIn) {
  const std::vector<double> taken{3, 1, 2};
  EXPECT_EQ(SampleSet(taken).raw, taken);
}

TEST(GateStatistics, LineFindsTheCostOfAnExtraDispatch) {
  const std::vector<double> dispatches{1, 2, 4, 8};
  const std::vector<double> times{110, 120, 140, 180};
  const Line line = fit_line(dispatches, times);
  EXPECT_NEAR(line.slope, 10, 1e-9);
  EXPECT_NEAR(line.intercept, 100, 1e-9);
}

TEST(GateVerdict, BandsBeginWhereTheySay) {
  EXPECT_EQ(band_of(1.0), Band::green);
  EXPECT_EQ(band_of(0.9999), Band::yellow);
  EXPECT_EQ(band_of(0.5), Band::yellow);
  EXPECT_EQ(band_of(0.4999), Band::orange);
  EXPECT_EQ(band_of(0.25), Band::orange);
  EXPECT_EQ(band_of(0.2499), Band::red);
}

TEST(GateVerdict, CpuScalesFromNineTenthsOfPerfect) {
  EXPECT_TRUE(cpu_scales(100, 360, 4));
  EXPECT_FALSE(cpu_scales(100, 359, 4));
}

Evidence gpu_evidence() {
  Evidence evidence;
  evidence.agrees = true;
  evidence.qpu_rate = 40;
  evidence.neon_one = 100;
  evidence.neon_all = 250;
  evidence.threads = 4;
  return evidence;
}

TEST(GateVerdict, RatioIsQpuOverOneCore) {
  const Verdict verdict = judge(gpu_evidence());
  EXPECT_DOUBLE_EQ(*verdict.ratio, 0.4);
  EXPECT_EQ(verdict.band, Band::orange);
  EXPECT_EQ(verdict.conclusion, Conclusion::incomplete);
  EXPECT_FALSE(*verdict.scales);
}

// The baseline `byte` is faster than the variants `slow` and `word`, but must not count.
TEST(GateVerdict, NoBaselineCountsAsTheKernelsBest) {
  KernelReport kernel;
  kernel.variants = {{"slow", "", false}, {"word", "", false}, {"byte", "", true}};
  QpuContentRuns runs;
  runs.content = Content::random;
  runs.units = 100;
  const auto add = [&](const char* variant, double nanoseconds) {
    QpuRun& run = runs.runs.emplace_back();
    run.variant = variant;
    run.submit_to_fence = SampleSet({nanoseconds});
  };
  add("byte", 1e6);
  kernel.m2.value.emplace().contents = {runs};
  EXPECT_FALSE(gather_evidence(kernel, {}, Content::random).qpu_rate.has_value())
      << "only a baseline ran";
  add("slow", 8e6);
  add("word", 4e6);
  kernel.m2.value->contents = {runs};
  const Evidence evidence = gather_evidence(kernel, {}, Content::random);
  ASSERT_TRUE(evidence.qpu_rate.has_value());
  EXPECT_DOUBLE_EQ(*evidence.qpu_rate, 100 / 4e-3) << "units per second of variant word";
}

TEST(GateVerdict, MixedWindowsDecideOverTheRatio) {
  Evidence evidence = gpu_evidence();
  evidence.same = SpeedGain{-0.1, true, "NEON x3 + QPU"};
  evidence.mixed = SpeedGain{0.06, true, "NEON x3 + QPU"};
  const Verdict verdict = judge(evidence);
  EXPECT_EQ(verdict.conclusion, Conclusion::pays);
  EXPECT_NE(verdict.text.find("+6.0 %"), std::string::npos) << verdict.text;
  evidence.mixed = SpeedGain{-0.2, true, "NEON x3 + QPU"};
  EXPECT_EQ(judge(evidence).conclusion, Conclusion::does_not_pay);
}

TEST(GateVerdict, APlayerDecidesOverMixedKernels) {
  Evidence evidence = gpu_evidence();
  evidence.mixed = SpeedGain{1.84, true, "NEON x4 + QPU"};
  evidence.player = SpeedGain{-0.078, true, "NEON x4 + QPU"};
  const Verdict verdict = judge(evidence);
  EXPECT_EQ(verdict.conclusion, Conclusion::does_not_pay);
  EXPECT_NE(verdict.text.find("does not pay with the playback test: -7.8 %"), std::string::npos)
      << verdict.text;
}

TEST(GateVerdict, OverlappingWindowsShowNoDifference) {
  Evidence evidence = gpu_evidence();
  evidence.mixed = SpeedGain{0.06, false, "NEON x3 + QPU"};
  EXPECT_EQ(judge(evidence).conclusion, Conclusion::within_spread);
}

TEST(GateVerdict, RedOnAScalingCpuMayStopEarly) {
  Evidence evidence = gpu_evidence();
  evidence.qpu_rate = 20;
  EXPECT_FALSE(may_stop_early(evidence)) << "the CPU does not scale";
  evidence.neon_all = 390;
  EXPECT_TRUE(may_stop_early(evidence));
  EXPECT_EQ(judge(evidence).conclusion, Conclusion::stopped_early);
  evidence.qpu_rate = 25;
  EXPECT_FALSE(may_stop_early(evidence)) << "ORANGE";
}

TEST(GateVerdict, WindowsThatRanOutweighAnEarlyStop) {
  Evidence evidence = gpu_evidence();
  evidence.qpu_rate = 20;
  evidence.neon_all = 390;
  evidence.mixed = SpeedGain{0.02, true, "NEON x4 + QPU"};
  EXPECT_EQ(judge(evidence).conclusion, Conclusion::pays);
}

TEST(GateVerdict, CpuDeviceGetsNeitherRatioNorPayOff) {
  Evidence evidence = gpu_evidence();
  evidence.cpu_device = true;
  evidence.mixed = SpeedGain{3, true, "NEON x3 + QPU"};
  const Verdict verdict = judge(evidence);
  EXPECT_EQ(verdict.conclusion, Conclusion::correctness_only);
  EXPECT_FALSE(verdict.ratio.has_value());
  EXPECT_FALSE(verdict.band.has_value());
  EXPECT_EQ(
      verdict.text,
      "the device is a CPU: the run shows correctness, and says nothing about the gain on a GPU");
  EXPECT_FALSE(may_stop_early(evidence));
}

TEST(GateVerdict, ThrottlingVoidsTheRun) {
  Evidence evidence = gpu_evidence();
  evidence.throttled = true;
  evidence.mixed = SpeedGain{3, true, "NEON x3 + QPU"};
  const Verdict verdict = judge(evidence);
  EXPECT_EQ(verdict.conclusion, Conclusion::throttled);
  EXPECT_STREQ(to_string(verdict.conclusion), "void: throttled");
}

TEST(GateVerdict, WrongResultsCountBeforeAllElse) {
  Evidence evidence = gpu_evidence();
  evidence.agrees = false;
  evidence.throttled = true;
  evidence.cpu_device = true;
  EXPECT_EQ(judge(evidence).conclusion, Conclusion::wrong);
}

TEST(GateVerdict, SaysWhenNoArmCoreRanTheNeonTwin) {
  Evidence evidence = gpu_evidence();
  evidence.neon_is_emulated = true;
  EXPECT_NE(judge(evidence).text.find("no ARM core"), std::string::npos);
  Evidence m4_alone;
  m4_alone.neon_is_emulated = true;
  EXPECT_EQ(judge(m4_alone).text.find("no ARM core"), std::string::npos)
      << "no conclusion on speed";
  for (const SpeedGain& pay_off : {SpeedGain{0.06, true, "QPU"}, SpeedGain{-0.2, true, "QPU"},
                                   SpeedGain{0.06, false, "QPU"}}) {
    m4_alone.mixed = pay_off;
    EXPECT_NE(judge(m4_alone).text.find("no ARM core"), std::string::npos) << pay_off.gain;
  }
  m4_alone.cpu_device = true;
  EXPECT_EQ(judge(m4_alone).text.find("no ARM core"), std::string::npos);
}

WindowResult window(WindowPlan plan, std::vector<double> rates) {
  WindowResult result;
  result.plan = plan;
  result.rate = SampleSet(std::move(rates));
  return result;
}

TEST(GateWindows, CoverTheFiveArrangementsAndTheMixedOnes) {
  std::vector<std::string> labels;
  for (const WindowPlan& plan : window_plans(4, true)) labels.push_back(plan.label());
  const std::vector<std::string> expected{"NEON x1",       "NEON x4",       "QPU alone",
                                          "NEON x3 + QPU", "NEON x4 + QPU", "NEON x4",
                                          "NEON x3 + QPU", "NEON x4 + QPU"};
  EXPECT_EQ(labels, expected);
}

TEST(GateWindows, OfOneThreadNameEachArrangementOnce) {
  std::vector<std::string> labels;
  for (const WindowPlan& plan : window_plans(1, false)) labels.push_back(plan.label());
  EXPECT_EQ(labels, (std::vector<std::string>{"NEON x1", "QPU alone", "NEON x1 + QPU"}));
}

TEST(GateWindows, PayOffIsTheBetterSplitAgainstAllNeonThreads) {
  const std::vector<WindowResult> windows{
      window({WindowWork::same, 1, false}, {50, 50, 50}),
      window({WindowWork::same, 4, false}, {100, 101, 99}),
      window({WindowWork::same, 0, true}, {400, 400, 400}),
      window({WindowWork::same, 3, true}, {105, 106, 104}),
      window({WindowWork::same, 4, true}, {90, 91, 92}),
      window({WindowWork::mixed_neon, 4, false}, {10, 10, 10}),
      window({WindowWork::mixed_qpu, 3, true}, {8, 9, 11}),
  };
  const auto same = pay_off(windows, false, 4);
  ASSERT_TRUE(same.has_value());
  EXPECT_NEAR(same->gain, 0.05, 1e-12);
  EXPECT_TRUE(same->outside_spread);
  EXPECT_EQ(same->winner, "NEON x3 + QPU");
  const auto mixed = pay_off(windows, true, 4);
  ASSERT_TRUE(mixed.has_value());
  EXPECT_NEAR(mixed->gain, -0.1, 1e-12);
  EXPECT_FALSE(mixed->outside_spread);
}

TEST(GateWindows, WithoutABaselineThereIsNoPayOff) {
  EXPECT_FALSE(pay_off({window({WindowWork::same, 3, true}, {1})}, false, 4).has_value());
}

TEST(GateOptions, GatesAndContentsAreKnownByName) {
  EXPECT_EQ(parse_gate("m4"), Gate::m4);
  EXPECT_EQ(parse_gate("M1"), Gate::m1);
  EXPECT_THROW((void)parse_gate("m6"), Error);
  EXPECT_EQ(parse_content("high_variance"), Content::high_variance);
  try {
    (void)parse_content("noise");
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_STREQ(error.what(),
                 "no content 'noise'; known are random, smooth, flat, high_variance, input");
  }
}

TEST(GateOptions, LongWindowsGoToRealContentWhereThereIsSome) {
  GateOptions options;
  EXPECT_EQ(m4_contents(options), std::vector<Content>{Content::smooth});
  options.input = "clip.y4m";
  EXPECT_EQ(m4_contents(options), std::vector<Content>{Content::input});
  EXPECT_EQ(contents_of(options).size(), 5U);
  options.contents = {Content::flat, Content::random};
  EXPECT_EQ(m4_contents(options), options.contents);
}

}  // namespace
}  // namespace sidecore::gates::test_gate_judgement
