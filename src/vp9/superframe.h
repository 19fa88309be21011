// Splits a packet that contains several frames.
// Source: VP9 specification v0.6, annex B ("Superframes").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace sidecore::vp9 {

/// Frames of a packet: those listed in its superframe index, or the whole packet as one frame.
struct Superframe {
  static constexpr std::size_t kMaxFrames = 8;
  std::array<std::span<const std::uint8_t>, kMaxFrames> frames;
  std::size_t count = 0;
};

/// Splits a packet into frames. An empty packet has none: the encoder dropped the frame. Throws
/// Error (usage) if the index lists more bytes than the packet has.
[[nodiscard]] Superframe split_superframe(std::span<const std::uint8_t> packet);

}  // namespace sidecore::vp9
