// The VP9 loop filter: limits, kinds, edges, and the order in which a list of them is filtered.
// Source: VP9 Bitstream & Decoding Process Specification v0.6, section 8.8 ("Loop filter process").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace sidecore::vp9 {

template <class Sample>
struct Dsp;

/// Of the boundary that an edge lies on. Across a vertical boundary samples of one row are filtered
/// together (FFmpeg's "h"), across a horizontal one samples of one column ("v").
enum class EdgeDirection : std::uint8_t { vertical, horizontal };

/// Samples along the boundary that make an edge.
inline constexpr int kEdgeLength = 8;

/// How many samples on each side of the boundary a filter of `width` 4, 8 or 16 reads.
[[nodiscard]] constexpr int read_reach(int width) {
  return width == 16 ? 8 : 4;
}

/// How many of them it may change.
[[nodiscard]] constexpr int write_reach(int width) {
  return width == 16 ? 7 : width == 8 ? 3 : 2;
}

/// Thresholds of one edge, for 8-bit samples ("Adaptive filter strength process").
struct LoopFilterLimits {
  std::uint8_t blimit = 0;  ///< E: bound on the step across the boundary, 2|p0-q0| + |p1-q1|/2
  std::uint8_t limit = 0;   ///< I: bound on each step between neighbours on one side
  std::uint8_t thresh = 0;  ///< H: above it a side counts as high edge variance
  bool operator==(const LoopFilterLimits&) const = default;
};

/// Limits of a filter level (1..63; level 0 means "no filtering" and has no limits) and a sharpness
/// (0..7). Throws Error (usage) outside these ranges.
[[nodiscard]] LoopFilterLimits loop_filter_limits(int level, int sharpness);

/// The limits of every level at one sharpness.
class LoopFilterLimitTable {
 public:
  /// Throws Error (usage) when sharpness is outside 0..7.
  explicit LoopFilterLimitTable(int sharpness);
  /// `level` is 1..63.
  [[nodiscard]] const LoopFilterLimits& operator[](std::size_t level) const {
    return limits_[level];
  }

 private:
  std::array<LoopFilterLimits, 64> limits_{};
};

/// Direction and width in one name, FFmpeg's: "h" filters across a vertical boundary. The values
/// are the shaders' too: bits 0 and 1 the width, bit 2 the direction.
enum class LoopFilterKind : std::uint8_t { h_4 = 0, h_8 = 1, h_16 = 2, v_4 = 4, v_8 = 5, v_16 = 6 };
inline constexpr std::array kLoopFilterKinds = {LoopFilterKind::h_4,  LoopFilterKind::h_8,
                                                LoopFilterKind::h_16, LoopFilterKind::v_4,
                                                LoopFilterKind::v_8,  LoopFilterKind::v_16};

[[nodiscard]] constexpr EdgeDirection direction_of(LoopFilterKind kind) {
  return static_cast<unsigned>(kind) < 4 ? EdgeDirection::vertical : EdgeDirection::horizontal;
}
/// 4, 8 or 16.
[[nodiscard]] constexpr int width_of(LoopFilterKind kind) {
  return 4 << (static_cast<unsigned>(kind) & 3U);
}
/// `width` is 4, 8 or 16.
[[nodiscard]] constexpr LoopFilterKind loop_filter_kind(EdgeDirection direction, int width) {
  return static_cast<LoopFilterKind>((direction == EdgeDirection::horizontal ? 4 : 0) +
                                     (width == 16 ? 2 : width / 8));
}
/// "h_4" and so on.
[[nodiscard]] const char* to_string(LoopFilterKind kind);

/// visit.operator()<kind>() for every kind, for functions that are compiled for one each.
template <class Visit>
void for_each_loop_filter_kind(const Visit& visit) {
  using enum LoopFilterKind;
  const auto visit_all = [&visit]<LoopFilterKind... kind>() {
    (visit.template operator()<kind>(), ...);
  };
  visit_all.template operator()<h_4, h_8, h_16, v_4, v_8, v_16>();
}

