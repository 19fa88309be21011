// The loop filter of a VP9 decoder's frames on the QPU, or shared between it and the CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "qpu/device.h"
#include "qpu/vp9/device_pictures.h"
#include "qpu/vp9/loop_filter.h"
#include "vp9/frame_buffer.h"
#include "vp9/loop_filter_schedule.h"
#include "vp9/loop_filter_stage.h"

namespace sidecore::qpu {

/// Which of a frame's edges the QPU filters.
struct LoopFilterDivision {
  /// Chroma is filtered by the CPU, while the QPU filters luma.
  bool chroma_on_cpu = false;
  /// The QPU gets the leading steps (dependency levels) of at least this many edges, in one
  /// submission; then the CPU the rest.
  std::size_t least_edges_of_a_step = 1;
  /// With waves all of its planes' edges are the QPU's.
  LoopFilterOrder order = LoopFilterOrder::levels;
  bool operator==(const LoopFilterDivision&) const = default;
};

/// Filters frames of 8 to 12 bits that live in the device's memory, which allocate() makes. A frame
/// is one submission and one fence at most. filter() returns when it is submitted, unless edges are
/// left to the CPU behind it; finish() waits for the fence. The device, which outlives the stage,
/// is this stage's alone while frames are decoded: it is not thread-safe, and the stage calls it
/// from the decoder's threads. For two decoders open it twice.
class LoopFilterStage final : public vp9::LoopFilterStage, public DevicePictures {
 public:
  LoopFilterStage(Device& device, const LoopFilterDivision& division);
  ~LoopFilterStage() override;

  [[nodiscard]] const LoopFilterDivision& division() const { return division_; }

  /// Memory that both the decoder and the device see; frame_allocator() asks for it. Throws
  /// Error (usage) for samples of a depth that cannot be filtered.
  [[nodiscard]] video::Picture allocate(const video::PictureFormat& format);

  /// Throws Error (usage) unless the frame is in memory that allocate() made.
  void filter(vp9::FrameBuffer& frame, const vp9::LoopFilterEdges& edges, int sharpness,
              const vp9::StageContext& context) override;
  void finish(const vp9::FrameBuffer& frame) override;
  void leave(const vp9::FrameBuffer& frame) override;
  [[nodiscard]] vp9::FilterStatistics statistics() const override;
  [[nodiscard]] PicturePlace place_of(const vp9::FrameBuffer& frame) override;

 private:
  struct Memory;
  // Waits for its submission if one may be in flight.
  void wait_for(Memory& memory);
  [[nodiscard]] Memory& memory_of(const vp9::FrameBuffer& frame);
  template <class Sample>
  void filter_samples(const vp9::Dsp<Sample>& dsp, vp9::FrameBuffer& frame,
                      const vp9::LoopFilterEdges& edges, int sharpness,
                      const vp9::StageContext& context);
  // What the CPU has to filter when the QPU is done; empty when that is nothing.
  std::span<const vp9::LoopFilterEdge> give_levels(Memory& memory,
                                                   std::span<const vp9::LoopFilterEdge> edges,
                                                   int sharpness);
  void give_waves(Memory& memory, std::span<const vp9::LoopFilterEdge> edges,
                  const vp9::PlaneScales& scales, int sharpness);
  void submit(Memory& memory, std::size_t edges);

  Device& device_;
  mutable std::mutex mutex_;  ///< of all calls, also while one waits for a fence
  LoopFilterDivision division_;
  /// Of what is in `memories_`, for place_of(): never held while the device is called.
  mutable std::mutex memories_mutex_;
  std::vector<std::unique_ptr<Memory>> memories_;
  vp9::LevelScheduler scheduler_;
  vp9::WaveScheduler waves_;
  vp9::FilterStatistics statistics_;
};

/// For vp9::DecoderOptions::allocator: the memory of frames that `filter`, which it keeps alive, is
/// to filter.
[[nodiscard]] vp9::FramePool::Allocator frame_allocator(std::shared_ptr<LoopFilterStage> filter);

}  // namespace sidecore::qpu
