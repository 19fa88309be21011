// Commands of one frame for the device: recorded, submitted and waited for.
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

/// Records consecutive QPU stages of a frame into one list: one submission and one fence wait. Only
/// one thread may use it at a time.
class FrameSubmission {
 public:
  /// Makes an empty submission, which both arguments must outlive. `statistics` counts the
  /// submissions.
  FrameSubmission(Device& device, vp9::BackEndStatistics& statistics)
      : device_(device), statistics_(statistics) {}

  /// Returns the list being recorded for the frame; begins one if there is none. A new list uploads
  /// the frame's superblock rows from `first_row` on, unless the device has them.
  [[nodiscard]] CommandList& list(DeviceFrame& frame, int first_row = 0);
  [[nodiscard]] bool empty() const { return list_ == nullptr; }
  /// Returns true if commands are recorded for a frame whose picture is gone.
  [[nodiscard]] bool is_stale() const { return list_ != nullptr && frame_->user.expired(); }
  /// Returns true if commands are recorded for this frame.
  [[nodiscard]] bool is_for(const vp9::FrameBuffer& frame) const {
    return list_ != nullptr && frame_->holds(frame);
  }
  /// Records the upload of a reference that only the host has.
  void upload_reference(DeviceFrame& frame, DeviceFrame& reference, int first_row);

  /// Starts timing a frame. From here on, the time to make pipelines is counted separately. Must be
  /// called before recording.
  void begin_timing() { programs_made_ = device_.counters().pipeline_creation; }
  /// Reports that the host has just recorded a stage, with `dispatches` dispatches. If `alone` is
  /// set, the submission's time belongs to that stage. The time to make programs is moved to
  /// ClockRow::other.
  void recorded(vp9::Stage stage, std::uint64_t dispatches, bool alone, vp9::StageClock& clock);

  /// Submits the recorded commands. await() waits for them and must follow.
  void submit(vp9::StageClock& clock);
  void await(vp9::StageClock& clock);
  /// Returns true if the submission has ended.
  [[nodiscard]] bool done() const { return in_flight_->done(); }
  /// Submits the recorded commands and waits for them, if there are any. Copies samples to the host
  /// unless `to_host` is false.
  void run(DeviceFrame& frame, vp9::StageClock& clock, bool to_host = true);
  /// Copies a frame to the host, in a separate submission. Recorded commands stay recorded.
  void fetch(DeviceFrame& frame);

  /// Discards the recorded commands.
  void drop();
  /// Waits for a submission that a failed wait has left in flight.
  void wait_for_submission();
  /// Keeps an object that the recorded commands read alive until they have run.
  void keep(std::shared_ptr<const void> read) { read_ = std::move(read); }

 private:
  void submit_list(CommandList& list);

  Device& device_;
  vp9::BackEndStatistics& statistics_;
  std::unique_ptr<CommandList> list_;  ///< commands of the frame; null if nothing is recorded
  const DeviceFrame* frame_ = nullptr;
  vp9::PerStage<std::uint64_t> dispatches_;
  /// Clock row of the recorded commands if they belong to one stage alone.
  std::optional<vp9::ClockRow> sole_;
  std::shared_ptr<const void> read_;
  /// Part of DeviceCounters::pipeline_creation that recorded() has moved to ClockRow::other.
  Nanoseconds programs_made_{};
  /// References that are on the device after the recorded commands have run.
  std::vector<DeviceFrame*> uploaded_;
  /// Submission in flight, kept until a wait for it has succeeded.
  std::optional<Ticket> in_flight_;
};

}  // namespace sidecore::qpu
