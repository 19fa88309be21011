// The frame rate that packets' time stamps amount to, where a container states only their unit.
#pragma once

#include <cstdint>
#include <span>

#include "video/source.h"

namespace sidecore::video {

/// Returns the frame rate of packets with these time stamps, in file order, each in units of
/// 1 / `ticks` second. `ticks` is in ticks per second; one of numerator or denominator 0 or less
/// means that the unit is unknown.
///
/// - A frame lasts the most common difference of two stamps that follow one another; of equally
///   common ones the smallest. Stamps that repeat or go back have no difference.
/// - Where a frame lasts 8 ticks or more and the stamps are no multiples of that, they are taken
///   for rounded ones: the rate is the one of 1, 2, ... 240 frames per second, or 1000/1001 of
///   that, that comes nearest to the stamps, if each of them is within a tick of it.
/// - Without a difference, a packet is taken to last a tick, if that is at most 240 frames per
///   second.
///
/// Returns a numerator of 0 when the rate is unknown.
[[nodiscard]] FrameRate estimate_frame_rate(FrameRate ticks, std::span<const std::int64_t> stamps);

}  // namespace sidecore::video
