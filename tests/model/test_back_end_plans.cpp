// Plans with pixel stages before the loop filter on the QPU: their names, and predictions from
// figures whose outcome is known.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "model/back_end_model.h"
#include "model/candidate.h"
#include "model/predictor.h"
#include "model/some_work.h"

namespace sidecore::model::test_back_end_plans {
namespace {

Candidate whole(int threads) {
  return candidate("qpu", threads);
}

Candidate divided(int threads) {
  return candidate("divided", threads);
}

Candidate residual(int threads) {
  return candidate("residual=qpu", threads);
}

TEST(ReconstructionPlans, AreAmongTheCandidatesWhereTheirCostIsKnown) {
  const std::array known{whole(1).plan, divided(1).plan, residual(1).plan};
  const auto with = all_candidates(2, true, 1, known);
  const auto without = all_candidates(2, true, 1, {});
  ASSERT_EQ(with.size(), without.size() + 6);
  EXPECT_EQ(with[without.size()], whole(1));
  EXPECT_EQ(with.back(), residual(2));
  EXPECT_EQ(whole(1).label(), "qpu, 1 thread");
  EXPECT_EQ(divided(2).label(), "divided, 2 threads");
  EXPECT_EQ(residual(2).label(), "residual=qpu, 2 threads");
  for (const Candidate& other : without) {
    EXPECT_FALSE(other.plan.reconstructs_on_qpu()) << other.label();
  }
  for (const vp9::Plan& plan : known)
    EXPECT_EQ(std::ranges::count(reconstruction_plans(), plan), 1);
}

TEST(ReconstructionPlans, HaveRowsOfTheClockThatAreTheQpus) {
  for (const vp9::Plan& plan : {whole(1).plan, divided(1).plan}) {
    EXPECT_TRUE(is_on_qpu(plan, ClockRow::prediction));
    EXPECT_TRUE(is_on_qpu(plan, ClockRow::intra));
    EXPECT_TRUE(is_on_qpu(plan, ClockRow::residual));
    EXPECT_TRUE(is_on_qpu(plan, ClockRow::waiting));
    EXPECT_FALSE(is_on_qpu(plan, ClockRow::parsing));
    EXPECT_FALSE(is_on_qpu(plan, ClockRow::edge_derivation));
    EXPECT_FALSE(is_on_qpu(plan, ClockRow::submission)) << "the host writes it";
    EXPECT_TRUE(is_on_qpu(plan, ClockRow::loop_filter));
  }
  for (const vp9::Stage stage : vp9::kStages) {
    EXPECT_EQ(is_on_qpu(residual(1).plan, vp9::row_of(stage)), stage == vp9::Stage::residual)
        << to_string(stage);
  }
}

/// Returns a trial whose stages take `stages` milliseconds per frame, half of that on more threads,
/// and `cpu` CPU seconds.
Trial make_trial(const Candidate& which, const std::array<double, kClockRows.size()>& stages,
                 double cpu) {
  Trial trial{which, {}};
  for (std::size_t frame = 0; frame < some_work().size(); ++frame) {
    FrameCost& cost = trial.frames.emplace_back();
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
      cost.seconds[stage] = 1e-3 * stages[stage] / (which.threads > 1 ? 2 : 1);
    }
    cost.cpu_seconds = cpu;
  }
  return trial;
}

TEST(BackEndPlan, IsForetoldFromTheSampleAsItsCpuTimeIs) {
  Sample sample;
  for (const Candidate& one : sampled_candidates(4, true, true)) {
    sample.trials.push_back(
        one.plan == whole(1).plan ? make_trial(one, {1, 0, 0, 0, 0.5, 0, 2, 18, 0}, 2e-3)
        : one.plan == divided(1).plan
            ? make_trial(one, {1, 3, 0, 1, 0.5, 0, 1, 2, 0}, one.threads > 1 ? 8e-3 : 5e-3)
        : one.plan == residual(1).plan ? make_trial(one, {1, 6, 2, 4, 0.5, 3, 0, 0, 0.5}, 13e-3)
                                       : make_trial(one, {1, 6, 2, 1, 0.5, 3, 0, 0, 0.5}, 14e-3));
  }
  sample.mixes.resize(some_work().size());
  const std::vector<FrameWork> work = some_work();
  const QpuCost qpu = measured_qpu_cost(work, sample, work);
  const Predictor predictor(measured_cpu_cost(work, sample, work), {}, &qpu, {4, false});
  const FrameTotals ten = frames(10, 24000);
  EXPECT_NEAR(predictor.total(whole(1), ten).expected, 10 * 21.5e-3, 1e-6);
  EXPECT_NEAR(predictor.total(whole(4), ten).expected, 10 * 21.5e-3 / 2, 1e-6);
  EXPECT_NEAR(predictor.total(divided(1), ten).expected, 10 * 8.5e-3, 1e-6);
  EXPECT_NEAR(predictor.total(residual(1), ten).expected, 10 * 17e-3, 1e-6);
  EXPECT_NEAR(predictor.total(candidate("neon", 1), ten).expected, 10 * 14e-3, 1e-6);
  EXPECT_NEAR(predictor.cpu_time(whole(1), ten).expected, 10 * 2e-3, 1e-6);
  EXPECT_NEAR(predictor.cpu_time(whole(4), ten).expected, 10 * 2e-3, 1e-6);
  EXPECT_NEAR(predictor.cpu_time(divided(1), ten).expected, 10 * 5e-3, 1e-6);
  EXPECT_NEAR(predictor.cpu_time(divided(4), ten).expected, 10 * 8e-3, 1e-6);
  EXPECT_NEAR(predictor.cpu_time(residual(1), ten).expected, 10 * 13e-3, 1e-6);
  // Measured stages do not overlap, so the interval has the same factor on either side.
  const Estimate total = predictor.total(whole(1), ten);
  EXPECT_NEAR(total.low * total.high, total.expected * total.expected, 1e-9);
}

/// Returns the counts of a frame with two intra blocks, 32 x 48 samples of inter prediction, one
/// 8x8 transform and six edges.
CountedFrame counted_frame() {
  CountedFrame frame;
  frame.counts.inter[1][2][3] = 1.5;
  frame.counts.intra[0][1] = 2;
  frame.counts.transforms[vp9::kTransform8x8][vp9::kDctDct][1] = 1;
  frame.counts.edges[0][0] = 6;
  return frame;
}

TEST(BackEndModel, CountsWhatDrivesTheStages) {
  EXPECT_EQ(count_drivers(counted_frame().counts), (BackEndDrivers{32 * 48, 64, 2, 6}));
}

/// Returns a stream of an intra frame, a frame that repeats it, and six inter frames.
Stream some_stream() {
  Stream stream;
  stream.work = {{FrameKind::intra, 5000}, {FrameKind::inter, 10, true, true}};
  for (int frame = 0; frame < 6; ++frame) stream.work.push_back({FrameKind::inter, 1000});
  stream.sample_frames = stream.work.size();
  return stream;
}

ModelledStage stage_of(std::uint64_t dispatches, ModelledInterval seconds) {
  ModelledStage stage;
  stage.dispatches = dispatches;
  stage.seconds = seconds;
  return stage;
}

/// Returns a model whose pictures are frames 0 and 2 of some_stream(); frame 1 is not coded.
PictureModel some_model() {
  PictureModel model;
  model.assumed = {{"submission_seconds", {1, 1}}, {"dispatch_overhead_seconds", {2, 2}}};
  model.back_end = {{.frame = 0,
                     .intra = true,
                     .stages = {ModelledStage{}, stage_of(1, {10, 30}), stage_of(3, {40, 60}),
                                stage_of(1, {6, 18})}},
                    {.frame = 1,
                     .intra = false,
                     .stages = {stage_of(1, {100, 300}), stage_of(1, {20, 20}), ModelledStage{},
                                stage_of(1, {6, 18})}}};
  return model;
}

/// Returns NEON's seconds for each frame of some_stream(), by ClockRow.
std::vector<ModelledStages> some_neon_stages() {
  std::vector<ModelledStages> all(some_stream().work.size());
  const auto set = [](ModelledStages& stages, ClockRow stage, const Estimate& seconds) {
    stages[static_cast<std::size_t>(stage)] = seconds;
  };
  for (ModelledStages& stages : all) {
    set(stages, ClockRow::parsing, {4, 8, 12});
    set(stages, ClockRow::prediction, {300, 300, 300});
    set(stages, ClockRow::residual, {10, 20, 90});
    set(stages, ClockRow::intra, {5, 5, 5});
    set(stages, ClockRow::loop_filter, {7, 8, 9});
    set(stages, ClockRow::edge_derivation, {1, 1, 1});
  }
  return all;
}

class BackEndModelPlans : public testing::Test {
 protected:
  BackEndModelPlans() {
    for (auto& kinds : frames_[0].counts.inter) kinds = {};
    frames_[3].counts.transforms[vp9::kTransform8x8][vp9::kDctDct][1] = 2;
    predict(1);
    intra_.kinds[static_cast<std::size_t>(FrameKind::intra)] = {1, 5000};
    inter_.kinds[static_cast<std::size_t>(FrameKind::inter)] = {6, 6000};
  }
  void predict(double memory_factor) {
    StagesCost cpu;
    cpu.all_threads.fill({0.25, 0.5, 1});
    QpuCost qpu;
    qpu.reconstruction = modelled_back_end_costs(
        stream_, frames_,
        {.neon = some_neon_stages(), .threads = cpu, .memory_factor = memory_factor}, some_model());
    predictor_.emplace(CpuCost{.threads = 4, .neon = cpu}, EdgeMix{}, &qpu, Machine{4, false});
  }
  /// Predicts the time of the intra frame in one clock row.
  [[nodiscard]] Estimate intra(const Candidate& plan, ClockRow which) const {
    return predictor_->stage(plan, which, intra_);
  }
  /// Predicts the time of the six inter frames together.
  [[nodiscard]] Estimate inter(const Candidate& plan, ClockRow which) const {
    return predictor_->stage(plan, which, inter_);
  }

