#include "vp9/loop_filter_edges.h"

#include <algorithm>
#include <utility>

namespace sidecore::vp9 {
namespace {

constexpr int kInner = 4;  // samples from a unit's border to the boundary in its middle

/// Filter width of the boundary of a transform block.
int width_class(TransformSize size) {
  return size == kTransform4x4 ? 4 : size == kTransform8x8 ? 8 : 16;
}

/// What the filter does at one unit: 8x8 samples of its plane. Widths are 0 for "nothing".
struct UnitEdges {
  int left = 0;
  int above = 0;
  bool inner_vertical = false;
  bool inner_horizontal = false;
  int level = 0;
};

class EdgeDeriver {
 public:
  EdgeDeriver(const PictureData& picture, int plane, int subsampling,
              std::vector<LoopFilterEdge>& edges)
      : picture_(picture), plane_(plane), subsampling_(subsampling), edges_(edges) {}

  void superblock(int row, int column) {
    const int units = kUnitsInSuperblock >> subsampling_;
    const int first_row = row * units;
    const int first_column = column * units;
    const int end_row = std::min(first_row + units, units_of(picture_.rows()));
    const int end_column = std::min(first_column + units, units_of(picture_.columns()));
    std::array<UnitEdges, kUnitsInSuperblock * kUnitsInSuperblock> found;
    std::size_t count = 0;
    for (int r = first_row; r < end_row; ++r) {
      for (int c = first_column; c < end_column; ++c) found[count++] = unit_edges(r, c);
    }
    const UnitEdges* next = found.data();
    for (int r = first_row; r < end_row; ++r) {
      for (int c = first_column; c < end_column; ++c, ++next) {
        if (next->left > 0) add(EdgeDirection::vertical, c, r, 0, next->left, next->level);
        if (next->inner_vertical) add(EdgeDirection::vertical, c, r, kInner, 4, next->level);
      }
    }
    next = found.data();
    for (int r = first_row; r < end_row; ++r) {
      for (int c = first_column; c < end_column; ++c, ++next) {
        if (next->above > 0) add(EdgeDirection::horizontal, c, r, 0, next->above, next->level);
        if (next->inner_horizontal) add(EdgeDirection::horizontal, c, r, kInner, 4, next->level);
      }
    }
  }

 private:
  /// Units of this plane that begin inside a frame of that many units of luma.
  [[nodiscard]] int units_of(int luma_units) const {
    return (luma_units + (1 << subsampling_) - 1) >> subsampling_;
  }

  // A unit of subsampled chroma covers four of luma and follows the one at its top left.
  [[nodiscard]] UnitEdges unit_edges(int row, int column) const {
    const Block& block = picture_.block_at(row << subsampling_, column << subsampling_);
    UnitEdges unit;
    unit.level = block.filter_level;
    if (unit.level == 0) return unit;
    const TransformSize size = plane_ > 0 ? block.chroma_transform : block.transform;
    const int units_in_transform = size < kTransform16x16 ? 1 : 1 << (size - kTransform8x8);
    const bool whole_block = block.skip && block.is_inter();
    const auto border_width = [&](int position, int block_position) {
      const int inside = position - (block_position >> subsampling_);
      const bool border = inside == 0 || (!whole_block && inside % units_in_transform == 0);
      if (position == 0 || !border) return 0;
      // Every fourth boundary gets at least a filter of 8.
      const int width = width_class(size);
      return width == 4 && position % 4 == 0 ? 8 : width;
    };
    unit.left = border_width(column, block.column);
    unit.above = border_width(row, block.row);
    const bool inner = size == kTransform4x4 && !whole_block;
    unit.inner_vertical = inner;
    unit.inner_horizontal = inner;
    if (subsampling_ > 0) narrow_at_border(unit, row, column);
    return unit;
  }

  // A unit of chroma of which only half lies in the frame: no wide filter, no inner edges across
  // it.
  void narrow_at_border(UnitEdges& unit, int row, int column) const {
    if (2 * column == picture_.columns() - 1) {
      unit.left = std::min(unit.left, 8);
      unit.inner_vertical = false;
      unit.inner_horizontal = false;
    }
    if (2 * row == picture_.rows() - 1) {
      unit.above = std::min(unit.above, 8);
      unit.inner_horizontal = false;
    }
  }

  void add(EdgeDirection direction, int column, int row, int inside, int width, int level) {
    const bool vertical = direction == EdgeDirection::vertical;
    edges_.push_back({.x = static_cast<std::uint16_t>(column * kUnit + (vertical ? inside : 0)),
                      .y = static_cast<std::uint16_t>(row * kUnit + (vertical ? 0 : inside)),
                      .plane = static_cast<std::uint8_t>(plane_),
                      .direction = direction,
                      .width = static_cast<std::uint8_t>(width),
                      .level = static_cast<std::uint8_t>(level)});
  }

  const PictureData& picture_;
  int plane_;
  int subsampling_;
  std::vector<LoopFilterEdge>& edges_;
};

}  // namespace

LoopFilterEdges::LoopFilterEdges(std::vector<LoopFilterEdge> edges) : edges_(std::move(edges)) {
  std::ranges::stable_sort(edges_, {}, &LoopFilterEdge::plane);
  for (std::size_t plane = 0; plane < 3; ++plane) {
    const auto end = std::ranges::upper_bound(edges_, plane, {}, &LoopFilterEdge::plane);
    begin_[plane + 1] = static_cast<std::size_t>(end - edges_.begin());
  }
}

void LoopFilterEdges::derive(const FrameHeader& header, const PictureData& picture) {
  edges_.clear();
  begin_.fill(0);
  if (header.loop_filter.level == 0) return;
  for (int plane = 0; plane < 3; ++plane) {
    EdgeDeriver deriver(picture, plane, plane > 0 ? header.subsampling_x() : 0, edges_);
    for (int row = 0; row < picture.superblock_rows(); ++row) {
      for (int column = 0; column < picture.superblock_columns(); ++column) {
        deriver.superblock(row, column);
      }
    }
    begin_[static_cast<std::size_t>(plane) + 1] = edges_.size();
  }
}

void derive_superblock_edges(const FrameHeader& header, const PictureData& picture, int row,
                             int column, std::vector<LoopFilterEdge>& edges) {
  if (header.loop_filter.level == 0) return;
  for (int plane = 0; plane < 3; ++plane) {
    EdgeDeriver(picture, plane, plane > 0 ? header.subsampling_x() : 0, edges)
        .superblock(row, column);
  }
}

}  // namespace sidecore::vp9
