// The inverse transforms of a whole frame on the QPU: what lists its blocks and records its
// dispatches.
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

/// What becomes of a transform block's residual.
enum class ResidualUse : std::uint8_t {
  add,   ///< to the frame's samples: a block of an inter block
  store  ///< in residuals(), for who predicts the intra block afterwards
};

/// Buffers that a parser writes a picture's residual into (vp9::ResidualMemory), for shaders to
/// read it there.
struct ParsedResidual {
  std::shared_ptr<Buffer> coefficients;
  std::shared_ptr<Buffer> blocks;

  /// Of which a parser may fill so much. Throws as Device::create_buffer(), for what is too large
  /// for a device fits() is false.
  [[nodiscard]] static ParsedResidual create(Device& device, std::size_t coefficient_bytes,
                                             std::size_t blocks);
  [[nodiscard]] static bool fits(const DeviceLimits& limits, std::size_t coefficient_bytes,
                                 std::size_t blocks);
  [[nodiscard]] bool has_room(std::size_t coefficient_bytes, std::size_t blocks) const;
};

/// Superblock rows from which on a picture's transform blocks are taken.
struct TransformRows {
  int inter = 0;  ///< those of inter blocks
  int intra = 0;
};

/// Transforms the blocks of one frame after another. What a frame needs is in buffers that the
/// device sees, written there by the parser or copied; the dispatches are recorded into the
/// caller's list. An instance serves one frame at a time; for two in flight take two. The device
/// outlives it.
class InverseTransform {
 public:
  /// Blocks of which only a corner is not 0 have programs of their own, which compute less, where
  /// these fill so many lanes of a dispatch; fewer go with all other DCTs, which compute the same.
  /// A dispatch costs up to 33 us, on a Raspberry Pi 5 the time of some 100,000 instructions; so
  /// many lanes' corners save 30,000 (8x8) to 90,000 (32x32), later passes included.
  static constexpr std::size_t kLeastLanesOfCorners = 1024;

  /// All shaders that a frame may need, for "what does this device lack".
  [[nodiscard]] static std::vector<Shader> shaders();

  /// Samples of `bits` 8, 10 or 12. Throws Error (usage) for others. With 0 lanes corners always
  /// have their own programs. A dispatch has at most `most_workgroups`, and no more than the device
  /// takes; what needs more is divided.
  InverseTransform(Device& device, int bits,
                   std::size_t least_lanes_of_corners = kLeastLanesOfCorners,
                   std::uint32_t most_workgroups = std::numeric_limits<std::uint32_t>::max());

  /// Takes a frame's transform blocks: those of inter blocks are added to the frame, those of intra
  /// blocks stored. `residual` is where its parser wrote them; only the list of what there is to do
  /// is made here. What was taken before must be done.
  void set_blocks(const vp9::PictureData& picture, const ParsedResidual& residual);

  /// The same for `which` of the blocks of a frame whose residual is the host's: coefficients and
  /// blocks are copied to the device's memory, coefficients with the offsets that they have in the
  /// picture's. Throws Error (usage) for more than 2^24 - 1 blocks.
  void set_blocks(const vp9::PictureData& picture, const TransformRows& which = {});

  /// The same for blocks that somebody else lists: in order of their place in a frame best. A use
  /// for each block; no two overlap. A block's coefficients are those of `Coefficient`,
  /// std::int16_t for 8 bits, else std::int32_t, that begin at its first_coefficient, a multiple
  /// of 16.
  template <class Coefficient>
  void set_blocks(std::span<const vp9::TransformBlock> blocks, std::span<const ResidualUse> uses,
                  std::span<const Coefficient> coefficients);

  /// Records the uploads and dispatches for what set_blocks() took; nothing for no blocks. `frame`
  /// holds the planes, in memory of whole superblocks; rows and planes begin at multiples of 16
  /// bytes. Throws Error (usage) where they do not, or the planes leave the buffer. The frame
  /// neither goes to the device nor comes back here, where memory is staged.
  void record(CommandList& list, Buffer& frame, const PicturePlanes& planes) const;
  /// That record() records.
  [[nodiscard]] std::size_t dispatches() const;
  /// Of each of them: units are blocks, of a size whose rows and columns are two dispatches all in
  /// one kind.
  [[nodiscard]] std::vector<DispatchWork> work() const;
  /// Of blocks and coefficients that the last set_blocks() copied.
  [[nodiscard]] std::size_t packed_bytes() const { return packed_bytes_; }

