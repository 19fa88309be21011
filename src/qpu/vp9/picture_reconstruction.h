// Reconstruction of a VP9 decoder's frames, from parsed arrays to final samples, with stages on the
// QPU and on the CPU.
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

/// Work of each stage's dispatches in the order of their submission, if all stages run on the QPU.
using StageWork = vp9::PerStage<std::vector<DispatchWork>>;

/// Reconstructs and filters frames of 8 to 12 bits in device memory that allocate() makes.
/// Consecutive QPU stages of a frame are one submission and one fence wait. If the CPU runs a stage
/// between them, or a part of one, there are two submissions and the CPU waits. The decoder's clock
/// times CPU stages by stage, and QPU stages as vp9::ClockRow says. filter() returns when the frame
/// is done. If memory is staged, a hidden frame stays on the device unless the CPU has inter
/// prediction; fetch() copies it in one more submission. The device must outlive this object. While
/// frames are decoded, nothing else may use the device. Two decoders need two opened devices.
class PictureReconstruction final : public DeviceBackEnd {
 public:
  /// Makes the back end. `plan` must be accepted by check() and run a stage before the loop filter
  /// on the QPU (asserted).
  PictureReconstruction(Device& device, const vp9::Plan& plan);
  ~PictureReconstruction() override;

  /// Allocates a picture that both the decoder and the device access. Throws Error (usage) for a
  /// bit depth that cannot be filtered.
  [[nodiscard]] video::Picture allocate(const video::PictureFormat& format) override;

  [[nodiscard]] bool reconstructs() const override { return true; }
  [[nodiscard]] DevicePictureLocation location_of(const vp9::FrameBuffer& frame) override;

  /// Reconstructs a frame. Throws Error (usage) unless allocate() made the frame's memory.
  void reconstruct(const vp9::ParsedFrame& parsed, const vp9::StageContext& context) override;
  /// Returns buffers that the shaders read; none if a CPU stage reads the residual or the device
  /// cannot hold them. Buffers of finished frames are used again.
  [[nodiscard]] vp9::ResidualMemory residual_memory(std::size_t coefficient_bytes,
                                                    std::size_t transforms) override;
  void filter(vp9::FrameBuffer& frame, const vp9::LoopFilterEdges& edges, int sharpness,
              const vp9::StageContext& context) override;
  void wait(const vp9::FrameBuffer& frame) override;
  void leave(const vp9::FrameBuffer& frame) override;
  void fetch(const vp9::FrameBuffer& frame) override;
  [[nodiscard]] vp9::BackEndStatistics statistics() const override;
  /// Returns the dispatches of each stage of the last frame given to reconstruct(). If all stages
  /// run on the QPU, the submission has them in the order of the members.
  [[nodiscard]] vp9::PerStage<std::uint64_t> dispatches() const;
  [[nodiscard]] StageWork work() const;

 private:
  /// Records the device's part of a segment, from superblock row `first_row` on.
  void record(const PlanSegment& segment, DeviceFrame& memory, const vp9::ParsedFrame& parsed,
              int first_row, const vp9::StageContext& context);
  void reconstruct_rows(const vp9::ParsedFrame& parsed, int rows, const vp9::PerStage<bool>& stages,
                        const vp9::StageContext& context);
  /// Runs the recorded superblock rows (`first_row` and later) on the device, and at the same time
  /// the earlier rows on the CPU.
  void run_beside_cpu(DeviceFrame& memory, const vp9::ParsedFrame& parsed,
                      const vp9::PerStage<bool>& stages, int first_row,
                      const vp9::StageContext& context);
  void predict_inter(DeviceFrame& memory, const vp9::ParsedFrame& parsed, int first_row,
                     vp9::StageClock& clock);
  void add_residual(DeviceFrame& memory, const vp9::ParsedFrame& parsed, int first_row,
                    vp9::StageClock& clock);
  void predict_intra(DeviceFrame& memory, const vp9::ParsedFrame& parsed,
                     const vp9::StageContext& context);
  /// Returns the buffers that residual_memory() gave for a picture; null if there are none.
  [[nodiscard]] std::shared_ptr<const ParsedResidual> residual_of(const vp9::PictureData& picture);
  template <class Sample>
  void make_residual(const vp9::Dsp<Sample>& dsp, const vp9::PictureData& picture);

  Device& device_;
  mutable std::mutex mutex_;  ///< locked during every call, also while a call waits for a fence
  const vp9::Plan plan_;
  const std::vector<PlanSegment> inter_segments_;
  const std::vector<PlanSegment> intra_segments_;
  const vp9::PerStage<bool> alone_;
  vp9::BackEndStatistics statistics_;
  DeviceFrames frames_;
  FrameSubmission submission_;
  RowDivision division_;
  bool wants_on_host_ = true;  ///< true if the host reads the current frame
  int bits_ = 0;               ///< bit depth for which inter_ and the members below were made
  std::optional<InterPrediction> inter_;
  std::optional<InverseTransform> transform_;
  std::optional<IntraPrediction> intra_;
  std::shared_ptr<Buffer> residual_;  ///< residual of intra blocks computed by the CPU
  vp9::IntraScheduler intra_schedule_;
  vp9::LevelScheduler filter_schedule_;
  std::unique_ptr<vp9::BackEnd> cpu_filter_;
  vp9::PerStage<std::uint64_t> dispatches_;
  std::vector<std::size_t> filtered_;  ///< number of edges, by dispatch
  std::size_t large_levels_ = 0;       ///< number of levels with their own dispatch

  /// Guards residuals_. It is separate from mutex_, so that parsers that ask for memory do not wait
  /// for a frame in progress. A thread that holds it never locks mutex_.
  std::mutex residuals_mutex_;
  SharedPool<ParsedResidual> residuals_;
};

}  // namespace sidecore::qpu
