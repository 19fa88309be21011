#include "vp9/loop_filter_edges.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "vp9/block_tables.h"

namespace sidecore::vp9 {
namespace {

constexpr int kInner = 4;  // samples from a unit's border to the boundary in its middle
constexpr std::size_t kMaxEdgesPerPlane = kMaxEdgesPerSuperblock / 3;

// Set of a superblock's units (8x8 samples of one plane) as bits: the unit at row r, column c is
// bit 8r + c. Subsampled chroma has only 4 rows or columns.
using Units = std::uint64_t;
constexpr Units kOneRow = 0xff;
constexpr Units kOneColumn = 0x0101010101010101;

constexpr Units units(int columns, int rows) {
  const Units row = kOneRow >> (8 - columns);
  return rows == 8 ? row * kOneColumn : row * (kOneColumn & ((Units{1} << 8 * rows) - 1));
}

// Units of a block at the superblock's top left corner: all, first column, first row.
struct BlockUnits {
  Units all, left, above;
};
constexpr std::array<BlockUnits, kBlockSizes> block_units(Subsampling plane) {
  std::array<BlockUnits, kBlockSizes> blocks{};
  for (std::size_t size = 0; size < kBlockSizes; ++size) {
    const int columns = (kWidthIn8[size] + plane.x) >> plane.x;
    const int rows = (kHeightIn8[size] + plane.y) >> plane.y;
    blocks[size] = {units(columns, rows), units(1, rows), units(columns, 1)};
  }
  return blocks;
}
// Units of blocks of each size, for a plane: [subsampled along x][subsampled along y].
constexpr std::array<std::array<std::array<BlockUnits, kBlockSizes>, 2>, 2> kBlockUnits = {
    {{block_units({0, 0}), block_units({0, 1})}, {block_units({1, 0}), block_units({1, 1})}}};

// Columns and rows in which transform blocks of a size begin. Transform blocks lie at multiples of
// their size.
constexpr std::array<Units, kTransformSizes> kTransformColumns = {
    ~Units{0}, ~Units{0}, kOneColumn * 0x55, kOneColumn * 0x11};
constexpr std::array<Units, kTransformSizes> kTransformRows = {
    ~Units{0}, ~Units{0}, 0x00ff00ff00ff00ff, 0x000000ff000000ff};

// Returns the index of the filter width (4, 8, 16) for a transform block's boundary.
constexpr std::size_t width_class(TransformSize size) {
  return std::min<std::size_t>(size, kTransform16x16);
}

// Spreads the 8 bits of a row of units to 8 bytes, one bit in each.
constexpr std::array<std::uint64_t, 256> kBytesOfBits = [] {
  std::array<std::uint64_t, 256> bytes{};
  for (std::size_t bits = 0; bits < 256; ++bits) {
    for (std::size_t bit = 0; bit < 8; ++bit)
      bytes[bits] |= std::uint64_t{bits >> bit & 1} << 8 * bit;
  }
  return bytes;
}();

/// Derives the edges in one superblock of one plane.
class SuperblockDeriver {
 public:
  SuperblockDeriver(const PictureData& picture, Subsampling plane)
      : picture_(picture),
        plane_(plane),
        blocks_(kBlockUnits[static_cast<std::size_t>(plane.x)][static_cast<std::size_t>(plane.y)]) {
  }

  /// Reads the blocks of superblock (row, column), for plane 0 or for both chroma planes.
  void read(int row, int column, bool chroma) {
    borders_ = {};
    inner_ = {};
    levels_ = {};
    row_ = row << (3 - plane_.y);
    column_ = column << (3 - plane_.x);
    const Range range = picture_.superblock(row, column);
    const Block* const end = picture_.blocks.data() + range.end;
    for (const Block* block = picture_.blocks.data() + range.begin; block != end; ++block) {
      add(*block, chroma);
    }
    widen();
    leave_out_borders();
  }

  /// Adds the numbers of edges of `planes` planes to `counts`.
  void count(EdgeCounts& counts, unsigned planes) const {
    for (std::size_t direction = 0; direction < counts.size(); ++direction) {
      const auto add = [&](std::size_t width, Units edges) {
        counts[direction][width] += planes * static_cast<unsigned>(std::popcount(edges));
      };
      for (std::size_t width = 0; width < 3; ++width) add(width, borders_[direction][width]);
      add(0, inner_[direction]);
    }
  }

  /// Writes the edges for a plane to `to`, which must have room for kMaxEdgesPerPlane. Returns
  /// their end.
  LoopFilterEdge* write(std::uint8_t plane, LoopFilterEdge* to) const {
    to = write<EdgeDirection::vertical>(plane, to);
    return write<EdgeDirection::horizontal>(plane, to);
  }

 private:
  // Boundaries by filter width: 4, 8, 16.
  using Borders = std::array<Units, 3>;

