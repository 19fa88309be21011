#include "split/stream.h"

#include <cmath>

#include "base/error.h"
#include "libav/open.h"
#include "video/packet_source.h"
#include "vp9/frame_header.h"
#include "vp9/superframe.h"

namespace sidecore::split {
namespace {

/// The first bits of a frame's header: VP9 specification v0.6, section 6.2.
struct FirstBits {
  bool show_existing_frame = false;
  bool show_frame = false;
};

/// All false for what is no frame; the decoder says so later.
FirstBits first_bits(std::span<const std::uint8_t> frame) {
  if (frame.empty() || frame[0] >> 6 != 2) return {};
  const bool profile_3 = (frame[0] >> 4 & 3) == 3;  // a reserved bit follows it
  const unsigned bits = profile_3 ? frame[0] & 7U : frame[0] >> 1 & 7U;
  return {(bits & 4) != 0, (bits & 1) != 0};
}

/// The default for what cannot be decoded; the decoder says so later.
video::PixelFormat pixel_of(std::span<const std::uint8_t> packet) {
  try {
    const vp9::Superframe superframe = vp9::split_superframe(packet);
    if (superframe.count == 0) return {};
    return vp9::parse_frame_header(superframe.frames[0], {}).pixel;
  } catch (const Error&) {
    return {};
  }
}

}  // namespace

PacketWork work_of(std::span<const std::uint8_t> packet) {
  const vp9::Superframe superframe = vp9::split_superframe(packet);
  PacketWork work;
  for (std::size_t index = 0; index < superframe.count; ++index) {
    const std::span<const std::uint8_t> frame = superframe.frames[index];
    const FirstBits bits = first_bits(frame);
    if (bits.show_existing_frame || bits.show_frame) work.shown += 1;
    if (bits.show_existing_frame) continue;
    work.frames += 1;
    work.bytes += static_cast<double>(frame.size());
  }
  return work;
}

Stream read_stream(const std::string& path, std::size_t packets, double sample_share) {
  const auto source = libav::open_packets(path);
  Stream stream{.name = source->name(),
                .packets = video::read_packets(*source, packets),
                .work = {},
                .sample = 0,
                .pixel = {}};
  for (const auto& packet : stream.packets) {
    try {
      stream.work.push_back(work_of(packet));
    } catch (const Error& error) {
      throw Error(error.kind(),
                  fmt::format("{}: packet {}: {}", stream.name, stream.work.size(), error.what()));
    }
  }
  if (!stream.packets.empty()) stream.pixel = pixel_of(stream.packets.front());
  const auto count = static_cast<double>(stream.packets.size());
  stream.sample = static_cast<std::size_t>(std::lround(count * sample_share));
  if (stream.sample < kFewestPackets || stream.packets.size() - stream.sample < kFewestPackets) {
    throw usage_error(
        "{}: {} packets, {} of them to measure and {} to predict; each part needs at least {}",
        stream.name, stream.packets.size(), stream.sample, stream.packets.size() - stream.sample,
        kFewestPackets);
  }
  return stream;
}

}  // namespace sidecore::split
