// Plans that have more of the back end on the QPU than its filter: what they are called, and what
// is foretold of them from figures whose outcome is known.
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "split/back_end_model.h"
#include "split/plan.h"
#include "split/predictor.h"
#include "split/some_work.h"

namespace sidecore::split {
namespace {

constexpr std::array kBackEnds{ReconstructionPlace::qpu, ReconstructionPlace::divided,
                               ReconstructionPlace::residual};

Plan whole(int threads) {
  return back_end_plan(ReconstructionPlace::qpu, threads);
}

Plan divided(int threads) {
  return back_end_plan(ReconstructionPlace::divided, threads);
}

Plan residual(int threads) {
  return back_end_plan(ReconstructionPlace::residual, threads);
}

TEST(BackEndPlan, IsAmongThePlansWhereItsCostIsKnown) {
  const auto with = all_plans(2, true, kBackEnds);
  const auto without = all_plans(2, true, {});
  ASSERT_EQ(with.size(), without.size() + 6);
  EXPECT_EQ(with[without.size()], whole(1));
  EXPECT_EQ(with.back(), residual(2));
  EXPECT_EQ(whole(1).label(), "qpu back end, 1 thread");
  EXPECT_EQ(divided(2).label(), "divided back end, 2 threads");
  EXPECT_EQ(residual(2).label(), "qpu residual, 2 threads");
  for (const Plan& plan : without) EXPECT_FALSE(is_plan_of_back_end(plan)) << plan.label();
}

TEST(BackEndPlan, IsWhatDecodeCallsByItsStages) {
  const auto says = [](ReconstructionPlace place, std::string_view text) {
    EXPECT_EQ(decode_plan(place).processors, qpu::parse_decode_plan(text).processors) << text;
    EXPECT_TRUE(is_plan_of_back_end(back_end_plan(place, 4))) << text;
    EXPECT_TRUE(needs_qpu(back_end_plan(place, 4))) << text;
  };
  says(ReconstructionPlace::qpu, "qpu");
  says(ReconstructionPlace::divided,
       "prediction=divided,residual=divided,intra=qpu,loop_filter=qpu");
  says(ReconstructionPlace::prediction, "prediction=qpu");
  says(ReconstructionPlace::residual, "residual=qpu");
  says(ReconstructionPlace::intra, "intra=qpu");
  for (const Plan& plan : {whole(1), divided(1)}) {
    EXPECT_EQ(is_divided(plan, Stage::residual), plan == divided(1));
    EXPECT_FALSE(is_divided(plan, Stage::intra));
    EXPECT_TRUE(needs_qpu(plan));
    EXPECT_TRUE(is_on_qpu(plan, Stage::prediction));
    EXPECT_TRUE(is_on_qpu(plan, Stage::intra));
    EXPECT_TRUE(is_on_qpu(plan, Stage::residual));
    EXPECT_TRUE(is_on_qpu(plan, Stage::waiting));
    EXPECT_FALSE(is_on_qpu(plan, Stage::parsing));
    EXPECT_FALSE(is_on_qpu(plan, Stage::edges));
    EXPECT_FALSE(is_on_qpu(plan, Stage::submission)) << "the host writes it";
    EXPECT_TRUE(is_on_qpu(plan, Stage::filter));
  }
  for (const Stage stage : {Stage::prediction, Stage::intra, Stage::residual, Stage::filter}) {
    EXPECT_EQ(is_on_qpu(residual(1), stage), stage == Stage::residual) << to_string(stage);
  }
}

/// A stage takes as many milliseconds as `stages` says, half of it on four threads; CPUs work for
/// `cpu` seconds.
Trial trial_of(const Plan& plan, const std::array<double, kStages.size()>& stages, double cpu) {
  Trial trial{plan, {}};
  for (std::size_t frame = 0; frame < some_work().size(); ++frame) {
    FrameCost& cost = trial.frames.emplace_back();
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
      cost.seconds[stage] = 1e-3 * stages[stage] / (plan.threads > 1 ? 2 : 1);
    }
    cost.cpu_seconds = cpu;
  }
  return trial;
}

TEST(BackEndPlan, IsForetoldFromTheSampleAsItsCpuTimeIs) {
  Sample sample;
  for (const Plan& plan : sampled_plans(4, true, true)) {
    const ReconstructionPlace place = plan.reconstruction;
    sample.trials.push_back(place == ReconstructionPlace::qpu
                                ? trial_of(plan, {1, 0, 0, 0, 0.5, 0, 2, 18, 0}, 2e-3)
                            : place == ReconstructionPlace::divided
                                ? trial_of(plan, {1, 3, 0, 1, 0.5, 0, 1, 2, 0}, 5e-3)
                            : place == ReconstructionPlace::residual
                                ? trial_of(plan, {1, 6, 2, 4, 0.5, 3, 0, 0, 0.5}, 13e-3)
                                : trial_of(plan, {1, 6, 2, 1, 0.5, 3, 0, 0, 0.5}, 14e-3));
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
  EXPECT_NEAR(predictor.total({FilterPlace::neon, 1}, ten).expected, 10 * 14e-3, 1e-6);
  EXPECT_NEAR(predictor.cpu_time(whole(1), ten).expected, 10 * 2e-3, 1e-6);
  EXPECT_NEAR(predictor.cpu_time(whole(4), ten).expected, 10 * 2e-3, 1e-6);
  EXPECT_NEAR(predictor.cpu_time(divided(1), ten).expected, 10 * 5e-3, 1e-6);
  EXPECT_NEAR(predictor.cpu_time(residual(1), ten).expected, 10 * 13e-3, 1e-6);
  // Nothing overlaps in what was measured.
  const Estimate total = predictor.total(whole(1), ten);
  EXPECT_NEAR(total.low * total.high, total.expected * total.expected, 1e-9);
}

/// A frame of two intra predicted blocks, 32 x 48 samples from another frame, an 8x8 transform and
/// six edges.
CountedFrame counted_frame() {
  CountedFrame frame;
  frame.counts.inter[1][2][3] = 1.5;
  frame.counts.intra[0][1] = 2;
  frame.counts.transforms[vp9::kTransform8x8][vp9::kDctDct][1] = 1;
  frame.counts.edges[0][0] = 6;
  return frame;
}

TEST(BackEndModel, CountsWhatDrivesTheStages) {
  EXPECT_EQ(drivers_of(counted_frame().counts), (BackEndDrivers{32 * 48, 64, 2, 6}));
}

/// One intra frame, one that is shown once more, and inter frames.
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

/// Its pictures are frames 0 and 2 of some_stream(): the one between them is not coded.
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

/// What NEON takes for a frame of some_stream(), by Stage.
std::vector<ModelledStages> some_neon_stages() {
  std::vector<ModelledStages> all(some_stream().work.size());
  const auto set = [](ModelledStages& stages, Stage stage, const Estimate& seconds) {
    stages[static_cast<std::size_t>(stage)] = seconds;
  };
  for (ModelledStages& stages : all) {
    set(stages, Stage::parsing, {4, 8, 12});
    set(stages, Stage::prediction, {300, 300, 300});
    set(stages, Stage::residual, {10, 20, 90});
    set(stages, Stage::intra, {5, 5, 5});
    set(stages, Stage::filter, {7, 8, 9});
    set(stages, Stage::edges, {1, 1, 1});
  }
  return all;
}

class BackEndModelPlans : public testing::Test {
 protected:
  BackEndModelPlans() {
    std::vector<CountedFrame> frames(stream_.work.size(), counted_frame());
    for (auto& kinds : frames[0].counts.inter) kinds = {};
    frames[3].counts.transforms[vp9::kTransform8x8][vp9::kDctDct][1] = 2;
    StagesCost cpu;
    cpu.all_threads.fill({0.25, 0.5, 1});
    QpuCost qpu;
    qpu.back_ends = modelled_back_end_costs(
        stream_, frames, {.neon = some_neon_stages(), .threads = cpu}, some_model());
    predictor_.emplace(CpuCost{.threads = 4, .neon = cpu}, EdgeMix{}, &qpu, Machine{4, false});
    one_.kinds[static_cast<std::size_t>(FrameKind::intra)] = {1, 5000};
  }
  /// Of the intra frame.
  [[nodiscard]] Estimate stage(const Plan& plan, Stage which) const {
    return predictor_->stage(plan, which, one_);
  }

  Stream stream_ = some_stream();
  std::optional<Predictor> predictor_;
  FrameTotals one_;
};

TEST_F(BackEndModelPlans, CostAFrameByWhatDrivesItAsPicturesOfItsKindDo) {
  EXPECT_EQ(stage(whole(1), Stage::prediction), Estimate{});
  EXPECT_EQ(stage(whole(1), Stage::intra), (Estimate{40, 50, 60}));
  // Submission and dispatches: 1 + 2 to 1 + 5 * 2 seconds.
  EXPECT_EQ(stage(whole(1), Stage::waiting), (Estimate{3, 7, 11}));
  EXPECT_EQ(stage(whole(1), Stage::residual), (Estimate{10, 20, 30}));
  EXPECT_EQ(stage(whole(1), Stage::filter), (Estimate{6, 12, 18}));
  EXPECT_NEAR(stage(whole(1), Stage::parsing).expected, 8, kSmall);
  EXPECT_NEAR(predictor_->cpu_time(whole(1), one_).low, 5, kSmall);
  EXPECT_NEAR(predictor_->cpu_time(whole(1), one_).high, 13, kSmall);
  const Estimate total = predictor_->total(whole(1), one_);
  EXPECT_NEAR(total.low, 40 + 3 + 10 + 6, kSmall) << "the frame was parsed meanwhile";
  EXPECT_NEAR(total.expected, 57 + 20 + 12 + 9, kSmall);
  EXPECT_NEAR(total.high, 71 + 30 + 18 + 13, kSmall);
  // Threads help with parsing alone.
  EXPECT_NEAR(stage(whole(4), Stage::parsing).expected, 4, kSmall);
  EXPECT_EQ(stage(whole(4), Stage::edges), stage(whole(1), Stage::edges));
  EXPECT_EQ(stage(whole(4), Stage::intra), stage(whole(1), Stage::intra));
  // Six inter frames of one stage each, but for one with two transforms.
  FrameTotals inter;
  inter.kinds[static_cast<std::size_t>(FrameKind::inter)] = {6, 6000};
  EXPECT_NEAR(predictor_->stage(whole(1), Stage::residual, inter).expected, 7 * 20, 0.01);
}

TEST_F(BackEndModelPlans, DivideAStageSoThatBothSidesEndAtOnce) {
  // Of 10, 20 and 30 seconds on the QPU and 10, 20 and 90 on a thread of NEON.
  EXPECT_EQ(stage(divided(1), Stage::residual), (Estimate{5, 10, 30}));
  // On four NEON takes 10, and the QPU 20 for all frames but the one of two transforms, 40. Threads
  // help as with all frames together.
  const double on_one = 6 * 10 + 20 * 40 / 60.0;
  const double on_four = 6 * (10 * 20 / 30.0) + 10 * 40 / 50.0;
  EXPECT_NEAR(stage(divided(4), Stage::residual).expected, 10 * on_four / on_one, kSmall);
  EXPECT_NEAR(stage(divided(4), Stage::residual).high, 30, kSmall) << "NEON is of no use";
  EXPECT_EQ(stage(divided(1), Stage::intra), stage(whole(1), Stage::intra));
  EXPECT_EQ(stage(divided(1), Stage::filter), stage(whole(1), Stage::filter));
  EXPECT_NEAR(predictor_->cpu_time(divided(1), one_).expected, 9 + 10, kSmall);
  // The CPU has its part of the residual while the QPU has its own, and parses beside the rest.
  EXPECT_NEAR(predictor_->total(divided(1), one_).low, 40 + 3 + 5 + 6, kSmall);
}

TEST_F(BackEndModelPlans, LeaveAllButOneStageToTheCpu) {
  // It has a submission of its own: 1 + 2 seconds for one dispatch.
  EXPECT_EQ(stage(residual(1), Stage::residual), (Estimate{13, 23, 33}));
  EXPECT_EQ(stage(residual(1), Stage::waiting), Estimate{});
  EXPECT_NEAR(stage(residual(1), Stage::filter).expected, 8, kSmall);
  EXPECT_NEAR(stage(residual(4), Stage::filter).expected, 4, kSmall);
  EXPECT_NEAR(predictor_->cpu_time(residual(1), one_).expected, 8 + 300 + 5 + 8 + 1, kSmall);
  EXPECT_NEAR(predictor_->total(residual(1), one_).low, 4 + 300 + 13 + 5 + 7 + 1, kSmall)
      << "nothing overlaps";
}

TEST(BackEndModel, TakesNeonsTimesFromTheSample) {
  Sample sample;
  sample.trials.push_back(
      trial_of({FilterPlace::neon, 1}, {1, 6, 2, 1, 0.5, 3, 0, 0, 0.25}, 14e-3));
  const std::vector<ModelledStages> measured = measured_neon_stages(sample);
  ASSERT_EQ(measured.size(), some_work().size());
  const auto of = [&](Stage stage) {
    return measured[0][static_cast<std::size_t>(stage)].expected;
  };
  EXPECT_NEAR(of(Stage::parsing), 1e-3, kSmall);
  EXPECT_NEAR(of(Stage::prediction), 6e-3, kSmall);
  EXPECT_NEAR(of(Stage::other), 0.25e-3, kSmall);
}

TEST(BackEndModel, CountsWhatIsWrittenForTheQpuWhereABoardIsModelled) {
  Stream stream = some_stream();
  stream.width = stream.height = 8;
  std::vector<CountedFrame> frames(stream.work.size(), counted_frame());
  for (CountedFrame& frame : frames) frame.counts.prediction_calls = 1000;
  const BoardCosts costs = board_costs(*board_of("pi5"));
  const auto submission = [&](ReconstructionPlace place, const BoardCosts* board) {
    FrameTotals one;
    one.kinds[static_cast<std::size_t>(FrameKind::inter)] = {1, 1000};
    return modelled_back_end_costs(
               stream, frames,
               {.neon = modelled_neon_stages(stream, frames, costs), .threads = {}, .board = board},
               some_model())
        .at(place)
        .stages.one_thread[static_cast<std::size_t>(Stage::submission)]
        .seconds(one)
        .expected;
  };
  EXPECT_EQ(submission(ReconstructionPlace::qpu, nullptr), 0);
  const double calls = 1000 * costs.stream.prediction_call.expected / costs.board.clock_hz;
  const double edges = 6 * costs.stream.filter_edge.expected / costs.board.clock_hz;
  EXPECT_NEAR(submission(ReconstructionPlace::prediction, &costs), calls, kSmall * calls);
  EXPECT_NEAR(submission(ReconstructionPlace::qpu, &costs), calls + edges, kSmall * calls);
  EXPECT_EQ(submission(ReconstructionPlace::residual, &costs), 0) << "no block was transformed";
}

}  // namespace
}  // namespace sidecore::split
