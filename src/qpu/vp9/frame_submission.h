// One frame's commands for the device: recorded, submitted and waited for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "qpu/command_list.h"
#include "qpu/device.h"
#include "qpu/vp9/device_frames.h"
#include "vp9/back_end.h"
#include "vp9/stage_clock.h"

namespace sidecore::qpu {

/// Stages that follow one another on the device record into one list, which is one submission and
/// one fence wait. Used by one thread at a time.
class FrameSubmission {
 public:
  /// Both outlive it. The statistics get what is submitted.
  FrameSubmission(Device& device, vp9::BackEndStatistics& statistics)
      : device_(device), statistics_(statistics) {}

  /// The list of what is recorded for the frame; begun if nothing is. The device will have the
  /// frame's rows of superblocks from `first_row` on.
  [[nodiscard]] CommandList& list(DeviceFrame& frame, int first_row = 0);
  [[nodiscard]] bool empty() const { return list_ == nullptr; }
  /// Whether what is recorded is for a frame whose picture is gone.
  [[nodiscard]] bool is_stale() const { return list_ != nullptr && frame_->user.expired(); }
  /// Whether something is recorded for this frame.
  [[nodiscard]] bool is_for(const vp9::FrameBuffer& frame) const {
    return list_ != nullptr && frame_->holds(frame);
  }
  /// Has the device get a reference that only the host has.
  void upload_reference(DeviceFrame& frame, DeviceFrame& reference, int first_row);

  /// Before what is recorded next: pipelines that are made from here on are counted apart.
  void begin_timing() { programs_made_ = device_.counters().pipeline_creation; }
  /// Says which stage the host has just recorded, with how many dispatches. With `alone` the time
  /// of the submission is the stage's. Making programs is no work of the frame's: ClockRow::other
  /// has its time.
  void recorded(vp9::Stage stage, std::uint64_t dispatches, bool alone, vp9::StageClock& clock);

  /// Has the device do what is recorded, until await() has returned.
  void submit(vp9::StageClock& clock);
  void await(vp9::StageClock& clock);
  /// Whether the submission has ended.
  [[nodiscard]] bool done() const { return in_flight_->done(); }
  /// Submits and awaits what is recorded, if anything is. The host has all of the frame then,
  /// unless `to_host` says that nobody reads it there.
  void run(DeviceFrame& frame, vp9::StageClock& clock, bool to_host = true);
  /// Brings a frame to the host, in a submission of its own beside what is recorded.
  void fetch(DeviceFrame& frame);

  /// Forgets what is recorded.
  void drop();
  /// Waits for a submission that an earlier wait has failed for.
  void settle();
  /// Keeps what the recorded commands read until they have run.
  void keep(std::shared_ptr<const void> read) { read_ = std::move(read); }

 private:
  void submit_list(CommandList& list);

  Device& device_;
  vp9::BackEndStatistics& statistics_;
  std::unique_ptr<CommandList> list_;  ///< null: nothing is recorded
  const DeviceFrame* frame_ = nullptr;
  vp9::PerStage<std::uint64_t> dispatches_;
  std::optional<vp9::ClockRow> sole_;  ///< of what is recorded, if it is one stage alone
  std::shared_ptr<const void> read_;
  Nanoseconds programs_made_{};  ///< DeviceCounters::pipeline_creation that is in no row to come
  std::vector<DeviceFrame*> uploaded_;  ///< references that are on the device once it has run
  std::optional<Ticket> in_flight_;     ///< until a wait for it has succeeded
};

}  // namespace sidecore::qpu
