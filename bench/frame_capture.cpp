#include "bench/frame_capture.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "neon/loop_filter.h"

namespace sidecore::bench {

/// Copies what it is given to filter, then has it filtered.
class FrameCapture::Tap final : public vp9::PictureFilter {
 public:
  void filter(vp9::FrameBuffer& frame, const vp9::PictureEdges& edges, int sharpness,
              ThreadTeam& team) override {
    const video::PictureFormat& format = frame.memory.format();
    if (format.pixel.bits != 8) {
      throw usage_error("the gates' loop filters take samples of 8 bits, not {}",
                        format.pixel.bits);
    }
    CapturedFrame& captured = frames_.emplace_back();
    captured.number = seen_++;
    captured.samples = video::Picture(format);
    std::ranges::copy(std::as_const(frame.memory).bytes(), captured.samples.bytes().begin());
    captured.edges.assign(edges.all().begin(), edges.all().end());
    captured.sharpness = sharpness;
    filter_->filter(frame, edges, sharpness, team);
  }

  [[nodiscard]] std::optional<CapturedFrame> take() {
    if (frames_.empty()) return std::nullopt;
    CapturedFrame first = std::move(frames_.front());
    frames_.pop_front();
    return first;
  }

 private:
  std::unique_ptr<vp9::PictureFilter> filter_ =
      vp9::make_cpu_filter(neon::filter_edges_in_order, "NEON");
  std::deque<CapturedFrame> frames_;  // a packet may have several
  std::uint64_t seen_ = 0;
};

std::unique_ptr<video::PacketSource> open_vp9(const std::string& path) {
  try {
    return video::open_packets(path);
  } catch (const Error& error) {
    // Whoever reads it as something else knows better what is wrong with it.
    if (error.kind() != ErrorKind::usage) throw;
    return nullptr;
  }
}

FrameCapture::FrameCapture(std::unique_ptr<video::PacketSource> packets)
    : packets_(std::move(packets)), tap_(std::make_shared<Tap>()), decoder_({.filter = tap_}) {}

std::optional<CapturedFrame> FrameCapture::next() {
  while (true) {
    if (std::optional<CapturedFrame> frame = tap_->take()) return frame;
    if (!packets_->read(packet_)) return std::nullopt;
    try {
      decoder_.decode(packet_.bytes, [](const auto& /*frame*/) {});
    } catch (const Error& error) {
      throw Error(error.kind(), fmt::format("{}: {}", name(), error.what()));
    }
  }
}

}  // namespace sidecore::bench
