#include "video/packet_source.h"

#include <utility>

#include "video/open_packets.h"

namespace sidecore::video {

std::unique_ptr<PacketSource> open_packets(const std::string& path) {
  auto stream = std::make_unique<ByteStream>(path);
  if (stream->peek(kIvfSignature.size()) == kIvfSignature) return open_ivf(std::move(stream));
  return open_libav_packets(std::move(stream), path);
}

}  // namespace sidecore::video
