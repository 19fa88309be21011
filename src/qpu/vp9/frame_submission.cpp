#include "qpu/vp9/frame_submission.h"

#include <algorithm>
#include <utility>

namespace sidecore::qpu {

CommandList& FrameSubmission::list(DeviceFrame& frame, int first_row) {
  if (list_ == nullptr) {
    list_ = device_.create_command_list();
    frame_ = &frame;
    if (!frame.on_device()) {
      frame.for_each_range(first_row, [&](const BufferRange& range) { list_->upload(range); });
    }
  }
  return *list_;
}

void FrameSubmission::upload_reference(DeviceFrame& frame, DeviceFrame& reference, int first_row) {
  if (reference.on_device() || std::ranges::find(uploaded_, &reference) != uploaded_.end()) return;
  list(frame, first_row).upload(reference.whole());
  uploaded_.push_back(&reference);
}

void FrameSubmission::recorded(vp9::Stage stage, std::uint64_t dispatches, bool alone,
                               vp9::StageClock& clock) {
  dispatches_[stage] = dispatches;
  sole_ = alone ? std::optional(vp9::row_of(stage)) : std::nullopt;
  const vp9::ClockRow row = sole_.value_or(vp9::ClockRow::submission);
  clock.lap(row);
  const Nanoseconds made = device_.counters().pipeline_creation;
  clock.move(made - std::exchange(programs_made_, made), row, vp9::ClockRow::other);
}

void FrameSubmission::submit_list(CommandList& list) {
  list.finish();
  const std::uint64_t before = device_.counters().copied_bytes();
  in_flight_ = device_.submit(list);
  statistics_.copied_bytes += device_.counters().copied_bytes() - before;
  ++statistics_.submissions;
  statistics_.dispatches += list.dispatch_count();
}

void FrameSubmission::submit(vp9::StageClock& clock) {
  submit_list(*list_);
  statistics_.by_stage += dispatches_;
  clock.lap(sole_.value_or(vp9::ClockRow::submission));
}

void FrameSubmission::wait_for_submission() {
  if (in_flight_) in_flight_->wait();
  in_flight_.reset();
}

void FrameSubmission::await(vp9::StageClock& clock) {
  wait_for_submission();
  ++statistics_.fence_waits;
  clock.lap(sole_.value_or(vp9::ClockRow::waiting));
  for (DeviceFrame* const reference : uploaded_) reference->residency = Residency::both;
  drop();
}

void FrameSubmission::run(DeviceFrame& frame, vp9::StageClock& clock, bool to_host) {
  if (list_ == nullptr) return;
  if (to_host) list_->download(frame.whole());
  submit(clock);
  await(clock);
  frame.residency = to_host ? Residency::both : Residency::device;
}

void FrameSubmission::fetch(DeviceFrame& frame) {
  const std::unique_ptr<CommandList> list = device_.create_command_list();
  list->download(frame.whole());
  submit_list(*list);
  wait_for_submission();
  ++statistics_.fence_waits;
  frame.residency = Residency::both;
}

void FrameSubmission::drop() {
  list_.reset();
  dispatches_ = {};
  read_.reset();
  uploaded_.clear();
}

}  // namespace sidecore::qpu
