// The edges of a picture that the loop filter works on, as plain data.
#pragma once

#include <cstdint>

namespace sidecore::vp9 {

/// Of the boundary that an edge lies on. Across a vertical boundary samples of one row are filtered
/// together (FFmpeg's "h"), across a horizontal one samples of one column ("v").
enum class EdgeDirection : std::uint8_t { vertical, horizontal };

/// One edge: 8 samples along a boundary. The filter of `width` w reads at most w / 2 samples on each
/// side of the boundary (4 at w = 4) and changes fewer; edge_reach.h has the numbers.
struct PictureEdge {
  std::uint16_t x = 0;  ///< of the first sample right of or below the boundary (q0), in its plane
  std::uint16_t y = 0;
  std::uint8_t plane = 0;  ///< 0 Y, 1 Cb, 2 Cr
  EdgeDirection direction = EdgeDirection::vertical;
  std::uint8_t width = 0;  ///< of the filter: 4, 8, 16
  std::uint8_t level = 0;  ///< filter level, 1..63
  bool operator==(const PictureEdge&) const = default;
};
static_assert(sizeof(PictureEdge) == 8);

}  // namespace sidecore::vp9
