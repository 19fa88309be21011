// Inverse transforms of a whole frame on the QPU: lists the blocks and records the dispatches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "qpu/buffer.h"
#include "qpu/command_list.h"
#include "qpu/device.h"
#include "qpu/program.h"
#include "qpu/vp9/dispatch_work.h"
#include "qpu/vp9/picture_planes.h"
#include "vp9/picture_data.h"

namespace sidecore::qpu {

/// Destination of a transform block's residual.
enum class ResidualUse : std::uint8_t {
  add,   ///< the residual is added to the frame's samples; for inter blocks
  store  ///< the residual is stored in residuals(); intra prediction adds it later
};

/// Buffers into which a parser writes a picture's residual (vp9::ResidualMemory) and from which
/// shaders read it.
struct ParsedResidual {
  std::shared_ptr<Buffer> coefficients;
  std::shared_ptr<Buffer> blocks;

  /// Creates buffers with room for the given coefficients (in bytes) and blocks. Throws as
  /// Device::create_buffer(). fits() is false for sizes that the device does not support.
  [[nodiscard]] static ParsedResidual create(Device& device, std::size_t coefficient_bytes,
                                             std::size_t blocks);
  [[nodiscard]] static bool fits(const DeviceLimits& limits, std::size_t coefficient_bytes,
                                 std::size_t blocks);
  [[nodiscard]] bool has_room(std::size_t coefficient_bytes, std::size_t blocks) const;
};

/// First superblock row whose transform blocks are processed.
struct TransformRows {
  int inter = 0;  ///< first row whose transform blocks in inter blocks are processed
  int intra = 0;
};

/// Transforms the blocks of one frame after another. The data of a frame is in buffers that the
/// device reads, written by the parser or copied; the dispatches are recorded into the caller's
/// list. An instance serves one frame at a time; two frames in flight need two instances. The
/// device must outlive it.
class InverseTransform {
 public:
  /// Smallest number of lanes for which blocks with only a non-zero corner get their own programs,
  /// which compute less. Fewer such blocks join the other DCTs, with the same result. A dispatch
  /// costs up to 33 us, the time of about 100,000 instructions on a Raspberry Pi 5. This many lanes
  /// of corners save 30,000 (8x8) to 90,000 (32x32), later passes included.
  static constexpr std::size_t kMinCornerLanes = 1024;

  /// Returns all shaders that a frame may need, for checking them against a device.
  [[nodiscard]] static std::vector<Shader> shaders();

  /// Makes the transform for samples of `bits` 8, 10 or 12; throws Error (usage) for other depths.
  /// If `min_corner_lanes` is 0, corners always have their own programs. A dispatch has at
  /// most `most_workgroups` workgroups and never more than the device allows; larger work is
  /// divided.
  InverseTransform(Device& device, int bits, std::size_t min_corner_lanes = kMinCornerLanes,
                   std::uint32_t most_workgroups = std::numeric_limits<std::uint32_t>::max());

  /// Takes a frame's transform blocks. Residuals of inter blocks are added to the frame, those of
  /// intra blocks stored. `residual` is where the parser wrote the blocks; this function only lists
  /// the work. Work taken before must be done.
  void set_blocks(const vp9::PictureData& picture, const ParsedResidual& residual);

  /// Takes the blocks that `which` selects in a frame whose residual is in host memory. Copies
  /// blocks and coefficients to device memory; coefficients keep their offsets in the picture.
  /// Throws Error (environment) for more than 2^24 - 1 blocks.
  void set_blocks(const vp9::PictureData& picture, const TransformRows& which = {});

  /// Takes blocks that the caller lists, preferably in the order of their position in the frame;
  /// blocks must not overlap. uses[i] belongs to blocks[i]. `Coefficient` is std::int16_t for 8
  /// bits, otherwise std::int32_t. A block's coefficients begin at its first_coefficient, a
  /// multiple of 16.
  template <class Coefficient>
  void set_blocks(std::span<const vp9::TransformBlock> blocks, std::span<const ResidualUse> uses,
                  std::span<const Coefficient> coefficients);

  /// Records the uploads and dispatches for the blocks from set_blocks(); nothing if there are
  /// none. `frame` holds the planes, in memory of whole superblocks. Throws Error (usage) if rows
  /// or planes do not begin at multiples of 16 bytes, or if planes exceed the buffer. If memory is
  /// staged, the caller must copy the frame.
  void record(CommandList& list, Buffer& frame, const PicturePlanes& planes) const;
  /// Number of dispatches that record() records.
  [[nodiscard]] std::size_t dispatches() const;
  /// Returns the work of each dispatch. A work unit is one block. Where rows and columns take two
  /// dispatches, all blocks of that size form one kind.
  [[nodiscard]] std::vector<DispatchWork> work() const;
  /// Returns the number of bytes of blocks and coefficients that the last set_blocks() copied.
  [[nodiscard]] std::size_t packed_bytes() const { return packed_bytes_; }

