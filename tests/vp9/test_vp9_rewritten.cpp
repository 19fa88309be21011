// What Debian's encoders do not make: streams rewritten by hand, whose pictures are known from the
// stream that they were made of.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "vp9/bit_reader.h"
#include "vp9/frame_header.h"
#include "vp9/vp9_streams.h"

namespace sidecore {
namespace {

using test::Bytes;

class BitWriter {
 public:
  void bits(std::uint32_t value, int count) {
    for (int bit = count - 1; bit >= 0; --bit) {
      if (used_ % 8 == 0) bytes_.push_back(0);
      bytes_.back() =
          static_cast<std::uint8_t>(bytes_.back() | (value >> bit & 1U) << (7 - used_ % 8));
      ++used_;
    }
  }
  [[nodiscard]] const Bytes& bytes() const { return bytes_; }

 private:
  Bytes bytes_;
  std::size_t used_ = 0;
};

bool is_key_frame(const Bytes& frame) {
  return (frame[0] & 0x0c) == 0;
}
bool is_shown(const Bytes& frame) {
  return (frame[0] & 0x02) != 0;
}

/// A frame that shows what a slot holds.
Bytes show_existing(unsigned slot) {
  return {static_cast<std::uint8_t>(0x88U | slot)};
}

/// A shown key frame of profile 0 as a hidden intra-only frame that refreshes all slots and resets
/// all contexts. The two have the same symbols.
Bytes as_intra_only(const Bytes& key_frame) {
  const vp9::FrameHeader header = vp9::parse_frame_header(key_frame, {});
  vp9::BitReader from(key_frame);
  static_cast<void>(from.bits(6));  // marker, profile, show_existing_frame, frame_type, show_frame
  static_cast<void>(from.bits(1));
  const bool error_resilient = from.flag();
  static_cast<void>(from.bits(24 + 3 + 1));  // synchronisation, colour space, range
  BitWriter to;
  to.bits(2, 2);  // marker
  to.bits(0, 3);  // profile 0, no existing frame
  to.bits(1, 1);  // no key frame
  to.bits(0, 1);  // hidden
  to.bits(error_resilient, 1);
  to.bits(1, 1);  // intra-only
  if (!error_resilient) to.bits(3, 2);
  to.bits(0x498342, 24);
  to.bits(0xff, 8);
  // From the size on the two headers agree.
  for (std::size_t bit = 36; bit < header.uncompressed_bytes * 8; ++bit) to.bits(from.bits(1), 1);
  Bytes frame = to.bytes();
  // Without the padding of the old header.
  frame.resize(vp9::parse_frame_header(frame, {}).uncompressed_bytes);
  frame.insert(frame.end(),
               key_frame.begin() + static_cast<std::ptrdiff_t>(header.uncompressed_bytes),
               key_frame.end());
  return frame;
}

TEST(Vp9Rewritten, AnIntraOnlyFrameGivesThePicturesOfAKeyFrame) {
  const std::vector<Bytes> frames = test::frames_of(test::corpus_packets("key-frames"));
  std::vector<Bytes> rewritten;
  std::size_t replaced = 0;
  for (const Bytes& frame : frames) {
    if (rewritten.empty() || !is_key_frame(frame)) {
      rewritten.push_back(frame);
      continue;
    }
    rewritten.push_back(as_intra_only(frame));
    rewritten.push_back(show_existing(0));
    ++replaced;
  }
  ASSERT_GT(replaced, 3U);
  EXPECT_EQ(test::decoded_checksums(rewritten), test::decoded_checksums(frames));
}

TEST(Vp9Rewritten, AnExistingFrameIsShownAndChangesNothingElse) {
  const std::vector<Bytes> frames = test::frames_of(test::corpus_packets("alt-ref"));
  const std::vector<std::string> plain = test::decoded_checksums(frames);
  // After every hidden frame, what was decoded first is shown; it stays in slot 0 until refreshed.
  std::vector<Bytes> rewritten;
  std::size_t inserted = 0;
  for (const Bytes& frame : frames) {
    rewritten.push_back(frame);
    if (is_shown(frame)) continue;
    for (unsigned slot = 0; slot < 3; ++slot) rewritten.push_back(show_existing(slot));
    inserted += 3;
  }
  ASSERT_GT(inserted, 0U);
  std::vector<std::string> with_inserted = test::decoded_checksums(rewritten);
  ASSERT_EQ(with_inserted.size(), plain.size() + inserted);
  // Without the shows after hidden frames the rest is what it was.
  std::vector<std::string> rest;
  std::size_t at = 0;
  for (const Bytes& frame : frames) {
    if (is_shown(frame)) {
      rest.push_back(with_inserted[at++]);
    } else {
      at += 3;
    }
  }
  EXPECT_EQ(rest, plain);
}

}  // namespace
}  // namespace sidecore
