// Derives the frame rate from what a container states: packets' time stamps, or a frame's duration.
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

/// Returns the frame rate for a duration of a frame that was rounded to nanoseconds: the last
/// convergent of its continued fraction whose terms are at most 30000, such as 30000/1001. Returns
/// a numerator of 0 for a duration of 0.
[[nodiscard]] FrameRate frame_rate_of_duration(std::uint64_t nanoseconds);

}  // namespace sidecore::video
