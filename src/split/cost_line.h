// What a packet costs, from what is known of it before it is decoded.
#pragma once

#include <span>

namespace sidecore::split {

/// Known of a packet without decoding it.
struct PacketWork {
  double frames = 0;  ///< that are decoded, shown or not
  double bytes = 0;   ///< of these
  double shown = 0;   ///< pictures that come out
};

/// seconds = per_frame * frames + per_byte * bytes, neither of them below 0.
struct CostLine {
  double per_frame = 0;
  double per_byte = 0;
  [[nodiscard]] double seconds(const PacketWork& work) const {
    return per_frame * work.frames + per_byte * work.bytes;
  }
};

/// The least-squares line through measured packets, scaled so that it gives their sum. As many
/// seconds as packets (asserted).
[[nodiscard]] CostLine fit_cost(std::span<const PacketWork> packets,
                                std::span<const double> seconds);

}  // namespace sidecore::split
