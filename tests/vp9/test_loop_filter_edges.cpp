// Compares the edges derived from a picture's blocks with a second model that works unit by unit.
// Also compares the check of edge lists with a plain list of conditions.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "base/random.h"
#include "vp9/block_tables.h"
#include "vp9/dsp.h"
#include "vp9/loop_filter_edges.h"

namespace sidecore::test_loop_filter_edges {
namespace {

using vp9::Block;
using vp9::EdgeDirection;
using vp9::LoopFilterEdge;
using vp9::PictureData;

constexpr std::uint64_t kSeed = 20261122;

// A frame of random blocks; superblocks are divided at random.
class DrawnPicture {
 public:
  DrawnPicture(int width, int height, video::Chroma chroma, std::uint64_t seed) : random_(seed) {
    header.key_frame = true;
    header.size = {width, height};
    header.pixel = {chroma, 8};
    header.loop_filter.level = 32;
    data.prepare(header);
    for (int row = 0; row < data.superblock_rows(); ++row) {
      for (int column = 0; column < data.superblock_columns(); ++column) {
        const std::uint32_t begin = count_;
        cut(8 * row, 8 * column, 3);
        data.superblock(row, column) = {begin, count_};
      }
    }
  }

  vp9::FrameHeader header;
  PictureData data;

 private:
  // Divides a square of 1 << log2 units into one block, two blocks, or four smaller squares.
  void cut(int row, int column, int log2) {
    if (row >= data.rows() || column >= data.columns()) return;
    const int half = (1 << log2) / 2;
    const auto subsize = [log2](vp9::Partition how) { return vp9::kSubsize[how][log2]; };
    switch (random_.below(4)) {
      case 0:
        return add(row, column, subsize(vp9::kPartitionNone));
      case 1:
        add(row, column, subsize(vp9::kPartitionHorizontal));
        if (log2 > 0) add(row + half, column, subsize(vp9::kPartitionHorizontal));
        return;
      case 2:
        add(row, column, subsize(vp9::kPartitionVertical));
        if (log2 > 0) add(row, column + half, subsize(vp9::kPartitionVertical));
        return;
      default:
        if (log2 == 0) return add(row, column, subsize(vp9::kPartitionSplit));
        for (const int i : {0, 1, 2, 3}) cut(row + i / 2 * half, column + i % 2 * half, log2 - 1);
    }
  }

  void add(int row, int column, vp9::BlockSize size) {
    if (row >= data.rows() || column >= data.columns()) return;
    Block block;
    block.row = static_cast<std::uint16_t>(row);
    block.column = static_cast<std::uint16_t>(column);
    block.size = size;
    block.transform = static_cast<vp9::TransformSize>(
        random_.below(1U + static_cast<std::uint32_t>(vp9::kLargestTransform[size])));
    block.chroma_transform = vp9::chroma_transform(size, block.transform, header.subsampling());
    block.skip = random_.below(2) == 0;
    block.references[0] = random_.below(2) == 0 ? vp9::kIntra : vp9::kLast;
    block.filter_level =
        random_.below(5) == 0 ? std::uint8_t{0} : static_cast<std::uint8_t>(random_.below(64));
    for (int r = row; r < std::min(row + vp9::kHeightIn8[size], data.rows()); ++r) {
      for (int c = column; c < std::min(column + vp9::kWidthIn8[size], data.columns()); ++c) {
        data.motion().block_of_unit[data.unit(r, c)] = count_;
      }
    }
    data.blocks[count_++] = block;
  }

  Random random_;
  std::uint32_t count_ = 0;
};

// One unit of 8x8 samples of a plane: the edges in it according to section 8.8.2 of the
// specification. A chroma unit that the frame's border cuts has the edges that libvpx and FFmpeg
// filter.
class Unit {
 public:
  Unit(const PictureData& picture, int plane, vp9::Subsampling sampling, int row, int column)
      : picture_(picture),
        block_(picture.block_at(row << sampling.y, column << sampling.x)),
        size_(plane > 0 ? block_.chroma_transform : block_.transform),
        sampling_(sampling),
        row_(row),
        column_(column) {}

