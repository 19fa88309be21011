// A VP9 stream in memory. Its first frames are measured; the time of the rest is predicted.
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
  /// Position of a frame in its packet, because frames are decoded and timed one by one.
  struct Place {
    std::size_t packet = 0;
    std::size_t offset = 0;
    std::size_t size = 0;
  };

  std::string name;
  std::vector<std::vector<std::uint8_t>> packets;
  std::size_t sample = 0;  ///< packets [0, sample) are measured, all others predicted
  std::vector<Place> frames;
  std::vector<FrameWork> work;    ///< kind and bytes of each frame
  std::size_t sample_frames = 0;  ///< frames [0, sample_frames) are measured
  video::PixelFormat pixel;       ///< pixel format of the first frame
  int width = 0;                  ///< width of the first frame in luma samples
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

/// Smallest number of packets to measure, and smallest number of packets to predict. From fewer
/// measured packets no costs can be fitted; fewer predicted packets cannot test the prediction.
inline constexpr std::size_t kMinPackets = 6;

/// Returns the properties of a frame from its first bits. It never returns FrameKind::unfiltered,
/// which read_stream() sets. Data that is not a frame counts as inter.
[[nodiscard]] FrameWork parse_frame_work(std::span<const std::uint8_t> frame);

/// Reads at most `packets` packets of a file; the share `sample_share` of them (0 to 1) is to be
/// measured. With `start_at_key_frame`, reads only packets of vp9::decodable_packets(). Throws
/// Error (usage) that names the file if it is not a VP9 stream, is damaged, or has too few packets.
[[nodiscard]] Stream read_stream(const std::string& path, std::size_t packets, double sample_share,
                                 bool start_at_key_frame = false);

}  // namespace sidecore::model
