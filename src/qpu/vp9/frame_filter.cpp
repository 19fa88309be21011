#include "qpu/vp9/frame_filter.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.h"
#include "qpu/buffer.h"
#include "qpu/vp9/picture_loop_filter.h"

namespace sidecore::qpu {

/// A picture's buffer, and the filter of whatever frame is in it.
struct FrameFilter::Memory {
  std::shared_ptr<Buffer> buffer;
  std::weak_ptr<void> user;  // gone when the picture is
  std::unique_ptr<PictureLoopFilter> filter;
  std::optional<Ticket> in_flight;

  [[nodiscard]] bool holds(const vp9::FrameBuffer& frame) const {
    return buffer->bytes().data() == frame.memory.bytes().data();
  }
};

namespace {

// Chroma that is the CPU's has no rows for the QPU.
PicturePlanes planes_of(const video::PictureFormat& format, bool chroma_on_cpu) {
  const video::PictureLayout layout(format);
  PicturePlanes planes;
  for (std::size_t plane = 0; plane < 3; ++plane) {
    const video::PictureLayout::Plane& from = layout.planes[plane];
    planes.planes[plane] = {from.offset, from.stride, 0};
    if (plane > 0 && chroma_on_cpu) continue;
    planes.planes[plane].rows =
        static_cast<std::size_t>(format.plane_height(static_cast<int>(plane)));
  }
  return planes;
}

}  // namespace

const char* to_string(EdgeSchedule schedule) {
  return schedule == EdgeSchedule::levels ? "levels" : "waves";
}

FrameFilter::FrameFilter(std::shared_ptr<Device> device, const FrameFilterDivision& division,
                         const vp9::EdgeListFilters& cpu_filters, FenceWait fence_wait)
    : device_(std::move(device)),
      division_(division),
      cpu_filters_(cpu_filters),
      fence_wait_(fence_wait) {}
FrameFilter::~FrameFilter() = default;

video::Picture FrameFilter::allocate(const video::PictureFormat& format) {
  if (format.pixel.bits != 8 && cpu_filters_.of_words == nullptr) {
    throw usage_error("the QPU's loop filter is for samples of 8 bits, not {}", format.pixel.bits);
  }
  std::erase_if(memories_, [&](const auto& memory) {
    if (!memory->user.expired()) return false;
    if (memory->in_flight) wait_for(*memory->in_flight);
    return true;
  });
  auto memory = std::make_unique<Memory>();
  memory->buffer = device_->create_buffer(video::PictureLayout(format).bytes);
  memory->filter = std::make_unique<PictureLoopFilter>(
      device_, memory->buffer, planes_of(format, division_.chroma_on_cpu), format.pixel.bits);
  const auto user = std::make_shared<std::shared_ptr<Buffer>>(memory->buffer);
  memory->user = user;
  video::Picture picture(format, memory->buffer->bytes(), user);
  memories_.push_back(std::move(memory));
  return picture;
}

FrameFilter::Memory& FrameFilter::memory_of(vp9::FrameBuffer& frame) {
  const auto found =
      std::ranges::find_if(memories_, [&](const auto& memory) { return memory->holds(frame); });
  if (found == memories_.end()) throw usage_error("a frame is not in the device's memory");
  return **found;
}

void FrameFilter::filter(vp9::FrameBuffer& frame, const vp9::PictureEdges& edges, int sharpness,
                         ThreadTeam& team) {
  if (edges.all().empty()) return;
  if (frame.memory.format().pixel.bits == 8) {
    filter_samples(cpu_filters_.of_bytes, frame, edges, sharpness, team);
  } else {
    filter_samples(cpu_filters_.of_words, frame, edges, sharpness, team);
  }
}

template <class Sample>
void FrameFilter::filter_samples(vp9::EdgeListFilter<Sample> cpu_filter, vp9::FrameBuffer& frame,
                                 const vp9::PictureEdges& edges, int sharpness, ThreadTeam& team) {
  Memory& memory = memory_of(frame);
  const auto view = vp9::filter_view<Sample>(frame);
  const bool luma_only = division_.chroma_on_cpu;
  const auto on_qpu = luma_only ? edges.plane(0) : edges.all();
  Ticket ticket;
  std::span<const vp9::PictureEdge> rest;
  if (division_.schedule == EdgeSchedule::waves) {
    give_waves(memory, on_qpu, vp9::PlaneScales(frame.memory.format().pixel.chroma), sharpness,
               ticket);
  } else {
    rest = give_levels(memory, on_qpu, sharpness, ticket);
  }
  if (luma_only) {
    team.run(2, [&](std::size_t chroma) { cpu_filter(view, edges.plane(chroma + 1), sharpness); });
  }
  const bool submitted = rest.size() < on_qpu.size();
  if (submitted && rest.empty() && fence_wait_ == FenceWait::in_finish) {
    memory.in_flight = std::move(ticket);
    return;
  }
  if (submitted) wait_for(std::move(ticket));
  cpu_filter(view, rest, sharpness);
}

std::span<const vp9::PictureEdge> FrameFilter::give_levels(const Memory& memory,
                                                           std::span<const vp9::PictureEdge> edges,
                                                           int sharpness, Ticket& ticket) {
  const vp9::EdgeSteps& schedule = scheduler_.schedule(edges);
  const std::size_t steps = std::min(schedule.leading_steps_of(division_.least_edges_of_a_step),
                                     PictureLoopFilter::kMostSteps);
  statistics_.steps += schedule.count();
  if (steps > 0) {
    memory.filter->set_edges(schedule, steps, sharpness);
    submit(memory, schedule.range(0, steps).size(), ticket);
  }
  return schedule.range(steps, schedule.count());
}

void FrameFilter::give_waves(const Memory& memory, std::span<const vp9::PictureEdge> edges,
                             const vp9::PlaneScales& scales, int sharpness, Ticket& ticket) {
  waves_.schedule(edges, scales);
  statistics_.steps += waves_.wave_ends().size();
  if (edges.empty()) return;
  memory.filter->set_edges(waves_, sharpness);
  submit(memory, edges.size(), ticket);
}

void FrameFilter::submit(const Memory& memory, std::size_t edges, Ticket& ticket) {
  ticket = memory.filter->submit();
  ++statistics_.submissions;
  statistics_.dispatches += memory.filter->dispatches();
  statistics_.edges_on_gpu += edges;
}

void FrameFilter::finish(const vp9::FrameBuffer& frame) {
  for (const auto& memory : memories_) {
    if (!memory->holds(frame) || !memory->in_flight) continue;
    wait_for(*std::exchange(memory->in_flight, std::nullopt));
  }
}

void FrameFilter::wait_for(Ticket ticket) {
  ticket.wait();
  ++statistics_.fence_waits;
}

vp9::FilterStatistics FrameFilter::statistics() const {
  vp9::FilterStatistics statistics = statistics_;
  const DeviceCounters& counters = device_->counters();
  statistics.copied_bytes = counters.uploaded_bytes + counters.downloaded_bytes;
  return statistics;
}

vp9::FramePool::Allocator frame_allocator(std::shared_ptr<FrameFilter> filter) {
  return [kept = std::move(filter)](const video::PictureFormat& format) {
    return kept->allocate(format);
  };
}

}  // namespace sidecore::qpu
