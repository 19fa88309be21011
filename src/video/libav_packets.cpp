// VP9 packets from whatever containers libavformat opens.
#include <utility>

#include "base/error.h"
#include "video/libav_input.h"
#include "video/open_packets.h"

namespace sidecore::video {
namespace {

class LibavPackets final : public PacketSource {
 public:
  LibavPackets(std::unique_ptr<ByteStream> stream, const std::string& path)
      : input_(std::move(stream), path, false), packet_(av_packet_alloc()) {
    const AVCodecID codec = input_.video().codecpar->codec_id;
    if (codec != AV_CODEC_ID_VP9) {
      throw usage_error("{}: its video stream is {}, not VP9", name(), avcodec_get_name(codec));
    }
  }

  [[nodiscard]] FrameRate frame_rate() const override { return input_.frame_rate(); }
  [[nodiscard]] const std::string& name() const override { return input_.name(); }
  [[nodiscard]] std::optional<std::uint64_t> packets() const override {
    const std::int64_t count = input_.video().nb_frames;
    if (count <= 0) return std::nullopt;
    return static_cast<std::uint64_t>(count);
  }

  bool read(Packet& packet) override {
    const LibavInput::ReadResult result = input_.read(*packet_);
    if (!result.damage.empty()) {
      throw usage_error("{}: packet {} cannot be read: {}", name(), number_, result.damage);
    }
    if (result.end) return false;
    packet.bytes.assign(packet_->data, packet_->data + packet_->size);
    ++number_;
    return true;
  }

 private:
  LibavInput input_;
  std::unique_ptr<AVPacket, FreePacket> packet_;
  std::uint64_t number_ = 0;
};

}  // namespace

std::unique_ptr<PacketSource> open_libav_packets(std::unique_ptr<ByteStream> stream,
                                                 const std::string& path) {
  return std::make_unique<LibavPackets>(std::move(stream), path);
}

}  // namespace sidecore::video
