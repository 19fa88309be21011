// Reads VP9 packets from the containers that libavformat supports.
#include <utility>

#include "base/error.h"
#include "libav/input.h"

namespace sidecore::libav {
namespace {

class Packets final : public video::PacketSource {
 public:
  explicit Packets(Input input) : input_(std::move(input)), packet_(av_packet_alloc()) {
    const AVCodecID codec = input_.video().codecpar->codec_id;
    if (codec != AV_CODEC_ID_VP9) {
      input_.refuse_guess();
      throw usage_error("{}: the video stream is {}, not VP9", name(), avcodec_get_name(codec));
    }
  }

  [[nodiscard]] video::FrameRate frame_rate() const override { return input_.frame_rate(); }
  [[nodiscard]] video::Description description() const override { return input_.description(); }
  [[nodiscard]] video::FrameRate ticks() const override {
    const AVRational seconds = input_.video().time_base;
    return {seconds.den, seconds.num};
  }
  [[nodiscard]] const std::string& name() const override { return input_.name(); }
  [[nodiscard]] std::optional<std::uint64_t> packets() const override {
    const std::int64_t count = input_.video().nb_frames;
    if (count <= 0) return std::nullopt;
    return static_cast<std::uint64_t>(count);
  }

  bool read(video::Packet& packet) override {
    const Input::ReadResult result = input_.read(*packet_);
    if (!result.damage.empty()) {
      throw usage_error("{}: packet {} cannot be read: {}", name(), number_, result.damage);
    }
    if (result.end) return false;
    packet.bytes.assign(packet_->data, packet_->data + packet_->size);
    packet.time_stamp.reset();
    if (packet_->pts != AV_NOPTS_VALUE) packet.time_stamp = packet_->pts;
    packet.discarded = (packet_->flags & AV_PKT_FLAG_DISCARD) != 0;
    ++number_;
    return true;
  }

 private:
  Input input_;
  std::unique_ptr<AVPacket, FreePacket> packet_;
  std::uint64_t number_ = 0;
};

}  // namespace

std::unique_ptr<video::PacketSource> open_vp9_packets(std::unique_ptr<video::ByteStream> stream,
                                                      const std::string& path) {
  return vp9_packets_of(Input(std::move(stream), path, false));
}

std::unique_ptr<video::PacketSource> vp9_packets_of(Input input) {
  return std::make_unique<Packets>(std::move(input));
}

}  // namespace sidecore::libav
