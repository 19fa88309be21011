// All that a frame's bits say, as plain arrays: what reconstruction and filtering work from, on
// whatever processor, without the stream. Nothing here is a sample.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

#include "vp9/frame_header.h"
#include "vp9/types.h"

namespace sidecore::vp9 {

/// A block: what one set of modes holds for.
struct Block {
  std::uint16_t row = 0;  ///< of its top left corner, in units of 8x8 luma samples
  std::uint16_t column = 0;
  BlockSize size = kBlock8x8;
  TransformSize transform = kTransform4x4;
  TransformSize chroma_transform = kTransform4x4;
  InterpolationFilter filter = kEightTap;  ///< of inter blocks
  std::uint8_t segment = 0;
  std::uint8_t filter_level = 0;  ///< of the loop filter, 0..63
  bool skip = false;              ///< no residual: coded so, or an inter block's came out empty
  PredictionMode uv_mode = kDcPrediction;
  /// Of the four 4x4 blocks of a block below 8x8; the same four times in larger ones.
  std::array<PredictionMode, 4> modes{};
  std::array<ReferenceFrame, 2> references{kIntra, kNone};
  /// [4x4 block][reference], as `modes`.
  std::array<std::array<MotionVector, 2>, 4> mv{};
  std::uint32_t first_transform = 0;  ///< index of its first TransformBlock
  std::uint32_t transform_count = 0;

  [[nodiscard]] bool is_inter() const { return references[0] > kIntra; }
  [[nodiscard]] bool is_compound() const { return references[1] > kIntra; }
  [[nodiscard]] PredictionMode mode() const { return modes[3]; }
};

/// A transform block that has coefficients; blocks without any are not listed.
struct TransformBlock {
  /// As long as the coefficients' magnitudes add up to no more, every value within the transform,
  /// and the sum of two of them before it is scaled by cos(pi / 4), fits into 16 bits.
  static constexpr std::uint32_t kNarrowSum = 22000;

  std::uint32_t first_coefficient = 0;  ///< index into the picture's coefficients
  std::uint16_t x = 0;                  ///< of its top left sample in its plane
  std::uint16_t y = 0;
  std::uint16_t end = 0;  ///< coefficients in decoding order up to the last that is not zero
  /// Rows from the top that hold all coefficients that are not zero, and columns from the left: at
  /// most their number rounded up to a power of two.
  std::uint8_t rows = 0;
  std::uint8_t columns = 0;
  bool narrow = false;  ///< the magnitudes add up to kNarrowSum or less
  std::uint8_t plane = 0;
  TransformSize size = kTransform4x4;
  TransformType type = kDctDct;
};

static_assert(sizeof(TransformBlock) == 16);

/// Motion of an 8x8 unit, as the next frame's prediction of vectors sees it. Whole words, for it is
/// written for every unit.
struct alignas(4) UnitMotion {
  std::array<MotionVector, 2> mv{};
  std::array<ReferenceFrame, 2> references{kNone, kNone};
};

/// Of a transform block.
inline constexpr std::size_t kLeastCoefficients = 16;

/// A run of elements in one of the arrays.
struct Range {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// Memory that grows, is never cleared or initialised, and whose untouched pages cost nothing.
template <class T>
class Storage {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  void require(std::size_t count) {
    if (count <= size_) return;
    data_.reset();
    size_ = 0;
    data_.reset(static_cast<T*>(::operator new(count * sizeof(T))));
    size_ = count;
  }
  [[nodiscard]] T* data() { return data_.get(); }
  [[nodiscard]] const T* data() const { return data_.get(); }
  T& operator[](std::size_t index) { return data_.get()[index]; }
  const T& operator[](std::size_t index) const { return data_.get()[index]; }

 private:
  struct Delete {
    void operator()(T* data) const { ::operator delete(data); }
  };
  std::unique_ptr<T, Delete> data_;
  std::size_t size_ = 0;
};

/// Memory of a frame's residual that another processor reads in the host's place. Parsers alone
/// touch it: they write every transform block once and whole, in the order of the stream, and the
/// host reads nothing of it, for both may be what such memory is bad at. Without an owner it is
/// none.
struct ResidualMemory {
  std::span<std::byte> coefficients;     ///< aligned for any type
  std::span<TransformBlock> transforms;  ///< at the places that they have in PictureData
  std::shared_ptr<const void> owner;     ///< keeps it, for this frame alone
};

/// Called for a frame that is going to be parsed, with what its arrays need at most. None: the
/// host reads the residual, and it lies on the heap.
using ResidualAllocator =
    std::function<ResidualMemory(std::size_t coefficient_bytes, std::size_t transforms)>;

/// What a tile column owns of the arrays: tile columns are parsed at the same time.
struct TileColumn {
  int begin = 0;  ///< units
  int end = 0;
  Range blocks;      ///< `end` grows while parsing
  Range transforms;  ///< likewise; of what ResidualRows says
  std::uint64_t next_coefficient = 0;

