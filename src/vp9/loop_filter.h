// The VP9 loop filter: limits, kinds of edges, and the order in which a list of edges is filtered.
// Source: VP9 Bitstream & Decoding Process Specification v0.6, section 8.8 ("Loop filter process").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace sidecore::vp9 {

template <class Sample>
struct Dsp;

/// Direction of the boundary that an edge lies on. Across a vertical boundary the filter works
/// along rows (FFmpeg's "h"), across a horizontal boundary along columns ("v").
enum class EdgeDirection : std::uint8_t { vertical, horizontal };

/// Length of an edge: samples along the boundary.
inline constexpr int kEdgeLength = 8;

/// Returns the number of samples that a filter of `width` 4, 8 or 16 reads on each side of the
/// boundary.
[[nodiscard]] constexpr int read_reach(int width) {
  return width == 16 ? 8 : 4;
}

/// Returns the number of samples that a filter of `width` 4, 8 or 16 may change on each side of the
/// boundary.
[[nodiscard]] constexpr int write_reach(int width) {
  return width == 16 ? 7 : width == 8 ? 3 : 2;
}

/// Thresholds of one edge, for 8-bit samples ("Adaptive filter strength process").
struct LoopFilterLimits {
  std::uint8_t blimit = 0;  ///< E: limit of the step across the boundary, 2|p0-q0| + |p1-q1|/2
  std::uint8_t limit = 0;   ///< I: limit of each step between neighbours on one side
  /// H: limit of the step between neighbours on one side; a larger step means high edge variance.
  std::uint8_t thresh = 0;
  bool operator==(const LoopFilterLimits&) const = default;
};

/// Returns the limits of a filter level (1..63) and a sharpness (0..7). Level 0 means "no
/// filtering" and has no limits. Throws Error (usage) outside these ranges.
[[nodiscard]] LoopFilterLimits loop_filter_limits(int level, int sharpness);

/// Limits of all filter levels at one sharpness.
class LoopFilterLimitTable {
 public:
  /// Computes the limits. Throws Error (usage) if sharpness is outside 0..7.
  explicit LoopFilterLimitTable(int sharpness);
  /// Returns the limits of `level`, which must be 1..63.
  [[nodiscard]] const LoopFilterLimits& operator[](std::size_t level) const {
    return limits_[level];
  }

 private:
  std::array<LoopFilterLimits, 64> limits_{};
};

/// Direction and width of a filter in FFmpeg's names: "h" filters across a vertical boundary. The
/// shaders use the same values: bits 0 and 1 are the width, bit 2 is the direction.
enum class LoopFilterKind : std::uint8_t { h_4 = 0, h_8 = 1, h_16 = 2, v_4 = 4, v_8 = 5, v_16 = 6 };
inline constexpr std::array kLoopFilterKinds = {LoopFilterKind::h_4,  LoopFilterKind::h_8,
                                                LoopFilterKind::h_16, LoopFilterKind::v_4,
                                                LoopFilterKind::v_8,  LoopFilterKind::v_16};

[[nodiscard]] constexpr EdgeDirection direction_of(LoopFilterKind kind) {
  return static_cast<unsigned>(kind) < 4 ? EdgeDirection::vertical : EdgeDirection::horizontal;
}
/// Returns the filter's width: 4, 8 or 16.
[[nodiscard]] constexpr int width_of(LoopFilterKind kind) {
  return 4 << (static_cast<unsigned>(kind) & 3U);
}
/// Returns the kind of a filter; `width` must be 4, 8 or 16.
[[nodiscard]] constexpr LoopFilterKind loop_filter_kind(EdgeDirection direction, int width) {
  return static_cast<LoopFilterKind>((direction == EdgeDirection::horizontal ? 4 : 0) +
                                     (width == 16 ? 2 : width / 8));
}
/// Returns the kind's name, for example "h_4".
[[nodiscard]] const char* to_string(LoopFilterKind kind);

