// The content of a parsed frame as plain arrays, without any sample. Reconstruction and the loop
// filter work from these arrays on any processor and do not need the stream.
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

/// A block: the area for which one set of modes holds.
struct Block {
  std::uint16_t row = 0;  ///< `row`, `column`: top left corner, in units of 8x8 luma samples
  std::uint16_t column = 0;
  BlockSize size = kBlock8x8;
  TransformSize transform = kTransform4x4;
  TransformSize chroma_transform = kTransform4x4;
  InterpolationFilter filter = kEightTap;  ///< used by inter blocks only
  std::uint8_t segment = 0;
  std::uint8_t filter_level = 0;  ///< loop filter level, 0..63
  bool skip = false;  ///< no residual: coded as skipped, or an inter block without coefficients
  PredictionMode uv_mode = kDcPrediction;
  /// Modes of the four 4x4 blocks in a block smaller than 8x8. In larger blocks all four are equal.
  std::array<PredictionMode, 4> modes{};
  std::array<ReferenceFrame, 2> references{kIntra, kNone};
  /// Vectors by [4x4 block][reference]; in blocks of 8x8 or more the four 4x4 blocks have equal
  /// ones.
  std::array<std::array<MotionVector, 2>, 4> mv{};
  std::uint32_t first_transform = 0;  ///< index of the block's first TransformBlock
  std::uint32_t transform_count = 0;

  [[nodiscard]] bool is_inter() const { return references[0] > kIntra; }
  [[nodiscard]] bool is_compound() const { return references[1] > kIntra; }
  [[nodiscard]] PredictionMode mode() const { return modes[3]; }
};

/// A transform block with coefficients. Transform blocks without coefficients are not listed.
struct TransformBlock {
  /// Largest sum of the coefficients' magnitudes for which 16-bit arithmetic suffices. Up to this
  /// sum, 16 bits hold every value within the transform, and the sum of two values before scaling
  /// by cos(pi / 4).
  static constexpr std::uint32_t kNarrowSum = 22000;

  std::uint32_t first_coefficient = 0;  ///< index into the picture's coefficients
  std::uint16_t x = 0;  ///< position (x, y) of the top left sample in the block's plane
  std::uint16_t y = 0;
  std::uint16_t end = 0;  ///< number of coefficients in decoding order up to the last nonzero one
  /// All nonzero coefficients lie in the first `rows` rows and `columns` columns. Both are at most
  /// the number of these coefficients, rounded up to a power of two.
  std::uint8_t rows = 0;
  std::uint8_t columns = 0;
  bool narrow = false;  ///< true if the coefficients' magnitudes add up to at most kNarrowSum
  std::uint8_t plane = 0;
  TransformSize size = kTransform4x4;
  TransformType type = kDctDct;
};

static_assert(sizeof(TransformBlock) == 16);

/// Smallest number of coefficients in a transform block: 4x4.
inline constexpr std::size_t kMinCoefficients = 16;

/// Range [begin, end) of elements in an array.
struct Range {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

/// Memory that can grow but is never cleared or initialised. Growing discards the content. Pages
/// that are never touched take no physical memory.
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

/// Motion of a block: the vectors of its last 4x4 block.
struct BlockMotion {
  std::array<MotionVector, 2> mv{};
  std::array<ReferenceFrame, 2> references{kNone, kNone};
};

/// Motion of a frame, from which vectors of the next frame are predicted. It is much smaller than
/// the frame's blocks.
struct MotionField {
  Storage<std::uint32_t> block_of_unit;  ///< index of the block that covers each 8x8 unit
  Storage<BlockMotion> of_block;         ///< motion of each block

  /// Returns the motion of the block that covers a unit.
  [[nodiscard]] const BlockMotion& at(std::size_t unit) const {
    return of_block[block_of_unit[unit]];
  }
};

/// Memory for a frame's residual that another processor reads instead of the host. Only parsers
/// write it: each transform block once and completely, in stream order. The host never reads it,
/// because such memory may be slow to read or to write in another order. Without an owner it is
/// empty.
struct ResidualMemory {
  std::span<std::byte> coefficients;     ///< memory for the coefficients, aligned for any type
  std::span<TransformBlock> transforms;  ///< transform blocks at the same indices as in PictureData
  std::shared_ptr<const void> owner;     ///< keeps the memory alive; each frame has its own owner
};

/// Called for a frame that is going to be parsed, with the largest sizes that its residual may
/// have. If it is null or returns empty memory, the residual is on the heap and the host reads it.
using ResidualAllocator =
    std::function<ResidualMemory(std::size_t coefficient_bytes, std::size_t transforms)>;

/// Parts of the arrays that one tile column owns, so that tile columns can be parsed at the same
/// time.
struct TileColumn {
  int begin = 0;  ///< `begin` and `end`: range of unit columns
  int end = 0;
  Range blocks;  ///< range of the column's blocks; `end` grows while the column is parsed
  /// Range of the column's transform blocks; `end` grows while the column is parsed, and
  /// ResidualRows::one starts a new range for each row.
  Range transforms;
  std::uint64_t next_coefficient = 0;

