#include "video/packet_source.h"

#include <utility>

#include "video/open_packets.h"

namespace sidecore::video {

std::unique_ptr<PacketSource> open_packets(const std::string& path) {
  auto stream = std::make_unique<ByteStream>(path);
  if (stream->peek(kIvfSignature.size()) == kIvfSignature) return open_ivf(std::move(stream));
  return open_libav_packets(std::move(stream), path);
}

std::vector<std::vector<std::uint8_t>> read_packets(PacketSource& source, std::size_t most) {
  std::vector<std::vector<std::uint8_t>> packets;
  Packet packet;
  while (packets.size() < most && source.read(packet)) packets.push_back(packet.bytes);
  return packets;
}

}  // namespace sidecore::video