  /// Where the blocks of ResidualUse::store leave their residual, all N x N of it, before it is
  /// added to anything: in rows of N, elements of the coefficients' type (std::int16_t at 8 bits,
  /// else std::int32_t, with values of 16 bits: a damaged stream's are cut to the nearest), from
  /// element first_coefficient of the block on, so that a block is aligned to 16 elements. Blocks
  /// that are not listed have none; everything else in it is undefined. Null before the first
  /// set_blocks(), and another when a frame needs more room.
  [[nodiscard]] const std::shared_ptr<Buffer>& residuals() const { return residuals_; }

 private:
  /// What one dispatch does: blocks of one size and kind, by one of the shaders.
  struct Work {
    const Shader* shader = nullptr;  ///< embedded; null where a part has no blocks of a kind
    Specialization specialization;
    std::uint32_t lanes_log2 = 0;  ///< of an entry
    std::size_t most = 0;          ///< entries that there may be
    std::size_t first = 0;         ///< of them in the list
    std::size_t count = 0;         ///< that there are; at last whole workgroups'
    std::size_t lanes = 0;         ///< of a corner's: what all blocks that have one would take
  };

  /// What a block goes through: one part, or two.
  struct Passes {
    std::size_t first;
    std::uint32_t kind;
    bool corner = false;  ///< of the first part
    std::size_t second = 0;
    std::uint32_t second_kind = 0;
    bool few_rows = false;  ///< the rest is 0: of two parts the second has a corner
  };

  /// Copies and lists the blocks that for_each(visit) calls visit(block, use) for.
  template <class Coefficient, class ForEach>
  void copy_all(const Coefficient* coefficients, const ForEach& for_each);
  // A list is made by start(), count() for each block, lay_out(), add() for each, finish().
  void start();
  void count(const vp9::TransformBlock& block, ResidualUse use);
  void lay_out();
  /// Returns how many of the block's rows are read; `number` is its place in residual_.
  std::uint32_t add(const vp9::TransformBlock& block, ResidualUse use, std::uint32_t number);
  /// `padding` is the place of the block that lanes beyond the last entry read, and behind all
  /// others, as its coefficients are.
  void finish(std::uint32_t padding, std::size_t first_coefficient);
  /// Elements of a buffer that go to the device where memory is staged.
  void upload(Buffer& buffer, std::size_t begin, std::size_t end, std::size_t bytes);

  [[nodiscard]] Work& work(std::size_t part, const vp9::TransformBlock& block, std::uint32_t kind);
  /// What adds 32x32 blocks.
  [[nodiscard]] Work& work_of_adding(const vp9::TransformBlock& block);
  [[nodiscard]] Passes passes(const vp9::TransformBlock& block) const;
  /// That a part has a dispatch for corners of the block's size.
  [[nodiscard]] bool has_corners(std::size_t part, const vp9::TransformBlock& block);
  [[nodiscard]] std::uint32_t workgroups(const Work& work) const;
  /// Calls visit(first, last) with the entries of each of its dispatches.
  template <class Visit>
  void for_each_dispatch(const Work& work, const Visit& visit) const;
  /// Of a coefficient, in bytes.
  [[nodiscard]] std::size_t coefficient_size() const {
    return bits_ == 8 ? sizeof(std::int16_t) : sizeof(std::int32_t);
  }

  Device& device_;
  int bits_;
  std::size_t least_lanes_of_corners_;
  std::uint32_t most_workgroups_;  ///< of a dispatch
  std::vector<Work> works_;        ///< by part, size, kind and values; those without entries too
  ParsedResidual copied_;          ///< for frames whose residual is the host's
  ParsedResidual residual_;        ///< what the shaders read
  std::vector<BufferRange> uploads_;
  std::size_t packed_bytes_ = 0;
  std::shared_ptr<Buffer> list_buffer_, residuals_;
};

}  // namespace sidecore::qpu