  /// Returns the index of the first coefficient of this column's first transform block.
  [[nodiscard]] std::uint64_t first_coefficient() const {
    return std::uint64_t{transforms.begin} * kMinCoefficients;
  }
};

/// Number of superblock rows whose residual a frame's arrays hold at a time.
enum class ResidualRows : std::uint8_t {
  all,
  one,  ///< each row is reconstructed before the next one is parsed
};

/// Arrays of one frame. prepare() sets their sizes; tile parsers fill them.
class PictureData {
 public:
  /// Prepares the arrays for a frame. Allocates only if the frame is larger than all earlier ones.
  /// If `allocator` is set, the residual's memory comes from it. Throws std::bad_alloc and the
  /// exceptions of `allocator`.
  void prepare(const FrameHeader& header, ResidualRows residual = ResidualRows::all,
               const ResidualAllocator& allocator = {});
  /// Prepares for a tile column's next row of superblocks, before the row is parsed.
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

  /// Returns the first unit column of the tile column that contains unit column `column`.
  [[nodiscard]] int tile_begin(int column) const {
    for (const TileColumn& tile : tile_columns) {
      if (column >= tile.begin && column < tile.end) return tile.begin;
    }
    return 0;
  }
  /// Returns the block that covers the unit at `row`, `column`.
  [[nodiscard]] const Block& block_at(int row, int column) const {
    return blocks[motion().block_of_unit[unit(row, column)]];
  }
  /// Returns the range of a superblock's blocks, in decoding order.
  [[nodiscard]] Range& superblock(int row, int column) {
    return superblocks[superblock_index(row, column)];
  }
  [[nodiscard]] const Range& superblock(int row, int column) const {
    return superblocks[superblock_index(row, column)];
  }

  std::vector<TileColumn> tile_columns;
  Storage<Block> blocks;
  Storage<Range> superblocks;
  Storage<TransformBlock> transforms;

  /// Returns the frame's motion field, which tile parsers fill.
  [[nodiscard]] MotionField& motion() { return *motion_; }
  [[nodiscard]] const MotionField& motion() const { return *motion_; }
  /// Returns a share of the motion field. As long as it is held, prepare() uses other memory.
  [[nodiscard]] std::shared_ptr<const MotionField> shared_motion() const { return motion_; }

  /// Returns the dequantised coefficients in rows of N. Coefficient must be std::int16_t for 8-bit
  /// frames and std::int32_t for others. They are in residual_memory() if that is not empty.
  template <class Coefficient>
  [[nodiscard]] Coefficient* coefficients() {
    return static_cast<Coefficient*>(coefficients_);
  }
  template <class Coefficient>
  [[nodiscard]] const Coefficient* coefficients() const {
    return static_cast<const Coefficient*>(coefficients_);
  }
  /// Returns the memory in which parsers store `coefficients` and a second copy of `transforms`;
  /// empty if the host reads the residual.
  [[nodiscard]] const ResidualMemory& residual_memory() const { return residual_memory_; }

 private:
  int columns_ = 0;
  int rows_ = 0;
  ResidualRows residual_ = ResidualRows::all;
  std::shared_ptr<MotionField> motion_ = std::make_shared<MotionField>();
  std::shared_ptr<MotionField> spare_motion_;  ///< used while motion_ is shared; null until then
  ResidualMemory residual_memory_;
  Storage<std::int32_t> own_coefficients_;
  void* coefficients_ = nullptr;
};

/// Returns the first unit column of tile `index`, if `units` columns are divided into 1 << log2
/// tiles; also used for rows. Section 6.4.1, get_tile_offset().
[[nodiscard]] int tile_offset(int index, int units, int log2);

}  // namespace sidecore::vp9
