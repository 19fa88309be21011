// Loop filter of a VP9 decoder's frames on the QPU, or divided between QPU and CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "qpu/device.h"
#include "qpu/vp9/back_end.h"
#include "qpu/vp9/device_frames.h"
#include "qpu/vp9/loop_filter.h"
#include "vp9/frame_buffer.h"
#include "vp9/loop_filter_schedule.h"
#include "vp9/plan.h"

namespace sidecore::qpu {

/// Filters frames of 8 to 12 bits in device memory that allocate() makes. Each frame takes at most
/// one submission and one fence. filter() returns after submitting, unless the CPU must filter
/// edges after the QPU; wait() waits for the fence. The device must outlive the stage. While frames
/// are decoded, nothing else may use the device, because the stage calls it from the decoder's
/// threads and it is not thread-safe. Two decoders need two opened devices.
class LoopFilterStage final : public DeviceBackEnd {
 public:
  /// Makes the stage for a plan whose only QPU stage is the loop filter, whole or divided
  /// (asserted).
  LoopFilterStage(Device& device, const vp9::Plan& plan);
  ~LoopFilterStage() override;

  /// Allocates a picture that both the decoder and the device access. Throws Error (usage) for a
  /// bit depth that cannot be filtered.
  [[nodiscard]] video::Picture allocate(const video::PictureFormat& format) override;

  /// Filters a frame. Throws Error (usage) unless allocate() made the frame's memory.
  void filter(vp9::FrameBuffer& frame, const vp9::LoopFilterEdges& edges, int sharpness,
              const vp9::StageContext& context) override;
  void wait(const vp9::FrameBuffer& frame) override;
  void leave(const vp9::FrameBuffer& frame) override;
  [[nodiscard]] vp9::BackEndStatistics statistics() const override;
  [[nodiscard]] DevicePictureLocation location_of(const vp9::FrameBuffer& frame) override;

 private:
  /// Waits for the frame's submission if one may be in flight.
  void wait_for(DeviceFrame& memory);
  template <class Sample>
  void filter_samples(const vp9::Dsp<Sample>& dsp, vp9::FrameBuffer& frame,
                      const vp9::LoopFilterEdges& edges, int sharpness,
                      const vp9::StageContext& context);
  /// Submits the QPU's levels. Returns the edges that the CPU must filter after the QPU; empty if
  /// there are none.
  std::span<const vp9::LoopFilterEdge> give_levels(DeviceFrame& memory,
                                                   std::span<const vp9::LoopFilterEdge> edges,
                                                   int sharpness);
  void give_waves(DeviceFrame& memory, std::span<const vp9::LoopFilterEdge> edges,
                  const vp9::PlaneScales& scales, int sharpness);
  void submit(DeviceFrame& memory, std::size_t edges);

  Device& device_;
  mutable std::mutex mutex_;  ///< locked during every call, also while a call waits for a fence
  vp9::FilterOrder order_;
  bool luma_only_;  ///< the QPU filters only luma; the CPU filters chroma at the same time
  /// Number of edges in the smallest dependency level that the QPU filters.
  std::size_t least_edges_;
  DeviceFrames frames_;
  vp9::LevelScheduler scheduler_;
  vp9::WaveScheduler waves_;
  vp9::BackEndStatistics statistics_;
};

}  // namespace sidecore::qpu
