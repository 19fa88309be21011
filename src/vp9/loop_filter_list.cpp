// Checks lists of edges and passes their edges to the kernels of the table.
#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstdlib>
#include <utility>

#include "base/error.h"
#include "vp9/dsp.h"
#include "vp9/loop_filter.h"

namespace sidecore::vp9 {
namespace {

// Packs an edge into one number, to process all edges of a list alike. From the lowest bits: x, y,
// plane, direction, width, level.
constexpr std::uint64_t packed(const LoopFilterEdge& edge) {
  return std::bit_cast<std::uint64_t>(edge);
}
static_assert(std::endian::native == std::endian::little);
constexpr int kYShift = 16;
constexpr int kPlaneShift = 32;
constexpr int kDirectionShift = 40;
constexpr int kWidthShift = 48;
constexpr std::uint64_t kLevelOne = std::uint64_t{1} << 56;

// Bits that are never set in a valid edge.
constexpr std::uint64_t kInvalidBits = packed({
    .x = 0x8003,  // multiples of 4 below 2^15
    .y = 0x8003,
    .plane = 0xff & ~3,
    .direction = EdgeDirection{0xff & ~1},
    .width = 0xff & ~(4 | 8 | 16),
    .level = 0xff & ~63,
});
// Fields that give an edge's plane, direction and width.
constexpr std::uint64_t kKindFields = packed(
    {.x = 0, .y = 0, .plane = 0xff, .direction = EdgeDirection{0xff}, .width = 0xff, .level = 0});
// Sign bits of x (low half) and y (high half) in one word.
constexpr std::uint32_t kSigns = 0x8000'8000;

// Number of 6 bits for an edge without the bits of kInvalidBits: its plane from bit 0, its
// direction in bit 2, its width / 4 from bit 3.
constexpr std::size_t kKinds = 64;
constexpr std::size_t kind_in_plane(std::size_t plane, EdgeDirection direction, std::size_t width) {
  return plane | static_cast<std::size_t>(direction) << 2 | width / 4 << 3;
}
// The product moves the three fields to the highest 6 bits, where they do not overlap.
constexpr std::size_t kind_in_plane(std::uint64_t edge) {
  constexpr int kTop = 58;
  constexpr std::uint64_t kGather =
      std::uint64_t{1} << kTop | std::uint64_t{1} << (kTop + 2 - (kDirectionShift - kPlaneShift)) |
      std::uint64_t{1} << (kTop + 3 - (kWidthShift + 2 - kPlaneShift));
  return (edge >> kPlaneShift) * kGather >> kTop;
}
static_assert(
    kind_in_plane(packed({.plane = 2, .direction = EdgeDirection::horizontal, .width = 16})) ==
    kind_in_plane(2, EdgeDirection::horizontal, 16));

// Smallest and largest x and y (x in the low half) of edges whose samples lie in a plane. If no
// edge fits, the smallest value exceeds the largest. `greatest` has kSigns set already.
struct ValidRange {
  std::uint32_t least = 0x7fff'7fff;
  std::uint32_t greatest = kSigns;
};

// Computes the ranges of valid places for each kind_in_plane().
template <class Sample>
std::array<ValidRange, kKinds> find_valid_ranges(const LoopFilterPlanes<Sample>& planes) {
  std::array<ValidRange, kKinds> places;
  for (std::size_t index = 0; index < 3; ++index) {
    const auto& plane = planes[index];
    if (plane.stride == 0) continue;
    const auto side = [](std::size_t samples) {
      return static_cast<int>(std::min<std::size_t>(samples, 0x7fff));
    };
    const int columns = side(plane.stride);
    const int rows = side(plane.samples.size() / plane.stride);
    for (const LoopFilterKind kind : kLoopFilterKinds) {
      const int reach = read_reach(width_of(kind));
      const bool vertical = direction_of(kind) == EdgeDirection::vertical;
      const int right = columns - (vertical ? reach : kEdgeLength);
      const int bottom = rows - (vertical ? kEdgeLength : reach);
      if (right < 0 || bottom < 0) continue;
      const auto at = [](int x, int y) { return static_cast<std::uint32_t>(y << kYShift | x); };
      places[kind_in_plane(index, direction_of(kind), static_cast<std::size_t>(width_of(kind)))] = {
          at(vertical ? reach : 0, vertical ? 0 : reach), at(right, bottom) | kSigns};
    }
  }
  return places;
}

// Returns true if all edges are valid. It has no branch per edge: every fault leaves a bit set.
template <class Sample>
bool are_all_valid(const LoopFilterPlanes<Sample>& planes, std::span<const LoopFilterEdge> edges) {
  const std::array<ValidRange, kKinds> places = find_valid_ranges(planes);
  std::uint64_t never = 0;
  std::uint32_t fits = kSigns;
  for (const LoopFilterEdge& edge : edges) {
    const std::uint64_t bits = packed(edge);
    const ValidRange& range = places[kind_in_plane(bits)];
    const auto place = static_cast<std::uint32_t>(bits);
    // A level of 0 borrows, which sets the highest bit of `bits - kLevelOne`. An x or y outside its
    // range borrows too and clears its bit of kSigns.
    never |= bits | (bits - kLevelOne);
    fits &= ((place | kSigns) - range.least) & (range.greatest - place);
  }
  return (never & kInvalidBits) == 0 && fits == kSigns;
}

bool same_kind_and_plane(const LoopFilterEdge& a, const LoopFilterEdge& b) {
  return ((packed(a) ^ packed(b)) & kKindFields) == 0;
}

// Size of the area that an edge of one kind touches. Two edges that are this far apart in either
// direction share no sample.
struct EdgeReach {
  explicit EdgeReach(const LoopFilterEdge& edge) {
    const TouchedSamples touched(edge);
    columns = touched.right - touched.left;
    rows = touched.bottom - touched.top;
  }
  [[nodiscard]] bool meet(const LoopFilterEdge& a, const LoopFilterEdge& b) const {
    return std::abs(a.x - b.x) < columns && std::abs(a.y - b.y) < rows;
  }

