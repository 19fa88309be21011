// Frames of a VP9 stream at the point where the loop filter takes over.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "video/packet_source.h"
#include "video/picture.h"
#include "vp9/decoder.h"
#include "vp9/loop_filter.h"

namespace sidecore::bench {

/// A frame, shown or hidden, after reconstruction and before its filter.
struct CapturedFrame {
  std::uint64_t number = 0;                ///< counted from 0 over all frames of the stream
  video::Picture samples;                  ///< whole superblocks
  std::vector<vp9::LoopFilterEdge> edges;  ///< in the definition's order
  int sharpness = 0;
};

/// The stream's packets, or null when the file holds no VP9 that can be opened. With
/// `start_at_key_frame` those of vp9::decodable_packets() alone.
[[nodiscard]] std::unique_ptr<video::PacketSource> open_vp9(const std::string& path,
                                                            bool start_at_key_frame = false);

/// Decodes a stream, filtering as it must, and keeps what each frame was before.
class FrameCapture {
 public:
  explicit FrameCapture(std::unique_ptr<video::PacketSource> packets);
  FrameCapture(const FrameCapture&) = delete;
  FrameCapture& operator=(const FrameCapture&) = delete;

  /// The next frame; nothing at the end. Throws Error (usage) that names the stream and the frame
  /// when data is damaged.
  [[nodiscard]] std::optional<CapturedFrame> next();
  [[nodiscard]] const std::string& name() const { return packets_->name(); }

 private:
  void keep(const vp9::FrameBuffer& frame, const vp9::LoopFilterEdges& edges, int sharpness);

  std::unique_ptr<video::PacketSource> packets_;
  std::deque<CapturedFrame> frames_;  // a packet may have several
  std::uint64_t seen_ = 0;
  vp9::Decoder decoder_;
  video::Packet packet_;
};

}  // namespace sidecore::bench
