// Accesses of the CPU to pictures in a GPU's memory: their number, their time, and the plans that
// it changes. All expected values are computed by hand.
#include <gtest/gtest.h>

#include <optional>
#include <string_view>
#include <vector>

#include "model/board_model.h"
#include "model/device_memory.h"
#include "model/predictor.h"
#include "model/some_pictures.h"
#include "model/some_sample.h"

namespace sidecore::model::test_device_memory {
namespace {

using vp9::InterKind;
using vp9::ReferenceArea;

constexpr ReferenceArea area(int width, int height, int step = 16) {
  return {.step_x = step, .step_y = step, .width = width, .height = height};
}

void expect_reads(const vp9::SampleReads& reads, double bytes, double loads) {
  EXPECT_EQ(reads.bytes, bytes);
  EXPECT_EQ(reads.loads, loads);
}

TEST(ReferenceReads, CountABlockAndTheSamplesThatFilteringAdds) {
  expect_reads(vp9::count_reference_reads(area(16, 8), InterKind::copy, 1), 16 * 8, 8);
  // A row of 8 samples needs 15, which one load of 16 bytes has.
  expect_reads(vp9::count_reference_reads(area(8, 8), InterKind::horizontal, 1), 15 * 8, 8);
  expect_reads(vp9::count_reference_reads(area(4, 4), InterKind::vertical, 1), 4 * 11, 11);
  // 39 rows of four strips, each of 16 + 7 bytes: two loads.
  expect_reads(vp9::count_reference_reads(area(64, 32), InterKind::both, 1), 71 * 39, 39 * 4 * 2);
  // Samples of two bytes: strips of 8, each of 15 samples or 30 bytes.
  expect_reads(vp9::count_reference_reads(area(16, 8), InterKind::horizontal, 2), 23 * 8 * 2,
               8 * 2 * 2);
  // At twice the step, 8 samples are 15 apart, and each loads its taps.
  expect_reads(vp9::count_reference_reads(area(8, 8, 32), InterKind::scaled, 1), 22 * 22, 22 * 8);
}

TEST(SampleTraffic, CountsWhatEachStageReadsAndWrites) {
  KernelCounts counts;
  counts.reference_reads = {1000, 100};
  counts.inter[1][2][3] = 1.5;  // averaged, 32 wide and 48 high
  counts.inter[0][0][0] = 2;    // two blocks of 4x4
  counts.transforms[vp9::kTransform8x8][vp9::kDctDct][1] = 2;
  counts.intra[vp9::kDcPrediction][vp9::kTransform8x8] = 3;
  counts.intra[vp9::kDcOfNothing][vp9::kTransform4x4] = 5;
  counts.edges[0][0] = 6;  // across vertical boundaries, 4 wide
  counts.edges[1][2] = 4;  // across horizontal ones, 16 wide
  const vp9::PerStage<SampleTraffic> traffic = count_traffic(counts, 8);
  expect_reads(traffic.prediction.reads, 1000 + 32 * 48, 100 + 2 * 48);
  EXPECT_EQ(traffic.prediction.written_bytes, 32 * 48 + 2 * 16);
  expect_reads(traffic.residual.reads, 2 * 64, 2 * 8);
  EXPECT_EQ(traffic.residual.written_bytes, 2 * 64);
  // Above 8 samples in one load, to the left 8 loads of one.
  expect_reads(traffic.intra.reads, 3 * 16, 3 * 9);
  EXPECT_EQ(traffic.intra.written_bytes, 3 * 64 + 5 * 16);
  // 6 edges of 8 rows of 8 samples; 2 pairs of edges of 16 rows of 16 samples.
  expect_reads(traffic.loop_filter.reads, 6 * 64 + 2 * 256, 6 * 8 + 2 * 16);
  EXPECT_EQ(traffic.loop_filter.written_bytes, 6 * 4 * 8 + 4 * 14 * 8);
  const vp9::PerStage<SampleTraffic> deep = count_traffic(counts, 10);
  expect_reads(deep.residual.reads, 4 * 64, 2 * 8);
  expect_reads(deep.loop_filter.reads, 2 * (6 * 64 + 2 * 256), 6 * 8 + 2 * 16 * 2);
}

TEST(UncachedMemory, TakesTimePerLoadExceptAtTheLowEnd) {
  const UncachedRates rates{.read = {10, 20, 50}, .write = {5, 25, 0}};
  EXPECT_EQ(estimate_uncached({{100, 10}, 50}, rates),
            (Estimate{100 / 50.0, 160 / 20.0 + 50 / 25.0, 160 / 10.0 + 50 / 5.0}));
  EXPECT_EQ(add_uncached({3, 5, 8}, {4, 6, 9}), (Estimate{4, 11, 17}));
  EXPECT_EQ(add_uncached({5, 5, 8}, {4, 6, 9}), (Estimate{5, 11, 17}));
}

TEST(UncachedMemory, CopyingAPictureTakesWhatPublishedRatesGive) {
  Stream stream;
  stream.width = 1920;
  stream.height = 1080;
  const SampleTraffic copy = count_picture_copy(stream);
  expect_reads(copy.reads, 3110400, 194400);
  const Estimate pi4_seconds = estimate_uncached(copy, uncached_rates(Core::cortex_a72));
  EXPECT_NEAR(pi4_seconds.low, 5.457e-3, 1e-6);
  EXPECT_NEAR(pi4_seconds.expected, 8.079e-3, 1e-6);
  EXPECT_NEAR(pi4_seconds.high, 11.963e-3, 1e-6);
  const Estimate pi5_seconds = estimate_uncached(copy, uncached_rates(Core::cortex_a76));
  EXPECT_NEAR(pi5_seconds.low, 1.932e-3, 1e-6);
  EXPECT_NEAR(pi5_seconds.expected, 6.063e-3, 1e-6);
  EXPECT_NEAR(pi5_seconds.high, pi4_seconds.high, 1e-9);
}

/// Returns costs at 1000 cycles per second: 2 cycles per kernel and 200 for waiting for ordinary
/// memory. A load of 16 bytes takes a second, a written byte half of one.
BoardCosts slow_memory() {
  return {{"pi5", Core::cortex_a76, 4, 1000, 0},
          [](std::string_view, std::string_view, int) -> std::optional<Cycles> {
            return Cycles{1, 2, 3};
          },
          {},
          [](int, int, int) {
            return Cycles{100, 200, 300};
          },
          {.read = {8, 16, 32}, .write = {1, 2, 0}}};
}

TEST(UncachedMemory, TakesThePlaceOfWaitingForOrdinaryMemory) {
  Stream stream;
  stream.width = stream.height = 64;
  KernelCounts counts;
  counts.inter[0][0][1] = 1;  // copies 8x8 samples
  counts.reference_reads = {64, 8};
  counts.prediction_calls = 1;
  counts.edges[0][0] = 1;
  const auto stages = [&](PictureMemory pictures) {
    return modelled_stages(counts, {FrameKind::inter, 100}, stream, slow_memory(), pictures);
  };
  const auto at = [](const ModelledStages& all, ClockRow row) {
    return all[static_cast<std::size_t>(row)];
  };
  const ModelledStages heap = stages(PictureMemory::heap);
  const ModelledStages gpu = stages(PictureMemory::gpu);
  EXPECT_NEAR(at(heap, ClockRow::prediction).expected, 0.202, kSmall);
  EXPECT_NEAR(at(gpu, ClockRow::prediction).low, 64 / 32.0, kSmall);
  EXPECT_NEAR(at(gpu, ClockRow::prediction).expected, 0.002 + 8 + 64 / 2.0, kSmall);
  EXPECT_NEAR(at(gpu, ClockRow::prediction).high, 0.003 + 16 + 64, kSmall);
  EXPECT_NEAR(at(gpu, ClockRow::loop_filter).expected, 0.002 + 8 + 32 / 2.0, kSmall);
  EXPECT_EQ(at(gpu, ClockRow::parsing), at(heap, ClockRow::parsing));
  EXPECT_EQ(at(gpu, ClockRow::edge_derivation), at(heap, ClockRow::edge_derivation));
}

/// Predictions of plans with the QPU's loop filter, whose NEON stages work in the GPU's memory.
class FilterInGpuMemory : public testing::Test {
 protected:
  FilterInGpuMemory() {
    const Sample sample = sample_of({}, 4, true);
    const CpuCost cpu = measured_cpu_cost(some_work(), sample, some_work());
    QpuCost qpu = measured_qpu_cost(some_work(), sample, some_work());
    qpu.reconstruction = {{.plan = vp9::Plan::parse("prediction=qpu"),
                           .stages = cpu.neon,
                           .cpu = {},
                           .traffic_on_one = {{100, 10}, 1},
                           .traffic_on_all = {{400, 40}, 4}}};
    const Predictor before(cpu, kMix, &qpu, {4, false});
    const FrameTotals one = frames(1, 1000);
    filter_alone_ = before.cpu_time(candidate("loop_filter=qpu"), one).expected;
    divided_alone_ = before.cpu_time(candidate("loop_filter=divided:2"), one).expected;
    EXPECT_FALSE(before.gpu_memory_traffic(candidate("loop_filter=qpu")));
    // In the GPU's memory, all stages on the CPU take three times as long.
    Sample slow = sample;
    scale_seconds(slow, 3);
    qpu.neon_in_gpu_memory = {measured_cpu_cost(some_work(), slow, some_work()).neon,
                              {{{10, 1}, 1}, {{20, 2}, 2}, {{40, 4}, 4}, {{600, 60}, 6}}};
    predictor_.emplace(cpu, kMix, &qpu, Machine{4, false});
  }

