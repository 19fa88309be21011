// Compares random straight-line programs on the executor with a scalar interpreter of the decoded
// fields: operands are read before results are written, both halves execute at once, and
// conditions, flags and packs apply.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "v3dsim/program.h"
#include "v3dsim/thread.h"
#include "v3dsim/v3dsim_rig.h"
#include "v3dsim/v3dsim_scalar.h"

namespace sidecore::v3dsim::test_v3dsim_programs {
namespace {

using namespace rig;
using namespace scalar;

/// State of one lane of a thread.
struct Lane {
  std::uint32_t registers[kRegisters] = {};
  std::uint32_t rtop = 0;
  bool a = false, b = false;
};

std::uint32_t read(const Lane& lane, const Source& source) {
  switch (source.kind) {
    case Source::Kind::none:
      return 0;
    case Source::Kind::accumulator:
      return modified(lane.registers[kFirstAccumulator + source.index], source.unpack);
    case Source::Kind::register_file:
      return modified(lane.registers[source.index], source.unpack);
    case Source::Kind::small_immediate:
      return modified(small_immediate_bits(source.index), source.unpack);
  }
  return 0;
}

bool holds(const Lane& lane, Condition condition) {
  switch (condition) {
    case Condition::always:
      return true;
    case Condition::if_a:
      return lane.a;
    case Condition::if_b:
      return lane.b;
    case Condition::if_not_a:
      return !lane.a;
    case Condition::if_not_b:
      return !lane.b;
  }
  return false;
}

/// Returns the add operation with the same model as a mul operation, if there is one.
AddOp same_as(MulOp op) {
  switch (op) {
    case MulOp::add:
      return AddOp::add;
    case MulOp::sub:
      return AddOp::sub;
    case MulOp::mov:
      return AddOp::mov;
    case MulOp::fmov:
      return AddOp::fmov;
    default:
      return AddOp::nop;
  }
}

std::uint32_t compute(Lane&, const Half<AddOp>& half, std::uint32_t x, std::uint32_t y) {
  return (*add_model(half.op))(x, y);
}
std::uint32_t compute(Lane& lane, const Half<MulOp>& half, std::uint32_t x, std::uint32_t y) {
  switch (half.op) {
    case MulOp::fmul:
      return u(f(x) * f(y));
    case MulOp::multop:
      return lane.rtop = (x >> 24) * y + (y >> 24) * x;
    case MulOp::umul24: {
      const std::uint32_t result = (x % (1 << 24)) * (y % (1 << 24)) + (lane.rtop << 24);
      lane.rtop = 0;
      return result;
    }
    default:
      return (*add_model(same_as(half.op)))(x, y);
  }
}

AddOp flag_operation(const Half<AddOp>& half) {
  return half.op;
}
AddOp flag_operation(const Half<MulOp>& half) {
  if (half.op == MulOp::fmul) return AddOp::fadd;  // equivalent for a float result, without a carry
  const AddOp op = same_as(half.op);
  return op == AddOp::nop ? AddOp::and_ : op;  // equivalent for an integer result, without a carry
}

/// Returns flags A and B after an instruction's flag use.
template <class Op>
void use_flag(Lane& lane, const Half<Op>& half, std::uint32_t x, std::uint32_t y,
              std::uint32_t result) {
  const int use = static_cast<int>(half.flags);
  if (use == 0) return;
  const char which = "znc"[use < 4 ? use - 1 : (use - 4) / 4];
  const bool flag = flag_model(flag_operation(half), which, x, y, result).value_or(false);
  const bool old = lane.a;
  if (use < 4) {
    lane.b = old;
    lane.a = flag;
    return;
  }
  const bool updates[] = {old && flag, old && !flag, !(old || !flag), !(old || flag)};
  lane.a = updates[(use - 4) % 4];
}

template <class Op>
void write(Lane& lane, const Half<Op>& half, bool condition, std::uint32_t result) {
  if (!condition || (half.destination.magic && half.destination.address > 4)) return;
  std::uint32_t& target =
      lane.registers[half.destination.address + (half.destination.magic ? kFirstAccumulator : 0)];
  const std::uint32_t packed = half_from_float_bits(result);
  if (half.pack == Pack::none) target = result;
  if (half.pack == Pack::low) target = (target & 0xffff0000) | packed;
  if (half.pack == Pack::high) target = (target & 0xffff) | packed << 16;
}

void interpret(Lane& lane, const Instruction& in) {
  const bool add = in.add.op != AddOp::nop, mul = in.mul.op != MulOp::nop;
  const std::uint32_t ax = read(lane, in.add.a), ay = read(lane, in.add.b);
  const std::uint32_t mx = read(lane, in.mul.a), my = read(lane, in.mul.b);
  const bool add_holds = holds(lane, in.add.condition), mul_holds = holds(lane, in.mul.condition);
  const std::uint32_t add_result = add ? compute(lane, in.add, ax, ay) : 0;
  const std::uint32_t mul_result = mul ? compute(lane, in.mul, mx, my) : 0;
  if (add) write(lane, in.add, add_holds, add_result);
  if (mul) write(lane, in.mul, mul_holds, mul_result);
  if (add) use_flag(lane, in.add, ax, ay, add_result);
  if (mul) use_flag(lane, in.mul, mx, my, mul_result);
}

/// Returns a random word that the scalar model supports and that writes only registers. Its halves
/// never write the same register, because the result is undefined.
std::uint64_t random_word(Random& random, Version version) {
  for (;;) {
    std::uint64_t word = std::uint64_t{random()} << 32 | random();
    word &= ~(std::uint64_t{31} << 53);
    const std::uint64_t small[] = {0, 15, 14, 30, 31};
    word |= small[random.below(version == Version::v42 ? 2 : 5)] << 53;
    const Decoded decoded = decode(word, version);
    if (!decoded || decoded.instruction->is_branch) continue;
    const Instruction& in = *decoded.instruction;
    const Step step = make_step(in, version, false);
    const auto plain = [](Target target) {
      return target == Target::none || target == Target::lanes;
    };
    if (step.kind != Step::Kind::alu || !plain(step.add.target) || !plain(step.mul.target)) {
      continue;
    }
    if (in.add.op != AddOp::nop && !add_model(in.add.op)) continue;
    if (step.add.target == Target::lanes && step.mul.target == Target::lanes &&
        step.add.index == step.mul.index) {
      continue;
    }
    return word;
  }
}

class RandomPrograms : public testing::TestWithParam<Version> {};

TEST_P(RandomPrograms, GiveTheSameAsTheScalarInterpreter) {
  const std::uint64_t seed = 90210;
  Random random(seed);
  constexpr std::size_t kLength = 40;
  for (int round = 0; round < 400; ++round) {
    std::vector<std::uint64_t> words(kLength);
    for (std::uint64_t& word : words) word = random_word(random, GetParam());
    Assembler end(GetParam());
    end.nop(signal::kThrsw);
    end.nop();
    end.nop();
    words.insert(words.end(), end.words().begin(), end.words().end());

    auto thread = std::make_unique<Thread>();
    thread->last_section = true;
    Lane lanes[kLanes];
    for (std::size_t i = 0; i < kLanes; ++i) {
      for (std::size_t r = 0; r < kRegisters; ++r) {
        thread->registers[r].lane[i] = lanes[i].registers[r] = operand_bits(random);
      }
      lanes[i].a = random.below(2) != 0;
      lanes[i].b = random.below(2) != 0;
      thread->a.lane[i] = lanes[i].a ? ~0U : 0;
      thread->b.lane[i] = lanes[i].b ? ~0U : 0;
    }

    MappedMemory memory(reinterpret_cast<std::byte*>(words.data()));
    memory.add(0, static_cast<std::uint32_t>(words.size() * 8));
    const Program program(memory, 0, GetParam(), false, true);
    const Options options;
    Context context(program, options, memory, 8, nullptr);
    ASSERT_EQ(run_function()(*thread, context), Stop::ended);
    for (Lane& lane : lanes) {
      for (std::size_t i = 0; i < kLength; ++i) {
        interpret(lane, *decode(words[i], GetParam()).instruction);
      }
    }
    for (std::size_t i = 0; i < kLanes; ++i) {
      for (std::size_t r = 0; r < kRegisters; ++r) {
        ASSERT_EQ(thread->registers[r].lane[i], lanes[i].registers[r])
            << "seed " << seed << ", round " << round << ", register " << r << ", lane " << i;
      }
      ASSERT_EQ(thread->a.lane[i] != 0, lanes[i].a) << "seed " << seed << ", round " << round;
      ASSERT_EQ(thread->b.lane[i] != 0, lanes[i].b) << "seed " << seed << ", round " << round;
      ASSERT_EQ(thread->rtop.lane[i], lanes[i].rtop) << "seed " << seed << ", round " << round;
    }
  }
}

/// Returns a random instruction of both halves that any thread may execute without memory.
std::uint64_t random_alu_word(Random& random, Version version) {
  for (;;) {
    std::uint64_t word = std::uint64_t{random()} << 32 | random();
    // Removes the signal; a small immediate may be set again below.
    word &= ~(std::uint64_t{31} << 53);
    if ((random() & 1) != 0) word |= std::uint64_t{15} << 53;
    const Decoded decoded = decode(word, version);
    if (!decoded || decoded.instruction->is_branch) continue;
    const Step step = make_step(*decoded.instruction, version, false);
    const auto plain = [](Target target) {
      return target == Target::none || target == Target::lanes || target == Target::quad_first ||
             target == Target::lane_zero;
    };
    if (step.kind == Step::Kind::alu && plain(step.add.target) && plain(step.mul.target)) {
      return word;
    }
  }
}

TEST(V3dVariants, RandomProgramsGiveTheSameOnEveryInnerLoop) {
  const std::uint64_t seed = 7109;
  Random random(seed);
  for (const Version version : {Version::v42, Version::v71}) {
    for (int round = 0; round < 60; ++round) {
      std::vector<std::uint64_t> words(200);
      for (std::uint64_t& word : words) word = random_alu_word(random, version);
      Assembler end(version);
      end.nop(signal::kThrsw);
      end.nop();
      end.nop();
      words.insert(words.end(), end.words().begin(), end.words().end());
      MappedMemory memory(reinterpret_cast<std::byte*>(words.data()));
      memory.add(0, static_cast<std::uint32_t>(words.size() * 8));
      const Program program(memory, 0, version, false, true);
      const Options options;
      auto start = std::make_unique<Thread>();
      for (Lanes& lanes : start->registers) {
        for (std::uint32_t& lane : lanes.lane) lane = operand_bits(random);
      }
      start->last_section = true;
      start->active_mask = 0x3fff;
      std::fill_n(start->active.lane, 14, ~0U);
      std::unique_ptr<Thread> first;
      for (const char* name : {"baseline", "avx2", "avx512"}) {
        const RunFunction run = run_function(name);
        if (run == nullptr) continue;
        auto thread = std::make_unique<Thread>(*start);
        Context context(program, options, memory, 8, nullptr);
        ASSERT_EQ(run(*thread, context), Stop::ended);
        if (!first) {
          first = std::move(thread);
          continue;
        }
        for (std::size_t i = 0; i < kRegisters; ++i) {
          for (std::size_t lane = 0; lane < kLanes; ++lane) {
            ASSERT_EQ(thread->registers[i].lane[lane], first->registers[i].lane[lane])
                << name << ", seed " << seed << ", round " << round << ", register " << i;
          }
        }
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          ASSERT_EQ(thread->a.lane[lane], first->a.lane[lane]);
          ASSERT_EQ(thread->b.lane[lane], first->b.lane[lane]);
          ASSERT_EQ(thread->rtop.lane[lane], first->rtop.lane[lane]);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(V3d, RandomPrograms, testing::Values(Version::v42, Version::v71),
                         [](const auto& version) {
                           return version.param == Version::v42 ? "v42" : "v71";
                         });

}  // namespace
}  // namespace sidecore::v3dsim::test_v3dsim_programs
