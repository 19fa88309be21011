#include "neon/neon.h"
#include "neon/vp9/dsp.h"
#include "neon/vp9/loop_filter_lines.h"
#include "neon/vp9/loop_filter_memory.h"

namespace sidecore::neon {
namespace {

using vp9::EdgeDirection;
using vp9::LoopFilterKind;
using vp9::LoopFilterLimits;

// Loads and stores the 16 lines of one or two edges.
template <int width, bool pair>
struct RowAccess {
  static constexpr bool kPair = pair;
  EdgePair q0;
  std::ptrdiff_t stride;

  [[nodiscard]] Lines<width> load() const { return load_rows<width, pair>(q0, stride); }
  // Does nothing, because load() has loaded all positions.
  void load_outer(Lines<width>& /*lines*/) const {}
  template <int reach>
  void store(const Lines<width>& lines) const {
    store_rows<reach, pair>(q0, stride, lines);
  }
};

template <int width, bool pair, bool adjoining>
struct ColumnAccess {
  static constexpr bool kPair = pair;
  EdgePair q0;
  std::ptrdiff_t stride;

  [[nodiscard]] Lines<width> load() const {
    Lines<width> lines{};
    load_columns<0, 3, pair, adjoining>(q0, stride, lines);
    return lines;
  }
  void load_outer(Lines<width>& lines) const {
    if constexpr (width == 16) load_columns<4, 7, pair, adjoining>(q0, stride, lines);
  }
  template <int reach>
  void store(const Lines<width>& lines) const {
    store_columns<reach, pair, adjoining>(q0, stride, lines);
  }
};

// Runs each filter only if one of the 16 lines needs it, and stores only positions that a line
// needs. In real pictures, flat lines are next to each other, and so are lines that fail the filter
// mask.
template <int width, class Access>
[[gnu::always_inline]] inline void filter_lines(const Access& access, const LaneLimits& limits) {
  Lines<width> s = access.load();
  const uint8x16_t mask = filter_mask(s, limits);
  if (!any<Access::kPair>(mask)) return;
  Lines<width> result = s;
  if constexpr (width >= 8) {
    const uint8x16_t wide = vandq_u8(mask, (flat<1, 3>(s)));
    if (any<Access::kPair>(wide)) {
      if (any<Access::kPair>(vbicq_u8(mask, wide))) narrow_filter(s, mask, limits.thresh, result);
      if constexpr (width == 16) {
        access.load_outer(s);
        const uint8x16_t widest = vandq_u8(wide, (flat<4, 7>(s)));
        if (any<Access::kPair>(widest)) {
          unrolled<4>([&](auto k) __attribute__((always_inline)) {
            result.p(4 + k) = s.p(4 + k);
            result.q(4 + k) = s.q(4 + k);
          });
          if (any<Access::kPair>(vbicq_u8(wide, widest))) wide_filter<3>(s, wide, result);
          wide_filter<7>(s, widest, result);
          return access.template store<7>(result);
        }
      }
      wide_filter<3>(s, wide, result);
      return access.template store<3>(result);
    }
  }
  narrow_filter(s, mask, limits.thresh, result);
  access.template store<2>(result);
}

// Filters two edges, or one if `pair` is false; then both addresses are equal. It is always
// inlined, so that an entry of the table is one function.
template <LoopFilterKind kind, bool pair>
[[gnu::always_inline]] inline void filter_edge_pair(EdgePair q0, std::ptrdiff_t stride,
                                                    const LaneLimits& limits) {
  constexpr int kWidth = vp9::width_of(kind);
  if constexpr (vp9::direction_of(kind) == EdgeDirection::vertical) {
    filter_lines<kWidth>(RowAccess<kWidth, pair>{q0, stride}, limits);
  } else if (pair && q0.b == q0.a + vp9::kEdgeLength) {
    filter_lines<kWidth>(ColumnAccess<kWidth, pair, true>{q0, stride}, limits);
  } else {
    filter_lines<kWidth>(ColumnAccess<kWidth, pair, false>{q0, stride}, limits);
  }
}

// Returns a register with the first edge's limit in the lower 8 lanes and the second's in the upper
// 8.
uint8x16_t halves(std::uint8_t a, std::uint8_t b) {
  return vcombine_u8(vdup_n_u8(a), vdup_n_u8(b));
}

LaneLimits lane_limits(const LoopFilterLimits& a, const LoopFilterLimits& b) {
  return {halves(a.blimit, b.blimit), halves(a.limit, b.limit), halves(a.thresh, b.thresh)};
}

LaneLimits lane_limits(const LoopFilterLimits& limits) {
  return {vdupq_n_u8(limits.blimit), vdupq_n_u8(limits.limit), vdupq_n_u8(limits.thresh)};
}

template <LoopFilterKind kind>
void filter_one(std::uint8_t* q0, std::ptrdiff_t stride, const LoopFilterLimits& limits) {
  filter_edge_pair<kind, false>({q0, q0}, stride, lane_limits(limits));
}

template <LoopFilterKind kind>
void filter_two(std::uint8_t* q0_a, std::uint8_t* q0_b, std::ptrdiff_t stride,
                const LoopFilterLimits& a, const LoopFilterLimits& b) {
  filter_edge_pair<kind, true>({q0_a, q0_b}, stride, lane_limits(a, b));
}

}  // namespace

void add_loop_filter(vp9::Dsp<std::uint8_t>& dsp) {
  vp9::for_each_loop_filter_kind([&dsp]<LoopFilterKind kind>() {
    dsp.loop_filter(kind) = {filter_one<kind>, filter_two<kind>};
  });
}

}  // namespace sidecore::neon