  int columns, rows;
};

// Returns the limits for a sharpness. They are computed only once, because lists may be short.
const LoopFilterLimitTable& limits_of(int sharpness) {
  static const auto all = []<std::size_t... of>(std::index_sequence<of...>) {
    return std::array{LoopFilterLimitTable(static_cast<int>(of))...};
  }
  (std::make_index_sequence<8>{});
  if (sharpness < 0 || sharpness > 7) {
    throw usage_error("loop filter sharpness {} is outside 0..7", sharpness);
  }
  return all[static_cast<std::size_t>(sharpness)];
}

void check_values(std::size_t index, const LoopFilterEdge& edge) {
  if (edge.plane > 2) throw usage_error("edge {}: plane {} must be 0, 1 or 2", index, edge.plane);
  if (edge.width != 4 && edge.width != 8 && edge.width != 16) {
    throw usage_error("edge {}: width {} must be 4, 8 or 16", index, edge.width);
  }
  if (edge.direction != EdgeDirection::vertical && edge.direction != EdgeDirection::horizontal) {
    throw usage_error("edge {}: direction {} must be 0 (vertical) or 1 (horizontal)", index,
                      static_cast<unsigned>(edge.direction));
  }
  if (edge.level < 1 || edge.level > 63) {
    throw usage_error("edge {}: level {} is outside 1..63", index, edge.level);
  }
  if (edge.x % 4 != 0 || edge.y % 4 != 0) {
    throw usage_error("edge {}: x {} and y {} must be multiples of 4", index, edge.x, edge.y);
  }
}

}  // namespace

template <class Sample>
void check_edges(const LoopFilterPlanes<Sample>& planes, std::span<const LoopFilterEdge> edges) {
  if (are_all_valid(planes, edges)) return;
  for (std::size_t index = 0; index < edges.size(); ++index) {
    const LoopFilterEdge& edge = edges[index];
    check_values(index, edge);
    const auto& plane = planes[edge.plane];
    const std::size_t rows = plane.stride == 0 ? 0 : plane.samples.size() / plane.stride;
    const TouchedSamples touched(edge);
    if (touched.left < 0 || touched.top < 0 ||
        static_cast<std::size_t>(touched.right) > plane.stride ||
        static_cast<std::size_t>(touched.bottom) > rows) {
      throw usage_error(
          "edge {}: at x {}, y {}, width {} reads samples outside plane {} of {}x{} samples", index,
          edge.x, edge.y, edge.width, edge.plane, plane.stride, rows);
    }
  }
}
template void check_edges(const LoopFilterPlanes<std::uint8_t>&, std::span<const LoopFilterEdge>);
template void check_edges(const LoopFilterPlanes<std::uint16_t>&, std::span<const LoopFilterEdge>);

template <class Sample>
void filter_edges(const Dsp<Sample>& dsp, const LoopFilterPlanes<Sample>& planes,
                  std::span<const LoopFilterEdge> edges, int sharpness) {
  check_edges(planes, edges);
  filter_valid_edges(dsp, planes, edges, sharpness);
}
template void filter_edges(const Dsp<std::uint8_t>&, const LoopFilterPlanes<std::uint8_t>&,
                           std::span<const LoopFilterEdge>, int);
template void filter_edges(const Dsp<std::uint16_t>&, const LoopFilterPlanes<std::uint16_t>&,
                           std::span<const LoopFilterEdge>, int);

template <class Sample>
void filter_valid_edges(const Dsp<Sample>& dsp, const LoopFilterPlanes<Sample>& planes,
                        std::span<const LoopFilterEdge> edges, int sharpness) {
  assert(are_all_valid(planes, edges));
  const LoopFilterLimitTable& limits = limits_of(sharpness);
  const LoopFilterEdge* edge = edges.data();
  const LoopFilterEdge* const end = edge + edges.size();
  while (edge != end) {
    // Filters the following edges as long as kind and plane stay the same.
    const LoopFilterEdge first = *edge;
    const auto stride = static_cast<std::ptrdiff_t>(planes[edge->plane].stride);
    Sample* const samples = planes[edge->plane].samples.data();
    const auto& filter = dsp.loop_filter(edge->kind());
    const EdgeReach reach(*edge);
    const auto q0 = [=](const LoopFilterEdge& of) { return samples + of.y * stride + of.x; };
    do {
      const LoopFilterEdge* const next = edge + 1;
      if (next != end && same_kind_and_plane(*next, first) && !reach.meet(*edge, *next)) {
        filter.two(q0(*edge), q0(*next), stride, limits[edge->level], limits[next->level]);
        edge += 2;
      } else {
        filter.one(q0(*edge), stride, limits[edge->level]);
        ++edge;
      }
    } while (edge != end && same_kind_and_plane(*edge, first));
  }
}
template void filter_valid_edges(const Dsp<std::uint8_t>&, const LoopFilterPlanes<std::uint8_t>&,
                                 std::span<const LoopFilterEdge>, int);
template void filter_valid_edges(const Dsp<std::uint16_t>&, const LoopFilterPlanes<std::uint16_t>&,
                                 std::span<const LoopFilterEdge>, int);

}  // namespace sidecore::vp9