  [[nodiscard]] int level() const { return block_.filter_level; }
  [[nodiscard]] int left() const {
    return border(column_, block_.column >> sampling_.x, cut_right());
  }
  [[nodiscard]] int above() const { return border(row_, block_.row >> sampling_.y, cut_below()); }
  [[nodiscard]] bool middle_vertical() const { return has_middle() && !cut_right(); }
  [[nodiscard]] bool middle_horizontal() const {
    return has_middle() && !cut_right() && !cut_below();
  }

 private:
  [[nodiscard]] bool whole() const { return block_.skip && block_.is_inter(); }
  [[nodiscard]] bool has_middle() const {
    return level() > 0 && size_ == vp9::kTransform4x4 && !whole();
  }
  [[nodiscard]] bool cut_right() const {
    return sampling_.x > 0 && 2 * column_ + 1 == picture_.columns();
  }
  [[nodiscard]] bool cut_below() const {
    return sampling_.y > 0 && 2 * row_ + 1 == picture_.rows();
  }
  // Returns the width of the filter at the unit's border; 0 if there is no edge.
  [[nodiscard]] int border(int position, int block_position, bool cut) const {
    const int inside = position - block_position;
    const int transform_units = std::max(1, (4 << size_) / 8);
    if (level() == 0 || position == 0) return 0;
    if (inside != 0 && (whole() || inside % transform_units != 0)) return 0;
    const int width = std::min(4 << size_, cut ? 8 : 16);
    return position % 4 == 0 ? std::max(width, 8) : width;
  }

