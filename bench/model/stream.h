// A VP9 stream in memory, cut in a part that is measured and a part that is predicted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "model/frame_costs.h"
#include "video/picture.h"

namespace sidecore::model {

struct Stream {
  /// A frame's place in its packet: each is decoded, and its time taken, by itself.
  struct Place {
    std::size_t packet = 0;
    std::size_t offset = 0;
    std::size_t size = 0;
  };

  std::string name;
  std::vector<std::vector<std::uint8_t>> packets;
  std::size_t sample = 0;  ///< packets [0, sample) are measured, the others predicted
  std::vector<Place> frames;
  std::vector<FrameWork> work;    ///< of each frame
  std::size_t sample_frames = 0;  ///< frames [0, sample_frames) are the sample's
  video::PixelFormat pixel;       ///< of the first frame
  int width = 0;                  ///< likewise, luma samples
  int height = 0;

  [[nodiscard]] std::span<const std::uint8_t> frame(std::size_t index) const {
    const Place& place = frames[index];
    return std::span(packets[place.packet]).subspan(place.offset, place.size);
  }
  [[nodiscard]] std::span<const FrameWork> sample_work() const {
    return std::span(work).first(sample_frames);
  }
  [[nodiscard]] std::span<const FrameWork> rest_work() const {
    return std::span(work).subspan(sample_frames);
  }
};

/// A shorter sample gives no line, a shorter rest nothing to hold the prediction against.
inline constexpr std::size_t kFewestPackets = 6;

/// What is to be known of a frame, from its first bits: all but whether its filter is off, which
/// read_stream() tells. What is no frame is inter.
[[nodiscard]] FrameWork work_of(std::span<const std::uint8_t> frame);

/// Reads at most `packets` packets of a file. `sample_share`, 0..1, of them are the sample. Throws
/// Error (usage) that names the file when it is no VP9 stream, is damaged, or has too few packets.
/// With `start_at_key_frame`, only what vp9::decodable_packets() gives of them.
[[nodiscard]] Stream read_stream(const std::string& path, std::size_t packets, double sample_share,
                                 bool start_at_key_frame = false);

}  // namespace sidecore::model
