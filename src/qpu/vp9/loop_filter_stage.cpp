#include "qpu/vp9/loop_filter_stage.h"

#include <cassert>
#include <variant>

#include "qpu/buffer.h"

namespace sidecore::qpu {

namespace {

// Returns the size of the smallest level that the QPU filters, in edges. The CPU filters smaller
// levels.
std::size_t least_edges_of(const vp9::Plan& plan) {
  if (!plan.is_divided(vp9::Stage::loop_filter)) return 1;
  return plan.least_edges > 0 ? plan.least_edges : LoopFilter::kMinEdgesPerDispatch;
}

}  // namespace

LoopFilterStage::LoopFilterStage(Device& device, const vp9::Plan& plan)
    : device_(device),
      order_(plan.filter_order),
      luma_only_(plan.is_divided(vp9::Stage::loop_filter)),
      least_edges_(least_edges_of(plan)),
      frames_(device, luma_only_) {
  assert(plan.on_qpu(vp9::Stage::loop_filter) && !plan.reconstructs_on_qpu());
}
LoopFilterStage::~LoopFilterStage() = default;

video::Picture LoopFilterStage::allocate(const video::PictureFormat& format) {
  const std::lock_guard lock(mutex_);
  frames_.for_each_unused([&](DeviceFrame& memory) { wait_for(memory); });
  return frames_.allocate(format);
}

void LoopFilterStage::filter(vp9::FrameBuffer& frame, const vp9::LoopFilterEdges& edges,
                             int sharpness, const vp9::StageContext& context) {
  const std::lock_guard lock(mutex_);
  frames_.of(frame).residency = Residency::host;
  if (edges.all().empty()) return;
  std::visit([&](const auto* dsp) { filter_samples(*dsp, frame, edges, sharpness, context); },
             context.dsp);
}

template <class Sample>
void LoopFilterStage::filter_samples(const vp9::Dsp<Sample>& dsp, vp9::FrameBuffer& frame,
                                     const vp9::LoopFilterEdges& edges, int sharpness,
                                     const vp9::StageContext& context) {
  DeviceFrame& memory = frames_.of(frame);
  wait_for(memory);
  const auto planes = vp9::planes_of<Sample>(frame);
  const auto on_qpu = luma_only_ ? edges.plane(0) : edges.all();
  std::span<const vp9::LoopFilterEdge> rest;
  if (order_ == vp9::FilterOrder::waves) {
    give_waves(memory, on_qpu, vp9::PlaneScales(frame.memory.format().pixel.chroma), sharpness);
  } else {
    rest = give_levels(memory, on_qpu, sharpness);
  }
  if (luma_only_) {
    context.clock.lap(vp9::ClockRow::loop_filter);
    context.run(context.team, 2, [&](std::size_t chroma, vp9::StageClock& clock) {
      vp9::filter_edges(dsp, planes, edges.plane(chroma + 1), sharpness);
      clock.lap(vp9::ClockRow::loop_filter);
    });
  }
  if (rest.empty() && !luma_only_) memory.residency = Residency::both;
  if (rest.empty()) return;
  wait_for(memory);
  vp9::filter_edges(dsp, planes, rest, sharpness);
}

std::span<const vp9::LoopFilterEdge> LoopFilterStage::give_levels(
    DeviceFrame& memory, std::span<const vp9::LoopFilterEdge> edges, int sharpness) {
  const vp9::EdgeLevels& schedule = scheduler_.schedule(edges);
  const std::size_t steps = schedule.count_large_levels(least_edges_);
  statistics_.steps += schedule.count();
  if (steps > 0) {
    memory.filter->set_edges(schedule, steps, sharpness);
    submit(memory, schedule.range(0, steps).size());
  }
  return schedule.range(steps, schedule.count());
}

void LoopFilterStage::give_waves(DeviceFrame& memory, std::span<const vp9::LoopFilterEdge> edges,
                                 const vp9::PlaneScales& scales, int sharpness) {
  waves_.schedule(edges, scales);
  statistics_.steps += waves_.wave_ends().size();
  if (edges.empty()) return;
  memory.filter->set_edges(waves_, sharpness);
  submit(memory, edges.size());
}

void LoopFilterStage::submit(DeviceFrame& memory, std::size_t edges) {
  const std::uint64_t before = device_.counters().copied_bytes();
  memory.in_flight = memory.filter->submit();
  statistics_.copied_bytes += device_.counters().copied_bytes() - before;
  ++statistics_.submissions;
  statistics_.dispatches += memory.filter->dispatches();
  statistics_.by_stage.loop_filter += memory.filter->dispatches();
  statistics_.edges_on_gpu += edges;
}

void LoopFilterStage::wait(const vp9::FrameBuffer& frame) {
  const std::lock_guard lock(mutex_);
  if (DeviceFrame* const memory = frames_.find(frame)) wait_for(*memory);
}

void LoopFilterStage::leave(const vp9::FrameBuffer& frame) {
  wait(frame);
  const std::lock_guard lock(mutex_);
  if (DeviceFrame* const memory = frames_.find(frame)) memory->residency = Residency::host;
}

void LoopFilterStage::wait_for(DeviceFrame& memory) {
  if (!memory.in_flight) return;
  memory.in_flight->wait();
  memory.in_flight.reset();
  ++statistics_.fence_waits;
}

vp9::BackEndStatistics LoopFilterStage::statistics() const {
  const std::lock_guard lock(mutex_);
  return statistics_;
}

DevicePictureLocation LoopFilterStage::location_of(const vp9::FrameBuffer& frame) {
  return frames_.location_of(frame);
}

}  // namespace sidecore::qpu
