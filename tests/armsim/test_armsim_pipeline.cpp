#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

#include "armsim/pipeline.h"

namespace sidecore::armsim::test_armsim_pipeline {
namespace {

constexpr std::uint32_t kAddDependent = 0x91000400;  // add x0, x0, #1
constexpr std::uint32_t kAddOther = 0x91000421;      // add x1, x1, #1
constexpr std::uint32_t kAddThird = 0x91000442;      // add x2, x2, #1
constexpr std::uint32_t kMultiplyWide = 0x4e629c20;  // mul v0.8h, v1.8h, v2.8h
constexpr std::uint32_t kVectorAdd = 0x4e628420;     // add v0.8h, v1.8h, v2.8h
constexpr std::uint32_t kAccumulate = 0x0f4220a0;    // smlal v0.4s, v5.4h, v2.h[0]
constexpr std::uint32_t kLoad = 0xf9400021;          // ldr x1, [x1]
constexpr std::uint32_t kBranchBack = 0x54ffffe1;    // b.ne .-4

constexpr std::uint32_t kMultiplyLong = 0x0e62c020;      // smull v0.4s, v1.4h, v2.4h
constexpr std::uint32_t kShiftByImmediate = 0x4f115424;  // shl v4.8h, v1.8h, #1
constexpr std::uint32_t kShiftByRegister = 0x6e624425;   // ushl v5.8h, v1.8h, v2.8h
constexpr std::uint32_t kVectorAddOfHalf = 0x0e228420;   // add v0.8b, v1.8b, v2.8b
constexpr std::uint32_t kLoadLane = 0x0d409020;          // ld1 {v0.s}[1], [x1]
constexpr std::uint32_t kLoadLowHalf = 0x0d408420;       // ld1 {v0.d}[0], [x1]
constexpr std::uint32_t kLoadHighHalf = 0x4d408420;      // ld1 {v0.d}[1], [x1]
constexpr std::uint32_t kLoadToAllLanes = 0x4d40c023;    // ld1r {v3.16b}, [x1]
constexpr std::uint32_t kMoveFromBase = 0x4e040c00;      // dup v0.4s, w0
constexpr std::uint32_t kStoreAndAdd = 0x3c810400;       // str q0, [x0], #16

std::vector<Block::Step> steps_of(const CoreModel& core,
                                  std::initializer_list<std::uint32_t> words) {
  std::vector<Block::Step> steps;
  for (const std::uint32_t word : words) {
    const Instruction instruction = decode(word);
    steps.push_back({instruction, cost_of(core, instruction)});
  }
  return steps;
}

/// Returns the mean number of cycles per repetition of `words`, which begin at `address`. `next` is
/// the address after the last one; 0 if the repetitions follow each other without a branch.
double cycles(const CoreModel& core, std::initializer_list<std::uint32_t> words,
              std::uint64_t address = 0x1000, std::uint64_t next = 0) {
  constexpr int kTimes = 1000;
  const std::vector<Block::Step> steps = steps_of(core, words);
  Pipeline pipeline(core, 2e9);
  for (int time = 0; time < kTimes; ++time) {
    pipeline.run({address, steps}, {}, next, [](auto, auto) {});
  }
  return static_cast<double>(pipeline.cycles()) / kTimes;
}

TEST(ArmPipeline, ADependentChainTakesItsLatencies) {
  for (const CoreModel* core : {&cortex_a72(), &cortex_a76(), &cortex_a53()}) {
    EXPECT_NEAR(cycles(*core, {kAddDependent}), 1.0, 0.02) << core->name;
  }
  EXPECT_NEAR(cycles(cortex_a76(), {kLoad}), 4.0, 0.05);
}

TEST(ArmPipeline, IndependentInstructionsTakeTheirPipes) {
  EXPECT_NEAR(cycles(cortex_a72(), {kAddDependent, kAddOther, kAddThird}), 1.5, 0.05);
  EXPECT_NEAR(cycles(cortex_a76(), {kAddDependent, kAddOther, kAddThird}), 1.0, 0.05);
  EXPECT_NEAR(cycles(cortex_a76(), {kVectorAdd, kVectorAdd}), 1.0, 0.05);
  // Two cycles are expected, because only one pipe multiplies, and 16 bytes take it twice.
  EXPECT_NEAR(cycles(cortex_a76(), {kMultiplyWide}), 2.0, 0.05);
}

TEST(ArmPipeline, NarrowPipesTakeWideVectorsTwice) {
  EXPECT_NEAR(cycles(cortex_a72(), {kVectorAddOfHalf, kVectorAddOfHalf}), 1.0, 0.05);
  EXPECT_NEAR(cycles(cortex_a72(), {kVectorAdd, kVectorAdd}), 2.0, 0.05);
}

TEST(ArmPipeline, ALoadedLaneWaitsForTheOthersOnlyToBeMerged) {
  for (const CoreModel* core : {&cortex_a72(), &cortex_a76(), &cortex_a53()}) {
    EXPECT_NEAR(cycles(*core, {kLoadLane}), core->lane_merge_latency, 0.05) << core->name;
  }
}

TEST(ArmPipeline, NarrowRegistersLoadTheirHalvesIndependently) {
  EXPECT_LT(cycles(cortex_a72(), {kLoadLowHalf, kLoadHighHalf}), 2.1);
  EXPECT_NEAR(cycles(cortex_a76(), {kLoadLowHalf, kLoadHighHalf}),
              2 * cortex_a76().lane_merge_latency, 0.05);
}

TEST(ArmPipeline, TheBaseOfAStoreDoesNotWaitForItsData) {
  // Each store's data is made from the base that the previous store wrote. If the base waited for
  // the data, a repetition would take at least the eight cycles of the move.
  EXPECT_LT(cycles(cortex_a72(), {kMoveFromBase, kStoreAndAdd}), 2.1);
}

TEST(ArmPipeline, DispatchCountsOperations) {
  // A load to all lanes is two operations, and the Cortex-A72 dispatches three operations per
  // cycle.
  EXPECT_NEAR(cycles(cortex_a72(), {kAddDependent, kLoadToAllLanes}), 1.0, 0.05);
  EXPECT_NEAR(cycles(cortex_a72(), {kAddDependent, kAddOther, kLoadToAllLanes}), 4.0 / 3, 0.05);
}

TEST(ArmPipeline, DispatchPassesOneOperationPerCycleToEachVectorPipe) {
  // The pipes alone would take four cycles, because each of them executes four operations at the
  // same time. Operations are dispatched in order, so only two of eight pass beside another one.
  EXPECT_NEAR(cycles(cortex_a72(),
                     {kMultiplyLong, kMultiplyLong, kMultiplyLong, kMultiplyLong, kShiftByImmediate,
                      kShiftByImmediate, kShiftByImmediate, kShiftByImmediate}),
              6.0, 0.1);
}

TEST(ArmPipeline, ShiftsByAnImmediateTakeOnePlace) {
  EXPECT_NEAR(cycles(cortex_a72(), {kShiftByImmediate}), 1.0, 0.05);
  EXPECT_NEAR(cycles(cortex_a72(), {kShiftByRegister}), 2.0, 0.05);
}

TEST(ArmPipeline, ATakenBranchDelaysFetching) {
  for (const CoreModel* core : {&cortex_a72(), &cortex_a76()}) {
    EXPECT_NEAR(cycles(*core, {kBranchBack}, 0x1000, 0x1000), core->taken_branch_cycles, 0.2)
        << core->name;
  }
}

TEST(ArmPipeline, InstructionsAreFetchedInAlignedGroups) {
  const std::initializer_list<std::uint32_t> loop = {kAddDependent, kAddOther, kBranchBack};
  const int taken = cortex_a72().taken_branch_cycles;
  EXPECT_NEAR(cycles(cortex_a72(), loop, 0x1000, 0x1000), taken, 0.05);
  // One instruction lies before a multiple of 16 bytes, and two lie after it.
  EXPECT_NEAR(cycles(cortex_a72(), loop, 0x100c, 0x100c), taken + 1, 0.05);
}

TEST(ArmPipeline, FetchingRunsAheadOfDispatch) {
  // One pipe multiplies. Three multiplications take longer than fetching the branch's target.
  EXPECT_NEAR(cycles(cortex_a72(), {kMultiplyLong, kMultiplyLong, kMultiplyLong, kBranchBack},
                     0x1000, 0x1000),
              3.0, 0.05);
}

TEST(ArmPipeline, APredictorKnowsOnlyItsHistory) {
  // A branch that is taken eleven times of twelve needs a history of eleven branches.
  const auto mispredicted = [](const CoreModel& core) {
    const std::vector<Block::Step> steps = steps_of(core, {kBranchBack});
    Pipeline pipeline(core, 2e9);
    for (int time = 0; time < 12000; ++time) {
      pipeline.run({0x1000, steps}, {}, time % 12 == 11 ? 0x1004 : 0x1000, [](auto, auto) {});
    }
    return pipeline.mispredicted();
  };
  EXPECT_NEAR(static_cast<double>(mispredicted(cortex_a72())), 1000, 100);
  EXPECT_LT(mispredicted(cortex_a76()), 100U);
}

TEST(ArmPipeline, SumsArePassedOnLate) {
  EXPECT_NEAR(cycles(cortex_a76(), {kAccumulate}), 1.0, 0.05);
  EXPECT_NEAR(cycles(cortex_a72(), {kAccumulate}), 1.0, 0.05);
}

TEST(ArmPipeline, ABranchThatNobodyCanForetellCostsItsPenalty) {
  const CoreModel& core = cortex_a76();
  const std::vector<Block::Step> steps = steps_of(core, {kAddDependent, kBranchBack});
  const auto run = [&](bool random) {
    Pipeline pipeline(core, 2e9);
    std::uint32_t state = 1;
    for (int time = 0; time < 10000; ++time) {
      state = state * 1664525U + 1013904223U;
      const bool taken = random ? (state >> 31U) != 0 : true;
      pipeline.run({0x1000, steps}, {}, taken ? 0x1000 : 0x1008, [](auto, auto) {});
    }
    return pipeline;
  };
  const Pipeline foreseen = run(false);
  const Pipeline random = run(true);
  EXPECT_LT(foreseen.mispredicted(), 20U);
  EXPECT_NEAR(static_cast<double>(random.mispredicted()), 5000, 500);
  EXPECT_GT(random.cycles(),
            foreseen.cycles() + 5000U * static_cast<unsigned>(core.mispredict_cycles) / 2);
}

TEST(ArmPipeline, MemoryGivesItsRateToStreamsAndItsLatencyToOthers) {
  const CoreModel& core = cortex_a76();
  // Each load waits for the previous one.
  const std::vector<Block::Step> steps = steps_of(core, {kLoad});
  constexpr std::uint64_t kLoads = 4096;
  const auto nanoseconds_a_load = [&](std::uint64_t step) {
    Pipeline pipeline(core, 1e9);
    for (std::uint64_t index = 0; index < kLoads; ++index) {
      const Access access{index * step % (1U << 30U), 0, false};
      pipeline.run({0x1000, steps}, {&access, 1}, 0x1000, [](auto, auto) {});
    }
    return static_cast<double>(pipeline.cycles()) / kLoads;
  };
  const double line = 64 / core.cache.memory_bytes_per_second * 1e9;
  EXPECT_NEAR(nanoseconds_a_load(64), line, 1);
  EXPECT_NEAR(nanoseconds_a_load(4160), core.cache.memory_seconds * 1e9 + 4, 8);
}

}  // namespace
}  // namespace sidecore::armsim::test_armsim_pipeline