  /// Of the first transform block.
  [[nodiscard]] std::uint64_t first_coefficient() const {
    return std::uint64_t{transforms.begin} * kLeastCoefficients;
  }
};

/// Of how many rows of superblocks a frame's arrays hold the residual at a time.
enum class ResidualRows : std::uint8_t {
  all,
  one,  ///< each row is reconstructed before the next one is parsed
};

/// The arrays of one frame. prepare() lays them out; tile parsers fill them.
class PictureData {
 public:
  /// Throws std::bad_alloc, and what `allocator` throws, which is asked for the residual's memory
  /// unless it is empty. Allocates only when the frame is larger than all before it.
  void prepare(const FrameHeader& header, ResidualRows residual = ResidualRows::all,
               const ResidualAllocator& allocator = {});
  /// A tile column's next row of superblocks is going to be parsed.
  void start_row(TileColumn& column) const {
    if (residual_ == ResidualRows::all) return;
    column.transforms.end = column.transforms.begin;
    column.next_coefficient = column.first_coefficient();
  }

  [[nodiscard]] int columns() const { return columns_; }
  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] int superblock_columns() const { return (columns_ + 7) / 8; }
  [[nodiscard]] int superblock_rows() const { return (rows_ + 7) / 8; }
  [[nodiscard]] std::size_t unit(int row, int column) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
           static_cast<std::size_t>(column);
  }

  [[nodiscard]] std::size_t superblock_index(int row, int column) const {
    return static_cast<std::size_t>(row) * static_cast<std::size_t>(superblock_columns()) +
           static_cast<std::size_t>(column);
  }

  /// The first column of units of the tile column that a column is in.
  [[nodiscard]] int tile_begin(int column) const {
    for (const TileColumn& tile : tile_columns) {
      if (column >= tile.begin && column < tile.end) return tile.begin;
    }
    return 0;
  }
  /// The block that covers a unit.
  [[nodiscard]] const Block& block_at(int row, int column) const {
    return blocks[block_of_unit[unit(row, column)]];
  }
  /// The blocks of a superblock, in decoding order.
  [[nodiscard]] Range& superblock(int row, int column) {
    return superblocks[superblock_index(row, column)];
  }
  [[nodiscard]] const Range& superblock(int row, int column) const {
    return superblocks[superblock_index(row, column)];
  }

  std::vector<TileColumn> tile_columns;
  Storage<Block> blocks;
  Storage<std::uint32_t> block_of_unit;
  Storage<Range> superblocks;
  Storage<TransformBlock> transforms;
  Storage<UnitMotion> motion;

  /// Dequantised, in rows of N: std::int16_t of 8-bit frames, std::int32_t of deeper ones. They lie
  /// in residual_memory() where there is any.
  template <class Coefficient>
  [[nodiscard]] Coefficient* coefficients() {
    return static_cast<Coefficient*>(coefficients_);
  }
  template <class Coefficient>
  [[nodiscard]] const Coefficient* coefficients() const {
    return static_cast<const Coefficient*>(coefficients_);
  }
  /// Where parsers also write `transforms`, of which the host keeps its own, and `coefficients`.
  [[nodiscard]] const ResidualMemory& residual_memory() const { return residual_memory_; }

 private:
  int columns_ = 0;
  int rows_ = 0;
  ResidualRows residual_ = ResidualRows::all;
  ResidualMemory residual_memory_;
  Storage<std::int32_t> own_coefficients_;
  void* coefficients_ = nullptr;
};

/// First unit column of tile `index` of 1 << log2 tiles over `units` columns (or rows): section
/// 6.4.1, get_tile_offset().
[[nodiscard]] int tile_offset(int index, int units, int log2);

}  // namespace sidecore::vp9
