#include "neon/loop_filter.h"

#include <cstring>

#include "neon/neon.h"

// One filter for both forms: 16 lanes, a line of samples each, the upper 8 for a second edge. There
// is no early exit: on real pictures nearly every group of 16 lines has one whose mask is met.

namespace sidecore::neon {
namespace {

// 16 lines across a boundary, one sample position a register.
struct Lines {
  uint8x16_t p3, p2, p1, p0, q0, q1, q2, q3;
};

struct InnerSamples {
  uint8x16_t p1, p0, q0, q1;
};

struct LaneLimits {
  uint8x16_t blimit, limit, thresh;
};

uint8x16_t trn1_u16(uint8x16_t a, uint8x16_t b) {
  return vreinterpretq_u8_u16(vtrn1q_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b)));
}
uint8x16_t trn2_u16(uint8x16_t a, uint8x16_t b) {
  return vreinterpretq_u8_u16(vtrn2q_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b)));
}
uint8x16_t trn1_u32(uint8x16_t a, uint8x16_t b) {
  return vreinterpretq_u8_u32(vtrn1q_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)));
}
uint8x16_t trn2_u32(uint8x16_t a, uint8x16_t b) {
  return vreinterpretq_u8_u32(vtrn2q_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)));
}

// Transposes two 8x8 blocks at once, one in each half: rows[k] is row k, the result's registers are
// columns.
Lines transpose(const uint8x16_t (&rows)[8]) {
  // Columns c and c+1 of two rows, then c, c+2 of four, then c, c+4 of eight.
  const uint8x16_t a0 = vtrn1q_u8(rows[0], rows[1]);
  const uint8x16_t a1 = vtrn2q_u8(rows[0], rows[1]);
  const uint8x16_t a2 = vtrn1q_u8(rows[2], rows[3]);
  const uint8x16_t a3 = vtrn2q_u8(rows[2], rows[3]);
  const uint8x16_t a4 = vtrn1q_u8(rows[4], rows[5]);
  const uint8x16_t a5 = vtrn2q_u8(rows[4], rows[5]);
  const uint8x16_t a6 = vtrn1q_u8(rows[6], rows[7]);
  const uint8x16_t a7 = vtrn2q_u8(rows[6], rows[7]);

  const uint8x16_t b0 = trn1_u16(a0, a2);
  const uint8x16_t b1 = trn1_u16(a1, a3);
  const uint8x16_t b2 = trn2_u16(a0, a2);
  const uint8x16_t b3 = trn2_u16(a1, a3);
  const uint8x16_t b4 = trn1_u16(a4, a6);
  const uint8x16_t b5 = trn1_u16(a5, a7);
  const uint8x16_t b6 = trn2_u16(a4, a6);
  const uint8x16_t b7 = trn2_u16(a5, a7);

  return {trn1_u32(b0, b4), trn1_u32(b1, b5), trn1_u32(b2, b6), trn1_u32(b3, b7),
          trn2_u32(b0, b4), trn2_u32(b1, b5), trn2_u32(b2, b6), trn2_u32(b3, b7)};
}

// Zero in the lanes where 2|p0-q0| + |p1-q1|/2 <= E. Plain sums would saturate at 255 and lose the
// comparison for E = 255. With h = |p1-q1|/2, the condition is |p0-q0| <= floor((E-h)/2), which is
// |p0-q0| + floor((h+1-E)/2) <= 0; the halving subtraction keeps the ninth bit, and the mixed-sign
// addition saturates at 0.
uint8x16_t excess_across(const Lines& s, uint8x16_t blimit) {
  const uint8x16_t h_plus_1 = vhaddq_u8(vabdq_u8(s.p1, s.q1), vdupq_n_u8(2));
  return vsqaddq_u8(vabdq_u8(s.p0, s.q0), vreinterpretq_s8_u8(vhsubq_u8(h_plus_1, blimit)));
}

int8x16_t to_signed(uint8x16_t samples) {
  return vreinterpretq_s8_u8(veorq_u8(samples, vdupq_n_u8(0x80)));
}

InnerSamples filter(const Lines& s, const LaneLimits& limits) {
  const uint8x16_t inner_step = vmaxq_u8(vabdq_u8(s.p1, s.p0), vabdq_u8(s.q1, s.q0));
  const uint8x16_t outer_step = vmaxq_u8(vmaxq_u8(vabdq_u8(s.p3, s.p2), vabdq_u8(s.p2, s.p1)),
                                         vmaxq_u8(vabdq_u8(s.q2, s.q1), vabdq_u8(s.q3, s.q2)));
  const uint8x16_t excess = vorrq_u8(vqsubq_u8(vmaxq_u8(inner_step, outer_step), limits.limit),
                                     excess_across(s, limits.blimit));
  const int8x16_t mask = vreinterpretq_s8_u8(vceqq_u8(excess, vdupq_n_u8(0)));
  const int8x16_t hev = vreinterpretq_s8_u8(vcgtq_u8(inner_step, limits.thresh));

  const int8x16_t outer = vandq_s8(vqsubq_s8(to_signed(s.p1), to_signed(s.q1)), hev);
  const int8x16_t step = vqsubq_s8(to_signed(s.q0), to_signed(s.p0));
  // Saturating after each of the three additions equals saturating once: all have the same sign.
  const int8x16_t base = vandq_s8(vqaddq_s8(vqaddq_s8(vqaddq_s8(outer, step), step), step), mask);
  // Where the mask cleared it, all three corrections are 0.
  const int8x16_t filter1 = vshrq_n_s8(vqaddq_s8(base, vdupq_n_s8(4)), 3);
  const int8x16_t filter2 = vshrq_n_s8(vqaddq_s8(base, vdupq_n_s8(3)), 3);
  const int8x16_t inner = vbicq_s8(vrshrq_n_s8(filter1, 1), hev);
  return {vsqaddq_u8(s.p1, inner), vsqaddq_u8(s.p0, filter2), vsqaddq_u8(s.q0, vnegq_s8(filter1)),
          vsqaddq_u8(s.q1, vnegq_s8(inner))};
}