  /// Returns the buffer with the residual of ResidualUse::store blocks, before it is added to
  /// samples. A block of N x N has N rows of N elements, from element first_coefficient on, so that
  /// it is aligned to 16 elements. Elements have the type of the coefficients (std::int16_t at 8
  /// bits, otherwise std::int32_t). Values are clamped to 16 bits, which matters only for damaged
  /// streams. Everything outside listed blocks is undefined. Null before the first set_blocks();
  /// replaced when a frame needs more room.
  [[nodiscard]] const std::shared_ptr<Buffer>& residuals() const { return residuals_; }

 private:
  /// Work of one dispatch: blocks of one size and kind, by one of the shaders.
  struct Work {
    const Shader* shader = nullptr;  ///< embedded shader; null if a part has no blocks of this kind
    Specialization specialization;
    std::uint32_t lanes_log2 = 0;  ///< base-2 logarithm of the lanes per entry
    std::size_t most = 0;          ///< upper bound of the number of entries
    std::size_t first = 0;         ///< index of the first entry in the list
    std::size_t count = 0;         ///< number of entries; finish() fills whole workgroups
    /// For corners: number of lanes of all blocks in which only the corner is non-zero.
    std::size_t lanes = 0;
  };

  /// Parts that process a block: one, or two.
  struct Passes {
    std::size_t first;
    std::uint32_t kind;
    bool corner = false;  ///< the first part may use the corner's program
    std::size_t second = 0;
    std::uint32_t second_kind = 0;
    /// True if only few rows are non-zero: the second of two parts may use the corner's program.
    bool few_rows = false;
  };

  /// Copies and lists blocks: for_each(visit) calls visit(block, use) for each of them.
  template <class Coefficient, class ForEach>
  void copy_all(const Coefficient* coefficients, const ForEach& for_each);
  // Functions that make a list. Call start(), then count() for each block, lay_out(), add() for
  // each block, and finish().
  void start();
  void count(const vp9::TransformBlock& block, ResidualUse use);
  void lay_out();
  /// Adds a block to the list. Returns how many of its rows are read; `number` is its index in
  /// residual_.
  std::uint32_t add(const vp9::TransformBlock& block, ResidualUse use, std::uint32_t number);
  /// Completes the list. Lanes after the last entry read an extra block: `padding` is its index,
  /// which is after all other blocks. `first_coefficient` is the index of its coefficients, which
  /// are after those of all other blocks.
  void finish(std::uint32_t padding, std::size_t first_coefficient);
  /// Notes elements [begin, end) of `bytes` bytes each for upload if memory is staged.
  void upload(Buffer& buffer, std::size_t begin, std::size_t end, std::size_t bytes);

  [[nodiscard]] Work& work(std::size_t part, const vp9::TransformBlock& block, std::uint32_t kind);
  /// Returns the work that adds 32x32 blocks to the frame.
  [[nodiscard]] Work& adding_work(const vp9::TransformBlock& block);
  [[nodiscard]] Passes passes(const vp9::TransformBlock& block) const;
  /// Returns true if a part has a separate dispatch for corners of the block's size.
  [[nodiscard]] bool has_corners(std::size_t part, const vp9::TransformBlock& block);
  [[nodiscard]] std::uint32_t workgroups(const Work& work) const;
  /// Calls visit(first, last) with the entries of each dispatch of `work`.
  template <class Visit>
  void for_each_dispatch(const Work& work, const Visit& visit) const;
  /// Returns the size of a coefficient in bytes.
  [[nodiscard]] std::size_t coefficient_size() const {
    return bits_ == 8 ? sizeof(std::int16_t) : sizeof(std::int32_t);
  }

  Device& device_;
  int bits_;
  std::size_t min_corner_lanes_;
  std::uint32_t most_workgroups_;  ///< maximum number of workgroups per dispatch
  /// Work by part, size, kind and value range; some elements have no entries.
  std::vector<Work> works_;
  ParsedResidual copied_;    ///< buffers for frames whose residual is in host memory
  ParsedResidual residual_;  ///< buffers that the shaders read
  std::vector<BufferRange> uploads_;
  std::size_t packed_bytes_ = 0;
  std::shared_ptr<Buffer> list_buffer_, residuals_;
};

}  // namespace sidecore::qpu
