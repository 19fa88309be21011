// Compares every operation with a scalar model written from the instruction set's description, on
// all code paths of the host.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "v3dsim/half_float.h"
#include "v3dsim/program.h"
#include "v3dsim/thread.h"
#include "v3dsim/v3dsim_rig.h"
#include "v3dsim/v3dsim_scalar.h"

namespace sidecore::v3dsim::test_v3dsim_alu {
namespace {

using namespace rig;
using namespace scalar;

/// Executes one instruction on a thread that the test set up.
class OneStep : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    run_ = run_function(GetParam());
    ASSERT_NE(run_, nullptr);
  }

  /// Runs the instruction, then ends the thread. `version` selects the encoding.
  void execute(const Instruction& in, Version version) {
    Assembler code(version);
    code.emit(in);
    code.nop(signal::kThrsw);
    code.nop();
    code.nop();
    std::vector<std::uint64_t> words(code.words().begin(), code.words().end());
    MappedMemory memory(reinterpret_cast<std::byte*>(words.data()));
    memory.add(0, static_cast<std::uint32_t>(words.size() * 8));
    const Program program(memory, 0, version, false, true);
    Context context(program, options, memory, 8, nullptr);
    thread->pc = 0;
    thread->last_section = true;
    thread->switch_delay = 0;
    thread->branch_delay = 0;
    thread->ending = false;
    EXPECT_EQ(run_(*thread, context), Stop::ended);
  }

  void fill(Random& random) {
    for (Lanes& lanes : thread->registers) {
      for (std::uint32_t& lane : lanes.lane) lane = operand_bits(random);
    }
    for (std::size_t i = 0; i < kLanes; ++i) {
      thread->a.lane[i] = (random() & 1) != 0 ? ~0U : 0;
      thread->b.lane[i] = (random() & 1) != 0 ? ~0U : 0;
      thread->rtop.lane[i] = random();
      thread->active.lane[i] = ~0U;
    }
    thread->active_mask = kAllLanes;
  }

  RunFunction run_ = nullptr;
  Options options;
  std::unique_ptr<Thread> thread = std::make_unique<Thread>();
};

TEST_P(OneStep, EveryLaneWiseOperationOfTheAddAluMatchesTheScalarModel) {
  const std::uint64_t seed = 7101;
  Random random(seed);
  unsigned checked = 0;
  for (std::size_t i = 0; i < std::size(kAddOps); ++i) {
    const auto op = static_cast<AddOp>(i);
    const auto model = add_model(op);
    if (!model) continue;
    for (const Version version : {Version::v42, Version::v71}) {
      for (const Unpack unpack : {Unpack::none, Unpack::abs, Unpack::low, Unpack::high}) {
        Instruction in;
        const bool twin = op == AddOp::fmin || op == AddOp::fadd || op == AddOp::fmax;
        in.add = {op, rf(op == AddOp::fmax ? 12 : 4, unpack), {}, to(20)};
        // The operands have equal modifiers, because their order selects the operation (FADD or
        // FADDNF, FMIN or FMAX).
        if (info(op).sources == 2) {
          in.add.b = rf(op == AddOp::fmax ? 4 : 12, twin ? unpack : Unpack::none);
          if (op == AddOp::vfpack || op == AddOp::fsub || op == AddOp::fcmp) {
            in.add.b.unpack = unpack;
          }
        }
        if (!encode(in, version)) continue;
        for (int round = 0; round < 40; ++round) {
          fill(random);
          // The encoder may have exchanged FMAX's operands, so the decoded order is used.
          const Instruction decoded = *decode(*encode(in, version), version).instruction;
          execute(in, version);
          for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const std::uint32_t x =
                modified(thread->registers[decoded.add.a.index].lane[lane], decoded.add.a.unpack);
            const std::uint32_t y =
                info(op).sources < 2 ? 0
                                     : modified(thread->registers[decoded.add.b.index].lane[lane],
                                                decoded.add.b.unpack);
            ASSERT_EQ(thread->registers[20].lane[lane], (*model)(x, y))
                << "seed " << seed << ": " << disassemble(decoded, version) << " of " << std::hex
                << x << ", " << y;
          }
        }
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 80U);
}

TEST_P(OneStep, MultiplicationsMatchTheScalarModel) {
  Random random(7102);
  for (const Version version : {Version::v42, Version::v71}) {
    for (int round = 0; round < 200; ++round) {
      fill(random);
      Instruction in;
      in.mul = {MulOp::fmul, rf(4), rf(12), to(20)};
      execute(in, version);
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const float x = f(thread->registers[4].lane[lane]), y = f(thread->registers[12].lane[lane]);
        ASSERT_EQ(thread->registers[20].lane[lane], u(x * y));
      }
      in.mul = {MulOp::multop, rf(4), rf(12), kNowhere};
      execute(in, version);
      in.mul = {MulOp::umul24, rf(4), rf(12), to(20)};
      execute(in, version);
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::uint64_t product =
            std::uint64_t{thread->registers[4].lane[lane]} * thread->registers[12].lane[lane];
        ASSERT_EQ(thread->registers[20].lane[lane], static_cast<std::uint32_t>(product))
            << "MULTOP and UMUL24 make the low word of the full product";
        ASSERT_EQ(thread->rtop.lane[lane], 0U) << "UMUL24 consumes rtop";
      }
    }
  }
}