/// Calls visit.operator()<kind>() for every kind, to run code that is compiled once per kind.
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
  std::uint16_t x = 0;  ///< `x` and `y`: position in the plane of q0, just beyond the boundary
  std::uint16_t y = 0;
  std::uint8_t plane = 0;  ///< 0 Y, 1 Cb, 2 Cr
  EdgeDirection direction = EdgeDirection::vertical;
  std::uint8_t width = 4;  ///< width of the filter: 4, 8 or 16
  std::uint8_t level = 1;  ///< filter level, 1..63
  bool operator==(const LoopFilterEdge&) const = default;

  /// Returns the edge's kind. Its width and direction must be valid.
  [[nodiscard]] constexpr LoopFilterKind kind() const { return loop_filter_kind(direction, width); }
};
static_assert(sizeof(LoopFilterEdge) == 8);

/// Area of the samples that an edge reads or writes in its plane: columns [left, right), rows [top,
/// bottom). These bounds are multiples of 4 if the edge's x and y are.
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

/// Planes of a picture whose edges are filtered. A plane without edges may be empty.
template <class Sample>
struct LoopFilterPlanes {
  struct Plane {
    std::span<Sample> samples;
    std::size_t stride = 0;  ///< distance between rows, in samples
  };
  [[nodiscard]] const Plane& operator[](std::size_t index) const { return planes[index]; }
  [[nodiscard]] Plane& operator[](std::size_t index) { return planes[index]; }
  /// Returns the address of sample q0 in the edge's first line.
  [[nodiscard]] Sample* q0(const LoopFilterEdge& edge) const {
    const Plane& plane = planes[edge.plane];
    return plane.samples.data() + edge.y * plane.stride + edge.x;
  }

  std::array<Plane, 3> planes;
};

/// Checks a list of edges; every processor accepts only lists that pass. The plane, width,
/// direction and level of an edge must be valid. Its x and y must be multiples of 4. Every sample
/// that it reads must exist in its plane (planes end after whole 8x8 blocks). Throws Error (usage)
/// that names the first edge that fails.
template <class Sample>
void check_edges(const LoopFilterPlanes<Sample>& planes, std::span<const LoopFilterEdge> edges);

/// Filters a picture's edges one after another, in the order of the list; this order defines the
/// result of every schedule. For a standard result the list has the order of the specification's
/// section 8.8. Adjacent list entries of one kind without a common touched sample are passed to the
/// kernel for two edges. `sharpness` is the frame header's value, 0..7. Throws Error (usage) before
/// any sample changes if check_edges() fails or the sharpness is out of range.
template <class Sample>
void filter_edges(const Dsp<Sample>& dsp, const LoopFilterPlanes<Sample>& planes,
                  std::span<const LoopFilterEdge> edges, int sharpness);
/// Filters like filter_edges(), but without checking the edges: they must pass check_edges()
/// (asserted), as those do that derive_superblock_edges() wrote.
template <class Sample>
void filter_valid_edges(const Dsp<Sample>& dsp, const LoopFilterPlanes<Sample>& planes,
                        std::span<const LoopFilterEdge> edges, int sharpness);

/// Fills the table's loop filters with the scalar definition.
template <class Sample>
void add_scalar_loop_filter(Dsp<Sample>& dsp);

/// Numbers of lines of samples (8 per edge) that take each branch of the filter.
struct LoopFilterBranches {
  std::uint64_t lines = 0;
  std::uint64_t mask = 0;   ///< lines that pass the filter mask (fm); only these change
  std::uint64_t hev = 0;    ///< lines of `mask` with high edge variance; p1 and q1 stay unchanged
  std::uint64_t flat = 0;   ///< lines of `mask` that are flat as the 8-wide filter requires
  std::uint64_t flat2 = 0;  ///< lines of `flat` on 16-wide edges, flat over 8 samples per side

  LoopFilterBranches& operator+=(const LoopFilterBranches& other);
  bool operator==(const LoopFilterBranches&) const = default;
};
/// Counts the branches of one edge of samples with `bits` bits. The other arguments are those of
/// Dsp::loop_filter.
template <class Sample>
[[nodiscard]] LoopFilterBranches count_branches(LoopFilterKind kind, const Sample* q0,
                                                std::ptrdiff_t stride,
                                                const LoopFilterLimits& limits, int bits);

}  // namespace sidecore::vp9
