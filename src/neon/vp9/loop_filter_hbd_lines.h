// The loop filter on the 8 lines of an edge of 10- or 12-bit samples, one 16-bit lane per line. It
// is the counterpart of loop_filter_lines.h, whose 8-bit lanes need saturation and widening; here
// all sums fit into a lane.
#pragma once

#include <array>
#include <cstddef>

#include "neon/neon.h"
#include "vp9/loop_filter.h"

namespace sidecore::neon::hbd {

/// Samples of an edge's lines that a filter of `width` reads, one register per position, from the
/// outermost p to the outermost q.
template <int width>
struct Lines {
  static constexpr std::size_t kReadReach = vp9::read_reach(width);

  [[nodiscard]] uint16x8_t p(std::size_t i) const { return at[kReadReach - 1 - i]; }
  [[nodiscard]] uint16x8_t q(std::size_t i) const { return at[kReadReach + i]; }
  uint16x8_t& p(std::size_t i) { return at[kReadReach - 1 - i]; }
  uint16x8_t& q(std::size_t i) { return at[kReadReach + i]; }

  std::array<uint16x8_t, 2 * kReadReach> at;
};

/// The limits of an edge, and the ranges of samples, for `bits` from 8 to 12.
struct LaneLimits {
  LaneLimits(const vp9::LoopFilterLimits& limits, int bits)
      : blimit(scaled(limits.blimit, bits)),
        limit(scaled(limits.limit, bits)),
        thresh(scaled(limits.thresh, bits)),
        flat(scaled(1, bits)),
        largest(vdupq_n_u16(static_cast<std::uint16_t>((1 << bits) - 1))),
        least_step(vdupq_n_s16(static_cast<std::int16_t>(-(0x80 << (bits - 8))))),
        largest_step(vmvnq_s16(least_step)) {}

  uint16x8_t blimit, limit, thresh, flat;
  uint16x8_t largest;  ///< the largest sample value
  /// Smallest and largest step: -128 and 127, scaled to -2^(bits-1) and 2^(bits-1) - 1.
  int16x8_t least_step, largest_step;

