// Decodes the packets of a file in order, and decides which packets are decoded and which frames
// are shown.
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
  /// Receives a frame to show, and the time stamp of the packet that showed it, if that packet has
  /// one.
  using Show = std::function<void(const std::shared_ptr<const FrameBuffer>&,
                                  std::optional<std::int64_t> time_stamp)>;

  /// Creates a decoder of packets. `source` and `decoder` must outlive it. With
  /// `start_at_key_frame`, packets before the first key frame are skipped, and after a damaged
  /// packet those before the next key frame. In that case `decoder` should have low delay, because
  /// otherwise the frames in flight are lost too.
  PacketDecoder(video::PacketSource& source, Decoder& decoder, Show show, bool start_at_key_frame);

  /// Decodes the next packet that is not skipped; returns false at the end of the file. If a packet
  /// cannot be read, all frames before it are shown before its Error is thrown.
  bool next();
  /// Shows the frames in flight; call it after the last packet.
  void finish();

  /// Returns the packet that next() decoded.
  [[nodiscard]] const video::Packet& packet() const { return packet_; }
  /// Returns the number of packets that were skipped or damaged.
  [[nodiscard]] std::uint64_t left_out() const { return left_out_; }
  /// Estimates how many pictures these packets would have shown, from their bytes. A packet that
  /// seems to show none counts as one, unless a decoded packet of the stream showed none.
  [[nodiscard]] std::uint64_t lost_pictures() const { return lost_pictures_; }
  /// Prints the number of skipped or damaged packets of file `name` on standard error, if there are
  /// any.
  void report_skipped_packets(const std::string& name) const;

 private:
  bool read();
  /// Decodes the current packet. Returns false if it is damaged and damage is tolerated.
  bool decode();
  void pass_over(const Error& damage, std::uint64_t shown_of_packet);
  /// Counts the last packet as skipped or damaged, after it showed `shown_of_packet` pictures.
  void leave_out(std::uint64_t shown_of_packet);

  video::PacketSource& source_;
  Decoder& decoder_;
  Decoder::Show show_;
  bool start_at_key_frame_;
  bool waiting_;  ///< packets are skipped until a key frame
  video::Packet packet_;
  bool packets_may_be_hidden_ = false;  ///< a packet was decoded that shows no picture
  std::uint64_t left_out_ = 0;
  std::uint64_t lost_pictures_ = 0;
  std::uint64_t shown_ = 0;
};

/// Returns a source with only those packets of `source` that PacketDecoder with
/// `start_at_key_frame` would not skip, so that they can be decoded alone. To find them, it decodes
/// all packets on one thread with `dsp`, which must outlive it. At the end it prints the number of
/// skipped packets on standard error.
[[nodiscard]] std::unique_ptr<video::PacketSource> decodable_packets(
    std::unique_ptr<video::PacketSource> source, const DspTables& dsp);

}  // namespace sidecore::vp9
