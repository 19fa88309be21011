#include <gtest/gtest.h>

#include "armsim/costs.h"

namespace sidecore::armsim {
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
    EXPECT_LT(expected(core, "intra tm", "8x8", 8), expected(core, "intra tm", "32x32", 8));
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
  const Shared shared = both_at_once(pi5(), 3, {64, 1e6}, {64, 2e6});
  EXPECT_EQ(shared.cpu, 3e6);
  EXPECT_EQ(shared.qpu, 2e6);
}

/// What others published of M4 on one Raspberry Pi 5: the same kernel on four NEON threads, and on
/// three beside the QPU.
struct Mixed {
  const char* kernel;
  MemoryLoad cpu;
  MemoryLoad qpu;
  double published;  ///< gain of the second over the first
};
constexpr Mixed kMixed[] = {
    // NEON's windows also restore what they filtered or transformed: a copy reads and writes it.
    {"inverse DCT 8x8", {384 + 384, 12.6e6}, {256, 6.89e6}, 0.072},
    {"loop filter 4", {128 + 128, 26.3e6}, {136, 19.6e6}, 0.069},
    {"loop filter 8", {128 + 128, 27.4e6}, {136, 17.8e6}, 0.041},
    // 101 lines a block, most of them of the table that the compiler copies into scratch memory.
    {"prediction", {256, 21.0e6}, {6500, 1.41e6}, -0.195},
};

TEST(ArmCosts, TheSignsOfThePublishedMixedResultsComeOutRight) {
  for (const Mixed& mixed : kMixed) {
    const double four = both_at_once(pi5(), 4, mixed.cpu, {0, 0}).cpu;
    const Shared both = both_at_once(pi5(), 3, mixed.cpu, mixed.qpu);
    const double gain = (both.cpu + both.qpu) / four - 1;
    EXPECT_EQ(gain > 0, mixed.published > 0) << mixed.kernel << ": " << gain;
    EXPECT_NEAR(gain, mixed.published, 0.2) << mixed.kernel;
  }
}

}  // namespace
}  // namespace sidecore::armsim
