#include "video/packet_source.h"

namespace sidecore::video {

std::vector<std::vector<std::uint8_t>> read_packets(PacketSource& source, std::size_t most) {
  std::vector<std::vector<std::uint8_t>> packets;
  Packet packet;
  while (packets.size() < most && source.read(packet)) packets.push_back(packet.bytes);
  return packets;
}

}  // namespace sidecore::video