/// One edge: 8 samples along a boundary of a plane.
struct LoopFilterEdge {
  std::uint16_t x = 0;  ///< of the first sample right of or below the boundary (q0), in its plane
  std::uint16_t y = 0;
  std::uint8_t plane = 0;  ///< 0 Y, 1 Cb, 2 Cr
  EdgeDirection direction = EdgeDirection::vertical;
  std::uint8_t width = 4;  ///< of the filter: 4, 8, 16
  std::uint8_t level = 1;  ///< filter level, 1..63
  bool operator==(const LoopFilterEdge&) const = default;

  /// Of an edge whose width and direction exist.
  [[nodiscard]] constexpr LoopFilterKind kind() const { return loop_filter_kind(direction, width); }
};
static_assert(sizeof(LoopFilterEdge) == 8);

/// The samples of its plane that an edge reads or writes: columns [left, right), rows [top,
/// bottom). The corners are multiples of 4 if the edge's x and y are.
struct TouchedSamples {
  constexpr explicit TouchedSamples(const LoopFilterEdge& edge)
      : TouchedSamples(edge, read_reach(edge.width), edge.direction == EdgeDirection::vertical) {}

  [[nodiscard]] constexpr bool meet(const TouchedSamples& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }

  int left, right, top, bottom;

 private:
  constexpr TouchedSamples(const LoopFilterEdge& edge, int reach, bool vertical)
      : left(edge.x - (vertical ? reach : 0)),
        right(edge.x + (vertical ? reach : kEdgeLength)),
        top(edge.y - (vertical ? 0 : reach)),
        bottom(edge.y + (vertical ? kEdgeLength : reach)) {}
};

/// The planes of a picture for its edges. A plane without edges may be empty.
template <class Sample>
struct LoopFilterPlanes {
  struct Plane {
    std::span<Sample> samples;
    std::size_t stride = 0;  ///< in samples
  };
  [[nodiscard]] const Plane& operator[](std::size_t index) const { return planes[index]; }
  [[nodiscard]] Plane& operator[](std::size_t index) { return planes[index]; }
  /// Of the edge's first line.
  [[nodiscard]] Sample* q0(const LoopFilterEdge& edge) const {
    const Plane& plane = planes[edge.plane];
    return plane.samples.data() + edge.y * plane.stride + edge.x;
  }

  std::array<Plane, 3> planes;
};

/// What every list of edges satisfies, filtered by whichever processor: an edge's plane, width,
/// direction and level exist, its x and y are multiples of 4, and every sample that it reads exists
/// in its plane (planes end after whole 8x8 blocks). Throws Error (usage) that names the first edge
/// that does not.
template <class Sample>
void check_edges(const LoopFilterPlanes<Sample>& planes, std::span<const LoopFilterEdge> edges);

/// The loop filter of a picture, which is what every schedule must give: edge after edge, in the
/// order of the specification's section 8.8 if the list has it. Neighbours in the list that are
/// of one kind and touch no common sample go to the table's filter of two. `sharpness` is the frame
/// header's, 0..7. Throws Error (usage) for a list that check_edges() refuses or another sharpness,
/// before any sample changes.
template <class Sample>
void filter_edges(const Dsp<Sample>& dsp, const LoopFilterPlanes<Sample>& planes,
                  std::span<const LoopFilterEdge> edges, int sharpness);

/// Fills the table's loop filters with the definition's scalar code.
template <class Sample>
void add_scalar_loop_filter(Dsp<Sample>& dsp);

/// How the branches of the filter go, in lines of samples (8 an edge).
struct LoopFilterBranches {
  std::uint64_t lines = 0;
  std::uint64_t mask = 0;   ///< lines whose filter mask is met (fm): these change
  std::uint64_t hev = 0;    ///< of those, with high edge variance: p1 and q1 stay
  std::uint64_t flat = 0;   ///< of those, flat within 1 (what the 8-wide filter asks)
  std::uint64_t flat2 = 0;  ///< of those, on edges 16 wide: flat over 8 samples of each side

  LoopFilterBranches& operator+=(const LoopFilterBranches& other);
  bool operator==(const LoopFilterBranches&) const = default;
};
/// Of one edge of samples of `bits` bits; other arguments as of Dsp::loop_filter.
template <class Sample>
[[nodiscard]] LoopFilterBranches count_branches(LoopFilterKind kind, const Sample* q0,
                                                std::ptrdiff_t stride,
                                                const LoopFilterLimits& limits, int bits);

}  // namespace sidecore::vp9
