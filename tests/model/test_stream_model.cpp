// Models of a stream's pictures from the simulator's records.
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <vector>

#include "error_text.h"
#include "model/stream_model.h"
#include "shaderdb/document.h"

namespace sidecore::model::test_stream_model {
namespace {

using test::error_text;

shaderdb::JobRecord job(std::uint64_t instructions, const shaderdb::ModelledBounds& modelled) {
  shaderdb::JobRecord record;
  record.executed = {{"instructions", instructions}, {"loads", 7}, {"stores", 4}, {"atomics", 0}};
  record.modelled = modelled;
  return record;
}

TEST(StreamModel, APictureIsItsDispatchesEachAtItsGreatestBound) {
  std::vector<shaderdb::JobRecord> jobs{job(70, {{"issue", {3, 3}}, {"latency", {1, 9}}}),
                                        job(30, {{"issue", {1, 1}}, {"latency", {2, 4}}})};
  jobs[0].two_supergroups = {1, 2};
  jobs[1].two_supergroups = {2, 3};
  const ModelledPicture picture = modelled_picture(5, jobs, {100, 20});
  EXPECT_EQ(picture.two_supergroups, (ModelledInterval{3, 5}));
  EXPECT_EQ(picture.frame, 5U);
  EXPECT_EQ(picture.instructions, 100U);
  EXPECT_EQ(picture.requests, 22U);
  EXPECT_EQ(picture.bounds.at("issue"), (ModelledInterval{4, 4}));
  ASSERT_EQ(picture.dispatches.size(), 2U);
  EXPECT_EQ(picture.dispatches[0], (ModelledDispatch{100, {3, 9}}));
  EXPECT_EQ(picture.dispatches[1], (ModelledDispatch{20, {2, 4}}));
  EXPECT_EQ(picture.seconds(0.5).low, 5.5);
  EXPECT_EQ(picture.seconds(0.5).high, 14);
}

TEST(StreamModel, RefusesJobsThatAreNotThePicturesAndAV3dWithoutAModel) {
  const std::vector<shaderdb::JobRecord> jobs{job(70, {{"issue", {3, 3}}})};
  EXPECT_EQ(error_text([&] {
              (void)modelled_picture(0, jobs, {100, 20});
            }),
            "the simulator recorded 1 jobs for 2 dispatches");
  EXPECT_EQ(error_text([&] { (void)modelled_picture(0, {job(70, {})}, {100}); }),
            "the simulator gave no modelled times");
}

TEST(StreamModel, AReconstructedPictureHasItsJobsByStage) {
  std::vector<shaderdb::JobRecord> jobs{job(70, {{"issue", {3, 3}}, {"schedule", {1, 9}}}),
                                        job(30, {{"issue", {1, 1}}, {"schedule", {2, 4}}}),
                                        job(5, {{"issue", {1, 1}}, {"schedule", {4, 8}}})};
  const qpu::StageWork work{.prediction = {},
                            .residual = {{"16x16 block", "DCT", 0}, {"16x16 block", "DCT", 20}},
                            .intra = {},
                            .loop_filter = {{"edge", "", 40}}};
  jobs[0].two_supergroups = {1, 5};
  jobs[1].two_supergroups = {1, 3};
  const ReconstructedPicture picture = reconstructed_picture(5, true, jobs, work);
  EXPECT_EQ(picture.frame, 5U);
  EXPECT_TRUE(picture.intra);
  EXPECT_EQ(picture.dispatches(), 3U);
  EXPECT_EQ(picture.stages.prediction, ModelledStage{});
  EXPECT_EQ(picture.stages.intra, ModelledStage{});
  const ModelledStage& transform = picture.stages.residual;
  EXPECT_EQ(transform.dispatches, 2U);
  EXPECT_EQ(transform.instructions, 100U);
  EXPECT_EQ(transform.requests, 22U);
  EXPECT_EQ(transform.bounds.at("issue"), (ModelledInterval{4, 4}));
  EXPECT_EQ(transform.seconds, (ModelledInterval{5, 13}));
  EXPECT_EQ(transform.two_supergroups, (ModelledInterval{2, 8}));
  // The passes of one kind are one row, whose units count once.
  EXPECT_EQ(transform.units, (std::vector<ModelledUnits>{{"16x16 block", "DCT", 20, 2, 100, 22}}));
  EXPECT_EQ(picture.stages.loop_filter.units,
            (std::vector<ModelledUnits>{{"edge", "", 40, 1, 5, 11}}));
  EXPECT_EQ(picture.stages.loop_filter.seconds, (ModelledInterval{4, 8}));
  EXPECT_EQ(
      error_text([&] { (void)reconstructed_picture(5, true, std::span(jobs).first(2), work); }),
      "the simulator recorded 2 jobs for 3 dispatches");
}

TEST(StreamModel, PublishedDesignsAreWhatTheBaselineHas) {
  const shaderdb::Tables baseline = shaderdb::read_tables(SIDECORE_SHADERDB_BASELINE);
  for (const auto& [v3d, known] : baseline) {
    const auto designs = published_designs(known);
    ASSERT_EQ(designs.size(), 4U);
    EXPECT_EQ(designs[1].stage, vp9::Stage::residual);
    EXPECT_EQ(designs[1].name, "8x8 DCT, published, workgroups of 64");
    EXPECT_EQ(designs[1].requests, 18);
    for (const PublishedDesign& design : designs) {
      EXPECT_GT(design.instructions, 100) << design.name;
      EXPECT_LT(design.instructions, 300) << design.name;
    }
  }
  shaderdb::Table without;
  without.v3d = "7.1";
  EXPECT_EQ(error_text([&] { (void)published_designs(without); }),
            "the baseline has no variant '8x8 along x, published' of kernel inter_prediction for "
            "V3D 7.1");
}

}  // namespace
}  // namespace sidecore::model::test_stream_model
