// Tests control flow: branches and their delay slots, the uniform stream, thread switches and ends,
// and programs that break the GPU's rules.
// ctest: threads
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/random.h"
#include "v3dsim/program.h"
#include "v3dsim/statistics.h"
#include "v3dsim/v3dsim_rig.h"

namespace sidecore::v3dsim::test_v3dsim_flow {
namespace {

using namespace rig;

class Flow : public testing::TestWithParam<Version> {
 protected:
  Machine1M gpu{GetParam()};
  Assembler code{GetParam()};

  /// Stores rf`index` to kData + 4 * lane; uses the next uniform (kData).
  void store_result(unsigned index) {
    code.uniform(30);
    code.add(AddOp::eidx, to(31));
    code.add(AddOp::shl, to(31), rf(31), imm(2));
    code.add(AddOp::add, to(30), rf(30), rf(31));
    code.store(30, index);
    code.end();
  }
  void branch(BranchCondition condition, LaneFilter lanes, int instructions,
              bool moves_uniforms = false) {
    Instruction in;
    in.is_branch = true;
    in.branch.condition = condition;
    in.branch.lanes = lanes;
    in.branch.offset = instructions * 8;
    in.branch.moves_uniforms = moves_uniforms;
    if (moves_uniforms) in.branch.uniform_target = BranchTarget::relative;
    code.emit(in);
  }
};

TEST_P(Flow, ThreeDelaySlotsRunWhetherABranchIsTakenOrNot) {
  code.mov(to(5), imm(0));
  branch(BranchCondition::always, LaneFilter::all_lanes, 1);
  for (int i = 0; i < 3; ++i) code.add(AddOp::add, to(5), rf(5), imm(1));
  code.add(AddOp::add, to(5), rf(5), imm(8));  // this instruction is skipped by the branch
  store_result(5);
  gpu.load(code, {kData});
  const Statistics statistics = gpu.run();
  EXPECT_EQ(gpu.data(0), 3U);
  EXPECT_EQ(statistics.branches, 1U);
  EXPECT_EQ(statistics.branches_taken, 1U);
  EXPECT_EQ(statistics.instructions, code.here() - 1);
}

/// Checks that the branch is taken exactly if flag A holds as the condition requires, in the lanes
/// of `flags`, when the lanes of `active` are active.
TEST_P(Flow, ConditionsLookAtTheLanesTheirFilterNames) {
  struct Case {
    BranchCondition condition;
    bool (*taken)(LaneMask a, LaneMask lanes);
  };
  const Case cases[] = {
      {BranchCondition::a0, [](LaneMask a, LaneMask) { return (a & 1) != 0; }},
      {BranchCondition::not_a0, [](LaneMask a, LaneMask) { return (a & 1) == 0; }},
      {BranchCondition::all_a, [](LaneMask a, LaneMask lanes) { return (a & lanes) == lanes; }},
      {BranchCondition::any_not_a, [](LaneMask a, LaneMask lanes) { return (a & lanes) != lanes; }},
      {BranchCondition::any_a, [](LaneMask a, LaneMask lanes) { return (a & lanes) != 0; }},
      {BranchCondition::all_not_a, [](LaneMask a, LaneMask lanes) { return (a & lanes) == 0; }}};
  Random random(31);
  for (const Case& test : cases) {
    for (const auto filter :
         {LaneFilter::all_lanes, LaneFilter::active_lanes, LaneFilter::active_quads}) {
      for (const std::uint32_t size : {16U, 10U, 1U}) {
        for (const std::uint32_t flags :
             {0U, 0xffffU, 1U, 0x3ffU, 0xfc00U, 0xfffU, 0xfffeU, random() & 0xffff}) {
          code = Assembler(GetParam());
          code.uniform(6);  // loads the flags of the lanes
          code.add(AddOp::eidx, to(7));
          code.add(AddOp::shr, to(6), rf(6), rf(7));
          code.add(AddOp::and_, to(6), rf(6), imm(1));
          code.add(AddOp::sub, kNowhere, rf(6), imm(1), {.flags = FlagUse::push_z});
          code.mov(to(5), imm(1));
          branch(test.condition, filter, 1);
          for (int i = 0; i < 3; ++i) code.nop();
          code.mov(to(5), imm(0));
          store_result(5);
          gpu.load(code, {flags, kData});
          gpu.shape.workgroup_size = size;
          const Statistics statistics = gpu.run();
          const LaneMask active = (1U << size) - 1;
          const LaneMask quads = size == 16 ? 0xffff : (size == 10 ? 0xfff : 0xf);
          const LaneMask lanes = filter == LaneFilter::all_lanes
                                     ? 0xffff
                                     : (filter == LaneFilter::active_lanes ? active : quads);
          ASSERT_EQ(gpu.data(0), test.taken(flags, lanes) ? 1U : 0U)
              << static_cast<int>(test.condition) << " over " << std::hex << lanes << " with "
              << flags;
          const LaneMask seen = flags & active;
          EXPECT_EQ(statistics.branches_divergent, seen != 0 && seen != active ? 1U : 0U);
        }
      }
    }
  }
}

TEST_P(Flow, AUniformBranchPopsOneWordAndMovesTheStreamOnlyWhenTaken) {
  for (const bool taken : {true, false}) {
    code = Assembler(GetParam());
    // Sets flag A in all lanes.
    code.add(AddOp::sub, kNowhere, rf(8), rf(8), {.flags = FlagUse::push_z});
    branch(taken ? BranchCondition::all_a : BranchCondition::all_not_a, LaneFilter::all_lanes, 0,
           true);
    for (int i = 0; i < 3; ++i) code.nop();
    code.uniform(5);
    store_result(5);
    gpu.load(code, {8, 111, kData, 222, kData});
    const Statistics statistics = gpu.run();
    EXPECT_EQ(gpu.data(0), taken ? 222U : 111U);
    EXPECT_EQ(statistics.uniforms, 3U);
  }
}

TEST_P(Flow, LoopsRunUntilTheirLanesAreDone) {
  // rf5 counts down in each lane from the lane's number; rf6 counts the rounds.
  code.add(AddOp::eidx, to(5));
  code.mov(to(6), imm(0));
  const std::size_t top = code.here();
  // Sets flag A in lanes whose count is above zero.
  code.add(AddOp::max, kNowhere, rf(5), imm(0), {.flags = FlagUse::push_c});
  code.add(AddOp::sub, to(5), rf(5), imm(1), {.condition = Condition::if_a});
  code.add(AddOp::add, to(6), rf(6), imm(1), {.condition = Condition::if_a});
  code.branch(BranchCondition::any_a, LaneFilter::active_lanes, top);
  store_result(6);
  gpu.load(code, {kData});
  const Statistics statistics = gpu.run();
  for (std::uint32_t lane = 0; lane < 16; ++lane) EXPECT_EQ(gpu.data(lane), lane);
  EXPECT_EQ(statistics.branches, 16U);
  EXPECT_EQ(statistics.branches_taken, 15U);
  EXPECT_EQ(statistics.branches_divergent, 15U) << "lane 0 has no rounds";
}

TEST_P(Flow, WhatASwitchLeavesUndefinedIsPoisonedAndTheRestSurvives) {
  code.add(AddOp::eidx, to(7));
  code.add(AddOp::and_, kNowhere, rf(7), imm(1), {.flags = FlagUse::push_z});
  code.thread_switch();
  code.mov(to(5), imm(0));
  code.mov(to(5), imm(1), {.condition = Condition::if_a});
  store_result(5);
  gpu.load(code, {kData});
  Options options;
  options.poison = true;
  const Statistics statistics = gpu.run(options);
  for (std::uint32_t lane = 0; lane < 16; ++lane) {
    EXPECT_EQ(gpu.data(lane), lane % 2 == 0 ? 1U : 0U) << "flag A survives";
  }
  EXPECT_EQ(statistics.thread_switches, 2U)
      << "the program's switch, and the one that begins the last section";
}

TEST_P(Flow, PoisonFillsRegistersThatNothingWrote) {
  store_result(20);
  gpu.load(code, {kData});
  EXPECT_EQ(gpu.run().uninitialised_reads, 1U);
  EXPECT_EQ(gpu.data(3), 0U);
  Options options;
  options.poison = true;
  gpu.run(options);
  const std::uint32_t first = gpu.data(3);
  EXPECT_NE(first, 0U);
  gpu.run(options);
  EXPECT_EQ(gpu.data(3), first) << "the same seed gives the same noise";
  options.seed = 2;
  gpu.run(options);
  EXPECT_NE(gpu.data(3), first);
}

TEST(FlowOf42, AccumulatorsDoNotSurviveASwitchUnderPoison) {
  Machine1M gpu(Version::v42);
  Assembler code(Version::v42);
  code.mov(to_magic(2), imm(9));
  code.thread_switch();
  code.mov(to(5), {Source::Kind::accumulator, 2});
  code.uniform(10);
  code.store(10, 5, {});
  code.end();
  gpu.load(code, {kData});
  gpu.shape.workgroup_size = 1;
  EXPECT_EQ(gpu.run().uninitialised_reads, 1U);
  EXPECT_EQ(gpu.data(0), 9U);
  Options options;
  options.poison = true;
  gpu.run(options);
  EXPECT_NE(gpu.data(0), 9U);
}

TEST_P(Flow, LdunifReachesAllLanesOfTheImplicitRegister) {
  code.nop(signal::kLdunif);
  if (GetParam() == Version::v42) {
    code.mov(to(5), {Source::Kind::accumulator, 5});
  } else {
    code.mov(to(5), rf(0));
  }
  store_result(5);
  gpu.load(code, {4711, kData});
  gpu.run();
  EXPECT_EQ(gpu.data(0), 4711U);
  EXPECT_EQ(gpu.data(15), 4711U);
}

TEST_P(Flow, ASingleSegmentProgramEndsAtItsFirstSwitch) {
  code.nop(signal::kThrsw);
  code.nop();
  code.nop();
  code.nop(signal::kLdtmu, to(5));  // would fault if it were executed
  gpu.load(code, {});
  gpu.shape.single_segment = true;
  const Statistics statistics = gpu.run();
  EXPECT_EQ(statistics.instructions, 3U);
  EXPECT_EQ(statistics.program_size, 3U);
}

TEST_P(Flow, AnEndlessLoopStopsAtTheLimit) {
  branch(BranchCondition::always, LaneFilter::all_lanes, -4);
  for (int i = 0; i < 3; ++i) code.nop();
  gpu.load(code, {});
  Options options;
  options.instruction_limit = 1000;
  EXPECT_EQ(catch_fault([&] { gpu.run(options); }).kind(), FaultKind::runaway);
}

TEST_P(Flow, UnknownAndUnsupportedInstructionsStopTheJobWhenReached) {
  Instruction texture;
  texture.mul = {MulOp::mov, imm(0), {}, to_magic(34)};
  texture.signals = GetParam() == Version::v42 ? signal::kSmallB : signal::kSmallC;
  Instruction conversion;
  conversion.add = {AddOp::ftoc, rf(3), {}, to(4)};
  Instruction legacy;
  legacy.mul = {MulOp::mov, rf(3), {}, to_magic(19)};
  Instruction coverage;
  coverage.signals = signal::kLdtlb;
  Instruction conditional;
  conditional.mul = {MulOp::mov, rf(3), {}, to_magic(magic::kUnifa), Pack::none, Condition::if_a};
  for (const Instruction& in : {texture, conversion, legacy, coverage, conditional}) {
    code = Assembler(GetParam());
    code.emit(in);
    code.end();
    gpu.load(code, {});
    const Fault fault = catch_fault([&] { gpu.run(); });
    EXPECT_EQ(fault.kind(), FaultKind::bad_code);
    EXPECT_EQ(fault.code_address(), kCode);
    EXPECT_EQ(fault.instruction(), code.words()[0]);
  }
  // An invalid instruction has no effect if a branch skips it.
  code = Assembler(GetParam());
  branch(BranchCondition::always, LaneFilter::all_lanes, 1);
  for (int i = 0; i < 3; ++i) code.nop();
  code.emit(legacy);
  code.end();
  gpu.load(code, {});
  EXPECT_NO_THROW(gpu.run());
}

TEST_P(Flow, AWordThatIsNoInstructionStopsTheJobWithItsText) {
  code.nop();
  code.end();
  gpu.load(code, {});
  gpu.word(kCode + 8) = 0;
  gpu.word(kCode + 12) = 0;
  const Fault fault = catch_fault([&] { gpu.run(); });
  EXPECT_EQ(fault.code_address(), kCode + 8);
  EXPECT_NE(std::string(fault.what()).find("neither an ALU instruction nor a branch"),
            std::string::npos)
      << fault.what();
}

TEST_P(Flow, FourThreadsAQpuHaveThirtyTwoRegistersEach) {
  code.mov(to(40), imm(1));
  code.end();
  gpu.load(code, {});
  EXPECT_NO_THROW(gpu.run());
  gpu.shape.four_threads = true;
  EXPECT_EQ(catch_fault([&] { gpu.run(); }).kind(), FaultKind::bad_code);
}

TEST_P(Flow, CodeOutsideEveryBufferIsAFault) {
  code.nop();  // the program lacks an instruction that ends the thread
  gpu.load(code, {});
  const std::uint64_t nop = code.words()[0];
  for (std::uint32_t at = kCode; at < kCode + 0x8000; at += 8) {
    gpu.word(at) = static_cast<std::uint32_t>(nop);
    gpu.word(at + 4) = static_cast<std::uint32_t>(nop >> 32);
  }
  EXPECT_EQ(catch_fault([&] { gpu.run(); }).kind(), FaultKind::out_of_bounds);
}

TEST_P(Flow, AUniformBeyondTheBufferIsAFault) {
  code.uniform(5);
  code.end();
  gpu.load(code, {});
  gpu.shape.uniform_address = kUniforms + 0x1000;
  const Fault fault = catch_fault([&] { gpu.run(); });
  EXPECT_EQ(fault.kind(), FaultKind::out_of_bounds);
  EXPECT_EQ(fault.address(), kUniforms + 0x1000);
}

TEST_P(Flow, ChangedCodeAtTheSameAddressIsDecodedAnew) {
  Executor executor(gpu.machine, {});
  for (const int value : {3, 4}) {
    code = Assembler(GetParam());
    code.mov(to(5), imm(value));
    store_result(5);
    gpu.load(code, {kData});
    executor.run(make_job(gpu.shape, gpu.machine), gpu.memory);
    EXPECT_EQ(gpu.data(0), static_cast<std::uint32_t>(value));
  }
}

TEST_P(Flow, StatisticsCountWhatTheCodeSays) {
  code.add(AddOp::recip, to(5), rf(2));
  code.add(AddOp::add, to(6), rf(5), imm(1));  // reads the result one instruction too early
  code.mov(to(7), rf(6), {.condition = Condition::if_a});
  code.nop();
  Instruction both;
  both.add = {AddOp::add, rf(5), rf(6), to(8)};
  both.mul = {MulOp::mov, rf(5), {}, to(9)};
  code.emit(both);
  code.end();
  gpu.load(code, {});
  gpu.shape.groups = {3, 1, 1};
  const Statistics s = gpu.run();
  EXPECT_EQ(s.threads, 3U);
  EXPECT_EQ(s.instructions, 3 * 11U);
  EXPECT_EQ(s.add_used, 3 * 3U);
  EXPECT_EQ(s.mul_used, 3 * 2U);
  EXPECT_EQ(s.both_used, 3U);
  EXPECT_EQ(s.nops, 3 * 7U);
  EXPECT_EQ(s.conditional, 3U);
  EXPECT_EQ(s.special_functions, 3U);
  EXPECT_EQ(s.special_function_stalls, 3U);
  EXPECT_EQ(s.program_size, 11U);
  EXPECT_DOUBLE_EQ(s.per_thread(s.instructions), 11.0);
  EXPECT_EQ(s.executed, std::vector<std::uint64_t>(11, 3));
}

TEST_P(Flow, TheListingShowsWhatRanAndHowOften) {
  code.mov(to(5), imm(3));
  const std::size_t top = code.here();
  code.add(AddOp::sub, to(5), rf(5), imm(1), {.flags = FlagUse::push_z});
  code.branch(BranchCondition::all_not_a, LaneFilter::all_lanes, top);
  code.end();
  gpu.load(code, {});
  const std::string text = listing(gpu.run(), gpu.memory);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), static_cast<std::ptrdiff_t>(code.here()));
  EXPECT_NE(text.find("    3.000  00010008  "), std::string::npos) << text;
  EXPECT_NE(text.find("sub.pushz rf5, rf5, 1; nop"), std::string::npos) << text;
}

