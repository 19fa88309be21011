#include "kernels/vp9/frame_capture.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "libav/open.h"
#include "neon/vp9/dsp.h"
#include "vp9/packet_decoder.h"

namespace sidecore::bench {

std::unique_ptr<video::PacketSource> open_vp9(const std::string& path, bool start_at_key_frame) {
  try {
    auto packets = libav::open_packets(path);
    if (!start_at_key_frame) return packets;
    return vp9::decodable_packets(std::move(packets), neon::vp9_dsp());
  } catch (const libav::EncryptedError&) {
    throw;
  } catch (const Error& error) {
    // Other errors are rethrown; for an error of usage, the caller's reader for other formats gives
    // a better message.
    if (error.kind() != ErrorKind::usage) throw;
    return nullptr;
  }
}

FrameCapture::FrameCapture(std::unique_ptr<video::PacketSource> packets)
    : packets_(std::move(packets)),
      decoder_(
          {.stream = packets_->name(),
           .dsp = &neon::vp9_dsp(),
           .observer = {.before_filter = [this](const vp9::FrameBuffer& frame,
                                                const vp9::LoopFilterEdges& edges, int sharpness) {
             keep(frame, edges, sharpness);
           }}}) {}

void FrameCapture::keep(const vp9::FrameBuffer& frame, const vp9::LoopFilterEdges& edges,
                        int sharpness) {
  const video::PictureFormat& format = frame.memory.format();
  CapturedFrame& captured = frames_.emplace_back();
  captured.number = seen_++;
  captured.samples = video::Picture(format);
  std::ranges::copy(frame.memory.bytes(), captured.samples.bytes().begin());
  captured.edges.assign(edges.all().begin(), edges.all().end());
  captured.sharpness = sharpness;
}

std::optional<CapturedFrame> FrameCapture::next() {
  while (frames_.empty()) {
    if (!packets_->read(packet_)) return std::nullopt;
    decoder_.decode(packet_.bytes, [](const auto& /*frame*/) {});
  }
  CapturedFrame first = std::move(frames_.front());
  frames_.pop_front();
  return first;
}

}  // namespace sidecore::bench
