// Decodes the packets of a file in their order: which of them are decoded, and what of them is
// shown.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "video/packet_source.h"
#include "vp9/decoder.h"

namespace sidecore::cli {

class PacketDecoder {
 public:
  /// Gets a frame to show, and the time stamp of the packet that had it shown, where it has one.
  using Show = std::function<void(const vp9::FrameBuffer&, std::optional<std::int64_t>)>;

  /// With `start_at_key_frame` packets before the first key frame are left out, and after a damaged
  /// packet those before the next one; the decoder should have low delay then, or the frames in
  /// flight are lost, too. All three outlive this.
  PacketDecoder(video::PacketSource& source, vp9::Decoder& decoder, Show show,
                bool start_at_key_frame);

  /// Decodes the next packet that is not left out; returns false at the end of the file. Frames
  /// before a packet that cannot be read are shown before its Error is thrown, however many of them
  /// are in flight.
  bool next();
  /// Shows what is in flight.
  void finish();

  /// The packet that next() has decoded.
  [[nodiscard]] const video::Packet& packet() const { return packet_; }
  /// Number of packets that were left out or damaged.
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }

 private:
  bool read();
  /// Returns false if the packet is damaged, and that is no error.
  bool decode();
  void pass_over(const Error& damage);

  video::PacketSource& source_;
  vp9::Decoder& decoder_;
  vp9::Decoder::Show show_;
  bool start_at_key_frame_;
  bool waiting_;  ///< for a key frame
  video::Packet packet_;
  std::uint64_t left_out_ = 0;
};

}  // namespace sidecore::cli