  // Adds a block's boundaries. A unit of subsampled chroma covers two or four luma units; it takes
  // the values of the one at its top left.
  void add(const Block& block, bool chroma) {
    const bool follows = ((block.row & plane_.y) | (block.column & plane_.x)) == 0;
    if (block.filter_level == 0 || !follows) return;
    const TransformSize size = chroma ? block.chroma_transform : block.transform;
    const BlockUnits& shape = blocks_[block.size];
    const int row = (block.row >> plane_.y) - row_;
    const int column = (block.column >> plane_.x) - column_;
    const int at = 8 * row + column;
    const bool whole = block.skip && block.is_inter();
    const Units all = shape.all << at;
    borders_[0][width_class(size)] |= whole ? shape.left << at : all & kTransformColumns[size];
    borders_[1][width_class(size)] |= whole ? shape.above << at : all & kTransformRows[size];
    if (size == kTransform4x4 && !whole) inner_[0] |= all;
    const std::uint64_t levels = (kBytesOfBits[shape.above] << 8 * column) * block.filter_level;
    Units rows = shape.left;
    for (std::size_t r = static_cast<std::size_t>(row); rows != 0; ++r, rows >>= 8) {
      levels_[r] |= levels;
    }
  }

  // Widens the filter on every fourth boundary to at least 8.
  void widen() {
    const auto at_least_8 = [](Borders& borders, Units every_fourth) {
      borders[1] |= borders[0] & every_fourth;
      borders[0] &= ~every_fourth;
    };
    at_least_8(borders_[0], kTransformColumns[kTransform32x32]);
    at_least_8(borders_[1], kTransformRows[kTransform32x32]);
    inner_[1] = inner_[0];
  }

  // Removes edges beyond the frame and at its left and upper border. A chroma unit of which only
  // half lies in the frame gets no wide filter and no inner edges across that half.
  void leave_out_borders() {
    const int most_rows = kUnitsInSuperblock >> plane_.y;
    const int most_columns = kUnitsInSuperblock >> plane_.x;
    const int rows = ((picture_.rows() + plane_.y) >> plane_.y) - row_;
    const int columns = ((picture_.columns() + plane_.x) >> plane_.x) - column_;
    const Units inside = units(std::min(columns, most_columns), std::min(rows, most_rows));
    const Units with_left = column_ == 0 ? inside & ~kOneColumn : inside;
    const Units with_above = row_ == 0 ? inside & ~kOneRow : inside;
    for (Units& border : borders_[0]) border &= with_left;
    for (Units& border : borders_[1]) border &= with_above;
    for (Units& inner : inner_) inner &= inside;
    if ((picture_.columns() & plane_.x) != 0 && columns <= most_columns) {
      const Units half = kOneColumn << (columns - 1);
      narrow(borders_[0], half);
      inner_[0] &= ~half;
      inner_[1] &= ~half;
    }
    if ((picture_.rows() & plane_.y) != 0 && rows <= most_rows) {
      const Units half = kOneRow << 8 * (rows - 1);
      narrow(borders_[1], half);
      inner_[1] &= ~half;
    }
  }

  static void narrow(Borders& borders, Units where) {
    borders[1] |= borders[2] & where;
    borders[2] &= ~where;
  }

  // Writes the edges row by row. The widths and levels of a row are one word each, with one byte
  // per unit.
  template <EdgeDirection direction>
  LoopFilterEdge* write(std::uint8_t plane, LoopFilterEdge* to) const {
    constexpr auto kDirection = static_cast<std::size_t>(direction);
    const Borders& borders = borders_[kDirection];
    const Units inner = inner_[kDirection];
    const Units any = borders[0] | borders[1] | borders[2] | inner;
    LoopFilterEdge edge{.plane = plane, .direction = direction};
    int r = 0;
    for (Units left = any; left != 0; left >>= 8, ++r) {
      if ((left & kOneRow) == 0) continue;
      const auto bytes = [r](Units of) { return kBytesOfBits[of >> 8 * r & kOneRow]; };
      const std::uint64_t widths =
          bytes(borders[0]) * 4 | bytes(borders[1]) * 8 | bytes(borders[2]) * 16;
      edge.y = static_cast<std::uint16_t>((row_ + r) * kUnit);
      const std::uint64_t levels = levels_[static_cast<std::size_t>(r)];
      if ((inner >> 8 * r & kOneRow) == 0) {
        to = write_row(edge, widths, levels, to);
      } else {
        to = write_row_with_inner(edge, widths, bytes(inner), levels, to);
      }
    }
    return to;
  }

