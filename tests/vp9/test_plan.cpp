// Tests stage plans: their text form, invalid plans, and the segments in which a frame is
// processed.
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "error_text.h"
#include "qpu/vp9/plan_segments.h"
#include "vp9/plan.h"
#include "vp9/stage_clock.h"

namespace sidecore::test_plan {
namespace {

using vp9::Plan;
using vp9::Processor;
using vp9::Stage;

TEST(Plan, IsReadFromWhatItIsWrittenAs) {
  for (const std::string_view text :
       {"scalar", "neon", "qpu", "divided", "prediction=qpu", "residual=divided",
        "prediction=scalar,intra=qpu", "loop_filter=qpu", "loop_filter=qpu:waves",
        "loop_filter=divided", "loop_filter=divided:200", "loop_filter=divided:waves",
        "prediction=divided,residual=qpu,intra=qpu,loop_filter=qpu",
        "intra=scalar,loop_filter=divided:7"}) {
    EXPECT_EQ(to_text(Plan::parse(text)), text);
    EXPECT_EQ(Plan::parse(to_text(Plan::parse(text))), Plan::parse(text)) << text;
  }
}

TEST(Plan, OfOneTextHasOtherTextsToo) {
  EXPECT_EQ(Plan::parse("loop_filter=qpu,prediction=qpu,intra=qpu,residual=qpu"),
            vp9::kBackEndOnQpu);
  EXPECT_EQ(Plan::parse("prediction=divided,residual=divided,intra=qpu,loop_filter=qpu"),
            vp9::kDividedBackEnd);
  EXPECT_EQ(Plan::parse("intra=neon"), Plan{});
}

TEST(Plan, RefusesWhatNothingCanFollow) {
  const auto refusal = [](std::string_view text) {
    return test::error_text([&] { static_cast<void>(Plan::parse(text)); });
  };
  for (const std::string_view text :
       {"", "gpu", "intra", "intra=", "filter=qpu", "qpu,", "qpu:waves", "intra=qpu:waves",
        "loop_filter=neon:waves", "loop_filter=qpu:20", "loop_filter=divided:0",
        "loop_filter=divided:", "loop_filter=divided:-1", "loop_filter=divided:2x",
        "loop_filter=divided:99999999999999999999"}) {
    EXPECT_NE(refusal(text).find("is neither a processor"), std::string::npos) << text;
  }
  EXPECT_NE(refusal("intra=divided").find("cannot be divided"), std::string::npos);
  EXPECT_NE(refusal("intra=qpu,loop_filter=divided").find("cannot be divided"), std::string::npos);
  EXPECT_NE(refusal("intra=qpu,loop_filter=qpu:waves").find("only stage"), std::string::npos);
  EXPECT_NE(refusal("intra=qpu,intra=qpu").find("named twice"), std::string::npos);
  // These plans cannot be written as text.
  Plan waves_without_qpu;
  waves_without_qpu.filter_order = vp9::FilterOrder::waves;
  Plan edges_without_division = Plan::parse("loop_filter=qpu");
  edges_without_division.least_edges = 5;
  Plan both = Plan::parse("loop_filter=divided:waves");
  both.least_edges = 5;
  for (const Plan& plan : {waves_without_qpu, edges_without_division, both}) {
    EXPECT_NE(test::error_text([&] { plan.check(); }).find("divided by levels"), std::string::npos);
  }
}

TEST(Plan, WithoutTheQpuNeonHasWhatWasIts) {
  EXPECT_EQ(without_qpu(vp9::kDividedBackEnd), Plan{});
  EXPECT_EQ(to_text(without_qpu(Plan::parse("prediction=scalar,loop_filter=qpu:waves"))),
            "prediction=scalar");
}

TEST(Plan, HasARowOfTheClockForEachStage) {
  for (const Stage stage : vp9::kStages) EXPECT_EQ(vp9::stage_of(vp9::row_of(stage)), stage);
  EXPECT_EQ(vp9::stage_of(vp9::ClockRow::parsing), std::nullopt);
  EXPECT_EQ(vp9::stage_of(vp9::ClockRow::waiting), std::nullopt);
}

/// Returns the segments as text, for example "qpu prediction residual, cpu intra loop_filter".
std::string text_of(const std::vector<qpu::PlanSegment>& segments) {
  std::string text;
  for (const qpu::PlanSegment& segment : segments) {
    using enum qpu::PlanSegment::Side;
    text += text.empty() ? "" : ", ";
    text += segment.side == cpu ? "cpu" : segment.side == qpu ? "qpu" : "both";
    for (const Stage stage : vp9::kStages) {
      if (segment.stages[stage]) text += std::string(" ") + to_string(stage);
    }
  }
  return text;
}

TEST(PlanSegments, AreStagesOfOneSide) {
  const auto segments = [](std::string_view plan, bool intra_frame) {
    return text_of(qpu::make_segments(Plan::parse(plan), intra_frame));
  };
  EXPECT_EQ(segments("qpu", false), "qpu prediction residual intra loop_filter");
  EXPECT_EQ(segments("divided", false), "both prediction residual, qpu intra loop_filter");
  EXPECT_EQ(segments("divided", true), "qpu residual intra loop_filter");
  EXPECT_EQ(segments("residual=qpu", false), "cpu prediction, qpu residual, cpu intra loop_filter");
  EXPECT_EQ(segments("prediction=qpu,residual=divided", false),
            "qpu prediction, both residual, cpu intra loop_filter");
}

TEST(PlanSegments, TellWhichStagesShareNoSubmission) {
  const auto alone = [](std::string_view plan) {
    const vp9::PerStage<bool> stages = qpu::find_stages_alone(Plan::parse(plan));
    std::string text;
    for (const Stage stage : vp9::kStages) {
      if (stages[stage]) text += std::string(text.empty() ? "" : " ") + to_string(stage);
    }
    return text;
  };
  EXPECT_EQ(alone("qpu"), "");
  EXPECT_EQ(alone("divided"), "");
  EXPECT_EQ(alone("residual=qpu"), "residual");
  EXPECT_EQ(alone("prediction=qpu,intra=qpu"), "prediction intra");
  // The residual of an intra frame is not divided, because it is added together with the intra
  // blocks.
  EXPECT_EQ(alone("prediction=qpu,residual=divided,intra=qpu"), "prediction");
  EXPECT_EQ(alone("prediction=divided,residual=qpu"), "prediction residual");
}

}  // namespace
}  // namespace sidecore::test_plan
