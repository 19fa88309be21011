#include "video/packets_ahead.h"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/error.h"
#include "video/frame_rate.h"

namespace sidecore::video {
namespace {

// Reading ahead stops at one of these numbers of packets, and at kBytes.
constexpr std::size_t kPackets = 64;
constexpr std::size_t kPacketsOfPipe = 8;
constexpr std::size_t kBytes = 16U << 20U;

}  // namespace

FrameRate PacketsAhead::read(FrameRate ticks, bool from_pipe, const ReadNext& read_next) {
  const std::size_t most = from_pipe ? kPacketsOfPipe : kPackets;
  std::vector<std::int64_t> stamps;
  std::size_t bytes = 0;
  try {
    for (Packet packet; packets_.size() < most && bytes < kBytes && read_next(packet);) {
      if (packet.time_stamp) stamps.push_back(*packet.time_stamp);
      bytes += packet.bytes.size();
      packets_.push_back(std::exchange(packet, {}));
    }
  } catch (const Error&) {
    failure_ = std::current_exception();
  }
  return estimate_frame_rate(ticks, stamps);
}

bool PacketsAhead::take(Packet& packet) {
  if (!packets_.empty()) {
    packet = std::move(packets_.front());
    packets_.pop_front();
    return true;
  }
  if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
  return false;
}

}  // namespace sidecore::video
