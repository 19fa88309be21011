#include "cli/decode_packets.h"

#include <fmt/format.h>

#include <limits>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/progress.h"
#include "vp9/frame_header.h"
#include "vp9/superframe.h"

namespace sidecore::cli {
namespace {

constexpr std::int64_t kNoTimeStamp = std::numeric_limits<std::int64_t>::min();

/// Returns true if a decoder can begin with the packet.
bool begins_with_key_frame(std::span<const std::uint8_t> packet) {
  try {
    const vp9::Superframe superframe = vp9::split_superframe(packet);
    return superframe.count > 0 && vp9::parse_frame_header(superframe.frames[0], {}).key_frame;
  } catch (const Error&) {  // such as a reference, where there is none
    return false;
  }
}

}  // namespace

PacketDecoder::PacketDecoder(video::PacketSource& source, vp9::Decoder& decoder, Show show,
                             bool start_at_key_frame)
    : source_(source),
      decoder_(decoder),
      show_([this, show = std::move(show)](const std::shared_ptr<const vp9::FrameBuffer>& frame) {
        const vp9::Decoder::PacketTag& tag = decoder_.shown().tag;
        if (tag.cookie != nullptr) return;
        show(*frame, tag.time_stamp == kNoTimeStamp ? std::nullopt : std::optional(tag.time_stamp));
      }),
      start_at_key_frame_(start_at_key_frame),
      waiting_(start_at_key_frame) {}

bool PacketDecoder::next() {
  while (read()) {
    if (waiting_ && !begins_with_key_frame(packet_.bytes)) {
      ++left_out_;
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
  // Any cookie stands for a packet that is not shown.
  const vp9::Decoder::PacketTag tag{packet_.time_stamp.value_or(kNoTimeStamp),
                                    packet_.discarded ? this : nullptr};
  try {
    decoder_.decode(packet_.bytes, show_, tag);
    return true;
  } catch (const Error& damage) {
    if (!start_at_key_frame_ || damage.kind() != ErrorKind::usage) throw;
    pass_over(damage);
    return false;
  }
}

void PacketDecoder::finish() {
  try {
    decoder_.flush(show_);
  } catch (const Error& damage) {
    if (!start_at_key_frame_ || damage.kind() != ErrorKind::usage) throw;
    pass_over(damage);
  }
}

void PacketDecoder::pass_over(const Error& damage) {
  print_remark(fmt::format("sidecore: {}; going on at the next key frame\n", damage.what()));
  decoder_.reset();
  ++left_out_;
  waiting_ = true;
}

}  // namespace sidecore::cli
