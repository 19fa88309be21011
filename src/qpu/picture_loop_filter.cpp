#include "qpu/picture_loop_filter.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace sidecore::qpu {
namespace {

void check_planes(const PicturePlanes& planes, std::size_t bytes) {
  for (std::size_t index = 0; index < planes.planes.size(); ++index) {
    const PicturePlanes::Plane& plane = planes.planes[index];
    if (plane.offset % 4 != 0 || plane.stride % 4 != 0) {
      throw usage_error("plane {}: offset {} and stride {} are not multiples of 4", index,
                        plane.offset, plane.stride);
    }
    // Divided, because products of wild numbers wrap.
    if (plane.offset > bytes ||
        (plane.rows != 0 && plane.stride > (bytes - plane.offset) / plane.rows)) {
      throw usage_error(
          "plane {}: {} rows of {} bytes at offset {} end beyond the picture's {} bytes", index,
          plane.rows, plane.stride, plane.offset, bytes);
    }
  }
  if (planes.planes[1].stride != planes.planes[2].stride) {
    throw usage_error("chroma planes have strides {} and {}; the filter wants one",
                      planes.planes[1].stride, planes.planes[2].stride);
  }
}

int checked_bits(int bits) {
  if (bits < 8 || bits > 12) {
    throw usage_error("the QPU's loop filter is for samples of 8 to 12 bits, not {}", bits);
  }
  return bits;
}

// As many edges as there can be: 8x8 samples have a border and a boundary in their middle, in both
// directions.
std::size_t most_edges(const PicturePlanes& planes) {
  std::size_t edges = 0;
  for (const PicturePlanes::Plane& plane : planes.planes) {
    edges += (plane.stride + 7) / 8 * ((plane.rows + 7) / 8) * 4;
  }
  return std::max<std::size_t>(edges, 1);
}

}  // namespace

PictureLoopFilter::PictureLoopFilter(std::shared_ptr<Device> device,
                                     std::shared_ptr<Buffer> picture, const PicturePlanes& planes,
                                     int bits)
    : device_(std::move(device)),
      picture_(std::move(picture)),
      planes_(planes),
      bits_(checked_bits(bits)),
      filter_(*device_, vp9::kLoopFilterKinds, bits) {
  check_planes(planes_, picture_->size());
  edge_buffer_ = device_->create_buffer(most_edges(planes_) * sizeof(PackedEdge));
  step_buffer_ = device_->create_buffer(kMostSteps * sizeof(PackedStep));
}

template <class Sample>
vp9::LoopFilterPicture<Sample> PictureLoopFilter::host_view() const {
  vp9::LoopFilterPicture<Sample> view;
  view.bits = bits_;
  for (std::size_t index = 0; index < planes_.planes.size(); ++index) {
    const PicturePlanes::Plane& plane = planes_.planes[index];
    const std::size_t stride = plane.stride / sizeof(Sample);
    view.planes[index] = {
        picture_->as<Sample>().subspan(plane.offset / sizeof(Sample), stride * plane.rows), stride};
  }
  return view;
}

void PictureLoopFilter::set_edges(const vp9::EdgeSteps& schedule, std::size_t steps,
                                  int sharpness) {
  if (steps > schedule.count() || steps > kMostSteps) {
    throw usage_error("{} steps are asked for; the schedule has {}, the filter takes {}", steps,
                      schedule.count(), kMostSteps);
  }
  const auto edges = schedule.range(0, steps);
  if (bits_ == 8) {
    vp9::check_picture_edges(host_view<std::uint8_t>(), edges);
  } else {
    vp9::check_picture_edges(host_view<std::uint16_t>(), edges);
  }
  const auto packed = edge_buffer_->as<PackedEdge>();
  if (edges.size() > packed.size()) {
    throw usage_error("{} edges are more than the {} that the planes can have", edges.size(),
                      packed.size());
  }
  const vp9::LoopFilterLimitTable limits(sharpness);
  const std::size_t sample_bytes = bits_ == 8 ? 1 : 2;
  for (std::size_t index = 0; index < edges.size(); ++index) {
    const vp9::PictureEdge& edge = edges[index];
    const PicturePlanes::Plane& plane = planes_.planes[edge.plane];
    packed[index] = pack_edge(plane.offset + edge.y * plane.stride + edge.x * sample_bytes,
                              vp9::loop_filter_kind(edge.direction, edge.width), limits[edge.level],
                              edge.plane == 0 ? 0 : 1);
  }
  const auto ranges = step_buffer_->as<PackedStep>();
  std::uint32_t first = 0;
  for (std::size_t step = 0; step < steps; ++step) {
    const auto last = first + static_cast<std::uint32_t>(schedule[step].size());
    ranges[step] = {first, last};
    first = last;
  }
  steps_ = steps;
}

std::unique_ptr<CommandList> PictureLoopFilter::record(std::size_t steps) const {
  const BufferRange picture{.buffer = picture_.get()};
  auto list = device_->create_command_list();
  list->time_on_gpu();
  list->upload(picture);
  list->upload({.buffer = edge_buffer_.get()});
  list->upload({.buffer = step_buffer_.get()});
  for (std::size_t step = 0; step < steps; ++step) {
    filter_.record_step(*list, {picture, edge_buffer_.get(), step_buffer_.get()},
                        static_cast<std::uint32_t>(step),
                        {planes_.planes[0].stride, planes_.planes[1].stride});
  }
  list->download(picture);
  list->finish();
  return list;
}

Ticket PictureLoopFilter::submit() {
  if (lists_.size() <= steps_) lists_.resize(steps_ + 1);
  if (!lists_[steps_]) lists_[steps_] = record(steps_);
  return device_->submit(*lists_[steps_]);
}

}  // namespace sidecore::qpu
