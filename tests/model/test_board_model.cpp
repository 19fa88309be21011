// Times of frames on a board's cores by their calls, with cycles whose sums are known.
#include <gtest/gtest.h>

#include <optional>
#include <string_view>
#include <vector>

#include "model/board_model.h"
#include "model/predictor.h"
#include "model/some_work.h"

namespace sidecore::model::test_board_model {
namespace {

/// Returns costs at 1000 cycles per second. Every kernel takes 1 to 3 cycles; each other cost has a
/// figure of its own.
BoardCosts board_costs_of_figures() {
  const auto cycles = [](double value) { return model::Cycles{value / 2, value, 2 * value}; };
  return {{"pi5", model::Core::cortex_a76, 4, 1000, 0},
          [](std::string_view kernel, std::string_view input,
             int bits) -> std::optional<model::Cycles> {
            EXPECT_EQ(bits, 8);
            // This row is missing, so that transforms of few coefficients take the next row's
            // cycles.
            if (kernel == "inverse_transform 16x16 dct_dct" && input == "4x4") return std::nullopt;
            return model::Cycles{1, 2, input == "flat" ? 5.0 : 3.0};
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
            return model::Cycles{100, 200, 300};
          }};
}

TEST(BoardModel, AddsUpWhatAFrameCalls) {
  Stream stream;
  stream.width = 16;
  stream.height = 9;
  KernelCounts counts;
  counts.inter[1][2][3] = 1.5;  // averaged, vertical, 32 samples wide and 48 high
  counts.intra[0][1] = 2;
  counts.prediction_calls = 3;
  counts.transforms[vp9::kTransform16x16][vp9::kDctDct][1] = 7;
  counts.transform_calls = 7;
  counts.edges[0][0] = 6;
  const ModelledStages stages =
      modelled_stages(counts, {FrameKind::inter, 25}, stream, board_costs_of_figures());
  const auto expected = [&](ClockRow stage) {
    return 1000 * stages[static_cast<std::size_t>(stage)].expected;
  };
  EXPECT_NEAR(expected(ClockRow::parsing), 25 * 8 + 3 * 10, kSmall);
  EXPECT_NEAR(expected(ClockRow::prediction), 1.5 * 2 + 1 * 20 + 200, kSmall);
  EXPECT_NEAR(expected(ClockRow::intra), 2 * 2 + 2 * 20, kSmall);
  EXPECT_NEAR(expected(ClockRow::residual), 7 * 2 + 7 * 30, kSmall);
  EXPECT_NEAR(expected(ClockRow::edge_derivation), 6 * 4, kSmall);
  EXPECT_NEAR(expected(ClockRow::loop_filter), 6 * 2 + 6 * 40, kSmall);
  EXPECT_NEAR(expected(ClockRow::other), 4 * 50, kSmall);
  const Estimate& filter = stages[static_cast<std::size_t>(ClockRow::loop_filter)];
  EXPECT_NEAR(1000 * filter.low, 6 * 1 + 6 * 20, kSmall);
  EXPECT_NEAR(1000 * filter.high, 6 * 5 + 6 * 80, kSmall) << "flat edges take longest";
  counts.inter = {};
  counts.prediction_calls = 2;
  const ModelledStages intra =
      modelled_stages(counts, {FrameKind::intra, 25}, stream, board_costs_of_figures());
  EXPECT_EQ(intra[static_cast<std::size_t>(ClockRow::prediction)], Estimate{});
  EXPECT_NEAR(1000 * intra[static_cast<std::size_t>(ClockRow::intra)].expected,
              2 * 2 + 2 * 20 + 200, kSmall)
      << "including the cost of memory";
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
  const auto seconds = [&](int threads, ClockRow stage) {
    return predictor.stage(candidate("neon", threads), stage, all);
  };
  EXPECT_NEAR(seconds(4, ClockRow::parsing).low, seconds(1, ClockRow::parsing).low / 4, 1e-6);
  EXPECT_NEAR(seconds(4, ClockRow::parsing).high, seconds(1, ClockRow::parsing).high, 1e-6);
  EXPECT_GT(seconds(1, ClockRow::prediction).low, 0);
  EXPECT_NEAR(seconds(4, ClockRow::prediction).high, seconds(1, ClockRow::prediction).high / 4,
              1e-6);
  EXPECT_NEAR(seconds(2, ClockRow::prediction).expected,
              seconds(1, ClockRow::prediction).expected / 2, 1e-6);
}

}  // namespace
}  // namespace sidecore::model::test_board_model
