// Which of a frame's intra blocks may be predicted at the same time.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "vp9/intra_blocks.h"

namespace sidecore::vp9 {

/// A frame's intra blocks by superblocks, in waves: a superblock builds on none of its own wave or
/// of a later one. Within a superblock they have steps: a block builds on none of its own or a
/// later step. Inter blocks and their residual are there before. Holds one frame's at a time.
class IntraScheduler {
 public:
  /// Steps that a block takes: its neighbours may change up to its first one, and from behind its
  /// last one on others may build on it.
  [[nodiscard]] static std::uint32_t steps_of(TransformSize size) {
    return size == kTransform4x4 ? 1 : 2;
  }

  struct Scheduled {
    IntraBlock block;
    std::uint32_t first_step = 0;
  };
  /// One that has intra blocks.
  struct Superblock {
    Range blocks;
    std::uint32_t steps = 0;
  };

  /// The picture outlives what is said of it.
  void schedule(const FrameHeader& header, const PictureData& picture);

  /// Blocks none of which builds on another one.
  void schedule(std::span<const IntraBlock> apart);
  /// Whose residual it is: for a schedule that is kept longer than the picture.
  void set_transform(std::size_t block, const TransformBlock* transform) {
    blocks_[block].block.transform = transform;
  }

  /// In decoding order, but for tile columns: superblocks from left to right.
  [[nodiscard]] std::span<const Scheduled> blocks() const { return blocks_; }
  /// Wave after wave.
  [[nodiscard]] std::span<const Superblock> superblocks() const { return sorted_; }
  /// The number of superblocks up to the end of each wave.
  [[nodiscard]] std::span<const std::uint32_t> wave_ends() const { return wave_ends_; }

 private:
  static constexpr std::size_t kGroups = kSuperblock / 4;
  static constexpr std::size_t kRow = kGroups + 1;
  /// Steps until each 4x4 block is there; the first row and column are of other superblocks.
  using Done = std::array<std::uint16_t, kRow * kRow>;

  struct Unsorted {
    Superblock superblock;
    std::uint32_t wave = 0;
  };

  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(blocks_.size()); }
  [[nodiscard]] std::uint32_t wave_behind(const PictureData& picture, const Block& block) const;
  void add_block(const IntraBlock& block, Subsampling plane, Superblock& superblock);
  void sort();

  std::vector<Scheduled> blocks_;
  std::vector<Unsorted> unsorted_;
  std::vector<std::uint32_t> wave_of_;  ///< by superblock_index()
  std::array<Done, 3> done_{};
  std::vector<Superblock> sorted_;
  std::vector<std::uint32_t> wave_ends_;
};

}  // namespace sidecore::vp9
