// A VP9 stream in memory, cut in a part that is measured and a part that is predicted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "split/cost_line.h"
#include "video/picture.h"

namespace sidecore::split {

struct Stream {
  std::string name;
  std::vector<std::vector<std::uint8_t>> packets;
  std::vector<PacketWork> work;  ///< of each packet
  std::size_t sample = 0;        ///< packets [0, sample) are measured, the others predicted
  video::PixelFormat pixel;      ///< of the first frame

  [[nodiscard]] std::span<const PacketWork> sample_work() const {
    return std::span(work).first(sample);
  }
  [[nodiscard]] std::span<const PacketWork> rest_work() const {
    return std::span(work).subspan(sample);
  }
};

/// A shorter sample gives no line, a shorter rest nothing to hold the prediction against.
inline constexpr std::size_t kFewestPackets = 6;

/// What is to be known of a packet. Throws Error (usage) for a damaged superframe index.
[[nodiscard]] PacketWork work_of(std::span<const std::uint8_t> packet);

/// Reads at most `packets` packets of a file. `sample_share`, 0..1, of them are the sample. Throws
/// Error (usage) that names the file when it is no VP9 stream, is damaged, or has too few packets.
[[nodiscard]] Stream read_stream(const std::string& path, std::size_t packets, double sample_share);

}  // namespace sidecore::split