  Stream stream_ = some_stream();
  std::vector<CountedFrame> frames_{stream_.work.size(), counted_frame()};
  std::optional<Predictor> predictor_;
  FrameTotals intra_;
  FrameTotals inter_;
};

TEST_F(BackEndModelPlans, CostAFrameByWhatDrivesItAsPicturesOfItsKindDo) {
  EXPECT_EQ(intra(whole(1), ClockRow::prediction), Estimate{});
  EXPECT_EQ(intra(whole(1), ClockRow::intra), (Estimate{40, 50, 60}));
  // Fixed costs are those of a submission and its dispatches: 1 + 2 to 1 + 5 * 2 seconds.
  EXPECT_EQ(intra(whole(1), ClockRow::waiting), (Estimate{3, 7, 11}));
  EXPECT_EQ(intra(whole(1), ClockRow::residual), (Estimate{10, 20, 30}));
  EXPECT_EQ(intra(whole(1), ClockRow::loop_filter), (Estimate{6, 12, 18}));
  EXPECT_NEAR(intra(whole(1), ClockRow::parsing).expected, 8, kSmall);
  EXPECT_NEAR(predictor_->cpu_time(whole(1), intra_).low, 5, kSmall);
  EXPECT_NEAR(predictor_->cpu_time(whole(1), intra_).high, 13, kSmall);
  const Estimate total = predictor_->total(whole(1), intra_);
  EXPECT_NEAR(total.low, 40 + 3 + 10 + 6 + 1, kSmall) << "the next frame is parsed meanwhile";
  EXPECT_NEAR(total.expected, 57 + 20 + 12 + 9, kSmall);
  EXPECT_NEAR(total.high, 71 + 30 + 18 + 13, kSmall);
  // More threads speed up only parsing.
  EXPECT_NEAR(intra(whole(4), ClockRow::parsing).expected, 4, kSmall);
  EXPECT_EQ(intra(whole(4), ClockRow::edge_derivation), intra(whole(1), ClockRow::edge_derivation));
  EXPECT_EQ(intra(whole(4), ClockRow::intra), intra(whole(1), ClockRow::intra));
  // Six inter frames have one transform each, one of them has two.
  EXPECT_NEAR(inter(whole(1), ClockRow::residual).expected, 7 * 20, 0.01);
}

TEST_F(BackEndModelPlans, DivideInterFramesSoThatBothSidesEndAtOnce) {
  // For a frame's prediction and residual the QPU takes 200 and 20 seconds, a NEON thread 300
  // and 20. The residual of the frame with two transforms takes the QPU 40 seconds.
  const auto both = [](double qpu, double neon) { return qpu * neon / (qpu + neon); };
  const double usual = both(220, 320);
  const double other = both(240, 320);
  EXPECT_NEAR(inter(divided(1), ClockRow::prediction).expected,
              5 * usual * 200 / 220 + other * 200 / 240, 0.01);
  EXPECT_NEAR(inter(divided(1), ClockRow::residual).expected,
              5 * usual * 20 / 220 + other * 40 / 240, 0.5);
  // The high end is the time of the faster processor alone: the QPU's 320 seconds, or 340.
  const double high =
      inter(divided(1), ClockRow::prediction).high + inter(divided(1), ClockRow::residual).high;
  EXPECT_NEAR(high, 5 * 320 + 340, 1);
  // Four NEON threads take half the time and do more of the rows. Their factor is computed from the
  // sum of all frames, including the intra frame.
  const auto work = [](double qpu, double neon) { return 2 * neon * qpu / (qpu + neon); };
  const double on_one = 6 * 9 + 5 * usual + other;
  const double on_four = 6 * 9 + 5 * work(220, 160) + work(240, 160);
  EXPECT_NEAR(predictor_->cpu_time(divided(1), inter_).expected, on_one, 0.1);
  EXPECT_NEAR(predictor_->cpu_time(divided(4), inter_).expected,
              on_one * (9 + on_four) / (9 + on_one), 0.1);
  // A divided frame has two submissions, of 1 + 2 seconds each at the low end.
  EXPECT_NEAR(inter(divided(1), ClockRow::waiting).low, 6 * (3 + 3), kSmall);
  EXPECT_NEAR(inter(whole(1), ClockRow::waiting).low, 6 * 3, kSmall);
}

TEST_F(BackEndModelPlans, DivideNoIntraFrame) {
  for (const ClockRow stage : kClockRows) {
    EXPECT_EQ(intra(divided(1), stage), intra(whole(1), stage)) << to_string(stage);
  }
  EXPECT_EQ(predictor_->cpu_time(divided(1), intra_), predictor_->cpu_time(whole(1), intra_));
}

TEST_F(BackEndModelPlans, LeaveAllButOneStageToTheCpu) {
  // The single stage has its own submission, which takes 1 + 2 seconds for one dispatch.
  EXPECT_NEAR(inter(residual(1), ClockRow::residual).expected, 7 * 20 + 6 * 3, 0.01);
  EXPECT_EQ(inter(residual(1), ClockRow::waiting), Estimate{});
  EXPECT_NEAR(inter(residual(1), ClockRow::loop_filter).expected, 6 * 8, kSmall);
  EXPECT_NEAR(inter(residual(4), ClockRow::loop_filter).expected, 6 * 4, kSmall);
  EXPECT_NEAR(inter(residual(4), ClockRow::prediction).expected, 6 * 150, kSmall);
  EXPECT_NEAR(inter(residual(4), ClockRow::intra).expected, 6 * 5, kSmall) << "on one thread";
  EXPECT_NEAR(inter(residual(4), ClockRow::edge_derivation).expected, 6 * 1, kSmall)
      << "on one thread";
  EXPECT_NEAR(predictor_->cpu_time(residual(1), inter_).expected, 6 * (8 + 300 + 5 + 8 + 1), 1e-6);
  // In this plan NEON predicts intra blocks, so NEON adds their residual.
  EXPECT_EQ(intra(residual(1), ClockRow::residual), (Estimate{10, 20, 90}));
  EXPECT_EQ(intra(residual(4), ClockRow::residual), (Estimate{10, 20, 90})) << "on one thread";
  EXPECT_NEAR(predictor_->total(residual(1), intra_).low, 300 + 10 + 5 + 7 + 1, kSmall)
      << "the next frame is parsed meanwhile";
}

TEST_F(BackEndModelPlans, TransformIntraFramesTwiceWhereTheQpuOnlyPredictsThem) {
  const Candidate plan = candidate("intra=qpu");
  const Candidate on_four = candidate("intra=qpu", 4);
  EXPECT_EQ(intra(plan, ClockRow::residual), (Estimate{20, 40, 180}));
  // On four threads all frames together take 40 + 6 * 10 instead of 40 + 6 * 20 seconds. The factor
  // of this sum applies to each frame.
  EXPECT_NEAR(intra(on_four, ClockRow::residual).expected, 40 * 100 / 160.0, kSmall);
  EXPECT_NEAR(inter(plan, ClockRow::residual).expected, 6 * 20, kSmall);
  // A submission of three dispatches takes 1 + 2 to 1 + 3 * 2 seconds.
  EXPECT_EQ(intra(plan, ClockRow::intra), (Estimate{43, 55, 67}));
}

TEST_F(BackEndModelPlans, SlowNeonDownInTheGpusMemoryButForItsFilter) {
  const Estimate prediction = inter(residual(1), ClockRow::prediction);
  const Estimate filter = inter(residual(1), ClockRow::loop_filter);
  const Estimate on_qpu = inter(residual(1), ClockRow::residual);
  predict(3);
  EXPECT_NEAR(inter(residual(1), ClockRow::prediction).expected, 3 * prediction.expected, 1e-6);
  EXPECT_EQ(inter(residual(1), ClockRow::loop_filter), filter);
  EXPECT_EQ(inter(residual(1), ClockRow::residual), on_qpu);
}

TEST_F(BackEndModelPlans, CountNeonsTimesInTheGpusMemoryExceptOnTheStack) {
  std::vector<ModelledStages> slow = some_neon_stages();
  for (ModelledStages& stages : slow) {
    for (Estimate& stage : stages) {
      stage = {3 * stage.low, 3 * stage.expected, 3 * stage.high};
    }
  }
  StagesCost cpu;
  cpu.all_threads.fill({0.25, 0.5, 1});
  QpuCost qpu;
  qpu.reconstruction = modelled_back_end_costs(
      stream_, frames_, {.neon = some_neon_stages(), .neon_in_gpu_memory = slow, .threads = cpu},
      some_model());
  qpu.neon_in_gpu_memory.emplace();
  predictor_.emplace(CpuCost{.threads = 4, .neon = cpu}, EdgeMix{}, &qpu, Machine{4, false});
  EXPECT_NEAR(inter(residual(1), ClockRow::prediction).expected, 6 * 3 * 300, kSmall);
  EXPECT_NEAR(inter(residual(1), ClockRow::loop_filter).expected, 6 * 3 * 8, kSmall);
  EXPECT_NEAR(inter(residual(1), ClockRow::parsing).expected, 6 * 8, kSmall);
  // In an intra frame under intra=qpu, transforms run twice on the stack.
  EXPECT_EQ(intra(candidate("intra=qpu"), ClockRow::residual), (Estimate{20, 40, 180}));
  EXPECT_NEAR(inter(candidate("intra=qpu"), ClockRow::residual).expected, 6 * 3 * 20, kSmall);
  const auto both = [](double one, double other) { return one * other / (one + other); };
  EXPECT_NEAR(inter(divided(1), ClockRow::prediction).expected,
              5 * both(220, 960) * 200 / 220 + both(240, 960) * 200 / 240, 0.01);
  // Seven decoded frames, one of them intra; 18 loads of two intra blocks, 8 of one transform. Six
  // edges are 48 loads.
  const auto loads = [&](std::string_view plan) {
    return 7 * predictor_->gpu_memory_traffic(candidate(plan))->reads.loads;
  };
  EXPECT_EQ(loads("qpu"), 0);
  // 32 x 48 samples of averaged prediction are 96 loads; the intra frame has none.
  EXPECT_NEAR(loads("residual=qpu"), 6 * 96 + 8 + 7 * (18 + 48), kSmall);
  EXPECT_NEAR(loads("intra=qpu"), 6 * 96 + 5 * 8 + 16 + 7 * 48, kSmall);
  // Divided: NEON does 220 / 1180 of a usual frame and 240 / 1200 of the one with two transforms.
  EXPECT_NEAR(loads("divided"), 5 * (96 + 8) * 220 / 1180.0 + (96 + 16) * 240 / 1200.0, kSmall);
}

TEST(BackEndModel, TakesNeonsTimesFromTheSample) {
  Sample sample;
  sample.trials.push_back(
      make_trial(candidate("neon", 1), {1, 6, 2, 1, 0.5, 3, 0, 0, 0.25}, 14e-3));
  const std::vector<ModelledStages> measured = measured_neon_stages(sample);
  ASSERT_EQ(measured.size(), some_work().size());
  const auto of = [&](ClockRow stage) {
    return measured[0][static_cast<std::size_t>(stage)].expected;
  };
  EXPECT_NEAR(of(ClockRow::parsing), 1e-3, kSmall);
  EXPECT_NEAR(of(ClockRow::prediction), 6e-3, kSmall);
  EXPECT_NEAR(of(ClockRow::other), 0.25e-3, kSmall);
}

TEST(BackEndModel, CountsWhatIsWrittenForTheQpuWhereABoardIsModelled) {
  Stream stream = some_stream();
  stream.width = stream.height = 8;
  std::vector<CountedFrame> frames(stream.work.size(), counted_frame());
  for (CountedFrame& frame : frames) {
    frame.counts.prediction_calls = 1002;  // two of these calls are intra
    frame.counts.transform_calls = 10;
  }
  const BoardCosts costs = board_costs(*board_of("pi5"));
  const auto seconds = [&](std::string_view plan, ClockRow row, const BoardCosts* board) {
    FrameTotals one;
    one.kinds[static_cast<std::size_t>(FrameKind::inter)] = {1, 1000};
    const std::vector<ReconstructionCost> all = modelled_back_end_costs(
        stream, frames,
        {.neon = modelled_neon_stages(stream, frames, costs, PictureMemory::heap),
         .threads = {},
         .board = board},
        some_model());
    const auto found = std::ranges::find(all, vp9::Plan::parse(plan), &ReconstructionCost::plan);
    return found->stages.one_thread[static_cast<std::size_t>(row)].seconds(one).expected;
  };
  const auto take = [&](const Cycles& cycles, double times) {
    return times * cycles.expected / costs.board.clock_hz;
  };
  const double calls = take(costs.stream.prediction_call, 1000);
  const double intra = take(costs.stream.prediction_call, 2);
  const double transforms = take(costs.stream.transform_call, 10);
  const double edges = take(costs.stream.filter_edge, 6);
  EXPECT_EQ(seconds("qpu", ClockRow::submission, nullptr), 0);
  EXPECT_NEAR(seconds("qpu", ClockRow::submission, &costs), calls + intra + transforms + edges,
              1e-3 * calls);
  // The time to write its list counts in the stage's row if only one stage is on the QPU.
  const auto more = [&](std::string_view plan, ClockRow row) {
    EXPECT_EQ(seconds(plan, ClockRow::submission, &costs), 0);
    return seconds(plan, row, &costs) - seconds(plan, row, nullptr);
  };
  EXPECT_NEAR(more("prediction=qpu", ClockRow::prediction), calls, 1e-3 * calls);
  EXPECT_NEAR(more("residual=qpu", ClockRow::residual), transforms, 1e-3 * transforms);
}

}  // namespace
}  // namespace sidecore::model::test_back_end_plans
