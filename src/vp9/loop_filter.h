// The VP9 loop filter: limits, edges, and the scalar definition of each edge filter.
// Source: VP9 Bitstream & Decoding Process Specification v0.6, section 8.8 ("Loop filter process").
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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

/// One edge: 8 samples along a boundary of a plane. The type is the shader's too (two 32-bit
/// words).
struct LoopFilterEdge {
  std::uint32_t offset = 0;  ///< bytes from the plane's base to q0 of the first of the 8 lines
  LoopFilterLimits limits;
  std::uint8_t reserved = 0;  ///< zero
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

/// The contract of a list whose edges may be filtered in any order, or at the same time, across a
/// vertical boundary (4 samples on each side of it are read, 8 rows): offset >= 4; stride >= 8 (so
/// that the lines of an edge are apart; with SampleAccess::words both multiples of 4); all samples
/// inside `plane_bytes`; no two edges touch (read or write) the same sample. Throws Error (usage)
/// that names the first edge that breaks it, and how; Error (environment) when memory for the check
/// (a bit for each byte between first and last sample) is short. O(edges).
void check_edges_h4(std::span<const LoopFilterEdge> edges, std::size_t plane_bytes,
                    std::size_t stride, SampleAccess access);

/// Scalar definition of h_4_8: filters across a vertical boundary with the 4-tap inner filter
/// ("Narrow filter process" under the mask of the "Filter mask process"), 8 rows, in place. `q0`
/// points at the first row's first sample right of the boundary; samples q0[-4..3] of each row are
/// read and q0[-2..1] may change.
void loop_filter_h_4_8(std::uint8_t* q0, std::ptrdiff_t stride, const LoopFilterLimits& limits);

/// loop_filter_h_4_8() over a list, in order. The list must satisfy check_edges_h4().
void loop_filter_h_4_8(const LoopFilterPlane& plane, std::span<const LoopFilterEdge> edges);

/// How the branches of the filter go, in lines of samples (8 an edge).
struct LoopFilterBranches {
  std::uint64_t lines = 0;
  std::uint64_t mask = 0;  ///< lines whose filter mask is met (fm): these change
  std::uint64_t hev = 0;   ///< of those, with high edge variance: p1 and q1 stay
  std::uint64_t flat = 0;  ///< of those, flat within 1 (what the 8-wide filter asks)
};
[[nodiscard]] LoopFilterBranches count_branches_h_4_8(std::span<const std::uint8_t> plane,
                                                      std::size_t stride,
                                                      std::span<const LoopFilterEdge> edges);

/// Vertical boundaries of the 8x8 grid of a width x height plane, x = 8, 16, ..., rows in whole 8s,
/// all with the same limits: (ceil(width/8) - 1) * floor(height/8) edges less those whose 4 right
/// samples do not exist. Bands of 16 rows from top to bottom; in each, for x ascending, the edge of
/// the upper 8 rows and then that of the lower 8, so that adjoining edges are neighbours in the
/// list. Throws Error (usage) when the plane is beyond the edges' 32-bit offsets.
[[nodiscard]] std::vector<LoopFilterEdge> grid_edges_h(int width, int height, std::size_t stride,
                                                       const LoopFilterLimits& limits);

}  // namespace sidecore::vp9
