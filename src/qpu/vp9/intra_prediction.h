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

  /// The blocks of the next submission, in planes whose rows begin at multiples of 16 bytes. The
  /// last one has ended. Throws Error (usage) for more blocks than the shader can number.
  void set_blocks(const vp9::IntraScheduler& schedule, const PicturePlanes& planes);

  /// Records the uploads of what set_blocks() packed, and the dispatches; nothing for no blocks.
  /// `residual` has the rows of a vp9::TransformBlock where PictureData has its coefficients: 16
  /// bits each, or 32 of deep samples. Neither it nor the picture goes to the device or comes back
  /// here, where memory is staged.
  void record(CommandList& list, const BufferRange& picture, const BufferRange& residual) const;
  /// That record() records.
  [[nodiscard]] std::size_t dispatches() const { return waves_.size(); }
  /// Of each of them: units are squares of 4x4 samples, whatever the size of their blocks.
  [[nodiscard]] std::vector<DispatchWork> work() const;

 private:
  struct Buffers {
    std::shared_ptr<Buffer> items, blocks, superblocks, lines;
  };
  /// As the shader reads it.
  struct PackedSuperblock {
    std::uint32_t first_run = 0;
    std::uint32_t runs = 0;
  };
  /// A dispatch: a wave, or by one workgroup several.
  struct Waves {
    std::uint32_t first_superblock = 0;
    std::uint32_t workgroups = 0;
    std::uint32_t rounds = 0;  ///< that each workgroup makes
  };
  using ItemKinds = std::array<std::uint32_t, 3>;

  void pack_superblock(const vp9::IntraScheduler& schedule,
                       const vp9::IntraScheduler::Superblock& superblock);
  void lay_out_steps(std::uint32_t steps);
  void lay_out_wave();
  /// Of items so far.
  [[nodiscard]] std::uint32_t runs() const {
    return static_cast<std::uint32_t>(items_.size() / shader::kIntraLanes);
  }
  void place_items(const vp9::IntraScheduler::Scheduled& scheduled, std::uint32_t number);
  void pack_block(const vp9::IntraBlock& block, const PicturePlanes& planes);
  template <class T>
  void give(std::shared_ptr<Buffer>& buffer, const std::vector<T>& values);

  Device& device_;
  int bits_;
  std::shared_ptr<Program> program_;
  Buffers buffers_;
  std::array<std::uint32_t, 2> strides_{};
  // As the shader reads them.
  std::vector<std::uint32_t> items_;
  std::vector<std::array<std::uint32_t, 4>> blocks_;
  std::vector<PackedSuperblock> superblocks_;
  std::uint32_t line_groups_ = 0;
  std::vector<Waves> waves_;
  std::vector<PackedSuperblock> wave_;  ///< the one that is being packed
  /// Of a superblock's steps: how many items there are of each kind, then where the next one goes.
  std::vector<ItemKinds> kinds_;
};

}  // namespace sidecore::qpu
