#include <gtest/gtest.h>

#include "model/costs.h"
#include "tools/armsim_published.h"

namespace sidecore::model::test_model_costs {
namespace {

constexpr Core kBoth[] = {Core::cortex_a72, Core::cortex_a76};

TEST(ArmCosts, AnIntervalHoldsWhatIsExpected) {
  for (const Core core : kBoth) {
    for (const Implementation implementation : {Implementation::scalar, Implementation::neon}) {
      const auto edge = kernel_cycles(core, "loop_filter v_8", "flat", 8, implementation);
      ASSERT_TRUE(edge.has_value());
      EXPECT_GT(edge->low, 10);
      EXPECT_LE(edge->low, edge->expected);
      EXPECT_LE(edge->expected, edge->high);
      EXPECT_LE(edge->high, 2 * edge->low);
    }
  }
}

TEST(ArmCosts, MoreWorkTakesMoreAndTheNewerCoreLess) {
  const auto expected = [](Core core, const char* kernel, const char* input, int bits) {
    const auto cycles = kernel_cycles(core, kernel, input, bits, Implementation::neon);
    EXPECT_TRUE(cycles.has_value()) << kernel << ", " << input;
    return cycles.value_or(Cycles{}).expected;
  };
  for (const Core core : kBoth) {
    EXPECT_LT(expected(core, "inverse_transform 32x32 dct_dct", "8x8", 8),
              expected(core, "inverse_transform 32x32 dct_dct", "all", 8));
    EXPECT_LT(expected(core, "inter_prediction horizontal", "16x16", 8),
              expected(core, "inter_prediction both", "16x16", 8));
    EXPECT_LT(expected(core, "intra", "tm 8x8", 8), expected(core, "intra", "tm 32x32", 8));
    EXPECT_EQ(expected(core, "inter_prediction both", "64x64 average", 10),
              expected(core, "inter_prediction both", "64x64 average", 12));
  }
  EXPECT_LT(expected(Core::cortex_a76, "inter_prediction both", "16x16", 8),
            expected(Core::cortex_a72, "inter_prediction both", "16x16", 8));
}

TEST(ArmCosts, WhatTheTableLacksHasNoCycles) {
  EXPECT_FALSE(kernel_cycles(Core::cortex_a76, "loop_filter h_5", "flat", 8, Implementation::neon));
  EXPECT_FALSE(kernel_cycles(Core::cortex_a76, "loop_filter h_4", "flat", 9, Implementation::neon));
}

TEST(ArmCosts, AStreamHasCostsOfEachPart) {
  for (const Core core : kBoth) {
    const StreamCosts& costs = stream_costs(core);
    EXPECT_GT(costs.parsing_bit.expected, 0);
    EXPECT_GT(costs.parsing_call.expected, 0);
    EXPECT_GT(costs.edge_derivation.expected, 0);
    EXPECT_GT(costs.prediction_call.expected, 0);
    EXPECT_GT(costs.transform_call.expected, 0);
    EXPECT_GT(costs.memory_block.expected, 0);
  }
}

TEST(ArmCosts, FramesThatFitTheLastCacheWaitForNoMemory) {
  EXPECT_EQ(memory_cycles(Core::cortex_a76, 640, 360, 8).expected, 0);
  EXPECT_GT(memory_cycles(Core::cortex_a72, 640, 360, 8).expected, 0);
  EXPECT_NEAR(memory_cycles(Core::cortex_a76, 1920, 1080, 10).expected,
              2 * memory_cycles(Core::cortex_a76, 1920, 1080, 8).expected, 1);
}

TEST(ArmCosts, WhoLeavesTheMemoryAloneRunsAtFullRate) {
  const SharedRates shared = estimate_shared_rates(pi5(), 3, {64, 1e6}, {64, 2e6});
  EXPECT_EQ(shared.cpu, 3e6);
  EXPECT_EQ(shared.qpu, 2e6);
}

TEST(ArmCosts, TheSignsOfThePublishedMixedResultsComeOutRight) {
  for (const bench::published::Gain& mixed : bench::published::kGains) {
    const double gain = modelled(mixed);
    EXPECT_EQ(gain > 0, mixed.gain > 0) << mixed.what << ": " << gain;
    EXPECT_NEAR(gain, mixed.gain, 0.16) << mixed.what;
  }
}

TEST(ArmCosts, WhatTheQpuTakesOfTheMemoryNeonLoses) {
  for (const bench::published::ConcurrentRates& window : bench::published::kConcurrentRates) {
    EXPECT_NEAR(modelled(window) / window.units_per_second, 1, 0.25) << window.what;
  }
}

}  // namespace
}  // namespace sidecore::model::test_model_costs