  const PictureData& picture_;
  const Block& block_;
  vp9::TransformSize size_;
  vp9::Subsampling sampling_;
  int row_, column_;
};

// Adds the edges of one superblock in one plane, in the scalar definition's order.
void add_superblock(const DrawnPicture& picture, int plane, int row, int column,
                    std::vector<LoopFilterEdge>& edges) {
  const vp9::Subsampling sampling = picture.header.subsampling(plane);
  const int first_row = (8 >> sampling.y) * row;
  const int first_column = (8 >> sampling.x) * column;
  const int end_row =
      std::min(first_row + (8 >> sampling.y), (picture.data.rows() + sampling.y) >> sampling.y);
  const int end_column = std::min(first_column + (8 >> sampling.x),
                                  (picture.data.columns() + sampling.x) >> sampling.x);
  for (const auto direction : {EdgeDirection::vertical, EdgeDirection::horizontal}) {
    const bool vertical = direction == EdgeDirection::vertical;
    for (int r = first_row; r < end_row; ++r) {
      for (int c = first_column; c < end_column; ++c) {
        const Unit unit(picture.data, plane, sampling, r, c);
        const auto add = [&](int inside, int width) {
          edges.push_back({.x = static_cast<std::uint16_t>(8 * c + (vertical ? inside : 0)),
                           .y = static_cast<std::uint16_t>(8 * r + (vertical ? 0 : inside)),
                           .plane = static_cast<std::uint8_t>(plane),
                           .direction = direction,
                           .width = static_cast<std::uint8_t>(width),
                           .level = static_cast<std::uint8_t>(unit.level())});
        };
        const int border = vertical ? unit.left() : unit.above();
        if (border > 0) add(0, border);
        if (vertical ? unit.middle_vertical() : unit.middle_horizontal()) add(4, 4);
      }
    }
  }
}

std::string text_of(const LoopFilterEdge& edge) {
  return "plane " + std::to_string(edge.plane) + ", x " + std::to_string(edge.x) + ", y " +
         std::to_string(edge.y) + ", width " + std::to_string(edge.width) + ", level " +
         std::to_string(edge.level) +
         (edge.direction == EdgeDirection::vertical ? ", vertical" : ", horizontal");
}

void expect_equal(std::span<const LoopFilterEdge> found,
                  const std::vector<LoopFilterEdge>& expected) {
  const auto [ours, theirs] = std::ranges::mismatch(found, expected);
  ASSERT_TRUE(ours == found.end() && theirs == expected.end())
      << "edge " << ours - found.begin() << ": " << (ours == found.end() ? "none" : text_of(*ours))
      << "; expected " << (theirs == expected.end() ? "none" : text_of(*theirs));
}

using Case = std::tuple<int, int, video::Chroma>;
class DerivedEdges : public testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Sizes, DerivedEdges,
                         testing::Combine(testing::Values(1, 9, 64, 72, 191, 200),
                                          testing::Values(8, 15, 64, 136, 168),
                                          testing::Values(video::Chroma::c420, video::Chroma::c422,
                                                          video::Chroma::c440,
                                                          video::Chroma::c444)),
                         [](const testing::TestParamInfo<Case>& param) {
                           return std::to_string(std::get<0>(param.param)) + "x" +
                                  std::to_string(std::get<1>(param.param)) + "_" +
                                  video::to_string({std::get<2>(param.param), 8});
                         });

TEST_P(DerivedEdges, are_those_of_the_second_model_in_the_definitions_order) {
  const auto& [width, height, chroma] = GetParam();
  vp9::LoopFilterEdges edges;
  for (std::uint64_t seed = kSeed; seed < kSeed + 8; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const DrawnPicture picture(width, height, chroma, seed);
    edges.derive(picture.header, picture.data);
    std::vector<LoopFilterEdge> expected;
    for (int plane = 0; plane < 3; ++plane) {
      const std::size_t begin = expected.size();
      for (int row = 0; row < picture.data.superblock_rows(); ++row) {
        for (int column = 0; column < picture.data.superblock_columns(); ++column) {
          add_superblock(picture, plane, row, column, expected);
        }
      }
      EXPECT_EQ(edges.plane(static_cast<std::size_t>(plane)).size(), expected.size() - begin);
    }
    ASSERT_NO_FATAL_FAILURE(expect_equal(edges.all(), expected));
  }
}

std::vector<LoopFilterEdge> superblock_edges(const DrawnPicture& picture, int row, int column,
                                             vp9::EdgeCounts& counts) {
  std::vector<LoopFilterEdge> edges(vp9::kMaxEdgesPerSuperblock);
  const LoopFilterEdge* const end =
      vp9::derive_superblock_edges(picture.header, picture.data, row, column, edges.data(), counts);
  edges.resize(static_cast<std::size_t>(end - edges.data()));
  return edges;
}

TEST_P(DerivedEdges, of_a_superblock_are_its_own_plane_after_plane) {
  const auto& [width, height, chroma] = GetParam();
  const DrawnPicture picture(width, height, chroma, kSeed);
  std::vector<LoopFilterEdge> found;
  vp9::EdgeCounts counts{};
  std::vector<LoopFilterEdge> expected;
  for (int row = 0; row < picture.data.superblock_rows(); ++row) {
    for (int column = 0; column < picture.data.superblock_columns(); ++column) {
      const std::vector<LoopFilterEdge> of_this = superblock_edges(picture, row, column, counts);
      found.insert(found.end(), of_this.begin(), of_this.end());
      for (int plane = 0; plane < 3; ++plane) {
        add_superblock(picture, plane, row, column, expected);
      }
    }
  }
  ASSERT_NO_FATAL_FAILURE(expect_equal(found, expected));
  vp9::EdgeCounts expected_counts{};
  for (const LoopFilterEdge& edge : expected) {
    ++expected_counts[edge.direction == EdgeDirection::vertical ? 0 : 1]
                     [static_cast<std::size_t>(std::countr_zero(edge.width)) - 2];
  }
  EXPECT_EQ(counts, expected_counts);
}

TEST(DerivedEdgesOfAFrame, whose_level_is_0_are_none) {
  DrawnPicture picture(200, 136, video::Chroma::c420, kSeed);
  vp9::LoopFilterEdges edges;
  edges.derive(picture.header, picture.data);
  EXPECT_FALSE(edges.all().empty());
  picture.header.loop_filter.level = 0;
  edges.derive(picture.header, picture.data);
  EXPECT_TRUE(edges.all().empty());
  EXPECT_TRUE(edges.plane(1).empty());
  vp9::EdgeCounts counts{};
  EXPECT_TRUE(superblock_edges(picture, 0, 0, counts).empty());
  EXPECT_EQ(counts, vp9::EdgeCounts{});
}

bool may_be_filtered(const LoopFilterEdge& edge, int width, int height) {
  if (edge.plane > 2 || edge.level < 1 || edge.level > 63) return false;
  if (edge.width != 4 && edge.width != 8 && edge.width != 16) return false;
  const bool vertical = edge.direction == EdgeDirection::vertical;
  if (!vertical && edge.direction != EdgeDirection::horizontal) return false;
  if (edge.x % 4 != 0 || edge.y % 4 != 0) return false;
  const int reach = edge.width == 16 ? 8 : 4;
  const int before = vertical ? edge.x : edge.y;
  const int behind = vertical ? width - edge.x : height - edge.y;
  const int along = vertical ? height - edge.y : width - edge.x;
  return before >= reach && behind >= reach && along >= 8;
}

// Uses random bytes as edges, most of them almost valid.
TEST(CheckedEdges, are_refused_exactly_when_one_is_wrong) {
  Random random(kSeed);
  const auto any_of = [&random](auto... values) {
    const std::array all{values...};
    return all[random.below(static_cast<std::uint32_t>(all.size()))];
  };
  constexpr int kWidths[] = {64, 32, 40};
  constexpr int kHeights[] = {48, 24, 64};
  std::array<std::vector<std::uint8_t>, 3> memory;
  vp9::LoopFilterPlanes<std::uint8_t> planes;
  for (std::size_t plane = 0; plane < 3; ++plane) {
    memory[plane].resize(static_cast<std::size_t>(kWidths[plane]) *
                         static_cast<std::size_t>(kHeights[plane]));
    planes[plane] = {memory[plane], static_cast<std::size_t>(kWidths[plane])};
  }
  int right = 0;
  for (int round = 0; round < 200'000; ++round) {
    LoopFilterEdge edge{
        .x = static_cast<std::uint16_t>(any_of(0, 4, 8, 12, 24, 28, 32, 36, 48, 52, 56, 60, 64)),
        .y = static_cast<std::uint16_t>(any_of(0, 4, 8, 12, 16, 20, 24, 36, 40, 44, 48, 56, 60)),
        .plane = static_cast<std::uint8_t>(random.below(3)),
        .direction = any_of(EdgeDirection::vertical, EdgeDirection::horizontal),
        .width = static_cast<std::uint8_t>(any_of(4, 8, 16)),
        .level = static_cast<std::uint8_t>(1 + random.below(63))};
    switch (random.below(16)) {
      case 0:
        edge.plane = static_cast<std::uint8_t>(random.below(256));
        break;
      case 1:
        edge.direction = static_cast<EdgeDirection>(random.below(256));
        break;
      case 2:
        edge.width = static_cast<std::uint8_t>(random.below(256));
        break;
      case 3:
        edge.level = static_cast<std::uint8_t>(any_of(0, 63, 64, 127, 128, 192, 255));
        break;
      case 4:
        edge.x = static_cast<std::uint16_t>(random.below(65536));
        break;
      case 5:
        edge.y = static_cast<std::uint16_t>(random.below(65536));
        break;
      default:
        break;
    }
    const std::array edges{LoopFilterEdge{.x = 8, .y = 8, .width = 8, .level = 1}, edge,
                           LoopFilterEdge{.x = 16, .y = 8, .width = 8, .level = 1}};
    bool accepted = true;
    try {
      vp9::check_edges(planes, std::span<const LoopFilterEdge>(edges));
    } catch (const Error&) {
      accepted = false;
    }
    const int width = edge.plane > 2 ? 0 : kWidths[edge.plane];
    const int height = edge.plane > 2 ? 0 : kHeights[edge.plane];
    ASSERT_EQ(accepted, may_be_filtered(edge, width, height)) << text_of(edge);
    right += accepted ? 1 : 0;
  }
  EXPECT_GT(right, 40'000);
  EXPECT_LT(right, 160'000);
}

}  // namespace
}  // namespace sidecore::test_loop_filter_edges
