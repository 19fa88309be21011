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

/// Superblock rows from which on a picture's transform blocks are taken.
struct TransformRows {
  int inter = 0;  ///< those of inter blocks
  int intra = 0;
};

/// Transforms the blocks of one frame after another. What a frame needs is put into buffers that
/// the device sees; the dispatches are recorded into the caller's list. An instance serves one
/// frame at a time; for two in flight take two. The device outlives it.
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

  /// Takes a frame's transform blocks, `which` of them: those of inter blocks are added to the
  /// frame, those of intra blocks stored. What was taken before must be done. Coefficients and
  /// blocks are copied to the device's memory, with the offsets that they have in the picture's
  /// arrays. Throws Error (usage) for more than 2^24 - 1 blocks.
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
    std::vector<std::uint32_t> entries{};
    std::uint32_t first = 0;  ///< of the list in the buffer
    std::size_t lanes = 0;    ///< of a corner's: what all blocks that have one would take
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

  void start();
  template <class Coefficient>
  void take(const vp9::TransformBlock& block, ResidualUse use, const Coefficient* coefficients);
  [[nodiscard]] Work& work(std::size_t part, const vp9::TransformBlock& block, std::uint32_t kind);
  [[nodiscard]] Passes passes(const vp9::TransformBlock& block) const;
  void count_corners(const vp9::TransformBlock& block);
  /// That a part has a dispatch for corners of the block's size.
  [[nodiscard]] bool has_corners(std::size_t part, const vp9::TransformBlock& block);
  [[nodiscard]] std::uint32_t workgroups(const Work& work) const;
  /// Calls visit(first, last) with the entries of each of its dispatches.
  template <class Visit>
  void for_each_dispatch(const Work& work, const Visit& visit) const;
  void reserve(std::size_t blocks, std::size_t coefficient_bytes);
  void pack();
  /// Of a coefficient, in bytes.
  [[nodiscard]] std::size_t coefficient_size() const {
    return bits_ == 8 ? sizeof(std::int16_t) : sizeof(std::int32_t);
  }

  Device& device_;
  int bits_;
  std::size_t least_lanes_of_corners_;
  std::uint32_t most_workgroups_;  ///< of a dispatch
  std::vector<Work> works_;        ///< by part, size, kind and values; those without entries too
  std::vector<vp9::TransformBlock> blocks_;
  std::size_t coefficient_bytes_ = 0;
  std::size_t entries_ = 0;
  std::shared_ptr<Buffer> block_buffer_, list_buffer_, coefficients_, residuals_;
};

}  // namespace sidecore::qpu
