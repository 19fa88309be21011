// Packets that are read before the first one is taken, to estimate the frame rate.
#pragma once

#include <deque>
#include <exception>
#include <functional>

#include "video/packet_source.h"

namespace sidecore::video {

class PacketsAhead {
 public:
  /// Reads the next packet; returns false at the end.
  using ReadNext = std::function<bool(Packet&)>;

  /// Reads packets with `read_next` and returns the frame rate that their time stamps show
  /// (estimate_frame_rate()). `ticks` is the unit of time stamps. Reads fewer packets `from_pipe`,
  /// where the next one may arrive late.
  FrameRate read(FrameRate ticks, bool from_pipe, const ReadNext& read_next);

  /// Takes the next packet that was read ahead; returns false if there is none left. Throws the
  /// error that ended read(), once, after the packets before it.
  bool take(Packet& packet);

 private:
  std::deque<Packet> packets_;
  std::exception_ptr failure_;  ///< error of the packet after `packets_`; null if there is none
};

}  // namespace sidecore::video
