// The edges of a picture that the loop filter works on, as plain data.
#pragma once

#include <cstdint>

namespace sidecore::vp9 {

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

/// One edge of one plane.
struct PictureEdge {
  std::uint16_t x = 0;  ///< of the first sample right of or below the boundary (q0), in its plane
  std::uint16_t y = 0;
  std::uint8_t plane = 0;  ///< 0 Y, 1 Cb, 2 Cr
  EdgeDirection direction = EdgeDirection::vertical;
  std::uint8_t width = 4;  ///< of the filter: 4, 8, 16
  std::uint8_t level = 1;  ///< filter level, 1..63
  bool operator==(const PictureEdge&) const = default;
};
static_assert(sizeof(PictureEdge) == 8);

/// The samples of its plane that an edge reads or writes: columns [left, right), rows [top,
/// bottom). The corners are multiples of 4 if the edge's x and y are.
struct TouchedSamples {
  constexpr explicit TouchedSamples(const PictureEdge& edge)
      : TouchedSamples(edge, read_reach(edge.width), edge.direction == EdgeDirection::vertical) {}

  int left, right, top, bottom;

 private:
  constexpr TouchedSamples(const PictureEdge& edge, int reach, bool vertical)
      : left(edge.x - (vertical ? reach : 0)),
        right(edge.x + (vertical ? reach : kEdgeLength)),
        top(edge.y - (vertical ? 0 : reach)),
        bottom(edge.y + (vertical ? kEdgeLength : reach)) {}
};

}  // namespace sidecore::vp9
