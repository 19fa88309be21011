#include "vp9/picture_data.h"

#include <algorithm>
#include <utility>

namespace sidecore::vp9 {

int tile_offset(int index, int units, int log2) {
  const int superblocks = (units + kUnitsInSuperblock - 1) / kUnitsInSuperblock;
  return std::min(((index * superblocks) >> log2) * kUnitsInSuperblock, units);
}

void PictureData::prepare(const FrameHeader& header, ResidualRows residual,
                          const ResidualAllocator& allocator) {
  columns_ = header.columns();
  rows_ = header.rows();
  residual_ = residual;
  const auto units = static_cast<std::size_t>(columns_) * static_cast<std::size_t>(rows_);
  // Sizes are in whole superblocks, because transform blocks may extend beyond the frame.
  const std::size_t superblock_count = superblock_index(superblock_rows(), 0);
  const std::size_t with_residual =
      superblock_index(residual == ResidualRows::all ? superblock_rows() : 1, 0);
  const std::size_t luma = with_residual * kSuperblock * kSuperblock;
  const Subsampling chroma = header.subsampling();
  const std::size_t samples = luma + 2 * (luma >> (chroma.x + chroma.y));
  blocks.require(units);
  // The parser may need the previous frame's field. motion_ is null if an earlier call ran out of
  // memory here.
  if (motion_ == nullptr || motion_.use_count() > 1) {
    std::swap(motion_, spare_motion_);
    if (motion_ == nullptr || motion_.use_count() > 1) motion_ = std::make_shared<MotionField>();
  }
  motion_->block_of_unit.require(units);
  motion_->of_block.require(units);
  superblocks.require(superblock_count);
  transforms.require(samples / kMinCoefficients);
  const std::size_t coefficient_bytes =
      samples * (header.pixel.bits == 8 ? sizeof(std::int16_t) : sizeof(std::int32_t));
  // Ends the use of the previous frame's memory, which the allocator may return again.
  residual_memory_ = {};
  if (allocator) {
    residual_memory_ = allocator(coefficient_bytes, samples / kMinCoefficients);
  }
  if (residual_memory_.owner != nullptr) {
    coefficients_ = residual_memory_.coefficients.data();
  } else {
    own_coefficients_.require(coefficient_bytes / sizeof(std::int32_t));
    coefficients_ = own_coefficients_.data();
  }

  tile_columns.resize(std::size_t{1} << header.tile_columns_log2);
  const std::size_t samples_of_column =
      samples / static_cast<std::size_t>(superblock_columns()) / kUnitsInSuperblock;
  for (std::size_t index = 0; index < tile_columns.size(); ++index) {
    TileColumn& tile = tile_columns[index];
    tile.begin = tile_offset(static_cast<int>(index), columns_, header.tile_columns_log2);
    tile.end = tile_offset(static_cast<int>(index) + 1, columns_, header.tile_columns_log2);
    const auto before = static_cast<std::size_t>(tile.begin);
    const auto first_block = static_cast<std::uint32_t>(before * static_cast<std::size_t>(rows_));
    tile.blocks = {first_block, first_block};
    const auto first_transform =
        static_cast<std::uint32_t>(before * samples_of_column / kMinCoefficients);
    tile.transforms = {first_transform, first_transform};
    tile.next_coefficient = before * samples_of_column;
  }
}

}  // namespace sidecore::vp9
