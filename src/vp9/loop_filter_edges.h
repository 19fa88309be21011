// Derives the edges of a picture that the loop filter treats, and the width and level of each.
// Source: VP9 specification v0.6, sections 8.8.2 (which edges) and 8.8.3 (filter width). For
// subsampled chroma at the picture's border the source is the reference decoder.
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

/// Numbers of edges: [vertical, horizontal][width 4, 8, 16].
using EdgeCounts = std::array<std::array<std::uint64_t, 3>, 2>;

/// Largest number of edges in a superblock: three planes of 4:4:4 with edges at the border and in
/// the middle of each 8x8 unit, in both directions.
inline constexpr std::size_t kMaxEdgesPerSuperblock =
    std::size_t{3} * 4 * kUnitsInSuperblock * kUnitsInSuperblock;

/// Writes the edges of the superblock at `row`, `column` (counted in superblocks) to `edges`, which
/// must have room for kMaxEdgesPerSuperblock. The edges are ordered by plane, and in each plane as
/// in LoopFilterEdges. Writes none if the frame's filter level is 0. Returns the end of the written
/// edges and adds their numbers to `counts`.
[[nodiscard]] LoopFilterEdge* derive_superblock_edges(const FrameHeader& header,
                                                      const PictureData& picture, int row,
                                                      int column, LoopFilterEdge* edges,
                                                      EdgeCounts& counts);

/// Edges of one picture in the order of the scalar definition: the edges of plane 0, then 1, then 2
/// (planes share no samples). In each plane superblocks are in raster order. In each superblock
/// vertical boundaries precede horizontal ones, with rows from top to bottom and edges from left to
/// right.
class LoopFilterEdges {
 public:
  LoopFilterEdges() = default;
  /// Takes a list in which each plane's edges are in the order of the scalar definition.
  explicit LoopFilterEdges(std::vector<LoopFilterEdge> edges);

  /// Derives the edges of a parsed picture. There are none if the frame's filter level is 0.
  void derive(const FrameHeader& header, const PictureData& picture);

  [[nodiscard]] std::span<const LoopFilterEdge> all() const {
    return std::span(edges_).first(begin_[3]);
  }
  [[nodiscard]] std::span<const LoopFilterEdge> plane(std::size_t index) const {
    return all().subspan(begin_[index], begin_[index + 1] - begin_[index]);
  }

 private:
  /// Edges; the vector never shrinks, and only the first begin_[3] are valid.
  std::vector<LoopFilterEdge> edges_;
  std::array<std::size_t, 4> begin_{};
};

}  // namespace sidecore::vp9
