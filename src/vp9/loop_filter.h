// The VP9 loop filter: limits, edges, and the scalar definition of each edge filter.
// Source: VP9 Bitstream & Decoding Process Specification v0.6, section 8.8 ("Loop filter process").
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vp9/edge.h"

namespace sidecore::vp9 {

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

/// One edge: 8 samples along a boundary of a plane. The type is the shader's too (two 32-bit
/// words).
struct LoopFilterEdge {
  std::uint32_t offset = 0;  ///< bytes from the plane's base to q0 of the first of the 8 lines
  LoopFilterLimits limits;
  LoopFilterKind kind = LoopFilterKind::h_4;
  bool operator==(const LoopFilterEdge&) const = default;
};
static_assert(sizeof(LoopFilterEdge) == 8);

/// The plane that edges refer to: 8-bit samples, `stride` bytes from a row to the next.
struct LoopFilterPlane {
  std::span<std::uint8_t> bytes;
  std::size_t stride = 0;
};

/// How a twin touches memory, for check_edges().
enum class SampleAccess {
  bytes,  ///< single samples
  words,  ///< aligned groups of four: offset, stride and the plane's base are multiples of 4
};

/// The contract of a list whose edges may be filtered in any order, or at the same time. An edge
/// touches 8 samples along its boundary and read_reach() on each side of it. stride is at least the
/// touched samples of a row (with SampleAccess::words it and every offset are multiples of 4); all
/// samples lie inside `plane_bytes`; no two edges touch (read or write) the same sample. Throws
/// Error (usage) that names the first edge that breaks it, and how; Error (environment) when memory
/// for the check (a bit for each byte between first and last sample) is short. O(edges).
void check_edges(std::span<const LoopFilterEdge> edges, std::size_t plane_bytes, std::size_t stride,
                 SampleAccess access);
/// The same for a list that holds h_4 alone.
void check_edges_h4(std::span<const LoopFilterEdge> edges, std::size_t plane_bytes,
                    std::size_t stride, SampleAccess access);

/// Scalar definition of h_4_8: filters across a vertical boundary with the 4-tap inner filter
/// ("Narrow filter process" under the mask of the "Filter mask process"), 8 rows, in place. `q0`
/// points at the first row's first sample right of the boundary; samples q0[-4..3] of each row are
/// read and q0[-2..1] may change.
void loop_filter_h_4_8(std::uint8_t* q0, std::ptrdiff_t stride, const LoopFilterLimits& limits);
/// The same across a horizontal boundary, 8 columns: `q0` is the first sample below it.
void loop_filter_v_4_8(std::uint8_t* q0, std::ptrdiff_t stride, const LoopFilterLimits& limits);
/// 8 wide: where a line is also flat, the "Wide filter process" of 7 taps; 4 samples on each side
/// are read, 3 may change.
void loop_filter_h_8_8(std::uint8_t* q0, std::ptrdiff_t stride, const LoopFilterLimits& limits);
void loop_filter_v_8_8(std::uint8_t* q0, std::ptrdiff_t stride, const LoopFilterLimits& limits);
/// 16 wide: where 8 samples on each side are flat, that process with 15 taps; 7 of them may change.
void loop_filter_h_16_8(std::uint8_t* q0, std::ptrdiff_t stride, const LoopFilterLimits& limits);
void loop_filter_v_16_8(std::uint8_t* q0, std::ptrdiff_t stride, const LoopFilterLimits& limits);

/// Any of the six at any bit depth: Sample is std::uint8_t with `bits` 8, or std::uint16_t with
/// `bits` 8..12. `stride` is in samples; `limits` are those of 8-bit samples, scaled within.
template <class Sample>
void filter_edge(LoopFilterKind kind, Sample* q0, std::ptrdiff_t stride,
                 const LoopFilterLimits& limits, int bits);

/// loop_filter_h_4_8() over a list, in order, whatever the edges' kinds. The list must satisfy
/// check_edges_h4().
void loop_filter_h_4_8(const LoopFilterPlane& plane, std::span<const LoopFilterEdge> edges);

/// A list of edges of any kinds, in order.
void loop_filter(const LoopFilterPlane& plane, std::span<const LoopFilterEdge> edges);

/// The planes of a picture for its edges. A plane without edges may be empty.
template <class Sample>
struct LoopFilterPicture {
  struct Plane {
    std::span<Sample> samples;
    std::size_t stride = 0;  ///< in samples
  };
  std::array<Plane, 3> planes;
  int bits = 8;
};

/// The loop filter of a picture, which is what every schedule must give: edge after edge, in the
/// order of the specification's section 8.8.1 if the list has it. Sample as in filter_edge();
/// `sharpness` is the frame header's, 0..7. Every sample that an edge reads exists in its plane
/// (planes end after whole 8x8 blocks). Throws Error (usage) that names the first edge that does
/// not fit, or has a width, level or plane that does not exist, before any sample changes.
template <class Sample>
void filter_edges_in_order(const LoopFilterPicture<Sample>& picture,
                           std::span<const PictureEdge> edges, int sharpness);

/// What filter_edges_in_order() asks of a list. Throws Error (usage).
template <class Sample>
void check_picture_edges(const LoopFilterPicture<Sample>& picture,
                         std::span<const PictureEdge> edges);

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
/// Of one edge; arguments as of filter_edge().
template <class Sample>
[[nodiscard]] LoopFilterBranches count_branches(LoopFilterKind kind, const Sample* q0,
                                                std::ptrdiff_t stride,
                                                const LoopFilterLimits& limits, int bits);
/// Of edges that touch no common sample.
[[nodiscard]] LoopFilterBranches count_branches(std::span<const std::uint8_t> plane,
                                                std::size_t stride,
                                                std::span<const LoopFilterEdge> edges);

/// Boundaries of one kind on a grid over a width x height plane, all with the same limits, as close
/// as edges that may run at once can lie: every 8 samples, every 16 for filters 16 wide. An edge is
/// there when its 8 lines and all samples that it reads are. Vertical boundaries come in bands of
/// 16 rows from top to bottom; in each, for x ascending, the edge of the upper 8 rows and then that
/// of the lower 8; horizontal ones row by row: adjoining edges are neighbours in the list. Throws
/// Error (usage) when the plane is beyond the edges' 32-bit offsets.
[[nodiscard]] std::vector<LoopFilterEdge> grid_edges(LoopFilterKind kind, int width, int height,
                                                     std::size_t stride,
                                                     const LoopFilterLimits& limits);
/// Of h_4.
[[nodiscard]] std::vector<LoopFilterEdge> grid_edges_h(int width, int height, std::size_t stride,
                                                       const LoopFilterLimits& limits);

}  // namespace sidecore::vp9
