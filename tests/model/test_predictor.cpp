// Predicted times of candidates from the cost of a sample whose outcome is known.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "model/candidate.h"
#include "model/predictor.h"
#include "model/some_pictures.h"
#include "model/some_sample.h"

namespace sidecore::model::test_predictor {
namespace {

using vp9::FilterOrder;

TEST(Candidate, AllAreTriedUpToTheThreads) {
  EXPECT_EQ(all_candidates(1, false, 200, {}).size(), 2U);
  const std::vector<Candidate> all = all_candidates(3, true, 200, {});
  EXPECT_EQ(all.size(), 6U * 3U);  // six stage plans, each with 1, 2 and 3 threads
  EXPECT_EQ(all.back(), candidate("loop_filter=divided:waves", 3));
  EXPECT_EQ(std::ranges::count(all, candidate("loop_filter=divided:200", 2)), 1);
  EXPECT_EQ(candidate("loop_filter=qpu:waves", 2).label(), "loop_filter=qpu:waves, 2 threads");
}

TEST(Predictor, GivesBackWhatTheSampleHasAndPassesOnHowThreadsHelp) {
  const std::vector<FrameWork> work = some_work();
  const Sample sample = sample_of({}, 4, false);
  const Predictor predictor = predictor_of(sample, nullptr, {4, false});
  const FrameTotals one = frames(1, 1000);
  const double alone = 1e-3 + 3e-3 + 1e-4 + 2e-3;
  EXPECT_NEAR(predictor.total(candidate("neon", 1), one).expected, alone, kSmall);
  EXPECT_NEAR(predictor.total(candidate("neon", 4), one).expected, 0.6 * alone, kSmall);
  // By Amdahl's law 0.6 = s + (1 - s) / 4, so two threads take s + (1 - s) / 2.
  const double serial = (0.6 - 0.25) / 0.75;
  EXPECT_NEAR(predictor.total(candidate("neon", 2), one).expected,
              (serial + (1 - serial) / 2) * alone, kSmall);
}

TEST(Predictor, IntervalHoldsTheExpectationAndWhatScattersOrDisturbs) {
  Sample sample = sample_of({}, 2, false);
  EXPECT_NEAR(measured_cpu_cost(some_work(), sample, some_work()).neon.error, kMinUnrest, 1e-3);
  sample.unrest = 0.1;
  EXPECT_NEAR(measured_cpu_cost(some_work(), sample, some_work()).neon.error, 0.1, 1e-3);
  for (std::size_t frame = 0; frame < 2; ++frame) {  // the first quarter of the frames is slow
    for (double& seconds : sample.trials[1].frames[frame].seconds) seconds *= 1.5;
  }
  EXPECT_GT(measured_cpu_cost(some_work(), sample, some_work()).neon.error, 0.2);
  const Predictor predictor = predictor_of(sample, nullptr, {2, false});
  for (const Candidate& plan : all_candidates(2, false, 200, {})) {
    const Estimate estimate = predictor.total(plan, totals_of(some_work()));
    EXPECT_LT(estimate.low, estimate.expected) << plan.label();
    EXPECT_LT(estimate.expected, estimate.high) << plan.label();
  }
}

TEST(Predictor, ScalarPlansAreScalarInEveryStage) {
  Sample sample = sample_of({}, 1, false);
  for (FrameCost& frame : sample.trials[1].frames) {
    frame.seconds[static_cast<std::size_t>(ClockRow::prediction)] *= 3;
  }
  ASSERT_EQ(sample.trials[1].candidate, candidate("scalar"));
  const Predictor predictor = predictor_of(sample, nullptr, {1, false});
  const FrameTotals one = frames(1, 1000);
  EXPECT_NEAR(predictor.stage(candidate("scalar", 1), ClockRow::prediction, one).expected, 6e-3,
              kSmall);
  EXPECT_NEAR(predictor.stage(candidate("neon", 1), ClockRow::prediction, one).expected, 2e-3,
              kSmall);
}

TEST(Predictor, KnowsThatADeviceOnTheCpuCompetesForCores) {
  const std::vector<FrameWork> work = some_work();
  const Sample sample = sample_of({}, 2, true);
  const QpuCost qpu = measured_qpu_cost(work, sample, work);
  const FrameTotals one = frames(1, 1000);
  const Candidate plan = candidate("loop_filter=divided:200", 2);
  const auto filter = [&](bool cpu_device) {
    return predictor_of(sample, &qpu, {2, cpu_device}).stage(plan, ClockRow::loop_filter, one);
  };
  // The QPU has four levels with 1500 edges. A third of all edges is chroma, filtered on two
  // threads; a quarter of luma's two thirds is left for one thread.
  const double on_qpu = 4e-4 + 1500e-6;
  const double chroma = 2e-3 / 3;
  const double rest = 2e-3 / 6;
  EXPECT_NEAR(filter(false).expected, on_qpu + rest, 1e-7);
  EXPECT_NEAR(filter(true).expected, on_qpu + chroma / 2 + rest, 1e-7);
  EXPECT_NEAR(filter(true).high, on_qpu + chroma + rest, 1e-7);
}

TEST(Predictor, InWavesAllOfLumaIsTheQpus) {
  const std::vector<FrameWork> work = some_work();
  const Sample sample = sample_of({}, 2, true);
  const QpuCost qpu = measured_qpu_cost(work, sample, work);
  const FrameTotals one = frames(1, 1000);
  const Estimate filter =
      predictor_of(sample, &qpu, {2, false})
          .stage(candidate("loop_filter=divided:waves", 2), ClockRow::loop_filter, one);
  // The QPU filters six waves with two thirds of the edges.
  EXPECT_NEAR(filter.expected, 6e-4 + 2000e-6, 1e-7);
}

TEST(QpuCost, BothSidesShareAModelledBoardsMemory) {
  QpuCost cost = modelled_qpu_cost(some_work(), sample_of({}, 2, false), picture_model(), 1);
  // Memory is busy for 0 to 0.1 ms of each picture's time, which includes the fixed cost.
  EXPECT_GT(cost.levels.bytes, 0);
  EXPECT_GT(cost.waves.bytes, cost.levels.bytes) << "the same bytes in less time";
  const Predictor undisturbed = predictor_of(sample_of({}, 2, false), &cost, {2, false});
  cost.memory = SharedMemory{model::pi5(), 8e9};
  cost.memory->board.memory_bytes_per_second = 10e9;
  cost.waves.bytes = 4e9;
  // Two threads would move 16 GB/s and get 10; with the QPU, both processors get half of their
  // demand.
  const Slowdowns slowdowns = cost.beside(FilterOrder::waves, 2);
  EXPECT_NEAR(slowdowns.qpu, 2, kSmall);
  EXPECT_NEAR(slowdowns.neon, 2 * 10.0 / 16, kSmall);
  const Predictor disturbed = predictor_of(sample_of({}, 2, false), &cost, {2, false});
  const Candidate plan = candidate("loop_filter=divided:waves", 2);
  const FrameTotals one = frames(1, 2400);
  const Estimate alone = undisturbed.stage(plan, ClockRow::loop_filter, one);
  const Estimate both = disturbed.stage(plan, ClockRow::loop_filter, one);
  // Chroma, a third of the edges on two threads, takes 1.25 times as long. In that time the QPU
  // does half as much as alone.
  EXPECT_NEAR(both.expected - alone.expected, 2e-3 / 3 / 2 * 1.25 / 2, 1e-6);
  EXPECT_EQ(both.low, alone.low);
}

}  // namespace
}  // namespace sidecore::model::test_predictor
