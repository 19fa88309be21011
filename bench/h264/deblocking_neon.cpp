#include "h264/deblocking.h"

#include <cstring>

#include "neon/neon.h"
#include "neon/vp9/loop_filter_lines.h"
#include "neon/vp9/loop_filter_memory.h"

namespace sidecore::h264 {
namespace {

// Lines of 8 samples across an edge: 16 luma lines, or 8 lines of each chroma plane.
using Lines = neon::Lines<8>;
using neon::EdgePair;

uint8x16_t below(uint8x16_t a, uint8x16_t b, uint8x16_t limit) {
  return vcltq_u8(vabdq_u8(a, b), limit);
}

// Repeats the four bytes at `from` in every word of a register.
uint8x16_t four_bytes(const std::array<std::uint8_t, 4>& from) {
  std::uint32_t word = 0;
  std::memcpy(&word, from.data(), sizeof word);
  return vreinterpretq_u8_u32(vdupq_n_u32(word));
}

// Lanes of the segments of an edge: 16 lines, or 8 lines twice.
constexpr std::array<std::uint8_t, 16> kLumaSegments = {0, 0, 0, 0, 1, 1, 1, 1,
                                                        2, 2, 2, 2, 3, 3, 3, 3};
constexpr std::array<std::uint8_t, 16> kChromaSegments = {0, 0, 1, 1, 2, 2, 3, 3,
                                                          0, 0, 1, 1, 2, 2, 3, 3};

// Thresholds of each lane.
struct LaneThresholds {
  uint8x16_t alpha, beta;
};

// Returns all ones in the lanes whose line is filtered (filterSamplesFlag), if its bS is not 0.
uint8x16_t filtered_lanes(const Lines& s, const LaneThresholds& thresholds) {
  return vandq_u8(vcltq_u8(neon::inner_step(s), thresholds.beta),
                  below(s.p(0), s.q(0), thresholds.alpha));
}

// Returns the change of p0 for bS below 4, at most `tc` in magnitude: ((q0-p0)*4 + p1-q1 + 4) >> 3
// is (q0-p0 + ((p1-q1) >> 2) + 1) >> 1. A difference q0-p0 that saturates gives at least 32, which
// is above any tc.
int8x16_t inner_change(const Lines& s, uint8x16_t tc) {
  const int8x16_t outer = vshrq_n_s8(vreinterpretq_s8_u8(vhsubq_u8(s.p(1), s.q(1))), 1);
  const int8x16_t step = vqsubq_s8(neon::to_signed(s.q(0)), neon::to_signed(s.p(0)));
  const int8x16_t limit = vreinterpretq_s8_u8(tc);
  return vmaxq_s8(vminq_s8(vrhaddq_s8(step, outer), limit), vnegq_s8(limit));
}

void change_inner(Lines& s, uint8x16_t tc) {
  const int8x16_t change = inner_change(s, tc);
  s.p(0) = vsqaddq_u8(s.p(0), change);
  s.q(0) = vsqaddq_u8(s.q(0), vnegq_s8(change));
}

// Returns sample 1 of a side for bS below 4: the mean of `s2` and `mean`, at most tc0 from `s1`.
uint8x16_t second_sample(uint8x16_t s1, uint8x16_t s2, uint8x16_t mean, uint8x16_t tc0) {
  return vmaxq_u8(vminq_u8(vhaddq_u8(s2, mean), vqaddq_u8(s1, tc0)), vqsubq_u8(s1, tc0));
}

// Filters the lanes with bS below 4 (section 8.7.2.3). tc0 is 0 in lanes that are not filtered.
void filter_normally(Lines& s, uint8x16_t lanes, uint8x16_t tc0, uint8x16_t beta) {
  const uint8x16_t near_p = vandq_u8(below(s.p(2), s.p(0), beta), lanes);
  const uint8x16_t near_q = vandq_u8(below(s.q(2), s.q(0), beta), lanes);
  const uint8x16_t tc = vsubq_u8(vsubq_u8(tc0, near_p), near_q);  // a mask is -1
  const uint8x16_t mean = vrhaddq_u8(s.p(0), s.q(0));
  change_inner(s, tc);
  s.p(1) = second_sample(s.p(1), s.p(2), mean, vandq_u8(tc0, near_p));
  s.q(1) = second_sample(s.q(1), s.q(2), mean, vandq_u8(tc0, near_q));
}

// Returns (2 * a + b + c + 2) >> 2. The rounding down of the inner mean never changes the result.
uint8x16_t weak_sample(uint8x16_t a, uint8x16_t b, uint8x16_t c) {
  return vrhaddq_u8(a, vhaddq_u8(b, c));
}

// Samples 0 to 2 of a side with bS 4, where its samples are alike.
struct StrongSide {
  uint8x16_t s0, s1, s2;
};
// `s` are the side's samples 0 to 3, `o` the other side's samples 0 and 1.
StrongSide strong_side(const std::array<uint8x16_t, 4>& s, const std::array<uint8x16_t, 2>& o) {
  const auto half = [&](auto part) __attribute__((always_inline)) {
    const uint16x8_t three = vaddw_u8(vaddl_u8(part(s[0]), part(s[1])), part(o[0]));
    const uint16x8_t four = vaddw_u8(three, part(s[2]));
    const uint16x8_t both = vaddw_u8(vaddq_u16(three, four), part(o[1]));
    const uint16x8_t outer = vaddl_u8(part(s[2]), part(s[3]));
    return std::array{vrshrn_n_u16(both, 3), vrshrn_n_u16(four, 2),
                      vrshrn_n_u16(vaddq_u16(vaddq_u16(outer, outer), four), 3)};
  };
  const auto low = half([](uint8x16_t a) { return vget_low_u8(a); });
  const auto high = half([](uint8x16_t a) { return vget_high_u8(a); });
  return {vcombine_u8(low[0], high[0]), vcombine_u8(low[1], high[1]), vcombine_u8(low[2], high[2])};
}

// Filters the lanes with bS 4 (section 8.7.2.4). Returns true if samples beyond p0 and q0 changed.
bool filter_strongly(Lines& s, uint8x16_t lanes, const LaneThresholds& thresholds) {
  const Lines old = s;
  const uint8x16_t quarter = vaddq_u8(vshrq_n_u8(thresholds.alpha, 2), vdupq_n_u8(2));
  const uint8x16_t small = vandq_u8(below(old.p(0), old.q(0), quarter), lanes);
  const uint8x16_t strong_p = vandq_u8(below(old.p(2), old.p(0), thresholds.beta), small);
  const uint8x16_t strong_q = vandq_u8(below(old.q(2), old.q(0), thresholds.beta), small);
  s.p(0) = vbslq_u8(lanes, weak_sample(old.p(1), old.p(0), old.q(1)), old.p(0));
  s.q(0) = vbslq_u8(lanes, weak_sample(old.q(1), old.q(0), old.p(1)), old.q(0));
  if (!neon::any<true>(vorrq_u8(strong_p, strong_q))) return false;
  const StrongSide p = strong_side({old.p(0), old.p(1), old.p(2), old.p(3)}, {old.q(0), old.q(1)});
  const StrongSide q = strong_side({old.q(0), old.q(1), old.q(2), old.q(3)}, {old.p(0), old.p(1)});
  s.p(0) = vbslq_u8(strong_p, p.s0, s.p(0));
  s.p(1) = vbslq_u8(strong_p, p.s1, s.p(1));
  s.p(2) = vbslq_u8(strong_p, p.s2, s.p(2));
  s.q(0) = vbslq_u8(strong_q, q.s0, s.q(0));
  s.q(1) = vbslq_u8(strong_q, q.s1, s.q(1));
  s.q(2) = vbslq_u8(strong_q, q.s2, s.q(2));
  return true;
}

struct Segments {
  Segments(const Strengths& of_edge, const std::array<std::uint8_t, 16>& segments)
      : strengths(vqtbl1q_u8(four_bytes(of_edge), vld1q_u8(segments.data()))) {}
  [[nodiscard]] uint8x16_t filtered() const { return vtstq_u8(strengths, strengths); }