  // Each byte of `widths` has at most one bit set, so the lowest bit left gives the next edge.
  LoopFilterEdge* write_row(LoopFilterEdge edge, std::uint64_t widths, std::uint64_t levels,
                            LoopFilterEdge* to) const {
    const int x = column_ * kUnit;
    for (; widths != 0; widths &= widths - 1) {
      const int at = std::countr_zero(widths) & ~7;  // offset in bits and also in samples
      edge.x = static_cast<std::uint16_t>(x + at);
      edge.width = static_cast<std::uint8_t>(widths >> at);
      edge.level = static_cast<std::uint8_t>(levels >> at);
      *to++ = edge;
    }
    return to;
  }

  // Writes a row with inner edges; the bytes of `inner` are 1 for units with a boundary in their
  // middle.
  LoopFilterEdge* write_row_with_inner(LoopFilterEdge edge, std::uint64_t widths,
                                       std::uint64_t inner, std::uint64_t levels,
                                       LoopFilterEdge* to) const {
    const bool vertical = edge.direction == EdgeDirection::vertical;
    LoopFilterEdge middle = edge;
    middle.width = 4;
    if (!vertical) middle.y = static_cast<std::uint16_t>(edge.y + kInner);
    for (int at = 0; at < 64; at += 8) {
      const auto x = static_cast<std::uint16_t>(column_ * kUnit + at);
      edge.width = static_cast<std::uint8_t>(widths >> at);
      edge.level = middle.level = static_cast<std::uint8_t>(levels >> at);
      edge.x = x;
      if (edge.width != 0) *to++ = edge;
      middle.x = static_cast<std::uint16_t>(vertical ? x + kInner : x);
      if ((inner >> at & 1) != 0) *to++ = middle;
    }
    return to;
  }

  const PictureData& picture_;
  Subsampling plane_;
  const std::array<BlockUnits, kBlockSizes>& blocks_;
  int row_ = 0;  // `row_` and `column_`: the superblock's first unit in the plane
  int column_ = 0;
  std::array<Borders, 2> borders_{};  // boundaries, by EdgeDirection: left of or above a unit
  std::array<Units, 2> inner_{};      // boundaries, by EdgeDirection: in the middle of a unit
  std::array<std::uint64_t, kUnitsInSuperblock>
      levels_{};  // filter levels: one byte per unit of a row
};

// Both chroma planes have the same edges.
LoopFilterEdge* copy_as_plane_2(std::span<const LoopFilterEdge> of_plane_1, LoopFilterEdge* to) {
  for (LoopFilterEdge edge : of_plane_1) {
    edge.plane = 2;
    *to++ = edge;
  }
  return to;
}

}  // namespace

LoopFilterEdges::LoopFilterEdges(std::vector<LoopFilterEdge> edges) : edges_(std::move(edges)) {
  std::ranges::stable_sort(edges_, {}, &LoopFilterEdge::plane);
  for (std::size_t plane = 0; plane < 3; ++plane) {
    const auto end = std::ranges::upper_bound(edges_, plane, {}, &LoopFilterEdge::plane);
    begin_[plane + 1] = static_cast<std::size_t>(end - edges_.begin());
  }
}

void LoopFilterEdges::derive(const FrameHeader& header, const PictureData& picture) {
  begin_.fill(0);
  if (header.loop_filter.level == 0) return;
  std::size_t count = 0;
  const auto room_for = [&](std::size_t more) {
    if (edges_.size() < count + more) edges_.resize(2 * edges_.size() + more);
    return edges_.data() + count;
  };
  for (const bool chroma : {false, true}) {
    SuperblockDeriver deriver(picture, chroma ? header.subsampling() : Subsampling{});
    for (int row = 0; row < picture.superblock_rows(); ++row) {
      for (int column = 0; column < picture.superblock_columns(); ++column) {
        deriver.read(row, column, chroma);
        LoopFilterEdge* const to = room_for(kMaxEdgesPerPlane);
        count += static_cast<std::size_t>(deriver.write(chroma ? 1 : 0, to) - to);
      }
    }
    begin_[chroma ? 2 : 1] = count;
  }
  LoopFilterEdge* const to = room_for(count - begin_[1]);
  copy_as_plane_2(std::span(edges_).subspan(begin_[1], count - begin_[1]), to);
  begin_[3] = count + count - begin_[1];
}

LoopFilterEdge* derive_superblock_edges(const FrameHeader& header, const PictureData& picture,
                                        int row, int column, LoopFilterEdge* edges,
                                        EdgeCounts& counts) {
  if (header.loop_filter.level == 0) return edges;
  SuperblockDeriver luma(picture, {});
  luma.read(row, column, false);
  luma.count(counts, 1);
  edges = luma.write(0, edges);
  SuperblockDeriver chroma(picture, header.subsampling());
  chroma.read(row, column, true);
  chroma.count(counts, 2);
  LoopFilterEdge* const end = chroma.write(1, edges);
  return copy_as_plane_2({edges, end}, end);
}

}  // namespace sidecore::vp9