 private:
  static uint16x8_t scaled(int value, int bits) {
    return vdupq_n_u16(static_cast<std::uint16_t>(value << (bits - 8)));
  }
};

/// Returns the larger of two steps between neighbours: p1 to p0, and q1 to q0.
template <int width>
uint16x8_t inner_step(const Lines<width>& s) {
  return vmaxq_u16(vabdq_u16(s.p(1), s.p(0)), vabdq_u16(s.q(1), s.q(0)));
}

/// Returns all ones in the lanes that pass the filter mask.
template <int width>
uint16x8_t filter_mask(const Lines<width>& s, const LaneLimits& limits) {
  const uint16x8_t outer_step =
      vmaxq_u16(vmaxq_u16(vabdq_u16(s.p(3), s.p(2)), vabdq_u16(s.p(2), s.p(1))),
                vmaxq_u16(vabdq_u16(s.q(2), s.q(1)), vabdq_u16(s.q(3), s.q(2))));
  const uint16x8_t across =
      vsraq_n_u16(vshlq_n_u16(vabdq_u16(s.p(0), s.q(0)), 1), vabdq_u16(s.p(1), s.q(1)), 1);
  return vandq_u16(vcleq_u16(vmaxq_u16(inner_step(s), outer_step), limits.limit),
                   vcleq_u16(across, limits.blimit));
}

/// Returns a - b as signed 16 bits, which hold any difference of samples of 12 bits.
inline int16x8_t difference(uint16x8_t a, uint16x8_t b) {
  return vreinterpretq_s16_u16(vsubq_u16(a, b));
}

inline int16x8_t clamp_step(int16x8_t step, const LaneLimits& limits) {
  return vmaxq_s16(vminq_s16(step, limits.largest_step), limits.least_step);
}

/// Returns a sample plus a step, clamped to the samples' range.
inline uint16x8_t stepped(uint16x8_t sample, int16x8_t step, const LaneLimits& limits) {
  return vminq_u16(vsqaddq_u16(sample, step), limits.largest);
}

/// Replaces p1 p0 q0 q1 of the chosen lanes by the narrow filter's results.
template <int width>
void narrow_filter(Lines<width>& s, uint16x8_t lanes, const LaneLimits& limits) {
  const int16x8_t hev = vreinterpretq_s16_u16(vcgtq_u16(inner_step(s), limits.thresh));
  const int16x8_t outer = vandq_s16(clamp_step(difference(s.p(1), s.q(1)), limits), hev);
  const int16x8_t sum = vmlaq_s16(outer, difference(s.q(0), s.p(0)), vdupq_n_s16(3));
  // All corrections are 0 in lanes where the mask clears `base`.
  const int16x8_t base = vandq_s16(clamp_step(sum, limits), vreinterpretq_s16_u16(lanes));
  const auto eighth = [&](std::int16_t rounding) {
    return vshrq_n_s16(vminq_s16(vaddq_s16(base, vdupq_n_s16(rounding)), limits.largest_step), 3);
  };
  const int16x8_t filter1 = eighth(4);
  const int16x8_t inner = vbicq_s16(vrshrq_n_s16(filter1, 1), hev);
  s.p(1) = stepped(s.p(1), inner, limits);
  s.p(0) = stepped(s.p(0), eighth(3), limits);
  s.q(0) = stepped(s.q(0), vnegq_s16(filter1), limits);
  s.q(1) = stepped(s.q(1), vnegq_s16(inner), limits);
}

/// Returns all ones in the lanes whose samples `first` to `last` are within 1 (at 8 bits) of p0 and
/// q0.
template <std::size_t first, std::size_t last, int width>
uint16x8_t flat(const Lines<width>& s, const LaneLimits& limits) {
  uint16x8_t away = vmaxq_u16(vabdq_u16(s.p(first), s.p(0)), vabdq_u16(s.q(first), s.q(0)));
  for (std::size_t i = first + 1; i <= last; ++i) {
    away = vmaxq_u16(away, vmaxq_u16(vabdq_u16(s.p(i), s.p(0)), vabdq_u16(s.q(i), s.q(0))));
  }
  return vcleq_u16(away, limits.flat);
}

/// Returns true if a comparison holds in any lane.
inline bool any(uint16x8_t lanes) {
  return vmaxvq_u16(lanes) != 0;
}

/// Applies the wide filter over a box of `radius` (3 or 7) on each side of `s`, in the chosen lanes
/// of `to`. Its sums of 16 samples of 12 bits use all bits of a lane.
template <std::size_t radius, int width>
[[gnu::always_inline]] inline void wide_filter(const Lines<width>& s, uint16x8_t lanes,
                                               Lines<width>& to) {
  // Index of the outermost position that the filter reads.
  constexpr std::size_t kFirst = Lines<width>::kReadReach - 1 - radius;
  constexpr std::size_t kLast = kFirst + 2 * radius + 1;
  constexpr int kShift = radius == 3 ? 3 : 4;
  // Sum of the box around the second position: `radius` times the first sample, plus the next
  // radius + 1 samples.
  uint16x8_t sum = vmulq_n_u16(s.at[kFirst], radius);
  for (std::size_t k = 1; k <= radius + 1; ++k) sum = vaddq_u16(sum, s.at[kFirst + k]);
  for (std::size_t k = kFirst + 1; k < kLast; ++k) {
    const uint16x8_t mean = vrshrq_n_u16(vaddq_u16(sum, s.at[k]), kShift);
    to.at[k] = vbslq_u16(lanes, mean, to.at[k]);
    if (k + 1 == kLast) break;
    sum = vaddq_u16(sum, s.at[k + 1 + radius < kLast ? k + 1 + radius : kLast]);
    sum = vsubq_u16(sum, s.at[k > kFirst + radius ? k - radius : kFirst]);
  }
}

/// Applies all filters of an edge. Wide filters are skipped if no line needs them.
template <int width>
[[gnu::always_inline]] inline Lines<width> filter(const Lines<width>& s, const LaneLimits& limits) {
  const uint16x8_t mask = filter_mask(s, limits);
  Lines<width> result = s;
  narrow_filter(result, mask, limits);
  if constexpr (width >= 8) {
    const uint16x8_t wide = vandq_u16(mask, (flat<1, 3>(s, limits)));
    if (any(wide)) {
      wide_filter<3>(s, wide, result);
      if constexpr (width == 16) {
        const uint16x8_t widest = vandq_u16(wide, (flat<4, 7>(s, limits)));
        if (any(widest)) wide_filter<7>(s, widest, result);
      }
    }
  }
  return result;
}

}  // namespace sidecore::neon::hbd
