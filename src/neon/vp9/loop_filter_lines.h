// The loop filter on 16 lines of samples, one lane per line; the upper 8 lanes serve a second edge.
// It works for both directions: memory access transposes the lines if necessary.
#pragma once

#include <array>
#include <cstddef>

#include "neon/neon.h"
#include "neon/vp9/unrolled.h"
#include "vp9/loop_filter.h"

namespace sidecore::neon {

/// Samples of 16 lines that a filter of `width` reads, one register per position, from the
/// outermost p to the outermost q.
template <int width>
struct Lines {
  static constexpr std::size_t kReadReach = vp9::read_reach(width);

  [[nodiscard]] uint8x16_t p(std::size_t i) const { return at[kReadReach - 1 - i]; }
  [[nodiscard]] uint8x16_t q(std::size_t i) const { return at[kReadReach + i]; }
  uint8x16_t& p(std::size_t i) { return at[kReadReach - 1 - i]; }
  uint8x16_t& q(std::size_t i) { return at[kReadReach + i]; }

  std::array<uint8x16_t, 2 * kReadReach> at;
};

/// The limits of the edge that each lane belongs to.
struct LaneLimits {
  uint8x16_t blimit, limit, thresh;
};

// Returns zero in the lanes where 2|p0-q0| + |p1-q1|/2 <= E. Plain sums would saturate at 255 and
// lose the comparison for E = 255. With h = |p1-q1|/2, the condition is |p0-q0| <= floor((E-h)/2),
// which is |p0-q0| + floor((h+1-E)/2) <= 0. The halving subtraction keeps the ninth bit, and the
// mixed-sign addition saturates at 0.
template <int width>
uint8x16_t step_excess(const Lines<width>& s, uint8x16_t blimit) {
  const uint8x16_t h_plus_1 = vhaddq_u8(vabdq_u8(s.p(1), s.q(1)), vdupq_n_u8(2));
  return vsqaddq_u8(vabdq_u8(s.p(0), s.q(0)), vreinterpretq_s8_u8(vhsubq_u8(h_plus_1, blimit)));
}

inline int8x16_t to_signed(uint8x16_t samples) {
  return vreinterpretq_s8_u8(veorq_u8(samples, vdupq_n_u8(0x80)));
}

/// Returns the larger of two steps between neighbours: p1 to p0, and q1 to q0.
template <int width>
uint8x16_t inner_step(const Lines<width>& s) {
  return vmaxq_u8(vabdq_u8(s.p(1), s.p(0)), vabdq_u8(s.q(1), s.q(0)));
}

/// Returns all ones in the lanes that pass the filter mask.
template <int width>
uint8x16_t filter_mask(const Lines<width>& s, const LaneLimits& limits) {
  const uint8x16_t outer_step =
      vmaxq_u8(vmaxq_u8(vabdq_u8(s.p(3), s.p(2)), vabdq_u8(s.p(2), s.p(1))),
               vmaxq_u8(vabdq_u8(s.q(2), s.q(1)), vabdq_u8(s.q(3), s.q(2))));
  const uint8x16_t excess = vorrq_u8(vqsubq_u8(vmaxq_u8(inner_step(s), outer_step), limits.limit),
                                     step_excess(s, limits.blimit));
  return vceqq_u8(excess, vdupq_n_u8(0));
}

/// Applies the narrow filter to p1 p0 q0 q1 of `to` in the chosen lanes.
template <int width>
void narrow_filter(const Lines<width>& s, uint8x16_t lanes, uint8x16_t thresh, Lines<width>& to) {
  const int8x16_t mask = vreinterpretq_s8_u8(lanes);
  const int8x16_t hev = vreinterpretq_s8_u8(vcgtq_u8(inner_step(s), thresh));
  const int8x16_t outer = vandq_s8(vqsubq_s8(to_signed(s.p(1)), to_signed(s.q(1))), hev);
  const int8x16_t step = vqsubq_s8(to_signed(s.q(0)), to_signed(s.p(0)));
  // Saturating after each of the three additions gives the same result as saturating once, because
  // all terms have the same sign.
  const int8x16_t base = vandq_s8(vqaddq_s8(vqaddq_s8(vqaddq_s8(outer, step), step), step), mask);
  // All corrections are 0 in lanes where the mask has cleared `base`.
  const int8x16_t filter1 = vshrq_n_s8(vqaddq_s8(base, vdupq_n_s8(4)), 3);
  const int8x16_t filter2 = vshrq_n_s8(vqaddq_s8(base, vdupq_n_s8(3)), 3);
  const int8x16_t inner = vbicq_s8(vrshrq_n_s8(filter1, 1), hev);
  to.p(1) = vsqaddq_u8(s.p(1), inner);
  to.p(0) = vsqaddq_u8(s.p(0), filter2);
  to.q(0) = vsqaddq_u8(s.q(0), vnegq_s8(filter1));
  to.q(1) = vsqaddq_u8(s.q(1), vnegq_s8(inner));
}

/// Returns all ones in the lanes whose samples `first` to `last` are within 1 of p0 and q0.
template <std::size_t first, std::size_t last, int width>
uint8x16_t flat(const Lines<width>& s) {
  uint8x16_t away = vmaxq_u8(vabdq_u8(s.p(first), s.p(0)), vabdq_u8(s.q(first), s.q(0)));
  unrolled<last - first>([&](auto index) __attribute__((always_inline)) {
    constexpr std::size_t i = first + 1 + index;
    away = vmaxq_u8(away, vmaxq_u8(vabdq_u8(s.p(i), s.p(0)), vabdq_u8(s.q(i), s.q(0))));
  });
  return vcleq_u8(away, vdupq_n_u8(1));
}

/// Returns true if a comparison holds in any lane; only the lower 8 lanes count if there is no
/// second edge.
template <bool pair>
bool any(uint8x16_t lanes) {
  if constexpr (pair) return vmaxvq_u32(vreinterpretq_u32_u8(lanes)) != 0;
  return vgetq_lane_u64(vreinterpretq_u64_u8(lanes), 0) != 0;
}

/// Sums of 16 lanes.
struct Sums {
  uint16x8_t low, high;