TEST_P(OneStep, MovesOf71ApplyTheirModifiers) {
  Random random(7103);
  const auto clamped = [](float x, float low, float high) {
    return x > low ? (x < high ? x : high) : low;
  };
  for (int round = 0; round < 200; ++round) {
    fill(random);
    Instruction in;
    in.mul.destination = to(20);
    in.mul.a = rf(4);
    const auto expect = [&](MulOp op, Unpack unpack, auto model) {
      in.mul.op = op;
      in.mul.a.unpack = unpack;
      execute(in, Version::v71);
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::uint32_t x = thread->registers[4].lane[lane];
        ASSERT_EQ(thread->registers[20].lane[lane], model(x)) << std::hex << x;
      }
    };
    using U = std::uint32_t;
    expect(MulOp::mov, Unpack::u16_low, [](U x) { return x & 0xffff; });
    expect(MulOp::mov, Unpack::u16_high, [](U x) { return x >> 16; });
    expect(MulOp::mov, Unpack::i16_low,
           [](U x) { return static_cast<U>(static_cast<std::int16_t>(x)); });
    expect(MulOp::mov, Unpack::i16_high,
           [](U x) { return static_cast<U>(static_cast<std::int16_t>(x >> 16)); });
    expect(MulOp::fmov, Unpack::clamp_unit, [&](U x) { return u(clamped(f(x), 0, 1)); });
    expect(MulOp::fmov, Unpack::clamp_sign, [&](U x) { return u(clamped(f(x), -1, 1)); });
    expect(MulOp::fmov, Unpack::max_zero, [](U x) { return f(x) > 0 ? x : 0; });
  }
}

TEST_P(OneStep, PackedResultsWriteOneHalfAndKeepTheOther) {
  Random random(7104);
  for (const Version version : {Version::v42, Version::v71}) {
    for (const Pack pack : {Pack::low, Pack::high}) {
      fill(random);
      const Lanes before = thread->registers[20];
      Instruction in;
      in.add = {AddOp::fsub, rf(4), rf(12), to(20), pack, Condition::if_a};
      execute(in, version);
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::uint32_t half = half_from_float_bits(
            u(f(thread->registers[4].lane[lane]) - f(thread->registers[12].lane[lane])));
        const std::uint32_t old = before.lane[lane];
        const std::uint32_t written =
            pack == Pack::low ? (old & 0xffff0000) | half : (old & 0xffff) | half << 16;
        EXPECT_EQ(thread->registers[20].lane[lane], thread->a.lane[lane] != 0 ? written : old);
      }
    }
  }
}

TEST_P(OneStep, ConditionsSelectLanesByTheFlagsBeforeTheInstruction) {
  Random random(7105);
  for (const Condition condition :
       {Condition::if_a, Condition::if_b, Condition::if_not_a, Condition::if_not_b}) {
    fill(random);
    const Lanes a = thread->a, b = thread->b, before = thread->registers[20];
    Instruction in;
    in.mul = {MulOp::mov, rf(4), {}, to(20), Pack::none, condition};
    in.add = {AddOp::add, rf(4), rf(12), kNowhere, Pack::none, Condition::always, FlagUse::push_z};
    execute(in, Version::v71);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const bool flag =
          (condition == Condition::if_a || condition == Condition::if_not_a ? a : b).lane[lane] !=
          0;
      const bool wanted = condition == Condition::if_a || condition == Condition::if_b;
      EXPECT_EQ(thread->registers[20].lane[lane],
                flag == wanted ? thread->registers[4].lane[lane] : before.lane[lane]);
      EXPECT_EQ(thread->b.lane[lane], a.lane[lane]) << "a push moves A to B";
    }
  }
}

TEST_P(OneStep, EveryFlagUseOfEveryCompareMatchesItsDefinition) {
  Random random(7106);
  constexpr AddOp kOps[] = {AddOp::add,  AddOp::sub,  AddOp::min,  AddOp::max,  AddOp::umin,
                            AddOp::umax, AddOp::fcmp, AddOp::xor_, AddOp::fsub, AddOp::shl};
  for (const AddOp op : kOps) {
    for (int use = 1; use < 16; ++use) {
      const char which = "znc"[use < 4 ? use - 1 : (use - 4) / 4];
      for (int round = 0; round < 8; ++round) {
        fill(random);
        if (round % 2 == 0) thread->registers[12] = thread->registers[4];
        const Lanes a = thread->a, b = thread->b;
        Instruction in;
        in.add = {
            op, rf(4), rf(12), to(20), Pack::none, Condition::always, static_cast<FlagUse>(use)};
        execute(in, Version::v71);
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          const auto flag =
              flag_model(op, which, thread->registers[4].lane[lane],
                         thread->registers[12].lane[lane], thread->registers[20].lane[lane]);
          if (!flag) continue;
          const bool old = a.lane[lane] != 0;
          // Flag updates in the order of their codes: and-x, and-not-x, nor-not-x, nor-x.
          const bool updates[] = {old && *flag, old && !*flag, !(old || !*flag), !(old || *flag)};
          const bool expected = use < 4 ? *flag : updates[(use - 4) % 4];
          ASSERT_EQ(thread->a.lane[lane], expected ? ~0U : 0U)
              << disassemble(in, Version::v71) << ", lane " << lane;
          ASSERT_EQ(thread->b.lane[lane], use < 4 ? a.lane[lane] : b.lane[lane])
              << "only a push touches B";
        }
      }
    }
  }
}

