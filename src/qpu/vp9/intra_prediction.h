// Intra prediction of a whole picture on the QPU: records the dispatches.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "qpu/buffer.h"
#include "qpu/command_list.h"
#include "qpu/device.h"
#include "qpu/program.h"
#include "qpu/vp9/dispatch_work.h"
#include "qpu/vp9/picture_planes.h"
#include "vp9/intra_prediction.interface.h"
#include "vp9/intra_schedule.h"

namespace sidecore::qpu {

/// Returns the shader for samples of `bits` 8 to 12.
[[nodiscard]] Shader intra_prediction_shader(int bits);

/// Predicts the intra blocks of frames and adds their residual. Each superblock wave is one
/// dispatch; consecutive waves that fit in kMaxChained workgroups share one. All other samples of
/// the frame must be in its buffer before. An instance serves one frame at a time. The device must
/// outlive it.
class IntraPrediction {
 public:
  /// Largest number of workgroups of a wave that is chained. One workgroup processes all waves of a
  /// chain, with barriers between them. A workgroup uses two thirds of a Raspberry Pi 5's threads,
  /// or all of a Pi 4's. Two at the same time are therefore not faster. All waves of a 1080p
  /// picture fit in one dispatch.
  static constexpr std::uint32_t kMaxChained = 2;

  /// Makes the predictor for samples of `bits` 8 to 12. Throws Error (usage) for other depths.
  IntraPrediction(Device& device, int bits);

  /// Sets the blocks of the next submission; rows of `planes` begin at multiples of 16 bytes.
  /// Writes the shader's input to device memory in order, and never reads it back. The last
  /// submission must have ended. Throws Error (environment) for more blocks than the shader can
  /// number.
  void set_blocks(const vp9::IntraScheduler& schedule, const PicturePlanes& planes);

  /// Records the uploads of the data from set_blocks() and the dispatches; nothing if there are no
  /// blocks. `residual` holds the rows of each vp9::TransformBlock at the offset of its
  /// coefficients in PictureData: 16 bits per value, 32 above 8 bits. If memory is staged, the
  /// caller must copy `residual` and the picture.
  void record(CommandList& list, const BufferRange& picture, const BufferRange& residual) const;
  /// Number of dispatches that record() records.
  [[nodiscard]] std::size_t dispatches() const { return waves_.size(); }
  /// Returns the work of each dispatch. A work unit is a square of 4x4 samples, independent of the
  /// size of its block.
  [[nodiscard]] std::vector<DispatchWork> work() const;

 private:
  /// Buffer that can grow, and the number of its bytes that the current submission's shader reads.
  struct List {
    std::shared_ptr<Buffer> buffer;
    std::size_t bytes = 0;
  };
  /// Superblock in the form that the shader reads.
  struct PackedSuperblock {
    std::uint32_t first_run = 0;
    std::uint32_t runs = 0;
  };
  using PackedBlock = std::array<std::uint32_t, 4>;
  struct SuperblockInWave {
    PackedSuperblock packed;
    std::uint32_t squares = 0;  ///< number of squares of 4x4 samples
  };
  /// One dispatch: one wave, or several waves in one workgroup.
  struct Waves {
    std::uint32_t first_superblock = 0;
    std::uint32_t workgroups = 0;
    std::uint32_t rounds = 0;  ///< number of rounds of each workgroup
    std::uint32_t squares = 0;
  };
  using ItemKinds = std::array<std::uint32_t, 3>;

  [[nodiscard]] std::uint32_t count_items(const vp9::IntraScheduler& schedule);
  [[nodiscard]] SuperblockInWave write_items(const vp9::IntraScheduler& schedule,
                                             const vp9::IntraScheduler::Superblock& superblock,
                                             std::span<ItemKinds> kinds);
  void write_wave();
  void place_items(const vp9::IntraScheduler::Scheduled& scheduled, std::uint32_t number,
                   std::span<ItemKinds> next);
  [[nodiscard]] PackedBlock packed(const vp9::IntraBlock& block, const PicturePlanes& planes);
  void reserve(List& list, std::size_t bytes);

  Device& device_;
  int bits_;
  std::shared_ptr<Program> program_;
  List items_;
  List blocks_;
  List superblocks_;
  std::shared_ptr<Buffer> lines_;
  std::array<std::uint32_t, 2> strides_{};
  std::uint32_t line_groups_ = 0;
  std::uint32_t runs_ = 0;                 ///< number of runs of items written so far
  std::uint32_t written_superblocks_ = 0;  ///< number of superblocks written so far
  std::vector<Waves> waves_;
  std::vector<SuperblockInWave> wave_;           ///< superblocks of the wave that is being written
  std::vector<std::uint32_t> superblock_items_;  ///< items of the superblock that is being written
  /// Entries for each step of all superblocks. At first an entry holds the number of items of each
  /// kind; later it holds the index, within the superblock, of the next item to place.
  std::vector<ItemKinds> kinds_;
};

}  // namespace sidecore::qpu
