// The arithmetic of split's predictions, on figures whose outcome is known.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "error_text.h"
#include "split/cost_line.h"
#include "split/gate_results.h"
#include "split/predictor.h"
#include "split/step_price.h"
#include "split/stream.h"

namespace sidecore::split {
namespace {

constexpr double kSmall = 1e-9;

/// Packets of one frame each, of different sizes.
std::vector<PacketWork> some_work() {
  std::vector<PacketWork> work;
  for (const double bytes : {9000.0, 1000.0, 1500.0, 700.0, 2000.0, 1200.0, 800.0, 3000.0}) {
    work.push_back({1, bytes, 1});
  }
  return work;
}

/// What a stage costs under all of the sample's plans.
struct Costs {
  double neon_filter = 2e-3;
  double scalar_filter = 4e-3;
  double threads_factor = 0.6;  ///< time on all threads over that on one
  double qpu_step = 1e-4;
  double qpu_edge = 1e-6;
};

constexpr EdgeMix kMix{
    .edges = 3000, .luma_edges = 2000, .large_edges = 1500, .steps = 8, .large_steps = 4};

PacketCost packet_cost(const Plan& plan, const Costs& costs, const PacketWork& work, double edges) {
  const double threads = plan.threads > 1 ? costs.threads_factor : 1;
  double filter = costs.neon_filter * threads;
  if (plan.filter == FilterPlace::scalar) filter = costs.scalar_filter;
  if (plan.filter == FilterPlace::qpu)
    filter = kMix.steps * costs.qpu_step + edges * costs.qpu_edge;
  PacketCost cost;
  cost.seconds = {
      work.bytes * 1e-6 * threads, 2e-3 * threads, 1e-3 * threads, 1e-4 * threads, filter, 0};
  cost.edges[0][0] = edges;
  return cost;
}

Sample sample_of(const Costs& costs, int threads, bool qpu) {
  Sample sample;
  const std::vector<PacketWork> work = some_work();
  for (const Plan& plan : sampled_plans(threads, qpu)) {
    Trial trial{plan, {}};
    for (std::size_t packet = 0; packet < work.size(); ++packet) {
      const double edges = packet % 2 == 0 ? 2500 : 3500;
      trial.packets.push_back(packet_cost(plan, costs, work[packet], edges));
    }
    sample.trials.push_back(trial);
  }
  sample.mixes.assign(work.size(), kMix);
  return sample;
}

template <class Cost>
std::vector<double> seconds_of(const std::vector<PacketWork>& work, Cost cost) {
  std::vector<double> seconds(work.size());
  std::ranges::transform(work, seconds.begin(), cost);
  return seconds;
}

TEST(StepPrice, AStepIsWorthADispatchFromAsManyEdgesAsNeonFiltersMeanwhile) {
  EXPECT_EQ((StepPrice{.dispatch = 10.5e-6, .edge = 50e-9}).least_edges(), 210U);
  EXPECT_EQ((StepPrice{.dispatch = 10.51e-6, .edge = 50e-9}).least_edges(), 211U);
  EXPECT_EQ((StepPrice{.dispatch = 1e-9, .edge = 50e-9}).least_edges(), 1U);
  EXPECT_EQ((StepPrice{.dispatch = 0, .edge = 50e-9}).least_edges(), 1U);
  EXPECT_EQ((StepPrice{.dispatch = 0, .edge = 0}).least_edges(), 1U);
  EXPECT_GT((StepPrice{.dispatch = 1e-6, .edge = 0}).least_edges(), 1000000U);
}

TEST(CostLine, FindsTheLineThroughExactPackets) {
  std::vector<PacketWork> work = some_work();
  work[3].frames = 2;
  const std::vector<double> seconds = seconds_of(
      work, [](const PacketWork& packet) { return packet.frames * 2e-3 + packet.bytes * 3e-7; });
  const CostLine line = fit_cost(work, seconds);
  EXPECT_NEAR(line.per_frame, 2e-3, kSmall);
  EXPECT_NEAR(line.per_byte, 3e-7, 1e-12);
}

TEST(CostLine, NeverFallsWithMoreWorkAndKeepsTheSum) {
  const std::vector<PacketWork> work = some_work();
  // Larger packets take less.
  const std::vector<double> seconds =
      seconds_of(work, [](const PacketWork& packet) { return 1e-2 - packet.bytes * 1e-6; });
  const CostLine line = fit_cost(work, seconds);
  EXPECT_GE(line.per_frame, 0);
  EXPECT_GE(line.per_byte, 0);
  double measured = 0;
  double fitted = 0;
  for (std::size_t packet = 0; packet < work.size(); ++packet) {
    measured += seconds[packet];
    fitted += line.seconds(work[packet]);
  }
  EXPECT_NEAR(fitted, measured, kSmall);
}

TEST(CostLine, PacketsWithoutFramesCostNothing) {
  const std::vector<PacketWork> none(4);
  const std::vector<double> seconds(4, 0.0);
  EXPECT_EQ(fit_cost(none, seconds).seconds({1, 1000, 1}), 0);
}

TEST(PacketWork, IsReadFromTheFirstBits) {
  // Frame marker 2, profile 0; then show_existing_frame, frame_type, show_frame.
  const std::vector<std::uint8_t> shown{0b10000110, 0, 0};
  const std::vector<std::uint8_t> hidden{0b10000100, 0, 0};
  const std::vector<std::uint8_t> existing{0b10001000};
  const std::vector<std::uint8_t> profile_3{0b10110001, 0, 0};  // with a reserved bit
  EXPECT_EQ(work_of(shown).shown, 1);
  EXPECT_EQ(work_of(shown).bytes, 3);
  EXPECT_EQ(work_of(hidden).shown, 0);
  EXPECT_EQ(work_of(hidden).frames, 1);
  EXPECT_EQ(work_of(existing).shown, 1);
  EXPECT_EQ(work_of(existing).frames, 0);
  EXPECT_EQ(work_of(profile_3).shown, 1);
  EXPECT_EQ(work_of(profile_3).frames, 1);
}

TEST(Plan, AllAreTriedUpToTheThreads) {
  EXPECT_EQ(all_plans(1, false).size(), 2U);
  EXPECT_EQ(all_plans(3, true).size(), 4U * 3U);  // 1, 2, 3
  EXPECT_EQ(all_plans(4, true).back(), (Plan{FilterPlace::split, 4}));
}

TEST(Predictor, GivesBackWhatTheSampleHasAndPassesOnHowThreadsHelp) {
  const std::vector<PacketWork> work = some_work();
  const Sample sample = sample_of({}, 4, false);
  const Predictor predictor(work, sample, nullptr, {4, false});
  const PacketWork one{1, 1000, 1};
  const double alone = 1e-3 + 3e-3 + 1e-4 + 2e-3;
  EXPECT_NEAR(predictor.total({FilterPlace::neon, 1}, {&one, 1}).expected, alone, kSmall);
  EXPECT_NEAR(predictor.total({FilterPlace::neon, 4}, {&one, 1}).expected, 0.6 * alone, kSmall);
  // Amdahl: 0.6 = s + (1 - s) / 4, so that two threads take s + (1 - s) / 2.
  const double serial = (0.6 - 0.25) / 0.75;
  EXPECT_NEAR(predictor.total({FilterPlace::neon, 2}, {&one, 1}).expected,
              (serial + (1 - serial) / 2) * alone, kSmall);
}

TEST(Predictor, IntervalHoldsTheExpectationAndTheMissesOfTheSample) {
  const std::vector<PacketWork> work = some_work();
  Sample sample = sample_of({}, 2, false);
  EXPECT_NEAR(Predictor(work, sample, nullptr, {2, false}).misses().high, 1 + Predictor::kLeastMiss,
              kSmall);
  for (std::size_t packet = 0; packet < 2; ++packet) {  // the first quarter is slow
    for (double& seconds : sample.trials[1].packets[packet].seconds) seconds *= 1.5;
  }
  const Predictor predictor(work, sample, nullptr, {2, false});
  EXPECT_GT(predictor.misses().high, 1.2);
  for (const Plan& plan : all_plans(2, false)) {
    const Estimate estimate = predictor.total(plan, work);
    EXPECT_LT(estimate.low, estimate.expected) << plan.label();
    EXPECT_LT(estimate.expected, estimate.high) << plan.label();
  }
}

TEST(Predictor, KnowsThatADeviceOnTheCpuCompetesForCores) {
  const std::vector<PacketWork> work = some_work();
  const Sample sample = sample_of({}, 2, true);
  const QpuCost qpu = measured_qpu_cost(work, sample);
  const PacketWork one{1, 1000, 1};
  const Plan plan{FilterPlace::split, 2};
  const auto filter = [&](bool cpu_device) {
    return Predictor(work, sample, &qpu, {2, cpu_device}).stage(plan, Stage::filter, one);
  };
  // Four steps of 1500 edges; a third of the edges is chroma's, on two threads; a quarter of luma's
  // two thirds is left for one thread.
  const double on_qpu = 4e-4 + 1500e-6;
  const double chroma = 2e-3 / 3;
  const double rest = 2e-3 / 6;
  EXPECT_NEAR(filter(false).expected, on_qpu + rest, 1e-7);
  EXPECT_NEAR(filter(true).expected, on_qpu + chroma / 2 + rest, 1e-7);
  EXPECT_NEAR(filter(true).high, on_qpu + chroma + rest, 1e-7);
}

gates::GateReport gate_report(const std::string& board) {
  gates::GateReport report;
  report.before.board = board;
  report.options.threads = 4;
  report.m5.report.emplace();
  report.m5.report->line = {.intercept = 5e-4, .slope = 1e-5};
  for (std::size_t direction = 0; direction < 2; ++direction) {
    for (std::size_t width = 0; width < 3; ++width) {
      gates::KernelReport kernel;
      kernel.name = kernel_of(direction, width);
      gates::ContentWindows windows;
      const auto add = [&](int threads, bool qpu, double neon, double gpu) {
        gates::WindowResult result;
        result.plan = {gates::WindowWork::same, threads, qpu};
        result.neon_passes = gates::SampleSet({neon});
        result.qpu_passes = gates::SampleSet({gpu});
        result.rate = gates::SampleSet({1e6});
        windows.windows.push_back(result);
      };
      add(4, false, 100, 0);
      add(0, true, 0, 30);
      add(4, true, 80, 20);
      kernel.m4.report.emplace();
      kernel.m4.report->contents.push_back(windows);
      report.kernels.push_back(kernel);
    }
  }
  return report;
}

TEST(GateRates, AreTheQpusAloneAndHowBothDisturbOneAnother) {
  const std::vector<gates::GateReport> reports{gate_report("Pi")};
  const std::vector<std::string> names{"pi.json"};
  gates::EnvironmentRecord board;
  board.board = "Pi";
  const GateRates rates = gate_rates(reports, names, board);
  EXPECT_EQ(rates.qpu_edges[1][2], 1e6);
  EXPECT_NEAR(rates.qpu_slowdown, 1.5, kSmall);
  EXPECT_NEAR(rates.neon_slowdown, 1.25, kSmall);
  const std::vector<PacketWork> work = some_work();
  const QpuCost cost = gates_qpu_cost(work, sample_of({}, 2, false), rates);
  // 3000 edges at a million a second, a submission, eight dispatches.
  EXPECT_NEAR(cost.all_edges.seconds({8, 19200, 8}), 8 * (3e-3 + 5e-4 + 8e-5), 1e-6);
}

TEST(GateRates, RefuseAnotherBoardASimulatorAndMissingGates) {
  std::vector<gates::GateReport> reports{gate_report("Pi")};
  const std::vector<std::string> names{"pi.json"};
  gates::EnvironmentRecord board;
  board.board = "laptop";
  const auto refusal = [&] {
    return test::error_text([&] { static_cast<void>(gate_rates(reports, names, board)); });
  };
  EXPECT_NE(refusal().find("'pi.json' was measured on Pi"), std::string::npos) << refusal();
  board.board = "Pi";
  reports[0].device.emplace();
  reports[0].device->simulated = true;
  EXPECT_NE(refusal().find("simulator"), std::string::npos) << refusal();
  reports[0].device.reset();
  reports[0].kernels.pop_back();
  EXPECT_NE(refusal().find("no M4 of loop_filter_v_16"), std::string::npos) << refusal();
  reports[0] = gate_report("Pi");
  reports[0].m5.report.reset();
  EXPECT_NE(refusal().find("no M5"), std::string::npos) << refusal();
}

}  // namespace
}  // namespace sidecore::split
