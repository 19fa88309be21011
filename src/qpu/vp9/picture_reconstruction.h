// A VP9 decoder's frames from their arrays to samples that are final, on the QPU or with stages on
// the CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "base/shared_pool.h"
#include "qpu/device.h"
#include "qpu/vp9/back_end.h"
#include "qpu/vp9/device_frames.h"
#include "qpu/vp9/dispatch_work.h"
#include "qpu/vp9/frame_submission.h"
#include "qpu/vp9/inter_prediction.h"
#include "qpu/vp9/intra_prediction.h"
#include "qpu/vp9/inverse_transform.h"
#include "qpu/vp9/loop_filter.h"
#include "qpu/vp9/plan_segments.h"
#include "qpu/vp9/row_division.h"
#include "vp9/frame_buffer.h"
#include "vp9/intra_schedule.h"
#include "vp9/loop_filter_schedule.h"
#include "vp9/plan.h"
#include "vp9/reconstruction.h"

namespace sidecore::qpu {

/// What each stage's dispatches do, where all stages are the QPU's in the order of their
/// submission.
using StageWork = vp9::PerStage<std::vector<DispatchWork>>;

/// Reconstructs and filters frames of 8 to 12 bits that live in the device's memory, which
/// allocate() makes. Stages of a frame that follow one another on the QPU are one submission and
/// one fence wait; where the CPU has one between them, or a part of one, they are two, and it
/// waits. The decoder's clock gets laps of the CPU's stages as what they are, and of the QPU's as
/// vp9::ClockRow says. filter() returns when the frame is done. Of staged memory a frame that its
/// header hides stays on the device, unless the CPU has inter prediction: fetch() is one submission
/// more. The device, which outlives the stage, is this stage's alone while frames are decoded. For
/// two decoders open it twice.
class PictureReconstruction final : public DeviceBackEnd {
 public:
  /// `plan` is one that check() accepts, with a stage before the loop filter on the QPU (asserted).
  PictureReconstruction(Device& device, const vp9::Plan& plan);
  ~PictureReconstruction() override;

  /// Memory that both the decoder and the device see. Throws Error (usage) for samples of a depth
  /// that cannot be filtered.
  [[nodiscard]] video::Picture allocate(const video::PictureFormat& format) override;

  [[nodiscard]] bool reconstructs() const override { return true; }
  [[nodiscard]] PicturePlace place_of(const vp9::FrameBuffer& frame) override;

  /// Throws Error (usage) unless the frame is in memory that allocate() made.
  void reconstruct(const vp9::ParsedFrame& parsed, const vp9::StageContext& context) override;
  /// Buffers that the shaders read, where the CPU has no stage that reads the residual; those of a
  /// frame that is done serve another one.
  [[nodiscard]] vp9::ResidualMemory residual_memory(std::size_t coefficient_bytes,
                                                    std::size_t transforms) override;
  void filter(vp9::FrameBuffer& frame, const vp9::LoopFilterEdges& edges, int sharpness,
              const vp9::StageContext& context) override;
  void wait(const vp9::FrameBuffer& frame) override;
  void leave(const vp9::FrameBuffer& frame) override;
  void fetch(const vp9::FrameBuffer& frame) override;
  [[nodiscard]] vp9::BackEndStatistics statistics() const override;
  /// Of the frame that was given to reconstruct() last. Where all stages are the QPU's, the frame's
  /// submission has them in the order of the members.
  [[nodiscard]] vp9::PerStage<std::uint64_t> dispatches() const;
  [[nodiscard]] StageWork work() const;

 private:
  /// What the device gets of a segment's stages is recorded, from a row of superblocks on.
  void record(const PlanSegment& segment, DeviceFrame& memory, const vp9::ParsedFrame& parsed,
              int first_row, const vp9::StageContext& context);
  void reconstruct_rows(const vp9::ParsedFrame& parsed, int rows, const vp9::PerStage<bool>& stages,
                        const vp9::StageContext& context);
  /// Has the device do what is recorded of the rows from `first_row` on, and the CPU meanwhile the
  /// stages of those before.
  void run_beside_cpu(DeviceFrame& memory, const vp9::ParsedFrame& parsed,
                      const vp9::PerStage<bool>& stages, int first_row,
                      const vp9::StageContext& context);
  void predict_inter(DeviceFrame& memory, const vp9::ParsedFrame& parsed, int first_row,
                     vp9::StageClock& clock);
  void add_residual(DeviceFrame& memory, const vp9::ParsedFrame& parsed, int first_row,
                    vp9::StageClock& clock);
  void predict_intra(DeviceFrame& memory, const vp9::ParsedFrame& parsed,
                     const vp9::StageContext& context);
  /// What residual_memory() gave for a picture; null where that was nothing.
  [[nodiscard]] std::shared_ptr<const ParsedResidual> residual_of(const vp9::PictureData& picture);
  template <class Sample>
  void make_residual(const vp9::Dsp<Sample>& dsp, const vp9::PictureData& picture);

  Device& device_;
  mutable std::mutex mutex_;  ///< of all calls, also while one waits for a fence
  const vp9::Plan plan_;
  const std::vector<PlanSegment> inter_segments_;
  const std::vector<PlanSegment> intra_segments_;
  const vp9::PerStage<bool> alone_;
  vp9::BackEndStatistics statistics_;
  DeviceFrames frames_;
  FrameSubmission submission_;
  RowDivision division_;
  bool wants_on_host_ = true;  ///< whether the frame in work is read there
  int bits_ = 0;               ///< of what follows
  std::optional<InterPrediction> inter_;
  std::optional<InverseTransform> transform_;
  std::optional<IntraPrediction> intra_;
  std::shared_ptr<Buffer> residual_;  ///< that the CPU makes
  vp9::IntraScheduler intra_schedule_;
  vp9::LevelScheduler filter_schedule_;
  std::unique_ptr<vp9::BackEnd> cpu_filter_;
  vp9::PerStage<std::uint64_t> dispatches_;
  std::vector<std::size_t> filtered_;  ///< edges, by dispatch
  std::size_t large_levels_ = 0;       ///< of them a dispatch each

  /// Of what follows. Parsers, which ask for memory, do not wait for a frame that is in work;
  /// nobody who has it asks for mutex_.
  std::mutex residuals_mutex_;
  SharedPool<ParsedResidual> residuals_;
};

}  // namespace sidecore::qpu