  double filter_alone_ = 0;
  double divided_alone_ = 0;
  std::optional<Predictor> predictor_;
};

TEST_F(FilterInGpuMemory, StagesOnTheCpuTakeTheirTimeThere) {
  const FrameTotals one = frames(1, 1000);
  EXPECT_NEAR(predictor_->cpu_time(candidate("loop_filter=qpu"), one).expected, 3 * filter_alone_,
              kSmall);
  EXPECT_NEAR(predictor_->cpu_time(candidate("loop_filter=divided:2"), one).expected,
              3 * divided_alone_, kSmall);
  const auto prediction = [&](std::string_view plan, int threads) {
    return predictor_->stage(candidate(plan, threads), ClockRow::prediction, one).expected;
  };
  EXPECT_NEAR(prediction("loop_filter=qpu", 1), 3 * prediction("neon", 1), kSmall);
  EXPECT_NEAR(prediction("loop_filter=qpu", 4), 3 * prediction("neon", 4), kSmall);
}

TEST_F(FilterInGpuMemory, TrafficIsThatOfTheStagesOnTheCpu) {
  const auto loads = [&](std::string_view plan, int threads = 1) {
    const auto traffic = predictor_->gpu_memory_traffic(candidate(plan, threads));
    return traffic ? traffic->reads.loads : -1;
  };
  EXPECT_EQ(loads("neon"), -1);
  EXPECT_NEAR(loads("loop_filter=qpu"), 1 + 2 + 4, kSmall);
  // The QPU filters 1500 of 3000 edges: luma's large levels. In waves it filters luma, 2000 edges.
  EXPECT_NEAR(loads("loop_filter=divided:2"), 7 + 60 / 2.0, kSmall);
  EXPECT_NEAR(loads("loop_filter=divided:waves"), 7 + 60 / 3.0, kSmall);
  EXPECT_NEAR(loads("prediction=qpu"), 10, kSmall);
  EXPECT_NEAR(loads("prediction=qpu", 4), 40, kSmall);
  // Two threads reach two thirds of the way from one to four.
  EXPECT_NEAR(loads("prediction=qpu", 2), 30, kSmall);
}

}  // namespace
}  // namespace sidecore::model::test_device_memory
