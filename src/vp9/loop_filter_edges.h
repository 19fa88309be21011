// Which edges of a picture the loop filter works on, and how widely and strongly.
// Source: VP9 specification v0.6, sections 8.8.2 (which edges) and 8.8.3 (how widely), and the
// reference decoder where chroma is subsampled at the picture's border.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "vp9/frame_header.h"
#include "vp9/loop_filter.h"
#include "vp9/picture_data.h"

namespace sidecore::vp9 {

/// Edges by [vertical, horizontal][width 4, 8, 16].
using EdgeCounts = std::array<std::array<std::uint64_t, 3>, 2>;

/// What a superblock can have in three planes of 4:4:4: edges on each unit's border and in its
/// middle, both ways.
inline constexpr std::size_t kMostEdgesOfSuperblock =
    std::size_t{3} * 4 * kUnitsInSuperblock * kUnitsInSuperblock;

/// Writes the edges of one superblock, of which `row` and `column` are those in superblocks, to
/// where there is room for kMostEdgesOfSuperblock: plane after plane, each in the order of
/// LoopFilterEdges. None when the frame's filter level is 0. Returns their end; adds to `counts`
/// how many there are.
[[nodiscard]] LoopFilterEdge* derive_superblock_edges(const FrameHeader& header,
                                                      const PictureData& picture, int row,
                                                      int column, LoopFilterEdge* edges,
                                                      EdgeCounts& counts);

/// The edges of one picture: those of plane 0, then 1, then 2; in each plane superblocks in raster
/// order, and in each of these the vertical boundaries before the horizontal ones, rows from top to
/// bottom, left to right. Planes do not touch one another's samples.
class LoopFilterEdges {
 public:
  LoopFilterEdges() = default;
  /// Takes a list in that order, or one that has it in each plane.
  explicit LoopFilterEdges(std::vector<LoopFilterEdge> edges);

  /// Derives them from a parsed picture. There are none when the frame's filter level is 0.
  void derive(const FrameHeader& header, const PictureData& picture);

  [[nodiscard]] std::span<const LoopFilterEdge> all() const {
    return std::span(edges_).first(begin_[3]);
  }
  [[nodiscard]] std::span<const LoopFilterEdge> plane(std::size_t index) const {
    return all().subspan(begin_[index], begin_[index + 1] - begin_[index]);
  }

 private:
  std::vector<LoopFilterEdge> edges_;  ///< as many as any picture had; these are its first
  std::array<std::size_t, 4> begin_{};
};

}  // namespace sidecore::vp9
