// Makes kinds of frames that Debian's encoders do not produce from frames that they produce.
#pragma once

#include <cstddef>
#include <cstdint>

#include "vp9/bit_reader.h"
#include "vp9/frame_header.h"
#include "vp9/vp9_streams.h"

namespace sidecore::test {

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

inline bool is_key_frame(const Bytes& frame) {
  return (frame[0] & 0x0c) == 0;
}
inline bool is_shown(const Bytes& frame) {
  return (frame[0] & 0x02) != 0;
}

/// Returns a frame that only shows the content of a reference slot.
inline Bytes show_existing(unsigned slot) {
  return {static_cast<std::uint8_t>(0x88U | slot)};
}

/// Turns a shown key frame of profile 0 into a hidden intra-only frame. It refreshes the slots in
/// the bit mask `refreshed` and resets all contexts. Both frames have the same symbols.
inline Bytes as_intra_only(const Bytes& key_frame, std::uint8_t refreshed = 0xff) {
  const vp9::FrameHeader header = vp9::parse_frame_header(key_frame, {});
  vp9::BitReader from(key_frame);
  // Skips marker, profile, show_existing_frame, frame_type and show_frame.
  static_cast<void>(from.bits(6));
  static_cast<void>(from.bits(1));
  const bool error_resilient = from.flag();
  static_cast<void>(from.bits(24 + 3 + 1));  // skips synchronisation code, colour space and range
  BitWriter to;
  to.bits(2, 2);  // frame marker
  to.bits(0, 3);  // profile 0; the frame shows no existing frame
  to.bits(1, 1);  // the frame is not a key frame
  to.bits(0, 1);  // not shown
  to.bits(error_resilient, 1);
  to.bits(1, 1);  // the frame is intra-only
  if (!error_resilient) to.bits(3, 2);
  to.bits(0x498342, 24);
  to.bits(refreshed, 8);
  // From the frame size on, the new header equals the old one.
  for (std::size_t bit = 36; bit < header.uncompressed_bytes * 8; ++bit) to.bits(from.bits(1), 1);
  Bytes frame = to.bytes();
  // Removes the padding of the original header.
  frame.resize(vp9::parse_frame_header(frame, {}).uncompressed_bytes);
  frame.insert(frame.end(),
               key_frame.begin() + static_cast<std::ptrdiff_t>(header.uncompressed_bytes),
               key_frame.end());
  return frame;
}

}  // namespace sidecore::test