TEST_P(OneStep, CrossLaneOperationsSeeActiveLanesWhoseConditionHolds) {
  Random random(7107);
  for (int round = 0; round < 100; ++round) {
    fill(random);
    const LaneMask active = random() & kAllLanes;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      thread->active.lane[lane] = (active >> lane & 1) != 0 ? ~0U : 0;
      thread->registers[4].lane[lane] = random.below(2);
    }
    thread->active_mask = active;
    std::uint32_t ballot = 0, first = 0;
    bool found = false, equal = true;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      if ((active >> lane & 1) == 0 || thread->a.lane[lane] == 0) continue;
      const std::uint32_t x = thread->registers[4].lane[lane];
      if (!found) first = x;
      found = true;
      equal = equal && x == first;
      ballot |= x << lane;
    }
    const auto result = [&](AddOp op) {
      Instruction in;
      in.add = {op, rf(4), {}, to(20), Pack::none, Condition::if_a};
      thread->registers[20] = {};
      execute(in, Version::v71);
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        if (thread->a.lane[lane] != 0) return thread->registers[20].lane[lane];
      }
      return 0U;
    };
    EXPECT_EQ(result(AddOp::ballot), ballot);
    EXPECT_EQ(result(AddOp::bcastf), first);
    bool any = false;
    for (const std::uint32_t flag : thread->a.lane) any = any || flag != 0;
    if (any) {
      EXPECT_EQ(result(AddOp::alleq), equal ? 1U : 0U);
    }

    Instruction in;
    in.add = {AddOp::shuffle, rf(5), rf(6), to(20)};
    execute(in, Version::v71);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      EXPECT_EQ(thread->registers[20].lane[lane],
                thread->registers[5].lane[thread->registers[6].lane[lane] % 16]);
    }
    in.add = {AddOp::msf, {}, {}, to(20)};
    execute(in, Version::v71);
    EXPECT_EQ(thread->registers[20].lane[3], (active >> 3 & 1) != 0 ? 0xfU : 0U);
    in.add = {AddOp::flafirst, {}, {}, to(20)};
    execute(in, Version::v42);
    unsigned ones = 0;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      if (thread->registers[20].lane[lane] == 0) continue;
      ++ones;
      EXPECT_NE(thread->a.lane[lane], 0U);
    }
    EXPECT_EQ(ones, any ? 1U : 0U);
  }
}

TEST_P(OneStep, SpecialFunctionsAreCloseAndMoveOnlyWhenDisturbed) {
  Random random(7108);
  struct Function {
    AddOp op;
    double (*exact)(double);
  };
  const Function functions[] = {{AddOp::recip, [](double x) { return 1 / x; }},
                                {AddOp::rsqrt, [](double x) { return 1 / std::sqrt(x); }},
                                {AddOp::exp, [](double x) { return std::exp2(x); }},
                                {AddOp::log, [](double x) { return std::log2(x); }}};
  for (const auto& function : functions) {
    for (std::uint32_t& lane : thread->registers[4].lane) {
      lane = std::bit_cast<std::uint32_t>(0.25F + static_cast<float>(random.below(1000)) * 0.01F);
    }
    Instruction in;
    in.add = {function.op, rf(4), {}, to(20)};
    options.disturbance.ulps = 0;
    execute(in, Version::v71);
    const Lanes plain = thread->registers[20];
    options.disturbance = {8, 5};
    execute(in, Version::v71);
    const Lanes disturbed = thread->registers[20];
    execute(in, Version::v42);
    unsigned moved = 0;
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const double exact = function.exact(f(thread->registers[4].lane[lane]));
      EXPECT_NEAR(f(plain.lane[lane]), exact, std::abs(exact) * 1e-7 + 1e-12);
      const auto distance = static_cast<std::int64_t>(disturbed.lane[lane]) - plain.lane[lane];
      EXPECT_LE(std::abs(distance), 8);
      moved += distance != 0 ? 1 : 0;
      EXPECT_EQ(thread->registers[20].lane[lane], disturbed.lane[lane])
          << "the same seed gives the same disturbance";
    }
    EXPECT_GT(moved, 8U) << info(function.op).name;
  }
}

/// Returns the inner-loop variants that this host can run.
std::vector<const char*> variants() {
  std::vector<const char*> names;
  for (const char* name : {"baseline", "avx2", "avx512"}) {
    if (run_function(name) != nullptr) names.push_back(name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(V3d, OneStep, testing::ValuesIn(variants()),
                         [](const auto& name) { return std::string(name.param); });

}  // namespace
}  // namespace sidecore::v3dsim::test_v3dsim_alu
