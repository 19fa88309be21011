// Frames of a VP9 stream before the loop filter.
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

/// A frame, shown or hidden, after reconstruction and before the loop filter.
struct CapturedFrame {
  std::uint64_t number = 0;  ///< index of the frame in the stream, from 0
  video::Picture samples;  ///< samples of the frame; their size is rounded up to whole superblocks
  std::vector<vp9::LoopFilterEdge> edges;  ///< edges in the scalar definition's order
  int sharpness = 0;
};

/// Returns the stream's packets, or null if the file has no VP9 stream that can be opened. With
/// `start_at_key_frame`, returns only the packets of vp9::decodable_packets().
[[nodiscard]] std::unique_ptr<video::PacketSource> open_vp9(const std::string& path,
                                                            bool start_at_key_frame = false);

/// Decodes a stream, including the loop filter, and copies each frame before it is filtered.
class FrameCapture {
 public:
  explicit FrameCapture(std::unique_ptr<video::PacketSource> packets);
  FrameCapture(const FrameCapture&) = delete;
  FrameCapture& operator=(const FrameCapture&) = delete;

  /// Returns the next frame; nothing at the end. Throws Error (usage) that names the stream and the
  /// frame if data is damaged.
  [[nodiscard]] std::optional<CapturedFrame> next();
  [[nodiscard]] const std::string& name() const { return packets_->name(); }

 private:
  void keep(const vp9::FrameBuffer& frame, const vp9::LoopFilterEdges& edges, int sharpness);

  std::unique_ptr<video::PacketSource> packets_;
  // Frames that next() has not returned; one packet may have several.
  std::deque<CapturedFrame> frames_;
  std::uint64_t seen_ = 0;
  vp9::Decoder decoder_;
  video::Packet packet_;
};

}  // namespace sidecore::bench
