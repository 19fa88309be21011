// Intra prediction of a whole picture on the QPU: what records its dispatches.
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

/// The one for samples of `bits` 8 to 12.
[[nodiscard]] Shader intra_prediction_shader(int bits);

/// Predicts the intra blocks of frames and adds their residual: a dispatch a wave of superblocks;
/// of those that fit kMostChained workgroups, one for as many as follow one another. Whatever else
/// a frame has is in its buffer before. An instance serves one frame at a time. The device outlives
/// it.
class IntraPrediction {
 public:
  /// A workgroup takes two thirds of a Raspberry Pi 5's threads and all of a 4's, so that two of
  /// them end no sooner side by side: one goes through such waves by itself, and waits for itself
  /// between them. That is all of a 1080p picture in one dispatch.
  static constexpr std::uint32_t kMostChained = 2;

  /// Throws Error (usage) unless `bits` is 8 to 12.
  IntraPrediction(Device& device, int bits);

  /// The blocks of the next submission, in planes whose rows begin at multiples of 16 bytes: writes
  /// what the shader reads in its order to the device's memory, which is not read here. The last
  /// submission has ended. Throws Error (usage) for more blocks than the shader can number.
  void set_blocks(const vp9::IntraScheduler& schedule, const PicturePlanes& planes);

  /// Records the uploads of what set_blocks() wrote, and the dispatches; nothing for no blocks.
  /// `residual` has the rows of a vp9::TransformBlock where PictureData has its coefficients: 16
  /// bits each, or 32 of deep samples. Neither it nor the picture goes to the device or comes back
  /// here, where memory is staged.
  void record(CommandList& list, const BufferRange& picture, const BufferRange& residual) const;
  /// That record() records.
  [[nodiscard]] std::size_t dispatches() const { return waves_.size(); }
  /// Of each of them: units are squares of 4x4 samples, whatever the size of their blocks.
  [[nodiscard]] std::vector<DispatchWork> work() const;

 private:
  /// A buffer that grows, and how much of it this submission's shader reads.
  struct List {
    std::shared_ptr<Buffer> buffer;
    std::size_t bytes = 0;
  };
  /// As the shader reads them.
  struct PackedSuperblock {
    std::uint32_t first_run = 0;
    std::uint32_t runs = 0;
  };
  using PackedBlock = std::array<std::uint32_t, 4>;
  struct SuperblockOfAWave {
    PackedSuperblock packed;
    std::uint32_t squares = 0;  ///< of 4x4 samples
  };
  /// A dispatch: a wave, or by one workgroup several.
  struct Waves {
    std::uint32_t first_superblock = 0;
    std::uint32_t workgroups = 0;
    std::uint32_t rounds = 0;  ///< that each workgroup makes
    std::uint32_t squares = 0;
  };
  using ItemKinds = std::array<std::uint32_t, 3>;

  [[nodiscard]] std::uint32_t count_items(const vp9::IntraScheduler& schedule);
  [[nodiscard]] SuperblockOfAWave write_items(const vp9::IntraScheduler& schedule,
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
  std::uint32_t runs_ = 0;                 ///< of items so far
  std::uint32_t written_superblocks_ = 0;  ///< likewise
  std::vector<Waves> waves_;
  std::vector<SuperblockOfAWave> wave_;          ///< the one that is being written
  std::vector<std::uint32_t> superblock_items_;  ///< of the superblock that is being written
  /// Of all superblocks' steps: how many items there are of each kind, then where in the
  /// superblock's the next one goes.
  std::vector<ItemKinds> kinds_;
};

}  // namespace sidecore::qpu
