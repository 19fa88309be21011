// Tests decoding and encoding: words of the driver's compiler, every legal combination of fields,
// and random words.
#include <gtest/gtest.h>

#include <span>
#include <utility>
#include <vector>

#include "base/random.h"
#include "v3dsim/instruction.h"

namespace sidecore::v3dsim::test_v3dsim_instruction {
namespace {

struct Golden {
  std::uint64_t word;
  std::string_view text;
};

// These instruction words were compiled by Mesa 25.0.7. Each stands beside the text of Mesa's
// disassembler (V3D_DEBUG=qpu).
constexpr Golden kGolden71[] = {
    {0x38403186bb03f000, "nop; nop; ldunif"},
    {0x39e021877c03f148, "shl rf7, rf5, 8; nop"},
    {0x3bc00288380031c6, "add rf8, rf7, rf6; mov rf10, 0"},
    {0x3800f1863c03f240, "sub.pushc -, rf9, rf0; nop"},
    {0x3bce1286bb083000, "nop; mov.ifna rf10, 2"},
    {0x38053186bb283000, "nop; mov.andz -, rf10"},
    {0x2bc0f186780ce351, "min.pushc -, rf13, rf17; multop -, 3, rf14"},
    {0x0fc193c6f90ce283, "mov.nornz -, rf10; umul24 rf15, 3, rf14"},
    {0x05ec234cb500b207, "and rf12, rf8, 7; add.ifa tmuau, rf0, rf11"},
    {0x07e815cd38481016, "add.ifa tmuau, rf0, rf22; add rf23, rf18, 1"},
    {0x3883b186bb03f000, "nop; nop; ldtmu.rf14"},
    {0x08c247ccb50cb1c0, "and rf12, rf7, rf0; sub rf31, rf3, rf11; ldtmu.rf9; ldunif"},
    {0x39a172c6bb103000, "nop; mov tmud, rf4; thrsw; ldunifrf.rf5"},
    {0x0864f192bb24400e, "barrierid syncb; sub.pushc -, rf9, rf4; thrsw; ldunif"},
    {0x3bcc0394fe7c32d3, "shuffle rf20, rf11, rf19; mov.ifa rf14, -1"},
    {0x3bc005d0bc0033a6, "ballot rf16, rf14; mov rf23, 0"},
    {0x3805e19dbc5c3668, "alleq rf29, rf25; mov.norz -, rf23"},
    {0x38417186bb03f00a, "msf.andnz -; nop; ldunif"},
    {0x38002192bc03f460, "recip rf18, rf17; nop"},
    {0x3800218f4b03f28a, "fsub rf15, rf10.l, rf10.h; nop"},
    {0x39e00550052c03a6, "fadd rf16, rf14, 0.25; fmov rf21, rf11.abs"},
    {0x5400038ff528b2e4, "ffloor rf15, rf11; fmul rf14, rf10, rf11"},
    {0x05e0224d7c248302, "shl rf13, rf12, 2; add unifa, rf9, rf8"},
    {0x3b22b18c3803f24f, "add tmua, rf9, rf15; nop; ldunifarf.rf10"},
    {0x020004370000d000, "bu.allna +1072, r:unif"},
    {0x02ffff36ff20d000, "bu.anyap -208, r:unif"},
    {0x38203186bb03f000, "nop; nop; thrsw"},
};

constexpr Golden kGolden42[] = {
    {0x3c003181f5806100, "fround r1, rf4; nop"},
    {0x3c003183f5826140, "ftrunc r3, rf5; nop"},
    {0x3c817180f6826100, "fceil r0, rf4; nop; ldtmu.rf5"},
    {0x3c0031848583e105, "fmin r4, rf4, rf5; nop"},
    {0x3c0031818581e140, "fmax r1, rf5, r3; nop"},
    {0x54003083f6f87105, "ffloor r3, rf5; fmul r2, rf4, rf5"},
    {0x3c00318201826100, "fadd r2, rf4.abs, r4; nop"},
    {0x3c0031834b812000, "fsub r3, r2.l, r2.h; nop"},
    {0x3c0031823583e105, "vfpack r2, rf4, rf5; nop"},
    {0x3c40b186c583e105, "fcmp.pushn -, rf4, rf5; nop; ldunif"},
    {0x0400f08678131180, "min.pushc -, r1, rf6; add r2, r4, r0"},
    {0x3cd03186bb800000, "nop; nop; ldtmu.r0; ldunif"},
    {0x3db032c6bbf40000, "nop; mov tmud, r5; thrsw; ldunifrf.r0"},
    {0x0824f192bbdd40c5, "barrierid syncb; sub.pushc -, rf5, rf3; thrsw"},
    {0x29827186bba80000, "nop; multop -, r2, r5; ldunifrf.rf9"},
    {0x0c001106bba80000, "nop; umul24 rf4, r2, r5"},
    {0x3dec0a77fcfde15f, "clz rf55, rf5; mov.ifa rf41, -1"},
    {0x3c003183fc820000, "utof r3, r0; nop"},
    {0x3c00218aba829000, "recip rf10, r1; nop"},
    {0x3c00318d38801000, "add tmuau, r1, r0; nop"},
    {0x3dec10c6bbfc0004, "nop; mov.ifa rf3, 4"},
    {0x3d913180bb801000, "tidx r0; nop; ldunifrf.r4"},
    {0x05e032407c73e182, "shl r0, rf6, 2; add unifa, r4, r3"},
    {0x3f21318c388341c0, "add tmua, r4, rf7; nop; ldunifarf.rf4"},
    {0x020000240020d000, "bu.allap +32, r:unif"},
};

void expect_golden(std::span<const Golden> words, Version version) {
  for (const Golden& golden : words) {
    EXPECT_EQ(disassemble(golden.word, version), golden.text) << "word " << std::hex << golden.word;
    const Decoded decoded = decode(golden.word, version);
    ASSERT_TRUE(decoded) << decoded.reason;
    const auto again = encode(*decoded.instruction, version);
    ASSERT_TRUE(again) << golden.text;
    const Decoded second = decode(*again, version);
    ASSERT_TRUE(second) << second.reason;
    EXPECT_EQ(*second.instruction, *decoded.instruction) << golden.text;
  }
}

TEST(V3dInstruction, WordsOfTheDriverReadAsItsDisassemblerPrintsThemOn71) {
  expect_golden(kGolden71, Version::v71);
}

TEST(V3dInstruction, WordsOfTheDriverReadAsItsDisassemblerPrintsThemOn42) {
  expect_golden(kGolden42, Version::v42);
}

TEST(V3dInstruction, TheDriversWordsAreTheCanonicalOnes) {
  // If the driver's word sets no field that it does not need, encode() gives the same word.
  for (const Golden& golden : kGolden71) {
    EXPECT_EQ(encode(*decode(golden.word, Version::v71).instruction, Version::v71), golden.word)
        << golden.text;
  }
}

class EachVersion : public testing::TestWithParam<Version> {};

TEST_P(EachVersion, RandomWordsAreRefusedWithAReasonOrSurviveTheRoundTrip) {
  const std::uint64_t seed = 20261121;
  Random random(seed);
  unsigned accepted = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const std::uint64_t word = std::uint64_t{random()} << 32 | random();
    const Decoded decoded = decode(word, GetParam());
    if (!decoded) {
      ASSERT_FALSE(decoded.reason.empty());
      continue;
    }
    ++accepted;
    const auto again = encode(*decoded.instruction, GetParam());
    ASSERT_TRUE(again) << "seed " << seed << ", word " << std::hex << word << ": "
                       << disassemble(*decoded.instruction, GetParam());
    const Decoded second = decode(*again, GetParam());
    ASSERT_TRUE(second);
    ASSERT_EQ(*second.instruction, *decoded.instruction)
        << "seed " << seed << ", word " << std::hex << word;
    if (i % 64 == 0) {
      ASSERT_FALSE(disassemble(word, GetParam()).empty());
    }
  }
  // More than half of all random words are instructions.
  EXPECT_GT(accepted, 500'000U);
  EXPECT_LT(accepted, 800'000U);
}

/// Returns one of three distinct sources, in the version's form.
Source source(Version version, unsigned which, Unpack unpack) {
  if (version == Version::v42 && which >= 2) {
    return {Source::Kind::accumulator, static_cast<std::uint8_t>(which), unpack};
  }
  return {Source::Kind::register_file, static_cast<std::uint8_t>(7 + which * 9), unpack};
}

constexpr Unpack kAllUnpacks[] = {
    Unpack::none,       Unpack::abs,      Unpack::low,     Unpack::high,     Unpack::clamp_unit,
    Unpack::clamp_sign, Unpack::max_zero, Unpack::u16_low, Unpack::u16_high, Unpack::i16_low,
    Unpack::i16_high,   Unpack::pair_0,   Unpack::pair_4};

/// Encodes, decodes and compares an instruction; operands of FADD, FMIN and FMAX may come back
/// exchanged.
bool survives(const Instruction& in, Version version) {
  const auto word = encode(in, version);
  if (!word) return false;
  const Decoded decoded = decode(*word, version);
  EXPECT_TRUE(decoded) << decoded.reason << ": " << disassemble(in, version);
  if (!decoded) return false;
  Instruction exchanged = in;
  std::swap(exchanged.add.a, exchanged.add.b);
  EXPECT_TRUE(*decoded.instruction == in || *decoded.instruction == exchanged)
      << disassemble(in, version) << " came back as " << disassemble(*decoded.instruction, version);
  return true;
}

template <class Op, std::size_t N>
std::vector<unsigned> count_forms(Version version, const OpInfo (&table)[N],
                                  Half<Op> Instruction::*half) {
  std::vector<unsigned> forms(N);
  for (std::size_t op = 0; op < N; ++op) {
    for (const Unpack a : kAllUnpacks) {
      for (const Unpack b : kAllUnpacks) {
        if (table[op].sources < 2 && b != Unpack::none) continue;
        if (table[op].sources < 1 && a != Unpack::none) continue;
        for (const Pack pack : {Pack::none, Pack::low, Pack::high}) {
          for (const bool falling : {false, true}) {
            if (falling && table[op].sources < 2) continue;
            Instruction in;
            (in.*half).op = static_cast<Op>(op);
            if (table[op].sources >= 1) (in.*half).a = source(version, falling ? 1 : 0, a);
            if (table[op].sources >= 2) (in.*half).b = source(version, falling ? 0 : 1, b);
            (in.*half).pack = pack;
            (in.*half).destination = {false, 5};
            if (survives(in, version)) ++forms[op];
          }
        }
      }
    }
  }
  return forms;
}

TEST_P(EachVersion, EveryOperationHasExactlyItsEncodableForms) {
  const bool is71 = GetParam() == Version::v71;
  const auto add = count_forms<AddOp>(GetParam(), kAddOps, &Instruction::add);
  const auto forms = [&](AddOp op) { return add[static_cast<std::size_t>(op)]; };
  EXPECT_EQ(forms(AddOp::add), 2U);
  EXPECT_EQ(forms(AddOp::nop), 3U - 2U);
  // There are 4 x 4 modifiers and 3 packs, each in both operand orders, because exchanging the
  // operands keeps the meaning.
  EXPECT_EQ(forms(AddOp::fadd), 96U);
  EXPECT_EQ(forms(AddOp::fmax), 96U);
  EXPECT_EQ(forms(AddOp::fsub), 96U);
  EXPECT_EQ(forms(AddOp::vfpack), 18U);
  EXPECT_EQ(forms(AddOp::fcmp), is71 ? 32U : 96U);
  EXPECT_EQ(forms(AddOp::fround), 9U);
  EXPECT_EQ(forms(AddOp::ftoiz), 3U);
  EXPECT_EQ(forms(AddOp::itof), 1U);
  EXPECT_EQ(forms(AddOp::mov), is71 ? 5U : 0U);
  EXPECT_EQ(forms(AddOp::fmov), is71 ? 21U : 0U);
  EXPECT_EQ(forms(AddOp::shuffle), is71 ? 2U : 0U);
  EXPECT_EQ(forms(AddOp::ballot), is71 ? 1U : 0U);
  EXPECT_EQ(forms(AddOp::recip), 1U);
  const auto mul = count_forms<MulOp>(GetParam(), kMulOps, &Instruction::mul);
  const auto mul_forms = [&](MulOp op) { return mul[static_cast<std::size_t>(op)]; };
  EXPECT_EQ(mul_forms(MulOp::fmul), 96U);
  EXPECT_EQ(mul_forms(MulOp::umul24), 2U);
  EXPECT_EQ(mul_forms(MulOp::mov), is71 ? 5U : 1U);
  EXPECT_EQ(mul_forms(MulOp::fmov), is71 ? 21U : 12U);
}

TEST_P(EachVersion, ConditionsAndFlagsRoundTripInEveryCombinationTheFieldHas) {
  unsigned encodable = 0;
  for (int add_condition = 0; add_condition < 5; ++add_condition) {
    for (int mul_condition = 0; mul_condition < 5; ++mul_condition) {
      for (int add_flags = 0; add_flags < 16; ++add_flags) {
        for (int mul_flags = 0; mul_flags < 16; ++mul_flags) {
          Instruction in;
          in.add.op = AddOp::add;
          in.add.a = source(GetParam(), 0, Unpack::none);
          in.add.b = source(GetParam(), 1, Unpack::none);
          in.mul.op = MulOp::sub;
          in.mul.a = in.add.a;
          in.mul.b = in.add.b;
          in.add.condition = static_cast<Condition>(add_condition);
          in.mul.condition = static_cast<Condition>(mul_condition);
          in.add.flags = static_cast<FlagUse>(add_flags);
          in.mul.flags = static_cast<FlagUse>(mul_flags);
          if (survives(in, GetParam())) ++encodable;
        }
      }
    }
  }
  // Code 0x10 of 128 is reserved, and 0x40..0x7f has no empty form; the remaining codes
  // differ.
  EXPECT_EQ(encodable, 127U);
}

TEST_P(EachVersion, SignalsAndTheirDestinationsRoundTrip) {
  unsigned patterns = 0;
  for (std::uint32_t signals = 0; signals < 0x10000; ++signals) {
    Instruction in;
    in.signals = signals;
    if ((signals & signal::kWithAddress) != 0) in.signal_destination = {false, 17};
    if (survives(in, GetParam())) ++patterns;
  }
  EXPECT_EQ(patterns, GetParam() == Version::v42 ? 27U : 29U);
}

TEST_P(EachVersion, BranchesRoundTripAndReservedOnesAreRefused) {
  for (const int condition : {0, 2, 3, 4, 5, 6, 7}) {
    for (int lanes = 0; lanes < 3; ++lanes) {
      for (int target = 0; target < 4; ++target) {
        for (const std::int32_t offset : {0, 8, -8, 1 << 23, -(1 << 24), 0x7ffffff8}) {
          Instruction in;
          in.is_branch = true;
          in.branch = {static_cast<BranchCondition>(condition),
                       static_cast<LaneFilter>(lanes),
                       static_cast<BranchTarget>(target),
                       (offset & 8) != 0,
                       {},
                       9,
                       offset};
          if (in.branch.moves_uniforms) in.branch.uniform_target = BranchTarget::relative;
          EXPECT_TRUE(survives(in, GetParam()));
        }
      }
    }
  }
  EXPECT_FALSE(decode(0x0200000100000000, GetParam()));  // branch condition 1 is reserved
  EXPECT_FALSE(decode(0x0200000000600000, GetParam()));  // branch lane filter 3 is reserved
  // Mul opcode 0 with a signal other than a branch's is invalid.
  EXPECT_FALSE(decode(0x0100000000000000, GetParam()));
}

TEST(V3dInstruction, OddFormsThatOtherDecodersLetThroughAreRefused) {
  // Rejected: 7.1's add code 249 with a value of 32 or more in the unused operand field.
  EXPECT_FALSE(decode(0x38003185f903f060, Version::v71));
  // Rejected: ITOF with a pack, on 7.1 and on 4.2.
  EXPECT_FALSE(decode(0x38003185f603f061, Version::v71));
  EXPECT_FALSE(decode(0x3c003183fc808000, Version::v42));
  // Rejected: a mul nop of 4.2 with a multiplexer code other than 0.
  EXPECT_FALSE(decode(0x3c003186bb840000, Version::v42));
  // Rejected: a small immediate with code 48.
  EXPECT_FALSE(decode(0x39e021877c03f170, Version::v71));
}

TEST(V3dInstruction, TheOrderOfOperandsSelectsTheTwin) {
  Instruction in;
  in.add.op = AddOp::fmax;
  in.add.destination = {false, 1};
  in.add.a = {Source::Kind::register_file, 3};
  in.add.b = {Source::Kind::register_file, 9};
  const auto word = encode(in, Version::v71);
  ASSERT_TRUE(word);
  EXPECT_EQ(disassemble(*word, Version::v71), "fmax rf1, rf9, rf3; nop");
  in.add.b = in.add.a;  // equal operands have only one order, which is the encoding of fmin
  EXPECT_FALSE(encode(in, Version::v71));
}

TEST(V3dInstruction, SmallImmediatesAreSmallIntegersAndPowersOfTwo) {
  EXPECT_EQ(small_immediate_bits(15), 15U);
  EXPECT_EQ(small_immediate_bits(16), 0xfffffff0U);
  EXPECT_EQ(small_immediate_bits(31), 0xffffffffU);
  EXPECT_EQ(small_immediate_bits(32), 0x3b800000U);  // 2^-8
  EXPECT_EQ(small_immediate_bits(40), 0x3f800000U);  // 1
  EXPECT_EQ(small_immediate_bits(47), 0x43000000U);  // 2^7
}

INSTANTIATE_TEST_SUITE_P(V3d, EachVersion, testing::Values(Version::v42, Version::v71),
                         [](const auto& version) {
                           return version.param == Version::v42 ? "v42" : "v71";
                         });

}  // namespace
}  // namespace sidecore::v3dsim::test_v3dsim_instruction
