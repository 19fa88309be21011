// Tests memory access by the texture and memory unit: every type and atomic, partial masks, the
// FIFO, and its refusals.
// ctest: threads
#include <gtest/gtest.h>

#include <bit>
#include <vector>

#include "base/random.h"
#include "v3dsim/v3dsim_rig.h"

namespace sidecore::v3dsim::test_v3dsim_tmu {
namespace {

using namespace rig;

constexpr std::uint32_t kPerPixel = 0xffffff80;
std::uint32_t config(unsigned op, unsigned type) {
  return kPerPixel | op << 3 | type;
}

class Tmu : public testing::TestWithParam<Version> {
 protected:
  Machine1M gpu{GetParam()};
  Assembler code{GetParam()};

  /// Computes rf10 = kData + lane * bytes, from the first uniform.
  void lane_addresses(unsigned shift) {
    code.uniform(10);
    code.add(AddOp::eidx, to(11));
    code.add(AddOp::shl, to(11), rf(11), imm(static_cast<int>(shift)));
    code.add(AddOp::add, to(10), rf(10), rf(11));
  }
  /// Computes rf12 = kData + 0x1000 + lane * 4, from the next uniform.
  void result_addresses() {
    code.uniform(12);
    code.add(AddOp::eidx, to(11));
    code.add(AddOp::shl, to(11), rf(11), imm(2));
    code.add(AddOp::add, to(12), rf(12), rf(11));
  }
  void wait() {
    code.nop(signal::kThrsw);
    code.nop();
    code.nop();
  }
  static constexpr std::size_t kResult = 0x1000 / 4;
};

TEST_P(Tmu, LoadsExtendBytesAndHalfWordsByTheirType) {
  struct Case {
    unsigned type, shift;
    std::uint32_t (*expected)(std::uint32_t raw);
  };
  const Case cases[] = {
      {0, 0,
       [](std::uint32_t x) { return static_cast<std::uint32_t>(static_cast<std::int8_t>(x)); }},
      {5, 0, [](std::uint32_t x) { return x & 0xff; }},
      {1, 1,
       [](std::uint32_t x) { return static_cast<std::uint32_t>(static_cast<std::int16_t>(x)); }},
      {6, 1, [](std::uint32_t x) { return x & 0xffff; }},
      {7, 2, [](std::uint32_t x) { return x; }}};
  for (const Case& test : cases) {
    code = Assembler(GetParam());
    lane_addresses(test.shift);
    result_addresses();
    code.mov(to_magic(magic::kTmuau), rf(10));
    wait();
    code.nop(signal::kLdtmu, to(14));
    code.store(12, 14);
    code.end();
    gpu.load(code, {kData, kData + 0x1000, config(15, test.type)});
    Random random(88);
    for (std::size_t i = 0; i < 16; ++i) gpu.data(i) = random();
    const Statistics statistics = gpu.run();
    for (std::size_t lane = 0; lane < 16; ++lane) {
      const std::size_t byte = lane << test.shift;
      const std::uint32_t raw = gpu.data(byte / 4) >> (byte % 4 * 8);
      EXPECT_EQ(gpu.data(kResult + lane), test.expected(raw)) << "type " << test.type;
    }
    EXPECT_EQ(statistics.tmu.requests[0][test.type], 1U);
    EXPECT_EQ(statistics.tmu.total(TmuKind::store), 1U);
    EXPECT_EQ(statistics.tmu.bytes, 64 + (16U << test.shift));
    EXPECT_EQ(statistics.tmu.words, 2U);
  }
}

TEST_P(Tmu, StoresOfBytesAndHalfWordsTouchNothingElse) {
  for (const auto& [type, shift] : {std::pair{5U, 0U}, {0U, 0U}, {6U, 1U}, {1U, 1U}}) {
    code = Assembler(GetParam());
    lane_addresses(2);  // each lane accesses one 32-bit element
    code.mov(to_magic(magic::kTmud), rf(10));
    code.mov(to_magic(magic::kTmuau), rf(10));
    code.end();
    gpu.load(code, {kData, config(15, type)});
    for (std::size_t i = 0; i < 17; ++i) gpu.data(i) = 0xeeeeeeee;
    gpu.run();
    const std::uint32_t mask = shift == 0 ? 0xff : 0xffff;
    for (std::uint32_t lane = 0; lane < 16; ++lane) {
      EXPECT_EQ(gpu.data(lane), (0xeeeeeeee & ~mask) | ((kData + lane * 4) & mask));
    }
    EXPECT_EQ(gpu.data(16), 0xeeeeeeeeU);
  }
}

TEST_P(Tmu, VectorsAreConsecutiveWordsOfALane) {
  for (unsigned words = 2; words <= 4; ++words) {
    code = Assembler(GetParam());
    lane_addresses(4);
    code.mov(to_magic(magic::kTmuau), rf(10));
    wait();
    for (unsigned i = 0; i < words; ++i) code.nop(signal::kLdtmu, to(20 + i));
    code.uniform(13);
    code.add(AddOp::add, to(10), rf(10), rf(13));
    for (unsigned i = 0; i < words; ++i) code.mov(to_magic(magic::kTmud), rf(20 + words - 1 - i));
    code.mov(to_magic(magic::kTmuau), rf(10));
    code.end();
    gpu.load(code, {kData, config(15, words), 0x1000, config(15, words)});
    for (std::uint32_t i = 0; i < 64; ++i) {
      gpu.data(i) = i * 0x01010101;
      gpu.data(kResult + i) = 0;
    }
    const Statistics statistics = gpu.run();
    for (std::uint32_t i = 0; i < 64; ++i) {
      const std::uint32_t lane = i / 4, component = i % 4;
      EXPECT_EQ(gpu.data(kResult + i),
                component < words ? (lane * 4 + words - 1 - component) * 0x01010101 : 0);
    }
    EXPECT_EQ(statistics.tmu.words, 2 * words);
    EXPECT_EQ(statistics.tmu.lines_per_request[4], 2U) << "16 lanes of 16 bytes are 4 lines";
    EXPECT_EQ(statistics.tmu.unique_lines, 8U);
  }
}

TEST_P(Tmu, AtomicsChangeMemoryAndReturnWhatWasThere) {
  const std::uint32_t x = 0xfffffff0, old = 7;
  const auto minimum = [](std::int32_t a, std::int32_t b) { return a < b ? a : b; };
  struct Case {
    unsigned op, data;
    std::uint32_t expected;
  };
  const Case cases[] = {{0, 1, old + x},
                        {1, 1, old - x},
                        {2, 1, x},
                        {3, 2, 99},
                        {4, 1, old},
                        {5, 1, x},
                        {6, 1, static_cast<std::uint32_t>(minimum(7, -16))},
                        {7, 1, 7},
                        {8, 1, old & x},
                        {9, 1, old | x},
                        {10, 1, old ^ x},
                        {8, 0, old + 1},
                        {9, 0, old - 1},
                        {10, 0, ~old}};
  for (const Case& test : cases) {
    code = Assembler(GetParam());
    lane_addresses(2);
    result_addresses();
    code.uniform(16);
    code.uniform(17);
    if (test.data >= 1) code.mov(to_magic(magic::kTmud), rf(16));
    if (test.data >= 2) code.mov(to_magic(magic::kTmud), rf(17));
    code.mov(to_magic(magic::kTmuau), rf(10));
    wait();
    code.nop(signal::kLdtmu, to(14));
    code.store(12, 14);
    code.end();
    // Compare-exchange gets the old value as its first word, so that it stores the second word.
    gpu.load(code, {kData, kData + 0x1000, test.op == 3 ? old : x, 99,
                    config(test.op, test.data == 2 ? 2 : 7)});
    for (std::size_t i = 0; i < 16; ++i) gpu.data(i) = old;
    const Statistics statistics = gpu.run();
    for (std::size_t lane = 0; lane < 16; ++lane) {
      EXPECT_EQ(gpu.data(lane), test.expected) << "operation " << test.op;
      EXPECT_EQ(gpu.data(kResult + lane), old);
    }
    EXPECT_EQ(statistics.tmu.total(TmuKind::atomic), 1U);
  }
}

TEST_P(Tmu, CompareExchangeLeavesOtherValuesAlone) {
  lane_addresses(2);
  code.mov(to_magic(magic::kTmud), imm(5));
  code.mov(to_magic(magic::kTmud), imm(9));
  code.mov(to_magic(magic::kTmuau), rf(10));
  wait();
  code.nop(signal::kLdtmu, kNowhere);
  code.end();
  gpu.load(code, {kData, config(3, 2)});
  for (std::uint32_t i = 0; i < 16; ++i) gpu.data(i) = i;
  gpu.run();
  for (std::uint32_t i = 0; i < 16; ++i) EXPECT_EQ(gpu.data(i), i == 5 ? 9 : i);
}

TEST_P(Tmu, LanesOfOneAtomicTakeTurns) {
  code.uniform(10);
  code.mov(to_magic(magic::kTmud), imm(3));
  code.mov(to_magic(magic::kTmuau), rf(10));
  result_addresses();
  wait();
  code.nop(signal::kLdtmu, to(14));
  code.store(12, 14);
  code.end();
  gpu.load(code, {kData, config(0, 7), kData + 0x1000});
  gpu.data(0) = 100;
  gpu.run();
  EXPECT_EQ(gpu.data(0), 148U);
  for (std::uint32_t lane = 0; lane < 16; ++lane) {
    EXPECT_EQ(gpu.data(kResult + lane), 100 + 3 * lane);
  }
}

TEST_P(Tmu, OnlyActiveLanesWhoseConditionHoldsTakePart) {
  lane_addresses(2);
  code.add(AddOp::eidx, to(15));
  code.add(AddOp::and_, kNowhere, rf(15), imm(1), {.flags = FlagUse::push_z});
  code.store(10, 10, {.condition = Condition::if_not_a});  // stores only in odd lanes
  code.end();
  gpu.load(code, {kData});
  gpu.shape.workgroup_size = 11;
  for (std::size_t i = 0; i < 16; ++i) gpu.data(i) = 1;
  const Statistics statistics = gpu.run();
  for (std::uint32_t lane = 0; lane < 16; ++lane) {
    const bool stored = lane % 2 == 1 && lane < 11;
    EXPECT_EQ(gpu.data(lane), stored ? kData + lane * 4 : 1U) << lane;
  }
  EXPECT_EQ(statistics.tmu.lanes, 5U);
  EXPECT_EQ(statistics.idle_lanes, 5U);
}

// The driver spills values that were computed under a condition in this way.
TEST_P(Tmu, DataUnderAConditionReachesTheLanesOfThatCondition) {
  for (const bool address_too : {true, false}) {
    code = Assembler(GetParam());
    lane_addresses(2);
    code.add(AddOp::eidx, to(15));
    code.add(AddOp::and_, kNowhere, rf(15), imm(1), {.flags = FlagUse::push_z});
    const With odd{.condition = Condition::if_not_a};
    code.mov(to_magic(magic::kTmud), rf(10), odd);
    code.mov(to_magic(magic::kTmua), rf(10), address_too ? odd : With{});
    code.end();
    gpu.load(code, {kData});
    for (std::size_t i = 0; i < 16; ++i) gpu.data(i) = 1;
    if (!address_too) {
      EXPECT_EQ(catch_fault([&] { gpu.run(); }).kind(), FaultKind::tmu);
      continue;
    }
    gpu.run();
    for (std::uint32_t lane = 0; lane < 16; ++lane) {
      EXPECT_EQ(gpu.data(lane), lane % 2 == 1 ? kData + lane * 4 : 1U) << lane;
    }
  }
}

TEST_P(Tmu, APerQuadRequestTakesWholeQuads) {
  lane_addresses(2);
  result_addresses();
  code.add(AddOp::eidx, to(15));
  // Sets flag A only in lane 6.
  code.add(AddOp::sub, kNowhere, rf(15), imm(6), {.flags = FlagUse::push_z});
  code.mov(to(20), imm(-1));
  code.mov(to_magic(magic::kTmuau), rf(10), {.condition = Condition::if_a});
  wait();
  code.nop(signal::kLdtmu, to(20));
  code.store(12, 20);
  code.end();
  gpu.load(code, {kData, kData + 0x1000, 0xffffff00 | 15 << 3 | 7});
  for (std::uint32_t i = 0; i < 16; ++i) gpu.data(i) = 50 + i;
  gpu.run();
  for (std::uint32_t lane = 4; lane < 8; ++lane) EXPECT_EQ(gpu.data(kResult + lane), 50 + lane);
  EXPECT_EQ(gpu.data(kResult + 3), 0U) << "the value is unspecified; zero without poison";
}

TEST_P(Tmu, ConfigBytesQueueUpAndEndInTheDefault) {
  // One TMUC write configures two byte loads, lowest byte first; the third load is a plain word.
  lane_addresses(2);
  result_addresses();
  code.uniform(13);
  code.mov(to_magic(magic::kTmuc), rf(13));
  for (unsigned i = 0; i < 3; ++i) code.mov(to_magic(magic::kTmua), rf(10));
  wait();
  for (unsigned i = 0; i < 3; ++i) code.nop(signal::kLdtmu, to(20 + i));
  code.uniform(13);
  for (unsigned i = 0; i < 3; ++i) {
    code.store(12, 20 + i);
    code.add(AddOp::add, to(12), rf(12), rf(13));
  }
  code.end();
  const std::uint32_t signed_byte = config(15, 0) & 0xff, unsigned_byte = config(15, 5) & 0xff;
  gpu.load(code, {kData, kData + 0x1000, 0xffff0000 | unsigned_byte << 8 | signed_byte, 64});
  for (std::size_t i = 0; i < 16; ++i) gpu.data(i) = 0x123456f0;
  gpu.run();
  EXPECT_EQ(gpu.data(kResult), 0xfffffff0U);
  EXPECT_EQ(gpu.data(kResult + 16), 0xf0U);
  EXPECT_EQ(gpu.data(kResult + 32), 0x123456f0U);
}

TEST_P(Tmu, ReadOnlyDataComesThroughUnifaInAllLanes) {
  code.uniform(10);
  code.mov(to_magic(magic::kUnifa), rf(10));
  for (int i = 0; i < 3; ++i) code.nop();
  code.nop(signal::kLdunifarf, to(20));
  code.nop(signal::kLdunifarf, to(21));
  result_addresses();
  code.add(AddOp::add, to(20), rf(20), rf(21));
  code.store(12, 20);
  code.end();
  gpu.load(code, {kData + 8, kData + 0x1000});
  gpu.data(2) = 1000;
  gpu.data(3) = 337;
  const Statistics statistics = gpu.run();
  EXPECT_EQ(gpu.data(kResult), 1337U);
  EXPECT_EQ(gpu.data(kResult + 15), 1337U);
  EXPECT_EQ(statistics.auxiliary_uniforms, 2U);
  EXPECT_EQ(statistics.uniforms, 2U);
}

TEST_P(Tmu, AUniformMayGoStraightIntoUnifa) {
  code.nop(signal::kLdunifrf, to_magic(magic::kUnifa));
  for (int i = 0; i < 3; ++i) code.nop();
  code.nop(signal::kLdunifarf, to(20));
  result_addresses();
  code.store(12, 20);
  code.end();
  gpu.load(code, {kData + 8, kData + 0x1000});
  gpu.data(2) = 1337;
  const Statistics statistics = gpu.run();
  EXPECT_EQ(gpu.data(kResult), 1337U);
  EXPECT_EQ(gpu.data(kResult + 15), 1337U);
  EXPECT_EQ(statistics.uniforms, 2U);
}

TEST_P(Tmu, AReadThroughUnifaBesideAWriteOfItUsesTheOldPointer) {
  code.uniform(10);
  code.uniform(11);
  code.mov(to_magic(magic::kUnifa), rf(10));
  for (int i = 0; i < 3; ++i) code.nop();
  code.mov(to_magic(magic::kUnifa), rf(11), {.signals = signal::kLdunifa});
  const Source implicit = GetParam() == Version::v42 ? Source{Source::Kind::accumulator, 5} : rf(0);
  code.mov(to(21), implicit);
  for (int i = 0; i < 3; ++i) code.nop();
  code.nop(signal::kLdunifarf, to(20));
  result_addresses();
  code.add(AddOp::sub, to(20), rf(20), rf(21));
  code.store(12, 20);
  code.end();
  gpu.load(code, {kData + 8, kData + 16, kData + 0x1000});
  gpu.data(2) = 9;
  gpu.data(4) = 99;
  gpu.run();
  EXPECT_EQ(gpu.data(kResult), 90U)
      << "the read uses the old UNIFA; the write takes effect after it";
}

TEST_P(Tmu, AnAccessOutsideEveryBufferNamesAddressLaneAndInstruction) {
  lane_addresses(2);
  code.store(10, 10);
  code.end();
  gpu.load(code, {kData + kDataBytes - 32});
  const Fault fault = catch_fault([&] { gpu.run(); });
  EXPECT_EQ(fault.kind(), FaultKind::out_of_bounds);
  EXPECT_EQ(fault.address(), kData + kDataBytes);
  EXPECT_EQ(fault.code_address(), kCode + (code.here() - 7) * 8);
  const std::string text = fault.what();
  EXPECT_NE(text.find("store of 4 bytes at 0xc0000 by lane 8: outside every buffer"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("mov tmua, rf10"), std::string::npos) << text;
}

TEST_P(Tmu, TheJobsOwnListOfBuffersMayBeEnforced) {
  lane_addresses(2);
  code.store(10, 10);
  code.end();
  gpu.load(code, {kData});
  const RestrictedMemory::Range listed[] = {{kUniforms, 0x1000}, {kCode, 0x8000}, {kData, 32}};
  const RestrictedMemory restricted(gpu.memory, listed);
  Executor executor(gpu.machine, {});
  const Fault fault =
      catch_fault([&] { executor.run(make_job(gpu.shape, gpu.machine), restricted); });
  EXPECT_EQ(fault.address(), kData + 32);
}

TEST_P(Tmu, UnalignedAccessesAreRefused) {
  lane_addresses(2);
  code.store(10, 10);
  code.end();
  gpu.load(code, {kData + 2});
  EXPECT_EQ(catch_fault([&] { gpu.run(); }).kind(), FaultKind::out_of_bounds);
}

TEST_P(Tmu, AStoreNeedsAsManyDataWordsAsItsType) {
  for (const unsigned words : {1U, 3U}) {
    code = Assembler(GetParam());
    lane_addresses(4);
    for (unsigned i = 0; i < words; ++i) code.mov(to_magic(magic::kTmud), rf(10));
    code.mov(to_magic(magic::kTmuau), rf(10));
    code.end();
    gpu.load(code, {kData, config(15, 2)});
    EXPECT_EQ(catch_fault([&] { gpu.run(); }).kind(), FaultKind::tmu);
  }
}

TEST_P(Tmu, TheFifoNeitherUnderflowsNorOverflows) {
  code.nop(signal::kLdtmu, to(14));
  code.end();
  gpu.load(code, {});
  EXPECT_EQ(catch_fault([&] { gpu.run(); }).kind(), FaultKind::tmu);

  // A thread has four output words with four threads per QPU, and eight with two.
  for (const bool four_threads : {true, false}) {
    for (const bool too_many : {true, false}) {
      const unsigned loads = (four_threads ? 4U : 8U) + (too_many ? 1U : 0U);
      code = Assembler(GetParam());
      lane_addresses(2);
      for (unsigned i = 0; i < loads; ++i) code.mov(to_magic(magic::kTmua), rf(10));
      wait();
      for (unsigned i = 0; i < loads; ++i) code.nop(signal::kLdtmu, to(14));
      code.end();
      gpu.load(code, {kData});
      gpu.shape.four_threads = four_threads;
      if (too_many) {
        EXPECT_EQ(catch_fault([&] { gpu.run(); }).kind(), FaultKind::tmu);
      } else {
        EXPECT_EQ(gpu.run().tmu.total(TmuKind::load), loads);
      }
    }
  }
}

TEST_P(Tmu, AThreadMayNotEndWithResultsOrDataLeft) {
  lane_addresses(2);
  const Assembler addresses = code;
  code.mov(to_magic(magic::kTmua), rf(10));
  code.end();
  gpu.load(code, {kData});
  EXPECT_EQ(catch_fault([&] { gpu.run(); }).kind(), FaultKind::tmu);
  code = addresses;
  code.mov(to_magic(magic::kTmud), rf(10));
  code.end();
  gpu.load(code, {kData});
  EXPECT_EQ(catch_fault([&] { gpu.run(); }).kind(), FaultKind::tmu);
}

TEST_P(Tmu, CacheOperationsAndTypedAtomicsAreRefused) {
  for (const std::uint32_t request : {config(1, 7), config(4, 7), config(8, 5)}) {
    code = Assembler(GetParam());
    lane_addresses(2);
    code.mov(to_magic(magic::kTmuau), rf(10));
    code.end();
    gpu.load(code, {kData, request});
    EXPECT_EQ(catch_fault([&] { gpu.run(); }).kind(), FaultKind::tmu);
  }
}

TEST(V3dMemory, RangesMayNotOverlapAndAreFoundByAnyAddressInside) {
  std::vector<std::uint32_t> words(1024);
  MappedMemory memory(reinterpret_cast<std::byte*>(words.data()));
  memory.add(0x100, 0x100);
  memory.add(0x200, 0x10);
  EXPECT_THROW(memory.add(0x1f0, 0x20), std::invalid_argument);
  EXPECT_THROW(memory.add(0x80, 0x100), std::invalid_argument);
  EXPECT_THROW(memory.add(0x300, 0), std::invalid_argument);
  EXPECT_EQ(memory.window(0x1ff).begin, 0x100U);
  EXPECT_EQ(memory.window(0x20f).begin, 0x200U);
  EXPECT_EQ(memory.window(0x210).bytes, nullptr);
  EXPECT_EQ(memory.window(0xff).bytes, nullptr);
  WindowCache cache(memory);
  EXPECT_EQ(cache.find(0x1fe, 4), nullptr)
      << "a window never spans two buffers, even adjacent ones";
  memory.remove(0x100);
  EXPECT_EQ(memory.window(0x150).bytes, nullptr);
  EXPECT_THROW(memory.remove(0x100), std::invalid_argument);
}

INSTANTIATE_TEST_SUITE_P(V3d, Tmu, testing::Values(Version::v42, Version::v71),
                         [](const auto& version) {
                           return version.param == Version::v42 ? "v42" : "v71";
                         });

}  // namespace
}  // namespace sidecore::v3dsim::test_v3dsim_tmu
