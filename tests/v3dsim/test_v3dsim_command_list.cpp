// Tests command lists as the driver writes them for buffer copies and fills. The simulator rejects
// all others.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <vector>

#include "base/error.h"
#include "v3dsim/drm/command_list.h"

namespace sidecore::v3dsim::test_v3dsim_command_list {
namespace {

/// Writes a command list as the driver does for a copy or a fill.
class ListWriter {
 public:
  ListWriter(const AddressSpace& memory, std::uint32_t address, Version version)
      : memory_(memory), at_(address), version_(version) {}

  ListWriter& packet(unsigned opcode, std::vector<std::uint8_t> payload = {}) {
    payload.insert(payload.begin(), static_cast<std::uint8_t>(opcode));
    std::memcpy(memory_.base() + at_, payload.data(), payload.size());
    at_ += static_cast<std::uint32_t>(payload.size());
    return *this;
  }
  ListWriter& frame(std::uint32_t width, std::uint32_t height) {
    std::vector<std::uint8_t> payload(8);
    put(payload, 8, width, 16);
    put(payload, 24, height, 16);
    return packet(121, payload);
  }
  ListWriter& clear(std::uint32_t word) {
    std::vector<std::uint8_t> payload(8);
    const bool v42 = version_ == Version::v42;
    payload[0] = v42 ? 3 : 2;
    put(payload, v42 ? 8 : 32, word, 32);
    return packet(121, payload);
  }
  ListWriter& access(unsigned opcode, unsigned buffer, unsigned item, std::uint32_t stride,
                     std::uint32_t address) {
    std::vector<std::uint8_t> payload(12);
    put(payload, 0, buffer, 4);
    put(payload, 12, item == 4 ? 34 : item == 2 ? 35 : 36, 6);
    put(payload, 28, stride, 20);
    put(payload, 64, address, 32);
    return packet(opcode, payload);
  }
  ListWriter& tile_list(std::uint32_t start, std::uint32_t end) {
    std::vector<std::uint8_t> payload(8);
    put(payload, 0, start, 32);
    put(payload, 32, end, 32);
    return packet(20, payload);
  }
  [[nodiscard]] std::uint32_t address() const { return at_; }

 private:
  static void put(std::vector<std::uint8_t>& bytes, unsigned first, std::uint64_t value,
                  unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      const unsigned bit = first + i;
      bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] | (value >> i & 1) << bit % 8);
    }
  }
  const AddressSpace& memory_;
  std::uint32_t at_;
  Version version_;
};

class CommandList : public testing::TestWithParam<Version> {
 protected:
  Transfer read(unsigned width, unsigned height, const std::function<void(ListWriter&)>& tile) {
    ListWriter tiles(memory_, base_ + 2048, GetParam());
    tile(tiles);
    tiles.packet(18);
    ListWriter list(memory_, base_, GetParam());
    list.frame(width, height).clear(0xa1b2c3d4).tile_list(base_ + 2048, tiles.address()).packet(13);
    return read_command_list(memory_, GetParam(), base_);
  }

  AddressSpace memory_;
  std::uint32_t base_ = memory_.find(*memory_.create(4096))->address;
};

TEST_P(CommandList, AnEmptyFrameDoesNothing) {
  const Transfer transfer =
      read(1, 1, [](ListWriter& tile) { tile.packet(125).access(29, 8, 4, 0, 0); });
  EXPECT_EQ(transfer.kind, Transfer::Kind::nothing);
}

TEST_P(CommandList, LoadAndStoreAreACopyToTheByte) {
  for (const unsigned item : {1U, 2U, 4U}) {
    const std::uint32_t source = memory_.find(*memory_.create(9000))->address;
    const std::uint32_t target = memory_.find(*memory_.create(9000))->address;
    for (unsigned i = 0; i < 9000; ++i) memory_.base()[source + i] = std::byte(i * 7 & 0xff);
    const Transfer transfer = read(50, 3, [&](ListWriter& tile) {
      tile.access(30, 0, item, 50 * item, source + 13).access(29, 0, item, 50 * item, target + 77);
    });
    ASSERT_EQ(transfer.kind, Transfer::Kind::copy);
    perform(transfer, memory_);
    const std::size_t bytes = std::size_t{150} * item;
    EXPECT_EQ(std::memcmp(memory_.base() + target + 77, memory_.base() + source + 13, bytes), 0);
    EXPECT_EQ(memory_.base()[target + 76], std::byte{0});
    EXPECT_EQ(memory_.base()[target + 77 + bytes], std::byte{0});
  }
}

TEST_P(CommandList, AStoreAloneFillsWithTheClearWord) {
  const std::uint32_t target = memory_.find(*memory_.create(4096))->address;
  const Transfer transfer =
      read(8, 2, [&](ListWriter& tile) { tile.access(29, 0, 4, 32, target + 4); });
  ASSERT_EQ(transfer.kind, Transfer::Kind::fill);
  perform(transfer, memory_);
  for (unsigned word = 0; word < 18; ++word) {
    std::uint32_t value = 0;
    std::memcpy(&value, memory_.base() + target + 4 * word, sizeof value);
    EXPECT_EQ(value, word >= 1 && word <= 16 ? 0xa1b2c3d4U : 0U) << word;
  }
}

TEST_P(CommandList, RefusesDrawingRectanglesAndStrayAddresses) {
  EXPECT_THROW(read(1, 1, [](ListWriter& tile) { tile.packet(36); }), Error);
  EXPECT_THROW(read(8, 2, [&](ListWriter& tile) { tile.access(29, 0, 4, 64, base_); }), Error);
  EXPECT_THROW(read(8, 2, [&](ListWriter& tile) { tile.access(29, 1, 4, 32, base_); }), Error);
  const Transfer stray = read(8, 200, [&](ListWriter& tile) { tile.access(29, 0, 4, 32, base_); });
  EXPECT_THROW(perform(stray, memory_), Error);
  EXPECT_THROW((void)read_command_list(memory_, GetParam(), 64), Error);
}

TEST_P(CommandList, ABranchToItselfEnds) {
  ListWriter list(memory_, base_, GetParam());
  list.packet(16, {static_cast<std::uint8_t>(base_ & 0xff), static_cast<std::uint8_t>(base_ >> 8),
                   static_cast<std::uint8_t>(base_ >> 16), static_cast<std::uint8_t>(base_ >> 24)});
  EXPECT_THROW((void)read_command_list(memory_, GetParam(), base_), Error);
}

INSTANTIATE_TEST_SUITE_P(Both, CommandList, testing::Values(Version::v42, Version::v71),
                         [](const auto& each) {
                           return each.param == Version::v42 ? "V42" : "V71";
                         });

}  // namespace
}  // namespace sidecore::v3dsim::test_v3dsim_command_list
