#include "model/stream.h"

#include <cmath>
#include <utility>

#include "base/error.h"
#include "libav/open.h"
#include "neon/vp9/dsp.h"
#include "video/packet_source.h"
#include "vp9/frame_header.h"
#include "vp9/packet_decoder.h"
#include "vp9/superframe.h"

namespace sidecore::model {
namespace {

/// Sets the format of the first frame. Leaves it empty if the header is damaged; the decoder
/// reports the fault later.
void read_format(Stream& stream) {
  if (stream.frames.empty()) return;
  try {
    const vp9::FrameHeader header = vp9::parse_frame_header(stream.frame(0), {});
    stream.pixel = header.pixel;
    stream.width = header.size.width;
    stream.height = header.size.height;
  } catch (const Error&) {
    stream.pixel = {};
  }
}

/// Parses the frame headers of a stream in order, because a header depends on earlier ones.
class Headers {
 public:
  /// Returns true if the next frame's loop filter is off; false if its header is damaged.
  bool filter_is_off(std::span<const std::uint8_t> frame) {
    try {
      const vp9::FrameHeader header = vp9::parse_frame_header(frame, context_);
      if (header.show_existing_frame) return false;
      for (std::size_t slot = 0; slot < context_.slot_sizes.size(); ++slot) {
        if ((header.refresh_slots >> slot & 1) == 0) continue;
        context_.slot_sizes[slot] = header.size;
        context_.slot_pixels[slot] = header.pixel;
      }
      if (header.intra_frame()) context_.pixel = header.pixel;
      context_.loop_filter = header.loop_filter;
      context_.segmentation = header.segmentation;
      return header.loop_filter.level == 0;
    } catch (const Error&) {
      return false;
    }
  }

 private:
  vp9::HeaderContext context_;
};

void add_frames(Stream& stream, std::size_t index, Headers& headers) {
  const std::vector<std::uint8_t>& packet = stream.packets[index];
  const vp9::Superframe superframe = vp9::split_superframe(packet);
  for (std::size_t frame = 0; frame < superframe.count; ++frame) {
    const std::span<const std::uint8_t> bytes = superframe.frames[frame];
    stream.frames.push_back(
        {index, static_cast<std::size_t>(bytes.data() - packet.data()), bytes.size()});
    stream.work.push_back(parse_frame_work(bytes));
    FrameKind& kind = stream.work.back().kind;
    if (headers.filter_is_off(bytes) && kind == FrameKind::inter) kind = FrameKind::unfiltered;
  }
}

}  // namespace

/// Reads these fields of VP9 specification v0.6, section 6.2: frame marker, profile,
/// show_existing_frame, frame_type, show_frame, error_resilient_mode; then intra_only, unless the
/// frame is a key frame or shown.
FrameWork parse_frame_work(std::span<const std::uint8_t> frame) {
  FrameWork work{.bytes = static_cast<double>(frame.size()), .shown = false};
  if (frame.empty() || frame[0] >> 6 != 2) return work;
  const unsigned bits = static_cast<unsigned>(frame[0]) << 8 | (frame.size() > 1 ? frame[1] : 0U);
  // True for profile 3, in which a reserved bit follows.
  const bool profile_3 = (bits >> 12 & 3) == 3;
  const auto flag = [&](unsigned place) {
    return (bits >> (11 - place - (profile_3 ? 1 : 0)) & 1) != 0;
  };
  work.repeated = flag(0);
  if (work.repeated) {
    work.shown = true;
    return work;
  }
  const bool key_frame = !flag(1);
  const bool show_frame = flag(2);
  work.shown = show_frame;
  const bool intra_only = !key_frame && !show_frame && flag(4);
  if (key_frame || intra_only) {
    work.kind = FrameKind::intra;
  } else if (!show_frame) {
    work.kind = FrameKind::hidden;
  }
  return work;
}

Stream read_stream(const std::string& path, std::size_t packets, double sample_share,
                   bool start_at_key_frame) {
  auto source = libav::open_packets(path);
  if (start_at_key_frame) source = vp9::decodable_packets(std::move(source), neon::vp9_dsp());
  Stream stream;
  stream.name = source->name();
  stream.packets = video::read_packets(*source, packets);
  const auto count = static_cast<double>(stream.packets.size());
  stream.sample = static_cast<std::size_t>(std::lround(count * sample_share));
  Headers headers;
  for (std::size_t packet = 0; packet < stream.packets.size(); ++packet) {
    if (packet == stream.sample) stream.sample_frames = stream.frames.size();
    try {
      add_frames(stream, packet, headers);
    } catch (const Error& error) {
      throw error.reworded(fmt::format("{}: packet {}: {}", stream.name, packet, error.what()));
    }
  }
  read_format(stream);
  if (stream.sample < kMinPackets || stream.packets.size() - stream.sample < kMinPackets) {
    throw usage_error(
        "{}: {} packets, {} of them to measure and {} to predict; each part needs at least {} "
        "packets",
        stream.name, stream.packets.size(), stream.sample, stream.packets.size() - stream.sample,
        kMinPackets);
  }
  return stream;
}

}  // namespace sidecore::model
