// Finds out which of a frame's intra blocks can be predicted at the same time.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "vp9/intra_blocks.h"

namespace sidecore::vp9 {

/// Groups a frame's intra blocks by superblocks in waves. A superblock depends only on superblocks
/// of earlier waves. Within a superblock, blocks have steps: a block depends only on blocks of
/// earlier steps. Inter blocks and their residual must be complete before. Holds the schedule of
/// one frame.
class IntraScheduler {
 public:
  /// Returns the number of steps that a block takes. It depends only on blocks that are
  /// complete before its first step. Blocks that depend on it may begin after its last step.
  [[nodiscard]] static std::uint32_t steps_of(TransformSize size) {
    return size == kTransform4x4 ? 1 : 2;
  }

  struct Scheduled {
    IntraBlock block;
    std::uint32_t first_step = 0;
  };
  /// A superblock that has intra blocks.
  struct Superblock {
    Range blocks;
    std::uint32_t steps = 0;
  };

  /// Schedules the intra blocks of a picture, which must outlive the schedule.
  void schedule(const FrameHeader& header, const PictureData& picture);

  /// Schedules a list of blocks that do not depend on each other.
  void schedule(std::span<const IntraBlock> apart);
  /// Sets the residual of a scheduled block, for a schedule that outlives its picture.
  void set_transform(std::size_t block, const TransformBlock* transform) {
    blocks_[block].block.transform = transform;
  }

  /// Returns the blocks, by superblocks from left to right and from the top. Within a superblock
  /// they are in decoding order.
  [[nodiscard]] std::span<const Scheduled> blocks() const { return blocks_; }
  /// Returns the superblocks that have intra blocks, ordered by wave.
  [[nodiscard]] std::span<const Superblock> superblocks() const { return sorted_; }
  /// Returns, for each wave, the number of superblocks up to its end.
  [[nodiscard]] std::span<const std::uint32_t> wave_ends() const { return wave_ends_; }

 private:
  static constexpr std::size_t kGroupsPerSide = kSuperblock / 4;
  static constexpr std::size_t kGroupsPerSideWithBorder = kGroupsPerSide + 1;
  /// Step after which each 4x4 block is complete. The first row and column belong to other
  /// superblocks.
  using Done = std::array<std::uint16_t, kGroupsPerSideWithBorder * kGroupsPerSideWithBorder>;

  struct Unsorted {
    Superblock superblock;
    std::uint32_t wave = 0;
  };

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(blocks_.size()); }
  [[nodiscard]] std::uint32_t find_first_wave(const PictureData& picture, const Block& block) const;
  void add_block(const IntraBlock& block, Subsampling plane, Superblock& superblock);
  void sort();

  std::vector<Scheduled> blocks_;
  std::vector<Unsorted> unsorted_;
  std::vector<std::uint32_t> wave_of_;  ///< indexed by superblock_index()
  std::array<Done, 3> done_{};
  std::vector<Superblock> sorted_;
  std::vector<std::uint32_t> wave_ends_;
};

}  // namespace sidecore::vp9
