// The loop filter of a VP9 decoder's frames on the QPU, or shared between it and the CPU.
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

/// Filters frames of 8 to 12 bits that live in the device's memory, which allocate() makes. A frame
/// is one submission and one fence at most. filter() returns when it is submitted, unless edges are
/// left to the CPU behind it; wait() waits for the fence. The device, which outlives the stage,
/// is this stage's alone while frames are decoded: it is not thread-safe, and the stage calls it
/// from the decoder's threads. For two decoders open it twice.
class LoopFilterStage final : public DeviceBackEnd {
 public:
  /// What is the QPU's of the filter follows from the plan, of which the loop filter is the QPU's
  /// or divided, and nothing before it (asserted).
  LoopFilterStage(Device& device, const vp9::Plan& plan);
  ~LoopFilterStage() override;

  /// Memory that both the decoder and the device see. Throws Error (usage) for samples of a depth
  /// that cannot be filtered.
  [[nodiscard]] video::Picture allocate(const video::PictureFormat& format) override;

  /// Throws Error (usage) unless the frame is in memory that allocate() made.
  void filter(vp9::FrameBuffer& frame, const vp9::LoopFilterEdges& edges, int sharpness,
              const vp9::StageContext& context) override;
  void wait(const vp9::FrameBuffer& frame) override;
  void leave(const vp9::FrameBuffer& frame) override;
  [[nodiscard]] vp9::BackEndStatistics statistics() const override;
  [[nodiscard]] PicturePlace place_of(const vp9::FrameBuffer& frame) override;

 private:
  /// Waits for its submission if one may be in flight.
  void wait_for(DeviceFrame& memory);
  template <class Sample>
  void filter_samples(const vp9::Dsp<Sample>& dsp, vp9::FrameBuffer& frame,
                      const vp9::LoopFilterEdges& edges, int sharpness,
                      const vp9::StageContext& context);
  /// Returns what the CPU has to filter when the QPU is done; empty when that is nothing.
  std::span<const vp9::LoopFilterEdge> give_levels(DeviceFrame& memory,
                                                   std::span<const vp9::LoopFilterEdge> edges,
                                                   int sharpness);
  void give_waves(DeviceFrame& memory, std::span<const vp9::LoopFilterEdge> edges,
                  const vp9::PlaneScales& scales, int sharpness);
  void submit(DeviceFrame& memory, std::size_t edges);

  Device& device_;
  mutable std::mutex mutex_;  ///< of all calls, also while one waits for a fence
  vp9::FilterOrder order_;
  bool luma_only_;           ///< the CPU filters chroma meanwhile
  std::size_t least_edges_;  ///< of the smallest dependency level that is the QPU's
  DeviceFrames frames_;
  vp9::LevelScheduler scheduler_;
  vp9::WaveScheduler waves_;
  vp9::BackEndStatistics statistics_;
};

}  // namespace sidecore::qpu