uint8x16_t zip1_u16(uint8x16_t a, uint8x16_t b) {
  return vreinterpretq_u8_u16(vzip1q_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b)));
}
uint8x16_t zip2_u16(uint8x16_t a, uint8x16_t b) {
  return vreinterpretq_u8_u16(vzip2q_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b)));
}

template <int lane>
void store_word(std::uint8_t* to, uint8x16_t words) {
  const std::uint32_t word = vgetq_lane_u32(vreinterpretq_u32_u8(words), lane);
  std::memcpy(to, &word, sizeof word);
}

// Stores p1 p0 q0 q1 of four lines, `p1` pointing at the first.
void store_four_lines(std::uint8_t* p1, std::ptrdiff_t stride, uint8x16_t words) {
  store_word<0>(p1, words);
  store_word<1>(p1 + stride, words);
  store_word<2>(p1 + 2 * stride, words);
  store_word<3>(p1 + 3 * stride, words);
}

// Stores the 8 lines of the lower half of `p` and `q`, pairs p1 p0 and q0 q1.
void store_edge(std::uint8_t* q0, std::ptrdiff_t stride, uint8x16_t p, uint8x16_t q) {
  store_four_lines(q0 - 2, stride, zip1_u16(p, q));
  store_four_lines(q0 - 2 + 4 * stride, stride, zip2_u16(p, q));
}

// Always inlined: a list keeps its constants and multiples of the stride in registers.
[[gnu::always_inline]] inline void filter_pair(std::uint8_t* q0_a, std::uint8_t* q0_b,
                                               std::ptrdiff_t stride, const LaneLimits& limits) {
  uint8x16_t rows[8];
  for (int row = 0; row < 8; ++row) {
    rows[row] = vcombine_u8(vld1_u8(q0_a - 4 + row * stride), vld1_u8(q0_b - 4 + row * stride));
  }
  const InnerSamples s = filter(transpose(rows), limits);
  store_edge(q0_a, stride, vzip1q_u8(s.p1, s.p0), vzip1q_u8(s.q0, s.q1));
  store_edge(q0_b, stride, vzip2q_u8(s.p1, s.p0), vzip2q_u8(s.q0, s.q1));
}

// The first edge's limit in the lower 8 lanes, the second's in the upper.
uint8x16_t halves(std::uint8_t a, std::uint8_t b) {
  return vcombine_u8(vdup_n_u8(a), vdup_n_u8(b));
}

// The limits of two list neighbours, whose 16 bytes one load fetches.
LaneLimits limits_of_pair(const vp9::LoopFilterEdge* edges) {
  static_assert(offsetof(vp9::LoopFilterEdge, limits.blimit) == 4 &&
                offsetof(vp9::LoopFilterEdge, limits.limit) == 5 &&
                offsetof(vp9::LoopFilterEdge, limits.thresh) == 6);
  const uint8x16_t pair = vld1q_u8(reinterpret_cast<const std::uint8_t*>(edges));
  return {vqtbl1q_u8(pair, halves(4, 12)), vqtbl1q_u8(pair, halves(5, 13)),
          vqtbl1q_u8(pair, halves(6, 14))};
}

}  // namespace

void loop_filter_h_4_8(std::uint8_t* q0, std::ptrdiff_t stride,
                       const vp9::LoopFilterLimits& limits) {
  uint8x16_t rows[8];
  for (int row = 0; row < 8; ++row) {
    rows[row] = vcombine_u8(vld1_u8(q0 - 4 + row * stride), vdup_n_u8(0));
  }
  const InnerSamples s =
      filter(transpose(rows),
             {vdupq_n_u8(limits.blimit), vdupq_n_u8(limits.limit), vdupq_n_u8(limits.thresh)});
  store_edge(q0, stride, vzip1q_u8(s.p1, s.p0), vzip1q_u8(s.q0, s.q1));
}

void loop_filter_h_4_8_dual(std::uint8_t* q0_a, std::uint8_t* q0_b, std::ptrdiff_t stride,
                            const vp9::LoopFilterLimits& limits_a,
                            const vp9::LoopFilterLimits& limits_b) {
  filter_pair(q0_a, q0_b, stride,
              {halves(limits_a.blimit, limits_b.blimit), halves(limits_a.limit, limits_b.limit),
               halves(limits_a.thresh, limits_b.thresh)});
}

void loop_filter_h_4_8(const vp9::LoopFilterPlane& plane,
                       std::span<const vp9::LoopFilterEdge> edges) {
  std::uint8_t* const base = plane.bytes.data();
  const auto stride = static_cast<std::ptrdiff_t>(plane.stride);
  std::size_t index = 0;
  for (; index + 1 < edges.size(); index += 2) {
    filter_pair(base + edges[index].offset, base + edges[index + 1].offset, stride,
                limits_of_pair(&edges[index]));
  }
  if (index < edges.size()) {
    neon::loop_filter_h_4_8(base + edges[index].offset, stride, edges[index].limits);
  }
}

}  // namespace sidecore::neon