TEST_P(Flow, RandomProgramsEndOrFaultButNeverCrash) {
  const std::uint64_t seed = 4242;
  Random random(seed);
  Options options;
  options.instruction_limit = 2000;
  options.poison = true;
  options.check_races = true;
  unsigned faults = 0;
  for (int round = 0; round < 300; ++round) {
    code = Assembler(GetParam());
    for (std::uint32_t at = kCode; at < kCode + 0x400;) {
      // A quarter of the words are arbitrary; the others can at least be decoded.
      const std::uint64_t word = std::uint64_t{random()} << 32 | random();
      if (!decode(word, GetParam()) && random.below(4) != 0) continue;
      gpu.word(at) = static_cast<std::uint32_t>(word);
      gpu.word(at + 4) = static_cast<std::uint32_t>(word >> 32);
      at += 8;
    }
    try {
      gpu.run(options);
    } catch (const Fault& fault) {
      ++faults;
      ASSERT_NE(std::string(fault.what()), "") << "seed " << seed;
    }
  }
  EXPECT_GT(faults, 250U) << "random programs are rarely valid";
}

INSTANTIATE_TEST_SUITE_P(V3d, Flow, testing::Values(Version::v42, Version::v71),
                         [](const auto& version) {
                           return version.param == Version::v42 ? "v42" : "v71";
                         });

}  // namespace
}  // namespace sidecore::v3dsim::test_v3dsim_flow
