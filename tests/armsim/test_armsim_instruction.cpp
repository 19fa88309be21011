#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "armsim/instruction.h"

namespace sidecore::armsim::test_armsim_instruction {
namespace {

struct Case {
  const char* text;
  std::uint32_t word;
  Kind kind;
  std::vector<int> reads;
  std::vector<int> writes;
};

constexpr int v(int number) {
  return kVectors + number;
}

/// Instruction words, as GNU as 2.40 produces them from the texts.
const Case kCases[] = {
    {"add x0, x1, #4", 0x91001020, Kind::alu, {1}, {0}},
    {"subs w3, w3, #1", 0x71000463, Kind::alu, {3}, {3, kFlags}},
    {"cmp x2, x3", 0xeb03005f, Kind::alu, {2, 3}, {kFlags}},
    {"add x0, x1, x2, lsl #7", 0x8b021c20, Kind::alu_shift, {1, 2}, {0}},
    {"mov x5, x6", 0xaa0603e5, Kind::alu, {6}, {5}},
    {"madd x0, x1, x2, x3", 0x9b020c20, Kind::multiply_64, {1, 2, 3}, {0}},
    {"umull x0, w1, w2", 0x9ba27c20, Kind::multiply, {1, 2}, {0}},
    {"csel w0, w1, w2, eq", 0x1a820020, Kind::alu, {1, 2, kFlags}, {0}},
    {"bfi w0, w1, #8, #8", 0x33181c20, Kind::insert, {0, 1}, {0}},
    {"b.ne .", 0x54000001, Kind::branch, {kFlags}, {}},
    {"cbz x7, .", 0xb4000007, Kind::branch, {7}, {}},
    {"blr x8", 0xd63f0100, Kind::branch_link, {8}, {30}},
    {"ret", 0xd65f03c0, Kind::branch, {30}, {}},
    {"ldr w0, [x1, #4]", 0xb9400420, Kind::load, {1}, {0}},
    {"ldrb w0, [x1], #1", 0x38401420, Kind::load, {1}, {0, 1}},
    {"ldr x0, [x1, x2, lsl #3]", 0xf8627820, Kind::load, {1, 2}, {0}},
    {"ldp x19, x20, [sp, #16]", 0xa94153f3, Kind::load_pair, {31}, {19, 20}},
    {"stp x29, x30, [sp, #-32]!", 0xa9be7bfd, Kind::store_pair, {29, 30, 31}, {31}},
    {"ldr q0, [x1]", 0x3dc00020, Kind::vector_load, {1}, {v(0)}},
    {"str d3, [x2], #8", 0xfc008443, Kind::vector_store, {2, v(3)}, {2}},
    {"ld1 {v0.8b}, [x0], x1", 0x0cc17000, Kind::vector_load, {0, 1}, {v(0), 0}},
    {"ld1 {v4.8h-v7.8h}, [x2]", 0x4c402444, Kind::vector_load, {2}, {v(4), v(5), v(6), v(7)}},
    {"st1 {v1.b}[3], [x0]", 0x0d000c01, Kind::vector_store_lane, {0, v(1)}, {}},
    {"add v0.8h, v1.8h, v2.8h", 0x4e628420, Kind::vector, {v(1), v(2)}, {v(0)}},
    {"bsl v0.16b, v1.16b, v2.16b", 0x6e621c20, Kind::vector, {v(0), v(1), v(2)}, {v(0)}},
    {"mla v0.8h, v1.8h, v2.h[3]",
     0x6f720020,
     Kind::vector_multiply_wide,
     {v(0), v(1), v(2)},
     {v(0)}},
    {"smull v0.4s, v1.4h, v2.h[0]", 0x0f42a020, Kind::vector_multiply, {v(1), v(2)}, {v(0)}},
    {"smlal2 v0.4s, v1.8h, v2.8h", 0x4e628020, Kind::vector_multiply, {v(0), v(1), v(2)}, {v(0)}},
    {"mul v0.4h, v1.4h, v2.4h", 0x0e629c20, Kind::vector_multiply, {v(1), v(2)}, {v(0)}},
    {"sshr v0.8h, v1.8h, #3", 0x4f1d0420, Kind::vector_shift, {v(1)}, {v(0)}},
    {"ushl v5.8h, v1.8h, v2.8h", 0x6e624425, Kind::vector_shift_by_register, {v(1), v(2)}, {v(5)}},
    {"urshl v0.8h, v1.8h, v2.8h",
     0x6e625420,
     Kind::vector_shift_by_register_complex,
     {v(1), v(2)},
     {v(0)}},
    {"rshrn v0.4h, v1.4s, #14", 0x0f128c20, Kind::vector_shift_complex, {v(1)}, {v(0)}},
    {"rshrn2 v0.8h, v1.4s, #14", 0x4f128c20, Kind::vector_shift_complex, {v(0), v(1)}, {v(0)}},
    {"sqxtun v0.8b, v1.8h", 0x2e212820, Kind::vector_narrow_saturating, {v(1)}, {v(0)}},
    {"xtn v0.8b, v1.8h", 0x0e212820, Kind::vector, {v(1)}, {v(0)}},
    {"trn1 v0.8h, v1.8h, v2.8h", 0x4e422820, Kind::vector, {v(1), v(2)}, {v(0)}},
    {"zip1 v0.16b, v1.16b, v2.16b", 0x4e023820, Kind::vector_zip_wide, {v(1), v(2)}, {v(0)}},
    {"ext v0.16b, v1.16b, v2.16b, #8", 0x6e024020, Kind::vector, {v(1), v(2)}, {v(0)}},
    {"dup v0.8h, w1", 0x4e020c20, Kind::vector_from_general, {1}, {v(0)}},
    {"umov w0, v1.b[0]", 0x0e013c20, Kind::vector_to_general, {v(1)}, {0}},
    {"fmov x0, d1", 0x9e660020, Kind::vector_to_general, {v(1)}, {0}},
    {"movi v0.8h, #64", 0x4f028400, Kind::vector, {}, {v(0)}},
    {"tbl v0.8b, {v1.16b}, v2.8b", 0x0e020020, Kind::vector_table, {v(1), v(2)}, {v(0)}},
    {"addv h0, v1.8h", 0x4e71b820, Kind::vector_reduce_wide, {v(1)}, {v(0)}},
    {"nop", 0xd503201f, Kind::none, {}, {}},
    {"prfm pldl1keep, [x0]", 0xf9800000, Kind::none, {}, {}},
};

TEST(ArmInstruction, IsTakenApart) {
  for (const Case& expected : kCases) {
    const Instruction in = decode(expected.word);
    EXPECT_EQ(in.kind, expected.kind) << expected.text;
    const auto sorted = [](const auto& registers, std::size_t count) {
      std::vector<int> all(registers.begin(),
                           registers.begin() + static_cast<std::ptrdiff_t>(count));
      std::ranges::sort(all);
      return all;
    };
    EXPECT_EQ(sorted(in.reads, in.read_count), sorted(expected.reads, expected.reads.size()))
        << expected.text;
    EXPECT_EQ(sorted(in.writes, in.write_count), sorted(expected.writes, expected.writes.size()))
        << expected.text;
  }
}

TEST(ArmInstruction, OfASumTheAddendIsReadFirst) {
  const Instruction in = decode(0x6f720020);  // mla v0.8h, v1.8h, v2.h[3]
  EXPECT_TRUE(in.accumulates);
  EXPECT_EQ(in.reads[0], kVectors);
  EXPECT_TRUE(in.wide);
}

TEST(ArmInstruction, HalfARegisterIsNotWide) {
  EXPECT_FALSE(decode(0x4f128c20).wide);  // rshrn2 v0.8h, v1.4s, #14
  EXPECT_FALSE(decode(0x4e612820).wide);  // xtn2 v0.8h, v1.4s
  EXPECT_FALSE(decode(0x4e620020).wide);  // saddl2 v0.4s, v1.8h, v2.8h
  EXPECT_FALSE(decode(0x4f10a420).wide);  // sxtl2 v0.4s, v1.8h
  EXPECT_TRUE(decode(0x4f1d0420).wide);   // sshr v0.8h, v1.8h, #3
}

TEST(ArmInstruction, AnAddressEndsWhereTheDataBegins) {
  EXPECT_EQ(decode(0xa8810c64).address_reads, 1U);  // stp x4, x3, [x3], #16
  EXPECT_EQ(decode(0x3ca26820).address_reads, 2U);  // str q0, [x1, x2]
  EXPECT_EQ(decode(0x0c827020).address_reads, 2U);  // st1 {v0.8b}, [x1], x2
  const Instruction lane = decode(0x0d409020);      // ld1 {v0.s}[1], [x1]
  EXPECT_EQ(lane.address_reads, 1U);
  EXPECT_EQ(lane.read_count, 2U);
  EXPECT_EQ(lane.half, Half::none);
}

// base/prefetch.h uses this instruction.
TEST(ArmInstruction, ALoadToTheZeroRegisterPrefetches) {
  EXPECT_TRUE(decode(0x3940003f).prefetches);   // ldrb wzr, [x1]
  EXPECT_FALSE(decode(0x39400020).prefetches);  // ldrb w0, [x1]
}

TEST(ArmInstruction, EightBytesAreAHalf) {
  EXPECT_EQ(decode(0x0d408420).half, Half::low);   // ld1 {v0.d}[0], [x1]
  EXPECT_EQ(decode(0x4d408420).half, Half::high);  // ld1 {v0.d}[1], [x1]
  EXPECT_EQ(decode(0x4d008420).half, Half::none);  // st1 {v0.d}[1], [x1]
}

}  // namespace
}  // namespace sidecore::armsim::test_armsim_instruction