  void add(uint8x16_t value) {
    low = vaddw_u8(low, vget_low_u8(value));
    high = vaddw_high_u8(high, value);
  }
  void subtract(uint8x16_t value) {
    low = vsubw_u8(low, vget_low_u8(value));
    high = vsubw_high_u8(high, value);
  }
};

/// Applies the wide filter over a box of `radius` (3 or 7) on each side, in the chosen lanes of
/// `to`.
template <std::size_t radius, int width>
[[gnu::always_inline]] inline void wide_filter(const Lines<width>& s, uint8x16_t lanes,
                                               Lines<width>& to) {
  // Index of the outermost position that the filter reads.
  constexpr std::size_t kFirst = Lines<width>::kReadReach - 1 - radius;
  constexpr std::size_t kLast = kFirst + 2 * radius + 1;
  constexpr int kShift = radius == 3 ? 3 : 4;
  // Sum of the box around the second position: `radius` times the first sample, plus the next
  // radius + 1 samples.
  Sums sum;
  if constexpr (radius == 3) {
    const uint8x16_t first = s.at[kFirst];
    sum.low = vaddl_u8(vget_low_u8(first), vget_low_u8(first));
    sum.high = vaddl_high_u8(first, first);
    sum.add(first);
  } else {
    sum.low = vmull_u8(vget_low_u8(s.at[kFirst]), vdup_n_u8(radius));
    sum.high = vmull_high_u8(s.at[kFirst], vdupq_n_u8(radius));
  }
  unrolled<radius + 1>([&](auto index)
                           __attribute__((always_inline)) { sum.add(s.at[kFirst + 1 + index]); });
  unrolled<2 * radius>([&](auto index) __attribute__((always_inline)) {
    constexpr std::size_t k = kFirst + 1 + index;
    Sums with_self = sum;
    with_self.add(s.at[k]);
    const uint8x16_t mean =
        vcombine_u8(vrshrn_n_u16(with_self.low, kShift), vrshrn_n_u16(with_self.high, kShift));
    to.at[k] = vbslq_u8(lanes, mean, to.at[k]);
    if constexpr (k + 1 < kLast) {
      sum.add(s.at[k + 1 + radius < kLast ? k + 1 + radius : kLast]);
      sum.subtract(s.at[k > kFirst + radius ? k - radius : kFirst]);
    }
  });
}

}  // namespace sidecore::neon
