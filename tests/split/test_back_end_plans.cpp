// Plans that have more of the back end on the QPU than its filter: what they are called, and what
// is foretold of them from figures whose outcome is known.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "split/back_end_model.h"
#include "split/plan.h"
#include "split/predictor.h"
#include "split/some_work.h"

namespace sidecore::split {
namespace {

constexpr std::array kBackEnds{ReconstructionPlace::qpu, ReconstructionPlace::divided};

TEST(BackEndPlan, IsAmongThePlansWhereItsCostIsKnown) {
  const auto with = all_plans(2, true, kBackEnds);
  const auto without = all_plans(2, true, {});
  ASSERT_EQ(with.size(), without.size() + 4);
  EXPECT_EQ(with[without.size()], back_end_plan(1));
  EXPECT_EQ(with.back(), divided_plan(2));
  EXPECT_EQ(back_end_plan(1).label(), "qpu back end, 1 thread");
  EXPECT_EQ(divided_plan(2).label(), "divided back end, 2 threads");
  for (const Plan& plan : without) EXPECT_FALSE(is_plan_of_back_end(plan)) << plan.label();
}

TEST(BackEndPlan, IsWhatDecodeCallsByItsStages) {
  EXPECT_EQ(decode_plan(back_end_plan(4)).processors, qpu::parse_decode_plan("qpu").processors);
  EXPECT_EQ(decode_plan(divided_plan(4)).processors,
            qpu::parse_decode_plan("prediction=divided,residual=divided,intra=qpu,loop_filter=qpu")
                .processors);
  for (const Plan& plan : {back_end_plan(1), divided_plan(1)}) {
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
    const bool whole = plan.reconstruction == ReconstructionPlace::qpu;
    const bool divided = plan.reconstruction == ReconstructionPlace::divided;
    sample.trials.push_back(whole     ? trial_of(plan, {1, 0, 0, 0, 0.5, 0, 2, 18, 0}, 2e-3)
                            : divided ? trial_of(plan, {1, 3, 0, 1, 0.5, 0, 1, 2, 0}, 5e-3)
                                      : trial_of(plan, {1, 6, 2, 1, 0.5, 3, 0, 0, 0.5}, 14e-3));
  }
  sample.mixes.resize(some_work().size());
  const std::vector<FrameWork> work = some_work();
  const QpuCost qpu = measured_qpu_cost(work, sample, work);
  const Predictor predictor(measured_cpu_cost(work, sample, work), {}, &qpu, {4, false});
  const FrameTotals ten = frames(10, 24000);
  EXPECT_NEAR(predictor.total(back_end_plan(1), ten).expected, 10 * 21.5e-3, 1e-6);
  EXPECT_NEAR(predictor.total(back_end_plan(4), ten).expected, 10 * 21.5e-3 / 2, 1e-6);
  EXPECT_NEAR(predictor.total(divided_plan(1), ten).expected, 10 * 8.5e-3, 1e-6);
  EXPECT_NEAR(predictor.total({FilterPlace::neon, 1}, ten).expected, 10 * 14e-3, 1e-6);
  EXPECT_NEAR(predictor.cpu_time(back_end_plan(1), ten).expected, 10 * 2e-3, 1e-6);
  EXPECT_NEAR(predictor.cpu_time(back_end_plan(4), ten).expected, 10 * 2e-3, 1e-6);
  EXPECT_NEAR(predictor.cpu_time(divided_plan(1), ten).expected, 10 * 5e-3, 1e-6);
  // Nothing overlaps in what was measured.
  const Estimate total = predictor.total(back_end_plan(1), ten);
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

TEST(BackEndModel, CostsAFrameByWhatDrivesItAsPicturesOfItsKindDo) {
  const Stream stream = some_stream();
  std::vector<CountedFrame> frames(stream.work.size(), counted_frame());
  for (auto& kinds : frames[0].counts.inter) kinds = {};
  frames[3].counts.transforms[vp9::kTransform8x8][vp9::kDctDct][1] = 2;
  std::vector<ModelledStages> host(frames.size());
  for (ModelledStages& stages : host) {
    stages[static_cast<std::size_t>(Stage::parsing)] = {4, 8, 12};
    stages[static_cast<std::size_t>(Stage::prediction)] = {1e6, 1e6, 1e6};  // not the CPU's now
    stages[static_cast<std::size_t>(Stage::edges)] = {1, 1, 1};
  }
  StagesCost cpu;
  cpu.all_threads.fill({0.25, 0.5, 1});
  QpuCost qpu;
  qpu.back_end = modelled_back_end_cost(stream, frames, host, cpu, some_model());
  const Predictor predictor({.threads = 4, .neon = cpu}, {}, &qpu, {4, false});
  FrameTotals one;
  one.kinds[static_cast<std::size_t>(FrameKind::intra)] = {1, 5000};
  const auto stage = [&](Stage which) { return predictor.stage(back_end_plan(1), which, one); };
  EXPECT_EQ(stage(Stage::prediction), Estimate{});
  EXPECT_EQ(stage(Stage::intra), (Estimate{40, 50, 60}));
  // Submission and dispatches: 1 + 2 to 1 + 5 * 2 seconds.
  EXPECT_EQ(stage(Stage::waiting), (Estimate{3, 7, 11}));
  EXPECT_EQ(stage(Stage::residual), (Estimate{10, 20, 30}));
  EXPECT_EQ(stage(Stage::filter), (Estimate{6, 12, 18}));
  EXPECT_NEAR(stage(Stage::parsing).expected, 8, kSmall);
  EXPECT_NEAR(predictor.cpu_time(back_end_plan(1), one).low, 5, kSmall);
  EXPECT_NEAR(predictor.cpu_time(back_end_plan(1), one).high, 13, kSmall);
  const Estimate total = predictor.total(back_end_plan(1), one);
  EXPECT_NEAR(total.low, 40 + 3 + 10 + 6, kSmall) << "the frame was parsed meanwhile";
  EXPECT_NEAR(total.expected, 57 + 20 + 12 + 9, kSmall);
  EXPECT_NEAR(total.high, 71 + 30 + 18 + 13, kSmall);
  // Threads help with parsing alone.
  EXPECT_NEAR(predictor.stage(back_end_plan(4), Stage::parsing, one).expected, 4, kSmall);
  EXPECT_EQ(predictor.stage(back_end_plan(4), Stage::intra, one), stage(Stage::intra));
  // Six inter frames of one stage each, but for one with two transforms.
  FrameTotals inter;
  inter.kinds[static_cast<std::size_t>(FrameKind::inter)] = {6, 6000};
  EXPECT_NEAR(predictor.stage(back_end_plan(1), Stage::residual, inter).expected, 7 * 20, 0.01);
}

TEST(BackEndModel, TakesTheHostsTimesFromTheModelOfABoardOrFromTheSample) {
  Sample sample;
  sample.trials.push_back(
      trial_of({FilterPlace::neon, 1}, {1, 6, 2, 1, 0.5, 3, 0, 0, 0.25}, 14e-3));
  const std::vector<ModelledStages> measured = measured_host_stages(sample);
  ASSERT_EQ(measured.size(), some_work().size());
  const auto of = [](const ModelledStages& stages, Stage stage) {
    return stages[static_cast<std::size_t>(stage)].expected;
  };
  EXPECT_NEAR(of(measured[0], Stage::parsing), 1e-3, kSmall);
  EXPECT_NEAR(of(measured[0], Stage::edges), 0.5e-3, kSmall);
  EXPECT_NEAR(of(measured[0], Stage::other), 0.25e-3, kSmall);
  EXPECT_EQ(of(measured[0], Stage::prediction), 0);
  EXPECT_EQ(of(measured[0], Stage::intra), 0);

  Stream stream;
  stream.width = stream.height = 8;
  stream.work = {{FrameKind::inter, 100}};
  stream.sample_frames = 1;
  CountedFrame frame;
  frame.counts.prediction_calls = 1000;
  const BoardCosts costs = board_costs(*board_of("pi5"));
  const auto submission = [&](const CountedFrame& counted) {
    return of(modelled_host_stages(stream, {&counted, 1}, costs)[0], Stage::submission);
  };
  EXPECT_EQ(submission({}), 0);
  EXPECT_NEAR(submission(frame),
              1000 * costs.stream.prediction_call.expected / costs.board.clock_hz, kSmall)
      << "what the QPU reads is written call by call";
}

}  // namespace
}  // namespace sidecore::split
