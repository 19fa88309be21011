// Tests the code that reads bits: arithmetic decoder, plain bits, headers, superframes.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/random.h"
#include "error_text.h"
#include "vp9/bit_reader.h"
#include "vp9/bool_decoder.h"
#include "vp9/frame_header.h"
#include "vp9/superframe.h"

namespace sidecore::vp9::test_vp9_parsing {
namespace {

using test::error_text;

/// Encoder for the arithmetic decoder, with unlimited precision. It narrows an interval of a long
/// binary fraction bit by bit.
class BoolEncoder {
 public:
  BoolEncoder() { write(false, 128); }

  void write(bool bit, std::uint32_t probability) {
    const std::uint32_t split = 1 + ((range_ - 1) * probability >> 8);
    if (bit) add(split);
    range_ = bit ? range_ - split : split;
    while (range_ < 128) {
      range_ <<= 1;
      low_.push_back(false);
    }
  }

  /// Returns the bytes of the interval's lower end.
  [[nodiscard]] std::vector<std::uint8_t> finish() const {
    std::vector<std::uint8_t> bytes((low_.size() + 7) / 8, 0);
    for (std::size_t bit = 0; bit < low_.size(); ++bit) {
      bytes[bit / 8] = static_cast<std::uint8_t>(bytes[bit / 8] | low_[bit] << (7 - bit % 8));
    }
    return bytes;
  }

 private:
  // Adds to the last eight bits and carries as far as needed.
  void add(std::uint32_t value) {
    std::size_t at = low_.size();
    for (std::uint32_t carry = value; carry != 0;) {
      --at;
      const std::uint32_t sum = (low_[at] ? 1U : 0U) + (carry & 1U);
      low_[at] = (sum & 1U) != 0;
      carry = (carry >> 1) + (sum >> 1);
    }
  }

  std::vector<bool> low_ = std::vector<bool>(8, false);
  std::uint32_t range_ = 255;
};

TEST(Vp9BoolDecoder, ReadsWhatTheEncoderWrote) {
  Random random(3);
  for (const std::size_t count : {1U, 7U, 100U, 5000U}) {
    std::vector<std::pair<bool, int>> symbols(count);
    BoolEncoder encoder;
    for (auto& [bit, probability] : symbols) {
      probability = 1 + static_cast<int>(random.below(255));
      bit = static_cast<int>(random.below(256)) >= probability;
      encoder.write(bit, static_cast<std::uint32_t>(probability));
    }
    const std::vector<std::uint8_t> bytes = encoder.finish();
    BoolDecoder decoder(bytes);
    EXPECT_FALSE(decoder.marker());
    for (const auto& [bit, probability] : symbols) ASSERT_EQ(decoder.read(probability), bit);
    EXPECT_FALSE(decoder.overrun());
  }
}

// It is not inlined, because gcc 12 then knows the number of bytes and warns about a load that is
// never reached.
[[gnu::noinline]] BoolDecoder decoder_of(const std::vector<std::uint8_t>& bytes) {
  return BoolDecoder(bytes);
}

TEST(Vp9BoolDecoder, NoticesThatItReadBeyondTheEnd) {
  const std::vector<std::uint8_t> bytes = {0x12, 0x34, 0x56};
  BoolDecoder decoder = decoder_of(bytes);
  // The marker took one bit, and each further bit of probability 1/2 takes about one.
  static_cast<void>(decoder.literal(14));
  EXPECT_FALSE(decoder.overrun());
  static_cast<void>(decoder.literal(16));
  EXPECT_TRUE(decoder.overrun());
  BoolDecoder empty({});
  static_cast<void>(empty.literal(8));
  EXPECT_TRUE(empty.overrun());
}

TEST(Vp9BitReader, ReadsBitsMostSignificantFirstAndNoticesTheEnd) {
  const std::vector<std::uint8_t> bytes = {0b10110011, 0b01000000};
  BitReader reader(bytes);
  EXPECT_EQ(reader.bits(3), 0b101U);
  EXPECT_TRUE(reader.flag());
  EXPECT_EQ(reader.signed_bits(3), -1);  // the bits are 001, then a sign of 1
  EXPECT_EQ(reader.bytes_taken(), 1U);
}

TEST(Vp9BitReader, SignFollowsTheMagnitude) {
  const std::vector<std::uint8_t> bytes = {0b01110100};
  BitReader reader(bytes);
  EXPECT_EQ(reader.signed_bits(3), -3);
  EXPECT_EQ(reader.signed_bits(3), 2);
  EXPECT_FALSE(reader.overrun());
  EXPECT_EQ(reader.bits(3), 0U);
  EXPECT_TRUE(reader.overrun());
}

std::string header_error(std::vector<std::uint8_t> bytes) {
  return error_text([&] { static_cast<void>(parse_frame_header(bytes, {})); });
}

TEST(Vp9FrameHeader, SaysWhatIsWrong) {
  EXPECT_NE(header_error({0x00, 0x00}).find("frame marker"), std::string::npos);
  EXPECT_NE(header_error({0x82, 0x11, 0x22, 0x33, 0x44, 0x55}).find("synchronisation"),
            std::string::npos);
  EXPECT_NE(header_error({0x82, 0x49}).find("cut short"), std::string::npos);
  EXPECT_NE(header_error({0x88}).find("slot 0, which holds no frame"), std::string::npos);
  EXPECT_NE(header_error({0xb8}).find("profile"), std::string::npos);
  // Tests invalid headers: profile 1 with 4:2:0, profile 1 with the reserved bit set after RGB, and
  // profile 0 with RGB.
  EXPECT_NE(header_error({0xa2, 0x49, 0x83, 0x42, 0x0c, 0, 0}).find("4:2:0"), std::string::npos);
  EXPECT_NE(header_error({0xa2, 0x49, 0x83, 0x42, 0xf0, 0, 0}).find("reserved bit"),
            std::string::npos);
  EXPECT_NE(header_error({0x82, 0x49, 0x83, 0x42, 0xe0, 0, 0}).find("profile 0 cannot be RGB"),
            std::string::npos);
}

TEST(Vp9Superframe, IsSplitByItsIndex) {
  // This superframe has frames of 3 and 2 bytes; each size has one byte.
  const std::vector<std::uint8_t> packet = {1, 2, 3, 4, 5, 0xc1, 3, 2, 0xc1};
  const Superframe split = split_superframe(packet);
  ASSERT_EQ(split.count, 2U);
  EXPECT_EQ(split.frames[0].size(), 3U);
  EXPECT_EQ(split.frames[1].data(), packet.data() + 3);
  EXPECT_EQ(split.frames[1].size(), 2U);
}

TEST(Vp9Superframe, WithoutAnIndexThePacketIsAFrame) {
  const std::vector<std::uint8_t> packet = {1, 2, 3, 0xc1};
  const Superframe split = split_superframe(packet);
  ASSERT_EQ(split.count, 1U);
  EXPECT_EQ(split.frames[0].size(), packet.size());
}

TEST(Vp9Superframe, AnIndexThatNamesTooMuchIsRefused) {
  const std::vector<std::uint8_t> packet = {1, 2, 3, 0xc1, 2, 9, 0xc1};
  EXPECT_EQ(error_text([&] { static_cast<void>(split_superframe(packet)); }),
            "the superframe index lists a frame of 9 bytes, but only 1 bytes are left");
}

}  // namespace
}  // namespace sidecore::vp9::test_vp9_parsing
