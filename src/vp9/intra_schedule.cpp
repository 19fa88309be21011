#include "vp9/intra_schedule.h"

#include <algorithm>

namespace sidecore::vp9 {

void IntraScheduler::schedule(const FrameHeader& header, const PictureData& picture) {
  blocks_.clear();
  unsorted_.clear();
  wave_of_.assign(picture.superblock_index(picture.superblock_rows(), 0), 0);
  for (int row = 0; row < picture.superblock_rows(); ++row) {
    for (int column = 0; column < picture.superblock_columns(); ++column) {
      const Range range = picture.superblock(row, column);
      Unsorted now;
      now.superblock.blocks.begin = size();
      for (std::uint32_t index = range.begin; index < range.end; ++index) {
        const Block& block = picture.blocks[index];
        if (block.is_inter()) continue;
        if (blocks_.size() == now.superblock.blocks.begin) done_ = {};
        now.wave = std::max(now.wave, find_first_wave(picture, block));
        for_each_intra_block(header, picture, block, [&](const IntraBlock& intra) {
          add_block(intra, header.subsampling(intra.plane), now.superblock);
        });
      }
      now.superblock.blocks.end = size();
      if (now.superblock.blocks.begin == now.superblock.blocks.end) continue;
      wave_of_[picture.superblock_index(row, column)] = now.wave;
      unsorted_.push_back(now);
    }
  }
  sort();
}

void IntraScheduler::schedule(std::span<const IntraBlock> apart) {
  constexpr std::uint32_t kBlocksPerSuperblock = 16;
  blocks_.clear();
  unsorted_.clear();
  for (const IntraBlock& block : apart) {
    if (blocks_.size() % kBlocksPerSuperblock == 0)
      unsorted_.emplace_back().superblock.blocks.begin = size();
    Superblock& superblock = unsorted_.back().superblock;
    blocks_.push_back({block, 0});
    superblock.blocks.end = size();
    superblock.steps = std::max(superblock.steps, steps_of(block.size));
  }
  sort();
}

// Returns the first wave in which all superblocks that the block depends on are complete.
std::uint32_t IntraScheduler::find_first_wave(const PictureData& picture,
                                              const Block& block) const {
  std::uint32_t wave = 0;
  const int own_row = block.row / kUnitsInSuperblock;
  const int own_column = block.column / kUnitsInSuperblock;
  const auto build_on = [&](int row, int column) {
    const int of_row = row / kUnitsInSuperblock;
    const int of_column = column / kUnitsInSuperblock;
    if ((of_row == own_row && of_column == own_column) || picture.block_at(row, column).is_inter())
      return;
    wave = std::max(wave, wave_of_[picture.superblock_index(of_row, of_column)] + 1);
  };
  const bool has_left = block.column > picture.tile_begin(block.column);
  const bool has_above = block.row > 0;
  if (has_left && has_above) build_on(block.row - 1, block.column - 1);
  if (has_left && block.column % kUnitsInSuperblock == 0) {
    const int end = std::min(block.row + kHeightIn8[block.size], picture.rows());
    for (int row = block.row; row < end; ++row) build_on(row, block.column - 1);
  }
  if (has_above && block.row % kUnitsInSuperblock == 0) {
    const int end = std::min(block.column + kWidthIn8[block.size], picture.columns());
    for (int column = block.column; column < end; ++column) build_on(block.row - 1, column);
  }
  return wave;
}

void IntraScheduler::add_block(const IntraBlock& block, Subsampling plane, Superblock& superblock) {
  Done& done = done_[block.plane];
  const IntraSurroundings& where = block.where;
  const int y = where.y & ((kSuperblock >> plane.y) - 1);
  const int x = where.x & ((kSuperblock >> plane.x) - 1);
  const std::size_t at = (static_cast<std::size_t>(y / 4) + 1) * kGroupsPerSideWithBorder +
                         static_cast<std::size_t>(x / 4) + 1;
  const std::size_t groups = std::size_t{1} << block.size;
  const IntraNeeds needs = intra_needs(block.mode);
  std::uint32_t first = 0;
  const auto build_on = [&](std::size_t neighbour) {
    first = std::max<std::uint32_t>(first, done[neighbour]);
  };
  if (needs.corner) build_on(at - kGroupsPerSideWithBorder - 1);
  if (needs.above) {
    for (std::size_t group = 0; group < groups; ++group)
      build_on(at - kGroupsPerSideWithBorder + group);
  }
  if (needs.above_right && block.size == kTransform4x4 && where.above_right)
    build_on(at - kGroupsPerSideWithBorder + 1);
  if (needs.left) {
    for (std::size_t group = 0; group < groups; ++group)
      build_on(at + group * kGroupsPerSideWithBorder - 1);
  }
  const std::uint32_t last = first + steps_of(block.size);
  for (std::size_t row = 0; row < groups; ++row) {
    std::fill_n(done.begin() + static_cast<std::ptrdiff_t>(at + row * kGroupsPerSideWithBorder),
                groups, static_cast<std::uint16_t>(last));
  }
  superblock.steps = std::max(superblock.steps, last);
  blocks_.push_back({block, first});
}

void IntraScheduler::sort() {
  wave_ends_.clear();
  for (const Unsorted& superblock : unsorted_) {
    if (superblock.wave >= wave_ends_.size()) wave_ends_.resize(superblock.wave + 1);
    ++wave_ends_[superblock.wave];
  }
  sorted_.resize(unsorted_.size());
  std::uint32_t next = 0;
  for (std::uint32_t& end : wave_ends_) {  // turns counts into the start of each wave
    const std::uint32_t count = end;
    end = next;
    next += count;
  }
  for (const Unsorted& superblock : unsorted_) {
    sorted_[wave_ends_[superblock.wave]++] = superblock.superblock;
  }
}

}  // namespace sidecore::vp9
