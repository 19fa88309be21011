// Several frames in one packet.
// Source: VP9 specification v0.6, annex B ("Superframes").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace sidecore::vp9 {

/// The frames of a packet: those that a superframe index names, or the packet itself.
struct Superframe {
  static constexpr std::size_t kMaxFrames = 8;
  std::array<std::span<const std::uint8_t>, kMaxFrames> frames;
  std::size_t count = 0;
};

/// An empty packet stands for a frame that the encoder dropped: no frame. Throws Error (usage) when
/// the index names more bytes than there are.
[[nodiscard]] Superframe split_superframe(std::span<const std::uint8_t> packet);

}  // namespace sidecore::vp9
