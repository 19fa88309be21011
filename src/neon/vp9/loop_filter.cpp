#include "neon/vp9/loop_filter.h"

#include <array>

#include "neon/neon.h"
#include "neon/vp9/loop_filter_lines.h"
#include "neon/vp9/loop_filter_memory.h"

namespace sidecore::neon {
namespace {

using vp9::EdgeDirection;
using vp9::LoopFilterEdge;
using vp9::LoopFilterKind;
using vp9::LoopFilterLimits;
using vp9::PictureEdge;

// How the 16 lines of one or two edges come and go.
template <int width, bool pair>
struct RowAccess {
  static constexpr bool kPair = pair;
  EdgePair q0;
  std::ptrdiff_t stride;

  [[nodiscard]] Lines<width> load() const { return load_rows<width, pair>(q0, stride); }
  void load_outer(Lines<width>& /*lines*/) const {}  // which load() brought along
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

// Each filter runs, and each sample is stored, only where one of the 16 lines asks for it: in real
// pictures lines that are flat lie together, and so do those whose mask is not met.
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

// Always inlined: a list keeps its constants and multiples of the stride in registers.
template <LoopFilterKind kind, bool pair>
[[gnu::always_inline]] inline void filter_edges(EdgePair q0, std::ptrdiff_t stride,
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

// The first edge's limit in the lower 8 lanes, the second's in the upper.
uint8x16_t halves(std::uint8_t a, std::uint8_t b) {
  return vcombine_u8(vdup_n_u8(a), vdup_n_u8(b));
}

LaneLimits lane_limits(const LoopFilterLimits& a, const LoopFilterLimits& b) {
  return {halves(a.blimit, b.blimit), halves(a.limit, b.limit), halves(a.thresh, b.thresh)};
}

LaneLimits lane_limits(const LoopFilterLimits& limits) {
  return {vdupq_n_u8(limits.blimit), vdupq_n_u8(limits.limit), vdupq_n_u8(limits.thresh)};
}

// The limits of two list neighbours, whose 16 bytes one load fetches.
LaneLimits limits_of_pair(const LoopFilterEdge* edges) {
  static_assert(offsetof(LoopFilterEdge, limits.blimit) == 4 &&
                offsetof(LoopFilterEdge, limits.limit) == 5 &&
                offsetof(LoopFilterEdge, limits.thresh) == 6);
  const uint8x16_t pair = vld1q_u8(reinterpret_cast<const std::uint8_t*>(edges));
  return {vqtbl1q_u8(pair, halves(4, 12)), vqtbl1q_u8(pair, halves(5, 13)),
          vqtbl1q_u8(pair, halves(6, 14))};
}

template <LoopFilterKind kind>
void filter_one(std::uint8_t* q0, std::ptrdiff_t stride, const LoopFilterLimits& limits) {
  filter_edges<kind, false>({q0, q0}, stride, lane_limits(limits));
}

template <LoopFilterKind kind>
void filter_two(EdgePair q0, std::ptrdiff_t stride, const LoopFilterLimits& a,
                const LoopFilterLimits& b) {
  filter_edges<kind, true>(q0, stride, lane_limits(a, b));
}

// Filters a run of a list, all of one kind.
template <LoopFilterKind kind>
void filter_run(const vp9::LoopFilterPlane& plane, std::span<const LoopFilterEdge> edges) {
  std::uint8_t* const base = plane.bytes.data();
  const auto stride = static_cast<std::ptrdiff_t>(plane.stride);
  std::size_t index = 0;
  for (; index + 1 < edges.size(); index += 2) {
    filter_edges<kind, true>({base + edges[index].offset, base + edges[index + 1].offset}, stride,
                             limits_of_pair(&edges[index]));
  }
  if (index < edges.size()) {
    filter_one<kind>(base + edges[index].offset, stride, edges[index].limits);
  }
}

// The forms of every kind, by its value.
struct Filters {
  void (*one)(std::uint8_t*, std::ptrdiff_t, const LoopFilterLimits&);
  void (*two)(EdgePair, std::ptrdiff_t, const LoopFilterLimits&, const LoopFilterLimits&);
  void (*run)(const vp9::LoopFilterPlane&, std::span<const LoopFilterEdge>);
};
template <LoopFilterKind kind>
constexpr Filters kFilters{filter_one<kind>, filter_two<kind>, filter_run<kind>};
constexpr std::array kOfKind = {kFilters<LoopFilterKind::h_4>,  kFilters<LoopFilterKind::h_8>,
                                kFilters<LoopFilterKind::h_16>, Filters{},
                                kFilters<LoopFilterKind::v_4>,  kFilters<LoopFilterKind::v_8>,
                                kFilters<LoopFilterKind::v_16>};

const Filters& filters_of(LoopFilterKind kind) {
  return kOfKind[static_cast<std::size_t>(kind)];
}

bool touch_common_samples(const PictureEdge& a, const PictureEdge& b) {
  const vp9::TouchedSamples s(a);
  const vp9::TouchedSamples t(b);
  return s.left < t.right && t.left < s.right && s.top < t.bottom && t.top < s.bottom;
}

bool can_pair(const PictureEdge& a, const PictureEdge& b) {
  return a.plane == b.plane && a.direction == b.direction && a.width == b.width &&
         !touch_common_samples(a, b);
}

}  // namespace

void filter_edge(LoopFilterKind kind, std::uint8_t* q0, std::ptrdiff_t stride,
                 const LoopFilterLimits& limits) {
  filters_of(kind).one(q0, stride, limits);
}

void filter_edge_pair(LoopFilterKind kind, std::uint8_t* q0_a, std::uint8_t* q0_b,
                      std::ptrdiff_t stride, const LoopFilterLimits& limits_a,
                      const LoopFilterLimits& limits_b) {
  filters_of(kind).two({q0_a, q0_b}, stride, limits_a, limits_b);
}

void loop_filter_h_4_8(std::uint8_t* q0, std::ptrdiff_t stride, const LoopFilterLimits& limits) {
  filter_one<LoopFilterKind::h_4>(q0, stride, limits);
}

void loop_filter_h_4_8_dual(std::uint8_t* q0_a, std::uint8_t* q0_b, std::ptrdiff_t stride,
                            const LoopFilterLimits& limits_a, const LoopFilterLimits& limits_b) {
  filter_two<LoopFilterKind::h_4>({q0_a, q0_b}, stride, limits_a, limits_b);
}

void loop_filter_h_4_8(const vp9::LoopFilterPlane& plane, std::span<const LoopFilterEdge> edges) {
  filter_run<LoopFilterKind::h_4>(plane, edges);
}

void loop_filter(const vp9::LoopFilterPlane& plane, std::span<const LoopFilterEdge> edges) {
  std::size_t first = 0;
  while (first < edges.size()) {
    std::size_t last = first + 1;
    while (last < edges.size() && edges[last].kind == edges[first].kind) ++last;
    filters_of(edges[first].kind).run(plane, edges.subspan(first, last - first));
    first = last;
  }
}

void filter_edges_in_order(const vp9::LoopFilterPicture<std::uint8_t>& picture,
                           std::span<const PictureEdge> edges, int sharpness) {
  vp9::check_picture_edges(picture, edges);
  const vp9::LoopFilterLimitTable limits(sharpness);
  for (std::size_t index = 0; index < edges.size();) {
    const PictureEdge& edge = edges[index];
    const auto& plane = picture.planes[edge.plane];
    const auto stride = static_cast<std::ptrdiff_t>(plane.stride);
    const auto q0 = [&plane](const PictureEdge& at) {
      return plane.samples.data() + at.y * plane.stride + at.x;
    };
    const Filters& filters = filters_of(vp9::loop_filter_kind(edge.direction, edge.width));
    if (index + 1 < edges.size() && can_pair(edge, edges[index + 1])) {
      const PictureEdge& next = edges[index + 1];
      filters.two({q0(edge), q0(next)}, stride, limits[edge.level], limits[next.level]);
      index += 2;
    } else {
      filters.one(q0(edge), stride, limits[edge.level]);
      ++index;
    }
  }
}

}  // namespace sidecore::neon
