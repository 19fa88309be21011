// Decodes the packets of a file in their order: which of them are decoded, and what of them is
// shown.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "video/packet_source.h"
#include "vp9/decoder.h"

namespace sidecore::vp9 {

class PacketDecoder {
 public:
  /// Gets a frame to show, and the time stamp of the packet that had it shown, where it has one.
  using Show = std::function<void(const std::shared_ptr<const FrameBuffer>&,
                                  std::optional<std::int64_t> time_stamp)>;

  /// With `start_at_key_frame` packets before the first key frame are left out, and after a damaged
  /// packet those before the next one; the decoder should have low delay then, or the frames in
  /// flight are lost, too. All three outlive this.
  PacketDecoder(video::PacketSource& source, Decoder& decoder, Show show, bool start_at_key_frame);

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
  /// How many pictures they would have shown, as far as their bytes tell. A packet that seems to
  /// show none counts as one unless another of the stream, which was decoded, showed none.
  [[nodiscard]] std::uint64_t lost_pictures() const { return lost_pictures_; }
  /// Says on standard error how many there were of file `name`; nothing of none.
  void tell_left_out(const std::string& name) const;

 private:
  bool read();
  /// Returns false if the packet is damaged, and that is no error.
  bool decode();
  void pass_over(const Error& damage, std::uint64_t shown_of_packet);
  /// Counts the packet that was read last, of which some pictures were shown.
  void leave_out(std::uint64_t shown_of_packet);

  video::PacketSource& source_;
  Decoder& decoder_;
  Decoder::Show show_;
  bool start_at_key_frame_;
  bool waiting_;  ///< for a key frame
  video::Packet packet_;
  bool packets_may_be_hidden_ = false;  ///< one was decoded that shows no picture
  std::uint64_t left_out_ = 0;
  std::uint64_t lost_pictures_ = 0;
  std::uint64_t shown_ = 0;
};

/// The packets of `source` that PacketDecoder does not leave out with `start_at_key_frame`: what
/// read() gives can be decoded by itself. All of them are decoded to find out, on one thread, with
/// `dsp`, which outlives it. Says at the end, on standard error, how many were left out.
[[nodiscard]] std::unique_ptr<video::PacketSource> decodable_packets(
    std::unique_ptr<video::PacketSource> source, const DspTables& dsp);

}  // namespace sidecore::vp9
