// Tests of picture models, which the simulator's timing model makes: cost lines, predicted times of
// stage plans, and JSON documents.
#include <gtest/gtest.h>

#include <array>
#include <sstream>
#include <string>
#include <vector>

#include "error_text.h"
#include "model/picture_model.h"
#include "model/predictor.h"
#include "model/some_pictures.h"
#include "model/some_sample.h"
#include "replaced_text.h"

namespace sidecore::model::test_picture_model {
namespace {

using test::replaced;

TEST(PictureModel, CountsADispatchsOwnCostOnceAPictureAndOnceADispatch) {
  const ModelledPicture picture = picture_model().levels.front();
  const double edges = 900 + 400 + 50;
  EXPECT_EQ(picture.edges(), edges);
  EXPECT_NEAR(picture.seconds(kOverhead).low, kOverhead + 3 * 50e-6 + edges * 40e-9, kSmall);
  EXPECT_NEAR(picture.seconds(kOverhead).high, 3 * (kOverhead + 300e-6) + edges * 80e-9, kSmall);
}

TEST(PictureModel, LinesRunThroughItsDispatches) {
  const ModelledLines lines = fit_lines(picture_model().levels, kOverhead);
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
  const FrameTotals one = frames(1, 2400);  // mean frame of the sample
  const Estimate levels =
      predictor.stage(candidate("loop_filter=qpu", 2), ClockRow::loop_filter, one);
  EXPECT_NEAR(levels.low, kOverhead + 8 * 50e-6 + 3000 * 40e-9, 1e-6);
  EXPECT_NEAR(levels.high, 8 * (300e-6 + kOverhead) + 3000 * 80e-9, 1e-6);
  EXPECT_NEAR(levels.expected, (levels.low + levels.high) / 2, kSmall);
  const Estimate waves =
      predictor.stage(candidate("loop_filter=divided:waves", 2), ClockRow::loop_filter, one);
  EXPECT_NEAR(waves.high, 6 * (100e-6 + kOverhead) + 2000 * 60e-9 + 2e-3 / 3, 1e-6);
  EXPECT_LT(waves.low, waves.expected);
  // The CPU's stages have no interval of their own, and take longer if frames are in device memory.
  const Estimate prediction =
      predictor.stage(candidate("loop_filter=qpu", 1), ClockRow::prediction, one);
  EXPECT_NEAR(prediction.expected, 1.5 * 2e-3, 1e-7);
  EXPECT_EQ(prediction.low, prediction.high);
  const Estimate intra = predictor.stage(candidate("loop_filter=qpu", 1), ClockRow::intra, one);
  EXPECT_NEAR(intra.expected, 1.5 * 4e-4, 1e-7);
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
  EXPECT_EQ(changed("\"version\": 2", "\"version\": 3"),
            "'m.json' is sidecore-picture-model version 3, and this sidecore reads up to 2: use a "
            "newer one");
  EXPECT_EQ(changed("\"version\": 2", "\"version\": 1"),
            "'m.json' is sidecore-picture-model version 1, and this sidecore reads 2 and newer "
            "ones: create it again with this version");
  const std::string invalid = "'m.json' is not a valid model of scripts/v3dsim-picture: ";
  EXPECT_EQ(changed("\"v3d\"", "\"v4d\""), invalid + "\"v3d\" is missing");
  EXPECT_EQ(changed("\"clock_hz\"", "\"clock\""), invalid + "\"clock_hz\" is missing");
  EXPECT_EQ(changed("\"edges\": 900.0", "\"edges\": 901.0"),
            invalid + "\"edges\" of frame 0 is not the sum over its dispatches");
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

/// Returns a stage with these dispatches, and with bounds for issue, requests, memory and schedule.
ModelledStage stage_of(std::uint64_t dispatches, const std::array<double, 3>& known,
                       double schedule) {
  ModelledStage stage;
  stage.dispatches = dispatches;
  stage.instructions = 1000 * dispatches;
  stage.requests = 100 * dispatches;
  stage.seconds = {0.7 * schedule, 1.7 * schedule};
  stage.two_supergroups = {0.35 * schedule, 0.85 * schedule};
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
  model.back_end[0].stages.loop_filter.units = {{"edge", "large levels", 100, 60, 50000, 4000},
                                                {"edge", "small levels", 50, 1, 11000, 2100}};
  model.back_end[1].stages.loop_filter.units = {{"edge", "small levels", 150, 61, 61000, 6100}};
  model.published = {{vp9::Stage::loop_filter, "as published", 103.02, 9.615}};
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
  const auto part = [&](std::size_t picture, vp9::Stage stage) {
    return greatest_part(model.back_end[picture].stages[stage], model);
  };
  EXPECT_EQ(part(0, vp9::Stage::prediction), "nothing");
  EXPECT_EQ(part(0, vp9::Stage::residual), "issue");
  EXPECT_EQ(part(0, vp9::Stage::intra), "waiting");
  EXPECT_EQ(part(0, vp9::Stage::loop_filter), "requests");
  EXPECT_EQ(part(1, vp9::Stage::prediction), "memory");
  EXPECT_EQ(part(1, vp9::Stage::residual), "dispatches");
}

TEST(BackEnd, TheTableHasStagesThatAddUpForEachKindOfPictureAndForAll) {
  const std::string text = to_text(back_end_model());
  for (const char* const words :
       {"not measured",
        "all pixel stages on the QPU, intra pictures (1): 37.0 ms per picture (20.4 .. 53.6, high "
        "/ low 2.63), 27.1 pictures/s (18.7 .. 49.1); with two supergroups at a time 19.6 ms",
        "other pictures (1): 17.3 ms per picture", "all pictures (2): 27.1 ms per picture"}) {
    EXPECT_NE(text.find(words), std::string::npos) << words << " in " << text;
  }
  EXPECT_EQ(to_text(picture_model()).find("all pixel stages"), std::string::npos);
}

TEST(BackEnd, TheUnitsOfAllPicturesAreInOneTableBesideThePublishedDesigns) {
  const std::string text = to_text(back_end_model());
  const std::string of_units = text.substr(text.find("per work unit, all pictures"));
  // Sums over the units of one kind, and over all of a stage, are divided once.
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
  EXPECT_EQ(to_text(picture_model()).find("per work unit"), std::string::npos);
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
  // A document as written by builds without "back_end".
  const std::string old = replaced(json, "\"back_end\"", "\"none\"");
  EXPECT_TRUE(parse_picture_model(old, "model.json").back_end.empty());
  // A document as written by builds without "units".
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

}  // namespace
}  // namespace sidecore::model::test_picture_model
