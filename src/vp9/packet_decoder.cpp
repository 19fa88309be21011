#include "vp9/packet_decoder.h"

#include <fmt/format.h>

#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/progress.h"
#include "vp9/frame_header.h"
#include "vp9/superframe.h"

namespace sidecore::vp9 {
namespace {

constexpr std::int64_t kNoTimeStamp = std::numeric_limits<std::int64_t>::min();

/// Returns true if decoding can begin with the packet.
bool begins_with_key_frame(std::span<const std::uint8_t> packet) {
  try {
    const Superframe superframe = split_superframe(packet);
    return superframe.count > 0 && parse_frame_header(superframe.frames[0], {}).key_frame;
  } catch (const Error&) {  // for example a reference to an empty slot
    return false;
  }
}

/// Returns true if the frame's header shows it, or if the header is invalid. VP9 specification
/// v0.6, section 6.2: frame marker, profile, show_existing_frame, frame_type, show_frame.
bool is_shown(std::span<const std::uint8_t> frame) {
  if (frame.empty() || frame[0] >> 6 != 2) return true;
  const unsigned bits = static_cast<unsigned>(frame[0]) << 8 | (frame.size() > 1 ? frame[1] : 0U);
  const unsigned skipped = (bits >> 12 & 3) == 3 ? 1 : 0;  // profile 3 has a reserved bit here
  const auto flag = [&](unsigned place) { return (bits >> (11 - place - skipped) & 1) != 0; };
  return flag(0) || flag(2);
}

/// Returns the number of pictures that the packet would show; 1 if it cannot be determined.
std::uint64_t pictures_of(std::span<const std::uint8_t> packet) {
  try {
    const Superframe superframe = split_superframe(packet);
    std::uint64_t pictures = 0;
    for (std::size_t frame = 0; frame < superframe.count; ++frame) {
      if (is_shown(superframe.frames[frame])) ++pictures;
    }
    return pictures;
  } catch (const Error&) {
    return 1;
  }
}

}  // namespace

PacketDecoder::PacketDecoder(video::PacketSource& source, Decoder& decoder, Show show,
                             bool start_at_key_frame)
    : source_(source),
      decoder_(decoder),
      show_([this, show = std::move(show)](const std::shared_ptr<const FrameBuffer>& frame) {
        const Decoder::PacketTag& tag = decoder_.shown().tag;
        if (tag.cookie != nullptr) return;
        ++shown_;
        show(frame, tag.time_stamp == kNoTimeStamp ? std::nullopt : std::optional(tag.time_stamp));
      }),
      start_at_key_frame_(start_at_key_frame),
      waiting_(start_at_key_frame) {}

bool PacketDecoder::next() {
  while (read()) {
    if (waiting_ && !begins_with_key_frame(packet_.bytes)) {
      leave_out(0);
      continue;
    }
    waiting_ = false;
    if (decode()) return true;
  }
  return false;
}

bool PacketDecoder::read() {
  try {
    return source_.read(packet_);
  } catch (const Error&) {
    decoder_.flush(show_);
    throw;
  }
}

bool PacketDecoder::decode() {
  // A non-null cookie marks a packet whose frames are not shown.
  const Decoder::PacketTag tag{packet_.time_stamp.value_or(kNoTimeStamp),
                               packet_.discarded ? this : nullptr};
  const std::uint64_t shown_before = shown_;
  try {
    decoder_.decode(packet_.bytes, show_, tag);
    if (start_at_key_frame_ && !packet_.bytes.empty() && pictures_of(packet_.bytes) == 0) {
      packets_may_be_hidden_ = true;
    }
    return true;
  } catch (const Error& damage) {
    if (!start_at_key_frame_ || damage.kind() != ErrorKind::usage) throw;
    pass_over(damage, shown_ - shown_before);
    return false;
  }
}

void PacketDecoder::finish() {
  try {
    decoder_.flush(show_);
  } catch (const Error& damage) {
    if (!start_at_key_frame_ || damage.kind() != ErrorKind::usage) throw;
    pass_over(damage, 0);
  }
}

void PacketDecoder::report_skipped_packets(const std::string& name) const {
  if (left_out_ == 0) return;
  print_remark_once(
      fmt::format("sidecore: {}: {} packets were damaged, or were left out before a key frame\n",
                  name, left_out_));
}

void PacketDecoder::leave_out(std::uint64_t shown_of_packet) {
  ++left_out_;
  if (packet_.discarded || packet_.bytes.empty()) return;
  std::uint64_t pictures = pictures_of(packet_.bytes);
  // A superframe that is cut short has lost its index and looks like its first frame, which is
  // hidden.
  if (pictures == 0 && !packets_may_be_hidden_) pictures = 1;
  if (pictures > shown_of_packet) lost_pictures_ += pictures - shown_of_packet;
}

void PacketDecoder::pass_over(const Error& damage, std::uint64_t shown_of_packet) {
  print_remark_once(fmt::format("sidecore: {}; continuing at the next key frame\n", damage.what()));
  decoder_.reset();
  leave_out(shown_of_packet);
  waiting_ = true;
}

namespace {

class DecodablePackets final : public video::PacketSource {
 public:
  DecodablePackets(std::unique_ptr<video::PacketSource> source, const DspTables& dsp)
      : source_(std::move(source)),
        decoder_({.stream = source_->name(),
                  .low_delay = true,
                  .max_luma_samples = kMaxLumaSamplesOfAnyLevel,
                  .dsp = &dsp}),
        decoding_(
            *source_, decoder_, [](const auto& /*frame*/, auto /*time_stamp*/) {}, true) {}

  [[nodiscard]] video::FrameRate frame_rate() const override { return source_->frame_rate(); }
  [[nodiscard]] video::FrameRate ticks() const override { return source_->ticks(); }
  [[nodiscard]] video::Description description() const override { return source_->description(); }
  [[nodiscard]] const std::string& name() const override { return source_->name(); }
  /// The number of remaining packets is known only at the end.
  [[nodiscard]] std::optional<std::uint64_t> packets() const override { return std::nullopt; }

  bool read(video::Packet& packet) override {
    if (ended_) return false;
    if (!decoding_.next()) {
      ended_ = true;
      decoding_.report_skipped_packets(name());
      return false;
    }
    packet = decoding_.packet();
    return true;
  }

 private:
  std::unique_ptr<video::PacketSource> source_;
  Decoder decoder_;
  PacketDecoder decoding_;
  bool ended_ = false;
};

}  // namespace

std::unique_ptr<video::PacketSource> decodable_packets(std::unique_ptr<video::PacketSource> source,
                                                       const DspTables& dsp) {
  return std::make_unique<DecodablePackets>(std::move(source), dsp);
}

}  // namespace sidecore::vp9
