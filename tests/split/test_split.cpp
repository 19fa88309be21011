// The arithmetic of split's predictions, on figures whose outcome is known.
#include <gtest/gtest.h>

#include <array>
#include <sstream>
#include <string>
#include <vector>

#include "error_text.h"
#include "gates/gate_results.h"
#include "qpu/vp9/step_price.h"
#include "split/board_model.h"
#include "split/cost_line.h"
#include "split/frame_costs.h"
#include "split/gate_results.h"
#include "split/picture_model.h"
#include "split/predictor.h"
#include "split/proposal.h"
#include "split/propose.h"
#include "split/some_work.h"
#include "split/stream.h"

namespace sidecore::split::test_split {
namespace {

using qpu::LoopFilterOrder;
using test::gate_report;

/// What a stage costs under all of the sample's plans.
struct Costs {
  double neon_filter = 2e-3;
  double scalar_filter = 4e-3;
  double threads_factor = 0.6;  ///< time on all threads over that on one
  double qpu_step = 1e-4;
  double qpu_edge = 1e-6;
};

constexpr EdgeMix kMix{.edges = 3000,
                       .luma_edges = 2000,
                       .large_edges = 1500,
                       .steps = 8,
                       .large_steps = 4,
                       .waves = 6,
                       .luma_waves = 6};

FrameCost frame_cost(const Plan& plan, const Costs& costs, const FrameWork& work, double edges) {
  const double threads = plan.threads > 1 ? costs.threads_factor : 1;
  double filter = costs.neon_filter * threads;
  if (plan.filter == FilterPlace::scalar) filter = costs.scalar_filter;
  if (plan.filter == FilterPlace::qpu) {
    filter = kMix.all(plan.schedule).dispatches * costs.qpu_step + edges * costs.qpu_edge;
  }
  FrameCost cost;
  cost.seconds = {work.bytes * 1e-6 * threads,
                  2e-3 * threads,
                  4e-4 * threads,
                  6e-4 * threads,
                  1e-4 * threads,
                  filter,
                  0,
                  0,
                  0};
  cost.edges[0][0] = edges;
  return cost;
}

Sample sample_of(const Costs& costs, int threads, bool qpu) {
  Sample sample;
  const std::vector<FrameWork> work = some_work();
  for (const Plan& plan : sampled_plans(threads, qpu, true)) {
    Trial trial{plan, {}};
    for (std::size_t frame = 0; frame < work.size(); ++frame) {
      const double edges = frame % 2 == 0 ? 2500 : 3500;
      trial.frames.push_back(frame_cost(plan, costs, work[frame], edges));
    }
    sample.trials.push_back(trial);
  }
  sample.mixes.assign(work.size(), kMix);
  return sample;
}

/// A predictor of the measured sample.
Predictor predictor_of(const Sample& sample, const QpuCost* qpu, const Machine& machine) {
  return {measured_cpu_cost(some_work(), sample, some_work()), mean(sample.mixes, some_work()), qpu,
          machine};
}

TEST(StepPrice, AStepIsWorthADispatchFromAsManyEdgesAsNeonFiltersMeanwhile) {
  EXPECT_EQ((qpu::StepPrice{.dispatch = 10.5e-6, .edge = 50e-9}).least_edges(), 210U);
  EXPECT_EQ((qpu::StepPrice{.dispatch = 10.51e-6, .edge = 50e-9}).least_edges(), 211U);
  EXPECT_EQ((qpu::StepPrice{.dispatch = 1e-9, .edge = 50e-9}).least_edges(), 1U);
  EXPECT_EQ((qpu::StepPrice{.dispatch = 0, .edge = 50e-9}).least_edges(), 1U);
  EXPECT_EQ((qpu::StepPrice{.dispatch = 0, .edge = 0}).least_edges(), 1U);
  EXPECT_GT((qpu::StepPrice{.dispatch = 1e-6, .edge = 0}).least_edges(), 1000000U);
}

TEST(Plan, AllAreTriedUpToTheThreads) {
  EXPECT_EQ(all_plans(1, false, {}).size(), 2U);
  EXPECT_EQ(all_plans(3, true, {}).size(), 6U * 3U);  // 1, 2, 3; with a QPU in levels and waves
  EXPECT_EQ(all_plans(4, true, {}).back(), (Plan{FilterPlace::split, 4, LoopFilterOrder::waves}));
  EXPECT_EQ((Plan{FilterPlace::qpu, 2, LoopFilterOrder::waves}).label(),
            "qpu filter in waves, 2 threads");
}

TEST(Predictor, GivesBackWhatTheSampleHasAndPassesOnHowThreadsHelp) {
  const std::vector<FrameWork> work = some_work();
  const Sample sample = sample_of({}, 4, false);
  const Predictor predictor = predictor_of(sample, nullptr, {4, false});
  const FrameTotals one = frames(1, 1000);
  const double alone = 1e-3 + 3e-3 + 1e-4 + 2e-3;
  EXPECT_NEAR(predictor.total({FilterPlace::neon, 1}, one).expected, alone, kSmall);
  EXPECT_NEAR(predictor.total({FilterPlace::neon, 4}, one).expected, 0.6 * alone, kSmall);
  // Amdahl: 0.6 = s + (1 - s) / 4, so that two threads take s + (1 - s) / 2.
  const double serial = (0.6 - 0.25) / 0.75;
  EXPECT_NEAR(predictor.total({FilterPlace::neon, 2}, one).expected,
              (serial + (1 - serial) / 2) * alone, kSmall);
}

TEST(Predictor, IntervalHoldsTheExpectationAndWhatScattersOrDisturbs) {
  Sample sample = sample_of({}, 2, false);
  EXPECT_NEAR(measured_cpu_cost(some_work(), sample, some_work()).neon.error, kLeastUnrest, 1e-3);
  sample.unrest = 0.1;
  EXPECT_NEAR(measured_cpu_cost(some_work(), sample, some_work()).neon.error, 0.1, 1e-3);
  for (std::size_t frame = 0; frame < 2; ++frame) {  // the first quarter is slow
    for (double& seconds : sample.trials[1].frames[frame].seconds) seconds *= 1.5;
  }
  EXPECT_GT(measured_cpu_cost(some_work(), sample, some_work()).neon.error, 0.2);
  const Predictor predictor = predictor_of(sample, nullptr, {2, false});
  for (const Plan& plan : all_plans(2, false, {})) {
    const Estimate estimate = predictor.total(plan, totals_of(some_work()));
    EXPECT_LT(estimate.low, estimate.expected) << plan.label();
    EXPECT_LT(estimate.expected, estimate.high) << plan.label();
  }
}

TEST(Predictor, ScalarPlansAreScalarInEveryStage) {
  Sample sample = sample_of({}, 1, false);
  for (FrameCost& frame : sample.trials[1].frames) {
    frame.seconds[static_cast<std::size_t>(Stage::prediction)] *= 3;
  }
  ASSERT_EQ(sample.trials[1].plan.filter, FilterPlace::scalar);
  const Predictor predictor = predictor_of(sample, nullptr, {1, false});
  const FrameTotals one = frames(1, 1000);
  EXPECT_NEAR(predictor.stage({FilterPlace::scalar, 1}, Stage::prediction, one).expected, 6e-3,
              kSmall);
  EXPECT_NEAR(predictor.stage({FilterPlace::neon, 1}, Stage::prediction, one).expected, 2e-3,
              kSmall);
}

TEST(Predictor, KnowsThatADeviceOnTheCpuCompetesForCores) {
  const std::vector<FrameWork> work = some_work();
  const Sample sample = sample_of({}, 2, true);
  const QpuCost qpu = measured_qpu_cost(work, sample, work);
  const FrameTotals one = frames(1, 1000);
  const Plan plan{FilterPlace::split, 2};
  const auto filter = [&](bool cpu_device) {
    return predictor_of(sample, &qpu, {2, cpu_device}).stage(plan, Stage::filter, one);
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

TEST(Predictor, InWavesAllOfLumaIsTheQpus) {
  const std::vector<FrameWork> work = some_work();
  const Sample sample = sample_of({}, 2, true);
  const QpuCost qpu = measured_qpu_cost(work, sample, work);
  const FrameTotals one = frames(1, 1000);
  const Estimate filter =
      predictor_of(sample, &qpu, {2, false})
          .stage({FilterPlace::split, 2, LoopFilterOrder::waves}, Stage::filter, one);
  EXPECT_NEAR(filter.expected, 6e-4 + 2000e-6, 1e-7);  // six waves, two thirds of the edges
}

/// Dispatches whose bounds lie on lines: seconds a dispatch, seconds an edge.
std::vector<ModelledPicture> pictures_on(const CostLine& low, const CostLine& high) {
  std::vector<ModelledPicture> pictures;
  for (const std::uint64_t frame : {0U, 1U}) {
    ModelledPicture picture;
    picture.frame = frame;
    picture.instructions = 1000;
    picture.requests = 300;
    for (const double edges : {900.0, 400.0, 50.0 + static_cast<double>(frame)}) {
      const Load load{1, edges};
      picture.dispatches.push_back({edges, {low.seconds(load), high.seconds(load)}});
    }
    picture.bounds = {{"issue", {1e-4, 1e-4}},
                      {"tmu", {2e-4, 3e-4}},
                      {"memory", {0, 1e-4}},
                      {"schedule", {1e-5, 1e-4}}};
    pictures.push_back(picture);
  }
  return pictures;
}

constexpr double kOverhead = 33e-6;

PictureModel picture_model() {
  PictureModel model;
  model.v3d = "7.1";
  model.driver = "V3DV Mesa 25.0.7";
  model.clip = {"clip.webm", 3, "0123456789abcdef0123456789abcdef", 640, 360, 8};
  model.assumed = {{"clock_hz", {960e6, 960e6}},
                   {"memory_bytes_per_second", {8e9, 8e9}},
                   {"qpus", {12, 12}},
                   {"slices", {4, 4}},
                   {"cycles_per_instruction", {1, 1}},
                   {"tmu_cycles_per_request", {8, 8}},
                   {"tmu_cycles_per_word", {4, 4}},
                   {"tmu_latency_cycles", {20, 20}},
                   {"supergroup_start_cycles", {20, 20}},
                   {"supergroups_at_once", {1, 1}},
                   {"error_factor", {0.7, 1.7}},
                   {"submission_seconds", {22.7e-6, 22.7e-6}},
                   {"dispatch_overhead_seconds", {kOverhead, kOverhead}}};
  model.levels = pictures_on({50e-6, 40e-9}, {300e-6, 80e-9});
  model.waves = pictures_on({30e-6, 20e-9}, {100e-6, 60e-9});
  return model;
}

TEST(PictureModel, CountsADispatchsOwnCostOnceAPictureAndOnceADispatch) {
  const ModelledPicture picture = picture_model().levels.front();
  const double edges = 900 + 400 + 50;
  EXPECT_EQ(picture.edges(), edges);
  EXPECT_NEAR(picture.seconds(kOverhead).low, kOverhead + 3 * 50e-6 + edges * 40e-9, kSmall);
  EXPECT_NEAR(picture.seconds(kOverhead).high, 3 * (kOverhead + 300e-6) + edges * 80e-9, kSmall);
}

TEST(PictureModel, LinesRunThroughItsDispatches) {
  const ModelledLines lines = lines_of(picture_model().levels, kOverhead);
  EXPECT_NEAR(lines.low.per_part, 50e-6, kSmall);
  EXPECT_NEAR(lines.low.per_size, 40e-9, 1e-12);
  EXPECT_NEAR(lines.high.per_part, 300e-6 + kOverhead, kSmall);
  EXPECT_NEAR(lines.high.per_size, 80e-9, 1e-12);
}

TEST(PictureModel, GivesPlansAnIntervalFromItsTwoEnds) {
  const std::vector<FrameWork> work = some_work();
  const Sample sample = sample_of({}, 2, false);
  const QpuCost qpu = modelled_qpu_cost(work, sample, picture_model(), 1.5);
  const Predictor predictor = predictor_of(sample, &qpu, {2, false});
  const FrameTotals one = frames(1, 2400);  // the mean frame
  const Estimate levels = predictor.stage({FilterPlace::qpu, 2}, Stage::filter, one);
  EXPECT_NEAR(levels.low, kOverhead + 8 * 50e-6 + 3000 * 40e-9, 1e-6);
  EXPECT_NEAR(levels.high, 8 * (300e-6 + kOverhead) + 3000 * 80e-9, 1e-6);
  EXPECT_NEAR(levels.expected, (levels.low + levels.high) / 2, kSmall);
  const Estimate waves =
      predictor.stage({FilterPlace::split, 2, LoopFilterOrder::waves}, Stage::filter, one);
  EXPECT_NEAR(waves.high, 6 * (100e-6 + kOverhead) + 2000 * 60e-9 + 2e-3 / 3, 1e-6);
  EXPECT_LT(waves.low, waves.expected);
  // The CPU's stages have no interval of their own; in the QPU's memory they take longer.
  const Estimate prediction = predictor.stage({FilterPlace::qpu, 1}, Stage::prediction, one);
  EXPECT_NEAR(prediction.expected, 1.5 * 2e-3, 1e-7);
  EXPECT_EQ(prediction.low, prediction.high);
  const Estimate intra = predictor.stage({FilterPlace::qpu, 1}, Stage::intra, one);
  EXPECT_NEAR(intra.expected, 1.5 * 4e-4, 1e-7);
}

TEST(QpuCost, BothSidesShareAModelledBoardsMemory) {
  QpuCost cost = modelled_qpu_cost(some_work(), sample_of({}, 2, false), picture_model(), 1);
  // A memory that is busy for 0 to 0.1 ms of each picture's time; a dispatch's cost is in that.
  EXPECT_GT(cost.levels.bytes, 0);
  EXPECT_GT(cost.waves.bytes, cost.levels.bytes) << "as much in less time";
  const Predictor undisturbed = predictor_of(sample_of({}, 2, false), &cost, {2, false});
  cost.memory = SharedMemory{armsim::pi5(), 8e9};
  cost.memory->board.memory_bytes_per_second = 10e9;
  cost.waves.bytes = 4e9;
  // Two threads would move 16 GB/s and get 10; beside the QPU both get half of what they ask for.
  const Slowdowns slowdowns = cost.beside(LoopFilterOrder::waves, 2);
  EXPECT_NEAR(slowdowns.qpu, 2, kSmall);
  EXPECT_NEAR(slowdowns.neon, 2 * 10.0 / 16, kSmall);
  const Predictor disturbed = predictor_of(sample_of({}, 2, false), &cost, {2, false});
  const Plan plan{FilterPlace::split, 2, LoopFilterOrder::waves};
  const FrameTotals one = frames(1, 2400);
  const Estimate alone = undisturbed.stage(plan, Stage::filter, one);
  const Estimate both = disturbed.stage(plan, Stage::filter, one);
  // Chroma, a third of the edges on two threads, takes 1.25 times as long, and the QPU does half
  // of what it would do meanwhile.
  EXPECT_NEAR(both.expected - alone.expected, 2e-3 / 3 / 2 * 1.25 / 2, 1e-6);
  EXPECT_EQ(both.low, alone.low);
}

/// The text with `to` in the place of the first `from`, which must be there.
std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(PictureModel, FilesReadBackAsTheyWereWritten) {
  const PictureModel model = picture_model();
  const std::string json = to_json(model);
  EXPECT_EQ(parse_picture_model(json, "model.json"), model);
  EXPECT_EQ(to_json(parse_picture_model(json, "model.json")), json);
  EXPECT_NE(json.find("\"basis\": \"model, not measured\""), std::string::npos);
}

TEST(PictureModel, RefusesWhatItCannotTrust) {
  const std::string good = to_json(picture_model());
  const auto refusal = [](const std::string& text) {
    return test::error_text([&] { static_cast<void>(parse_picture_model(text, "m.json")); });
  };
  const auto changed = [&](const std::string& from, const std::string& to) {
    return refusal(replaced(good, from, to));
  };
  EXPECT_TRUE(refusal(good.substr(0, good.size() / 2))
                  .starts_with("'m.json' is not a whole JSON document"));
  EXPECT_EQ(refusal("{}"),
            "'m.json' is not a model of scripts/v3dsim-picture: it lacks \"schema\": "
            "\"sidecore-picture-model\"");
  EXPECT_EQ(changed("\"version\": 1", "\"version\": 2"),
            "'m.json' is sidecore-picture-model version 2, and this sidecore reads up to 1: use a "
            "newer one");
  const std::string invalid = "'m.json' is not a valid model of scripts/v3dsim-picture: ";
  EXPECT_EQ(changed("\"v3d\"", "\"v4d\""), invalid + "\"v3d\" is missing");
  EXPECT_EQ(changed("\"clock_hz\"", "\"clock\""), invalid + "\"clock_hz\" is missing");
  EXPECT_EQ(changed("\"edges\": 900.0", "\"edges\": 901.0"),
            invalid + "frame 0 has other edges than its dispatches together");
  EXPECT_EQ(changed("\"edges\": 900.0", "\"edges\": -900.0"),
            invalid + "\"edges\" is not a number from 0 on");
  EXPECT_EQ(changed("8000000000.0", "9000000000.0"),
            invalid + "\"memory_bytes_per_second\" is not an interval");
  EXPECT_EQ(changed("\"packets\": 3", "\"packets\": 0"),
            invalid + "\"packets\" is not a whole number in its range");
  PictureModel empty = picture_model();
  empty.waves.clear();
  EXPECT_EQ(refusal(to_json(empty)), invalid + "\"waves\" has too few elements");
}

/// As many dispatches as that, bounded by issue, requests and memory, and a schedule.
ModelledStage stage_of(std::uint64_t dispatches, const std::array<double, 3>& known,
                       double schedule) {
  ModelledStage stage;
  stage.dispatches = dispatches;
  stage.instructions = 1000 * dispatches;
  stage.requests = 100 * dispatches;
  stage.seconds = {0.7 * schedule, 1.7 * schedule};
  stage.bounds = {{"issue", {known[0], known[0]}},
                  {"tmu", {known[1], known[1]}},
                  {"memory", {known[2], known[2]}},
                  {"schedule", stage.seconds}};
  return stage;
}

PictureModel back_end_model() {
  PictureModel model = picture_model();
  const ReconstructedPicture intra{
      .frame = 0,
      .intra = true,
      .stages = {ModelledStage{}, stage_of(8, {2e-3, 1e-3, 1e-3}, 3e-3),
                 stage_of(60, {1e-3, 1e-3, 1e-3}, 20e-3), stage_of(61, {1e-3, 4e-3, 1e-3}, 6e-3)}};
  const ReconstructedPicture inter{
      .frame = 1,
      .intra = false,
      .stages = {stage_of(30, {1e-3, 1e-3, 5e-3}, 7e-3), stage_of(10, {1e-5, 1e-5, 1e-5}, 2e-5),
                 ModelledStage{}, stage_of(61, {1e-3, 4e-3, 1e-3}, 6e-3)}};
  model.back_end = {intra, inter};
  const auto filter = static_cast<std::size_t>(BackEndStage::loop_filter);
  model.back_end[0].stages[filter].units = {{"edge", "large levels", 100, 60, 50000, 4000},
                                            {"edge", "small levels", 50, 1, 11000, 2100}};
  model.back_end[1].stages[filter].units = {{"edge", "small levels", 150, 61, 61000, 6100}};
  model.published = {{BackEndStage::loop_filter, "as published", 103.02, 9.615}};
  return model;
}

TEST(BackEnd, APictureIsItsStagesAndWhatItsSubmissionCosts) {
  const PictureModel model = back_end_model();
  const FixedCosts fixed = model.fixed_costs();
  const ModelledInterval seconds = model.back_end[0].seconds(fixed);
  EXPECT_EQ(model.back_end[0].dispatches(), 129U);
  EXPECT_NEAR(seconds.low, 22.7e-6 + kOverhead + 0.7 * 29e-3, kSmall);
  EXPECT_NEAR(seconds.high, 22.7e-6 + 129 * kOverhead + 1.7 * 29e-3, kSmall);
  EXPECT_EQ(fixed.of(0), ModelledInterval{});
  EXPECT_EQ(fixed.of(1).low, fixed.of(1).high);
}

TEST(BackEnd, NamesWhatMostOfAStagesTimeGoesTo) {
  const PictureModel model = back_end_model();
  const auto part = [&](std::size_t picture, BackEndStage stage) {
    return greatest_part(model.back_end[picture].of(stage), model);
  };
  EXPECT_EQ(part(0, BackEndStage::inter_prediction), "nothing");
  EXPECT_EQ(part(0, BackEndStage::inverse_transform), "issue");
  EXPECT_EQ(part(0, BackEndStage::intra_prediction), "waiting");
  EXPECT_EQ(part(0, BackEndStage::loop_filter), "requests");
  EXPECT_EQ(part(1, BackEndStage::inter_prediction), "memory");
  EXPECT_EQ(part(1, BackEndStage::inverse_transform), "dispatches");
}

TEST(BackEnd, TheTableHasStagesThatAddUpForEachKindOfPictureAndForAll) {
  const std::string text = to_text(back_end_model());
  for (const char* const words :
       {"not measured",
        "the whole back end on the QPU, intra pictures (1): 37.0 ms a picture (20.4 .. 53.6, high "
        "/ low 2.63), 27.1 pictures a second (18.7 .. 49.1)",
        "other pictures (1): 17.3 ms a picture", "all pictures (2): 27.1 ms a picture"}) {
    EXPECT_NE(text.find(words), std::string::npos) << words << " in " << text;
  }
  EXPECT_EQ(to_text(picture_model()).find("back end"), std::string::npos);
}

TEST(BackEnd, TheUnitsOfAllPicturesAreInOneTableBesideThePublishedDesigns) {
  const std::string text = to_text(back_end_model());
  const std::string of_units = text.substr(text.find("by unit, all pictures"));
  // Units of one kind are added up, then all of a stage, and divided once.
  for (const std::array<const char*, 5>& cells :
       {std::array{"edge, large levels", "60", "100", "500.0", "40.00"},
        std::array{"edge, small levels", "62", "200", "360.0", "41.00"},
        std::array{"edge, all", "122", "300", "406.7", "40.67"},
        std::array{"as published", "", "", "103.0", "9.62"}}) {
    const std::size_t begin = of_units.find(cells[0]);
    ASSERT_NE(begin, std::string::npos) << cells[0] << " in " << of_units;
    std::istringstream row(of_units.substr(begin + std::string(cells[0]).size()));
    for (std::size_t cell = 1; cell < cells.size(); ++cell) {
      if (*cells[cell] == '\0') continue;
      std::string found;
      row >> found;
      EXPECT_EQ(found, cells[cell]) << cells[0];
    }
  }
  EXPECT_EQ(to_text(picture_model()).find("by unit"), std::string::npos);
}

TEST(BackEnd, MayBeThatOfPicturesWithoutEdges) {
  PictureModel model = back_end_model();
  model.levels.clear();
  model.waves.clear();
  EXPECT_EQ(parse_picture_model(to_json(model), "model.json"), model);
  model.levels = back_end_model().levels;
  EXPECT_EQ(test::error_text(
                [&] { static_cast<void>(parse_picture_model(to_json(model), "model.json")); }),
            "'model.json' is not a valid model of scripts/v3dsim-picture: \"waves\" has too few "
            "elements");
}

TEST(BackEnd, FilesReadBackAsTheyWereWrittenAndMayLackIt) {
  const PictureModel model = back_end_model();
  const std::string json = to_json(model);
  EXPECT_EQ(parse_picture_model(json, "model.json"), model);
  EXPECT_EQ(to_json(parse_picture_model(json, "model.json")), json);
  // A document of a build that knew no back end.
  const std::string old = replaced(json, "\"back_end\"", "\"none\"");
  EXPECT_TRUE(parse_picture_model(old, "model.json").back_end.empty());
  // One of a build that knew no units.
  const std::string without =
      replaced(replaced(json, "\"units\": [", "\"none\": ["), "\"published\"", "\"nothing\"");
  const PictureModel parsed = parse_picture_model(without, "model.json");
  EXPECT_TRUE(parsed.published.empty());
  EXPECT_EQ(parsed.back_end.size(), 2U);
  EXPECT_EQ(test::error_text([&] {
              static_cast<void>(parse_picture_model(replaced(json, "\"loop_filter\"", "\"filter\""),
                                                    "model.json"));
            }),
            "'model.json' is not a valid model of scripts/v3dsim-picture: \"loop_filter\" is "
            "missing");
}

Proposal some_proposal() {
  Proposal proposal;
  proposal.run.command_line = {"sidecore", "split", "a clip.ivf"};
  proposal.run.before.board = "a board";
  proposal.run.after.load_average = {0.25, 0.5, 1};
  proposal.stream = "'a clip.ivf'";
  proposal.packets = 40;
  proposal.sample = 13;
  proposal.pictures = 32;
  proposal.qpu = "V3D 7.1";
  proposal.not_run = "not asked for";
  proposal.mix = kMix;
  proposal.least_edges = {120, "as asked for"};
  proposal.cpu_factor = 2.5;
  proposal.error = 0.125;
  proposal.unrest = 0.5;
  proposal.stages = {{{FilterPlace::neon, 2}, false, {1, 2, 3, 4, 5, 6, 7, 8, 9}}};
  proposal.plans = {{{FilterPlace::neon, 2}, false, {0.5, 1, 2}, 0.25},
                    {{FilterPlace::split, 1, LoopFilterOrder::waves}, true, {0.25, 4, 8}, {}}};
  proposal.rival = 1;
  proposal.assumptions = {"nothing else runs"};
  return proposal;
}

TEST(Proposal, FilesReadBackAsTheyWereWritten) {
  const std::string json = to_json(some_proposal());
  const Proposal read = parse_proposal(json, "split.json");
  EXPECT_EQ(to_json(read), json);
  EXPECT_EQ(to_text(read), to_text(some_proposal()));
  EXPECT_EQ(read.plans[1].plan, (Plan{FilterPlace::split, 1, LoopFilterOrder::waves}));
  EXPECT_TRUE(read.plans[1].modelled);
  EXPECT_EQ(read.plans[0].predicted.low, 0.5);
  EXPECT_EQ(read.plans[0].predicted.high, 2);
  EXPECT_EQ(read.run.before.board, "a board");
  EXPECT_EQ(read.stages[0].seconds, (StageSeconds{1, 2, 3, 4, 5, 6, 7, 8, 9}));
}

// Version 2 had intra prediction under `prediction`, and the waits for the QPU under what waited.
TEST(Proposal, OlderDocumentsLackStagesThatWereNotTimedApart) {
  std::string old = replaced(to_json(some_proposal()), "\"version\": 3", "\"version\": 2");
  for (const char* const line :
       {"        \"intra prediction\": 3.0,\n", "        \"submission to the QPU\": 7.0,\n",
        "        \"waiting for the QPU\": 8.0,\n"}) {
    ASSERT_NE(old.find(line), std::string::npos) << line;
    old = replaced(old, line, "");
  }
  const Proposal read = parse_proposal(old, "split.json");
  EXPECT_EQ(read.stages[0].seconds, (StageSeconds{1, 2, 0, 4, 5, 6, 0, 0, 9}));
  EXPECT_NE(to_text(some_proposal()).find("inter prediction"), std::string::npos);
  EXPECT_NE(to_text(read).find("prediction"), std::string::npos);
  for (const char* const stage : {"inter prediction", "intra prediction", "the QPU"}) {
    EXPECT_EQ(to_text(read).find(stage), std::string::npos) << stage;
  }
}

TEST(Proposal, RefusesWhatItCannotTrust) {
  const std::string good = to_json(some_proposal());
  const auto refusal = [](const std::string& text) {
    return test::error_text([&] { static_cast<void>(parse_proposal(text, "s.json")); });
  };
  const auto changed = [&](const std::string& from, const std::string& to) {
    return refusal(replaced(good, from, to));
  };
  EXPECT_TRUE(refusal(good.substr(0, good.size() / 2))
                  .starts_with("'s.json' is not a whole JSON document"));
  EXPECT_EQ(refusal("{}"),
            "'s.json' is not a proposal of sidecore split: it lacks \"schema\": "
            "\"sidecore-split\"");
  EXPECT_EQ(changed("\"version\": 3", "\"version\": 4"),
            "'s.json' is sidecore-split version 4, and this sidecore reads up to 3: use a newer "
            "one");
  const std::string invalid = "'s.json' is not a valid proposal of sidecore split: ";
  EXPECT_EQ(changed("\"stages\"", "\"stage\""), invalid + "\"stages\" is missing");
  EXPECT_EQ(changed("\"loop_filter\": \"neon\"", "\"loop_filter\": \"gpu\""),
            invalid + "\"loop_filter\" is unknown: 'gpu'");
  EXPECT_EQ(changed("\"threads\": 2", "\"threads\": 0"),
            invalid + "\"threads\" is not a whole number in its range");
  EXPECT_EQ(changed("\"basis\": \"measured\"", "\"basis\": \"guessed\""),
            invalid + "\"basis\" is unknown: 'guessed'");
  EXPECT_EQ(changed("\"expected\": 32.0", "\"expected\": -1"),
            invalid + "\"expected\" is not a number from 0 on");
  EXPECT_EQ(changed("\"proposal\": 0", "\"proposal\": 2"),
            invalid + "\"proposal\" or \"rival\" is not one of the plans");
  EXPECT_EQ(changed("\"packets\": 40", "\"packets\": 12"),
            invalid + "the sample has more packets than there are");
}

TEST(GateRates, AreTheQpusAloneAndHowBothDisturbOneAnother) {
  const std::vector<gates::GateReport> reports{gate_report("Pi")};
  const std::vector<std::string> names{"pi.json"};
  gates::EnvironmentRecord board;
  board.board = "Pi";
  const GateRates rates = gate_rates(reports, names, board);
  EXPECT_EQ(rates.qpu_edges[1][2], 1e6);
  EXPECT_NEAR(rates.submission, 5e-4, kSmall);
  EXPECT_NEAR(rates.dispatch, 1e-5, kSmall);
  EXPECT_NEAR(rates.qpu_slowdown, 1.5, kSmall);
  EXPECT_NEAR(rates.neon_slowdown, 1.25, kSmall);
  const std::vector<FrameWork> work = some_work();
  const QpuCost cost = gates_qpu_cost(work, sample_of({}, 2, false), rates);
  // 3000 edges at a million a second, a submission, eight dispatches.
  EXPECT_NEAR(cost.levels.all_edges.seconds(frames(8, 19200)).expected, 8 * (3e-3 + 5e-4 + 8e-5),
              1e-6);
  // In six waves; split gives the QPU luma's two thirds.
  EXPECT_NEAR(cost.waves.shared_edges.seconds(frames(8, 19200)).expected, 8 * (2e-3 + 5e-4 + 6e-5),
              1e-6);
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
  reports[0] = gate_report("Pi");
  reports[0].throttled = "under-voltage (get_throttled 0x50005)";
  EXPECT_EQ(refusal(),
            "'pi.json' is void, the board throttled: under-voltage (get_throttled 0x50005)");
}

TEST(GateRates, AreOfOneDeviceWhichIsTheOneThatWasOpened) {
  const auto of_device = [](const char* name) {
    gates::GateReport report = gate_report("Pi");
    report.device.emplace();
    report.device->name = name;
    return report;
  };
  std::vector<gates::GateReport> reports{of_device("V3D 7.1.7.0"), gate_report("Pi"),
                                         of_device("V3D 7.1.7.0")};
  const std::vector<std::string> names{"one.json", "two.json", "three.json"};
  gates::EnvironmentRecord board;
  board.board = "Pi";
  const GateRates rates = gate_rates(reports, names, board);
  EXPECT_FALSE(rates.cpu_device());
  EXPECT_NO_THROW(check_device(rates, *reports[0].device));
  EXPECT_NO_THROW(check_device(GateRates(), *reports[0].device)) << "nobody said which";
  qpu::DeviceInfo other;
  other.name = "llvmpipe (LLVM 15.0.6, 256 bits)";
  other.type = qpu::DeviceType::cpu;
  EXPECT_EQ(test::error_text([&] { check_device(rates, other); }),
            "'one.json' was measured with V3D 7.1.7.0, and split would run on llvmpipe (LLVM "
            "15.0.6, 256 bits): choose the former with --device");
  reports[2].device = other;
  EXPECT_EQ(test::error_text([&] { static_cast<void>(gate_rates(reports, names, board)); }),
            "'three.json' was measured with llvmpipe (LLVM 15.0.6, 256 bits), 'one.json' with V3D "
            "7.1.7.0: results of one device are needed");
}

/// M3 alone: a million edges a second in the heap, half as many in the device's memory.
gates::GateReport m3_report(const std::string& board) {
  gates::GateReport report = gate_report(board);
  report.m5.report.reset();
  report.build.neon_is_native = true;
  for (gates::KernelReport& kernel : report.kernels) {
    kernel.m4.report.reset();
    gates::CpuContentRuns content;
    content.units = 1000;
    const auto add = [&](gates::CpuImplementation implementation, int threads,
                         gates::CpuMemory memory, double elapsed) {
      gates::CpuRun run{implementation, threads, memory, {}, {}};
      run.elapsed = SampleSet({elapsed});
      content.runs.push_back(run);
    };
    add(gates::CpuImplementation::scalar, 1, gates::CpuMemory::heap, 9e6);
    add(gates::CpuImplementation::neon, 4, gates::CpuMemory::heap, 3e5);
    // Scalar code waits less for memory: it says nothing of NEON.
    add(gates::CpuImplementation::scalar, 1, gates::CpuMemory::device, 9e6);
    add(gates::CpuImplementation::neon, 1, gates::CpuMemory::device, 2e6);
    add(gates::CpuImplementation::neon, 1, gates::CpuMemory::heap, 1e6);
    kernel.m3.report.emplace();
    kernel.m3.report->contents.push_back(content);
  }
  return report;
}

gates::EnvironmentRecord machine(const std::string& board) {
  gates::EnvironmentRecord record;
  record.board = board;
  return record;
}

/// A thousand cycles a second; every kernel takes 1 to 3 cycles, whatever else a figure of its own.
BoardCosts board_costs_of_figures() {
  const auto cycles = [](double value) { return armsim::Cycles{value / 2, value, 2 * value}; };
  return {{"pi5", armsim::Core::cortex_a76, 4, 1000, 0},
          [](std::string_view kernel, std::string_view input,
             int bits) -> std::optional<armsim::Cycles> {
            EXPECT_EQ(bits, 8);
            // No such row: transforms of few coefficients take the next one's.
            if (kernel == "inverse_transform 16x16 dct_dct" && input == "4x4") return std::nullopt;
            return armsim::Cycles{1, 2, input == "flat" ? 5.0 : 3.0};
          },
          {.parsing_bit = cycles(1),
           .parsing_call = cycles(10),
           .edge_derivation = cycles(4),
           .prediction_call = cycles(20),
           .transform_call = cycles(30),
           .filter_edge = cycles(40),
           .other_block = cycles(50),
           .memory_block = {}},
          [](int, int, int) {
            return armsim::Cycles{100, 200, 300};
          }};
}

TEST(BoardModel, AddsUpWhatAFrameCalls) {
  Stream stream;
  stream.width = 16;
  stream.height = 9;
  KernelCounts counts;
  counts.inter[1][2][3] = 1.5;  // averaged, vertical, 32 wide and 48 high
  counts.intra[0][1] = 2;
  counts.prediction_calls = 3;
  counts.transforms[vp9::kTransform16x16][vp9::kDctDct][1] = 7;
  counts.transform_calls = 7;
  counts.edges[0][0] = 6;
  const ModelledStages stages =
      modelled_stages(counts, {FrameKind::inter, 25}, stream, board_costs_of_figures());
  const auto expected = [&](Stage stage) {
    return 1000 * stages[static_cast<std::size_t>(stage)].expected;
  };
  EXPECT_NEAR(expected(Stage::parsing), 25 * 8 + 3 * 10, kSmall);
  EXPECT_NEAR(expected(Stage::prediction), 1.5 * 2 + 1 * 20 + 200, kSmall);
  EXPECT_NEAR(expected(Stage::intra), 2 * 2 + 2 * 20, kSmall);
  EXPECT_NEAR(expected(Stage::residual), 7 * 2 + 7 * 30, kSmall);
  EXPECT_NEAR(expected(Stage::edges), 6 * 4, kSmall);
  EXPECT_NEAR(expected(Stage::filter), 6 * 2 + 6 * 40, kSmall);
  EXPECT_NEAR(expected(Stage::other), 4 * 50, kSmall);
  const Estimate& filter = stages[static_cast<std::size_t>(Stage::filter)];
  EXPECT_NEAR(1000 * filter.low, 6 * 1 + 6 * 20, kSmall);
  EXPECT_NEAR(1000 * filter.high, 6 * 5 + 6 * 80, kSmall) << "flat edges take longest";
  counts.inter = {};
  counts.prediction_calls = 2;
  const ModelledStages intra =
      modelled_stages(counts, {FrameKind::intra, 25}, stream, board_costs_of_figures());
  EXPECT_EQ(intra[static_cast<std::size_t>(Stage::prediction)], Estimate{});
  EXPECT_NEAR(1000 * intra[static_cast<std::size_t>(Stage::intra)].expected, 2 * 2 + 2 * 20 + 200,
              kSmall)
      << "what memory costs, too";
  const ModelledStages repeated =
      modelled_stages({}, {FrameKind::inter, 1, true, true}, stream, board_costs_of_figures());
  EXPECT_EQ(repeated, ModelledStages{});
}

TEST(BoardModel, ThreadsDivideAllStagesOrAllButParsing) {
  Stream stream;
  stream.width = stream.height = 64;
  for (const FrameWork& frame : some_work()) stream.work.push_back(frame);
  stream.sample_frames = stream.work.size();
  std::vector<CountedFrame> frames(stream.work.size());
  for (CountedFrame& frame : frames) frame.counts.prediction_calls = 1;
  const CpuCost cost = modelled_cpu_cost(stream, frames, board_costs_of_figures());
  EXPECT_EQ(cost.threads, 4);
  EXPECT_FALSE(cost.scalar);
  const Predictor predictor(cost, {}, nullptr, {4, false});
  const FrameTotals all = totals_of(stream.work);
  const auto seconds = [&](int threads, Stage stage) {
    return predictor.stage({FilterPlace::neon, threads}, stage, all);
  };
  EXPECT_NEAR(seconds(4, Stage::parsing).low, seconds(1, Stage::parsing).low / 4, 1e-6);
  EXPECT_NEAR(seconds(4, Stage::parsing).high, seconds(1, Stage::parsing).high, 1e-6);
  EXPECT_GT(seconds(1, Stage::prediction).low, 0);
  EXPECT_NEAR(seconds(4, Stage::prediction).high, seconds(1, Stage::prediction).high / 4, 1e-6);
  EXPECT_NEAR(seconds(2, Stage::prediction).expected, seconds(1, Stage::prediction).expected / 2,
              1e-6);
}

TEST(BoardCpu, IsThatOfM3AndStretchesTheTimesOfThisMachine) {
  const std::vector<gates::GateReport> reports{m3_report("Pi")};
  const std::vector<std::string> names{"pi.json"};
  const BoardCpu cpu = board_cpu(reports, names, machine("laptop"), "7.1");
  EXPECT_FALSE(cpu.this_machine);
  EXPECT_TRUE(board_cpu(reports, names, machine("Pi"), "7.1").this_machine);
  EXPECT_EQ(cpu.board, "Pi");
  EXPECT_NEAR(cpu.neon_edge(), 1e-6, kSmall);
  EXPECT_NEAR(cpu.device_memory_factor, 2, kSmall);
  Sample sample = sample_of({}, 1, false);
  // 3000 edges a frame at a million a second, where this machine takes 2 ms.
  const double factor = cpu_factor(sample, cpu.neon_edges);
  EXPECT_NEAR(factor, 1.5, kSmall);
  scale_seconds(sample, factor);
  const FrameTotals one = frames(1, 1000);
  const Predictor predictor = predictor_of(sample, nullptr, {4, false});
  EXPECT_NEAR(predictor.stage({FilterPlace::neon, 1}, Stage::filter, one).expected, 3e-3, kSmall);
  EXPECT_NEAR(predictor.stage({FilterPlace::neon, 1}, Stage::prediction, one).expected, 3e-3,
              kSmall);
}

TEST(BoardCpu, RefusesWhatIsNotTheModelledBoards) {
  std::vector<gates::GateReport> reports{m3_report("Pi"), m3_report("Pi")};
  const std::vector<std::string> names{"one.json", "two.json"};
  const auto refusal = [&] {
    return test::error_text(
        [&] { static_cast<void>(board_cpu(reports, names, machine("laptop"), "7.1")); });
  };
  reports[1].before.board = "Pi 4";
  EXPECT_EQ(refusal(),
            "'two.json' was measured on Pi 4, others on Pi: results of one board are needed");
  reports[1] = m3_report("Pi");
  reports[1].device.emplace();
  reports[1].device->name = "V3D 4.2.14.0";
  EXPECT_EQ(refusal(), "'two.json' is of a board with V3D 4.2.14.0, the model of a V3D 7.1");
  reports[1].device->simulated = true;
  EXPECT_NE(refusal().find("simulator"), std::string::npos) << refusal();
  reports[1] = m3_report("Pi");
  reports[1].throttled = "throttled while windows of M4 ran";
  EXPECT_EQ(refusal(),
            "'two.json' is void, the board throttled: throttled while windows of M4 ran");
  reports.pop_back();
  reports[0].build.neon_is_native = false;
  EXPECT_NE(refusal().find("has no NEON"), std::string::npos) << refusal();
  reports[0] = m3_report("Pi");
  reports[0].kernels[4].m3.report.reset();
  EXPECT_NE(refusal().find("there is no M3 of loop_filter_v_8 with one NEON thread; sidecore gate "
                           "loop_filter_v_8 --gates m3 --json FILE makes one"),
            std::string::npos)
      << refusal();
}

TEST(LeastEdges, FollowFromThePricesAtHandAndSayWhich) {
  const Stream stream;
  ProposeOptions options;
  options.model = picture_model();
  const std::vector<gates::GateReport> reports{m3_report("Pi")};
  const std::vector<std::string> names{"pi.json"};
  options.board = board_cpu(reports, names, machine("laptop"), "7.1");
  const LeastEdges modelled = least_edges_for(stream, options);
  EXPECT_EQ(modelled.edges, 192U);  // the middle of 50 and 333 us, at a million edges a second
  EXPECT_EQ(modelled.origin,
            "a dispatch costs 191.5 us (model, not measured), an edge on one NEON thread 1000.0 ns "
            "(M3 of the board)");
  options = {};
  options.rates.emplace();
  options.rates->dispatch = 30e-6;
  options.rates->neon_edge = 100e-9;
  EXPECT_EQ(least_edges_for(stream, options).edges, 300U);
  EXPECT_NE(least_edges_for(stream, options).origin.find("(M5)"), std::string::npos);
  options.least_edges = 7;
  EXPECT_EQ(least_edges_for(stream, options).edges, 7U);
  EXPECT_EQ(least_edges_for(stream, options).origin, "as asked for");
}

}  // namespace
}  // namespace sidecore::split::test_split