  uint8x16_t strengths;  // strength of each lane
};

// Calls the filter of luma; `load` returns the lines, store<reach>() stores `reach` samples of each
// side.
template <class Load, class Store>
[[gnu::always_inline]] inline void filter_lines(const Strengths& strengths,
                                                const EdgeThresholds& thresholds, const Load& load,
                                                const Store& store) {
  Lines s = load();
  const LaneThresholds lane{vdupq_n_u8(thresholds.alpha), vdupq_n_u8(thresholds.beta)};
  uint8x16_t lanes = filtered_lanes(s, lane);
  if (strengths[0] == 4) {
    if (!neon::any<true>(lanes)) return;
    if (filter_strongly(s, lanes, lane)) return store.template operator()<3>(s);
    return store.template operator()<2>(s);
  }
  const Segments segments(strengths, kLumaSegments);
  lanes = vandq_u8(lanes, segments.filtered());
  if (!neon::any<true>(lanes)) return;
  const uint8x16_t tc0 = vqtbl1q_u8(four_bytes(thresholds.tc0), segments.strengths);
  filter_normally(s, lanes, vandq_u8(tc0, lanes), lane.beta);
  store.template operator()<2>(s);
}

void filter_luma_edge(std::uint8_t* q0, std::ptrdiff_t stride, EdgeDirection direction,
                      const Strengths& strengths, const EdgeThresholds& thresholds) {
  if (direction == EdgeDirection::vertical) {
    const EdgePair pair{q0, q0 + 8 * stride};
    filter_lines(
        strengths, thresholds, [&] { return neon::load_rows<8, true>(pair, stride); },
        [&]<int reach>(const Lines& s) { neon::store_rows<reach, true>(pair, stride, s); });
  } else {
    const EdgePair pair{q0, q0 + 8};
    const auto load = [&] {
      Lines s{};
      neon::load_columns<0, 3, true, true>(pair, stride, s);
      return s;
    };
    filter_lines(strengths, thresholds, load, [&]<int reach>(const Lines& s) {
      neon::store_columns<reach, true, true>(pair, stride, s);
    });
  }
}

// Filters the lanes of chroma, which changes only p0 and q0. Returns true if samples changed.
bool filter_chroma_lines(Lines& s, const Strengths& strengths,
                         const std::array<EdgeThresholds, 2>& thresholds) {
  const auto halves = [](uint8x16_t a, uint8x16_t b) {
    return vcombine_u8(vget_low_u8(a), vget_low_u8(b));
  };
  const auto both = [&](std::uint8_t EdgeThresholds::*of) {
    return halves(vdupq_n_u8(thresholds[0].*of), vdupq_n_u8(thresholds[1].*of));
  };
  uint8x16_t lanes = filtered_lanes(s, {both(&EdgeThresholds::alpha), both(&EdgeThresholds::beta)});
  if (strengths[0] == 4) {
    if (!neon::any<true>(lanes)) return false;
    const uint8x16_t p0 = weak_sample(s.p(1), s.p(0), s.q(1));
    s.q(0) = vbslq_u8(lanes, weak_sample(s.q(1), s.q(0), s.p(1)), s.q(0));
    s.p(0) = vbslq_u8(lanes, p0, s.p(0));
    return true;
  }
  const Segments segments(strengths, kChromaSegments);
  lanes = vandq_u8(lanes, segments.filtered());
  if (!neon::any<true>(lanes)) return false;
  const uint8x16_t tc0 = halves(vqtbl1q_u8(four_bytes(thresholds[0].tc0), segments.strengths),
                                vqtbl1q_u8(four_bytes(thresholds[1].tc0), segments.strengths));
  change_inner(s, vandq_u8(vaddq_u8(tc0, vdupq_n_u8(1)), lanes));
  return true;
}

void filter_chroma_edge(const std::array<std::uint8_t*, 2>& q0, std::ptrdiff_t stride,
                        EdgeDirection direction, const Strengths& strengths,
                        const std::array<EdgeThresholds, 2>& thresholds) {
  const EdgePair pair{q0[0], q0[1]};
  if (direction == EdgeDirection::vertical) {
    Lines s = neon::load_rows<8, true>(pair, stride);
    if (filter_chroma_lines(s, strengths, thresholds)) neon::store_rows<2, true>(pair, stride, s);
  } else {
    Lines s{};
    neon::load_columns<0, 1, true, false>(pair, stride, s);
    if (!filter_chroma_lines(s, strengths, thresholds)) return;
    neon::store_columns<1, true, false>(pair, stride, s);
  }
}

}  // namespace

const DeblockingKernels& neon_deblocking() {
  static constexpr DeblockingKernels kKernels{filter_luma_edge, filter_chroma_edge};
  return kKernels;
}

}  // namespace sidecore::h264
