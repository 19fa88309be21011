#include "qpu/vp9/loop_filter_stage.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <utility>

#include "base/error.h"
#include "qpu/buffer.h"

namespace sidecore::qpu {

/// A picture's buffer, and the filter of whatever frame is in it.
struct LoopFilterStage::Memory {
  std::shared_ptr<Buffer> buffer;
  std::weak_ptr<void> user;  // gone when the picture is
  std::unique_ptr<LoopFilter> filter;
  /// Of the last submission, until a wait for it has succeeded: whatever is thrown meanwhile, the
  /// GPU may still use the buffer.
  std::optional<Ticket> in_flight;
  /// The whole frame was the device's: of staged memory its side is as good as the host's.
  std::atomic<bool> on_device = false;

  [[nodiscard]] bool holds(const vp9::FrameBuffer& frame) const {
    return buffer->bytes().data() == frame.memory.bytes().data();
  }
};

namespace {

// Chroma that the CPU filters has no rows for the QPU.
PicturePlanes planes_of(const video::PictureFormat& format, bool chroma_on_cpu) {
  PicturePlanes planes = PicturePlanes::of(format);
  if (chroma_on_cpu) planes.planes[1].rows = planes.planes[2].rows = 0;
  return planes;
}

// By all that was submitted so far.
std::uint64_t copied_bytes(const Device& device) {
  const DeviceCounters& counters = device.counters();
  return counters.uploaded_bytes + counters.downloaded_bytes;
}

}  // namespace

LoopFilterStage::LoopFilterStage(Device& device, const LoopFilterDivision& division)
    : device_(device), division_(division) {}
LoopFilterStage::~LoopFilterStage() = default;

video::Picture LoopFilterStage::allocate(const video::PictureFormat& format) {
  const std::lock_guard lock(mutex_);
  const auto unused = [](const auto& memory) { return memory->user.expired(); };
  // Not in one go: the wait throws.
  for (const auto& memory : memories_) {
    if (unused(memory)) wait_for(*memory);
  }
  {
    const std::lock_guard memories_lock(memories_mutex_);
    std::erase_if(memories_, unused);
  }
  auto memory = std::make_unique<Memory>();
  memory->buffer = device_.create_buffer(video::PictureLayout(format).bytes);
  memory->filter = std::make_unique<LoopFilter>(
      device_, memory->buffer, planes_of(format, division_.chroma_on_cpu), format.pixel.bits);
  const auto user = std::make_shared<std::shared_ptr<Buffer>>(memory->buffer);
  memory->user = user;
  video::Picture picture(format, memory->buffer->bytes(), user);
  const std::lock_guard memories_lock(memories_mutex_);
  memories_.push_back(std::move(memory));
  return picture;
}

LoopFilterStage::Memory& LoopFilterStage::memory_of(const vp9::FrameBuffer& frame) {
  const auto found =
      std::ranges::find_if(memories_, [&](const auto& memory) { return memory->holds(frame); });
  if (found == memories_.end()) throw usage_error("a frame is not in the device's memory");
  return **found;
}

void LoopFilterStage::filter(vp9::FrameBuffer& frame, const vp9::LoopFilterEdges& edges,
                             int sharpness, const vp9::StageContext& context) {
  const std::lock_guard lock(mutex_);
  memory_of(frame).on_device = false;
  if (edges.all().empty()) return;
  std::visit([&](const auto* dsp) { filter_samples(*dsp, frame, edges, sharpness, context); },
             context.dsp);
}

template <class Sample>
void LoopFilterStage::filter_samples(const vp9::Dsp<Sample>& dsp, vp9::FrameBuffer& frame,
                                     const vp9::LoopFilterEdges& edges, int sharpness,
                                     const vp9::StageContext& context) {
  Memory& memory = memory_of(frame);
  wait_for(memory);
  const auto planes = vp9::planes_of<Sample>(frame);
  const bool luma_only = division_.chroma_on_cpu;
  const auto on_qpu = luma_only ? edges.plane(0) : edges.all();
  std::span<const vp9::LoopFilterEdge> rest;
  if (division_.order == LoopFilterOrder::waves) {
    give_waves(memory, on_qpu, vp9::PlaneScales(frame.memory.format().pixel.chroma), sharpness);
  } else {
    rest = give_levels(memory, on_qpu, sharpness);
  }
  if (luma_only) {
    context.clock.lap(vp9::Stage::filter);
    context.run(context.team, 2, [&](std::size_t chroma, vp9::StageClock& clock) {
      vp9::filter_edges(dsp, planes, edges.plane(chroma + 1), sharpness);
      clock.lap(vp9::Stage::filter);
    });
  }
  memory.on_device = rest.empty() && !luma_only;
  if (rest.empty()) return;
  wait_for(memory);
  vp9::filter_edges(dsp, planes, rest, sharpness);
}

std::span<const vp9::LoopFilterEdge> LoopFilterStage::give_levels(
    Memory& memory, std::span<const vp9::LoopFilterEdge> edges, int sharpness) {
  const vp9::EdgeSteps& schedule = scheduler_.schedule(edges);
  const std::size_t steps = schedule.leading_steps_of(division_.least_edges_of_a_step);
  statistics_.steps += schedule.count();
  if (steps > 0) {
    memory.filter->set_edges(schedule, steps, sharpness);
    submit(memory, schedule.range(0, steps).size());
  }
  return schedule.range(steps, schedule.count());
}

void LoopFilterStage::give_waves(Memory& memory, std::span<const vp9::LoopFilterEdge> edges,
                                 const vp9::PlaneScales& scales, int sharpness) {
  waves_.schedule(edges, scales);
  statistics_.steps += waves_.wave_ends().size();
  if (edges.empty()) return;
  memory.filter->set_edges(waves_, sharpness);
  submit(memory, edges.size());
}

void LoopFilterStage::submit(Memory& memory, std::size_t edges) {
  const std::uint64_t before = copied_bytes(device_);
  memory.in_flight = memory.filter->submit();
  statistics_.copied_bytes += copied_bytes(device_) - before;
  ++statistics_.submissions;
  statistics_.dispatches += memory.filter->dispatches();
  statistics_.by_stage.loop_filter += memory.filter->dispatches();
  statistics_.edges_on_gpu += edges;
}

void LoopFilterStage::finish(const vp9::FrameBuffer& frame) {
  const std::lock_guard lock(mutex_);
  for (const auto& memory : memories_) {
    if (memory->holds(frame)) wait_for(*memory);
  }
}

void LoopFilterStage::leave(const vp9::FrameBuffer& frame) {
  finish(frame);
  const std::lock_guard lock(mutex_);
  for (const auto& memory : memories_) {
    if (memory->holds(frame)) memory->on_device = false;
  }
}

void LoopFilterStage::wait_for(Memory& memory) {
  if (!memory.in_flight) return;
  memory.in_flight->wait();
  memory.in_flight.reset();
  ++statistics_.fence_waits;
}

vp9::FilterStatistics LoopFilterStage::statistics() const {
  const std::lock_guard lock(mutex_);
  return statistics_;
}

PicturePlace LoopFilterStage::place_of(const vp9::FrameBuffer& frame) {
  const std::lock_guard lock(memories_mutex_);
  const Memory& memory = memory_of(frame);
  return {.buffer = memory.buffer.get(),
          .is_current = !memory.buffer->staged() || memory.on_device};
}

vp9::FramePool::Allocator frame_allocator(std::shared_ptr<LoopFilterStage> filter) {
  return [kept = std::move(filter)](const video::PictureFormat& format) {
    return kept->allocate(format);
  };
}

}  // namespace sidecore::qpu
