// Changes the headers of key frames of profile 0 (specification, sections 6.2 to 6.2.5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sidecore::test {

/// Returns the frame with color_space `space`, 0 to 6. That field follows eight bits and the
/// synchronisation code.
inline std::vector<std::uint8_t> with_colour(std::vector<std::uint8_t> key_frame, unsigned space,
                                             bool full_range) {
  std::uint8_t& byte = key_frame.at(4);
  byte = static_cast<std::uint8_t>((byte & 0x0fU) | space << 5 | (full_range ? 0x10U : 0U));
  return key_frame;
}

/// Returns the frame with a render size; it must have none. The new field has 32 bits after the
/// frame's size, so that later fields keep their positions within bytes.
inline std::vector<std::uint8_t> with_render_size(const std::vector<std::uint8_t>& key_frame,
                                                  unsigned width, unsigned height) {
  // Position of render_and_frame_size_different, in bits.
  constexpr std::size_t kFlag = 8 + 24 + 4 + 32;
  std::vector<std::uint8_t> changed(key_frame.size() + 4);
  std::size_t written = 0;
  const auto put = [&](unsigned bit) {
    changed[written / 8] =
        static_cast<std::uint8_t>(changed[written / 8] | bit << (7 - written % 8));
    ++written;
  };
  for (std::size_t index = 0; index < 8 * key_frame.size(); ++index) {
    put(index == kFlag ? 1U : key_frame[index / 8] >> (7 - index % 8) & 1U);
    if (index != kFlag) continue;
    for (const unsigned size : {width - 1, height - 1}) {
      for (int bit = 15; bit >= 0; --bit) put(size >> bit & 1U);
    }
  }
  return changed;
}

}  // namespace sidecore::test
