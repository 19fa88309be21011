// Estimates the frame rate from packets' time stamps, if a container states only their unit.
#pragma once

#include <cstdint>
#include <span>

#include "video/source.h"

namespace sidecore::video {

/// Estimates the frame rate of packets from their time stamps, in file order and in units of 1 /
/// `ticks` second. `ticks` is in ticks per second. A numerator or denominator of 0 or less means
/// that the unit is unknown.
///
/// - The duration of a frame is the most common difference of two consecutive stamps, the smallest
///   of equally common ones. Stamps that repeat or decrease have no difference.
/// - If that is 8 ticks or more and the stamps are not its multiples, they are taken as rounded.
///   The rate is then the one of 1, 2, ... 240 frames per second, or 1000/1001 of these, that
///   matches the stamps best, if each stamp is within one tick of it.
/// - If there is no difference, a packet is taken to last one tick, provided that this gives at
///   most 240 frames per second.
///
/// Returns a numerator of 0 if the rate is unknown.
[[nodiscard]] FrameRate estimate_frame_rate(FrameRate ticks, std::span<const std::int64_t> stamps);

}  // namespace sidecore::video
