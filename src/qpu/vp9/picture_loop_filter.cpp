#include "qpu/vp9/picture_loop_filter.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "vp9/loop_filter.interface.h"

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

constexpr std::size_t kSuperblock = 64;

struct SuperblockGrid {
  std::size_t columns = 1;
  std::size_t rows = 1;
};

// At least as many as the planes have, for chroma that may be subsampled or not.
SuperblockGrid most_superblocks(const PicturePlanes& planes, std::size_t sample_bytes) {
  SuperblockGrid grid;
  for (std::size_t index = 0; index < planes.planes.size(); ++index) {
    const PicturePlanes::Plane& plane = planes.planes[index];
    const std::size_t span = index == 0 ? kSuperblock : kSuperblock / 2;
    const std::size_t bytes = span * sample_bytes;
    grid.columns = std::max(grid.columns, (plane.stride + bytes - 1) / bytes);
    grid.rows = std::max(grid.rows, (plane.rows + span - 1) / span);
  }
  return grid;
}

// The edges of each step.
void pack_steps(const vp9::EdgeSteps& schedule, std::size_t steps, std::span<PackedStep> ranges) {
  std::uint32_t first = 0;
  for (std::size_t step = 0; step < steps; ++step) {
    const auto last = first + static_cast<std::uint32_t>(schedule[step].size());
    ranges[step] = {first, last};
    first = last;
  }
}

// Superblocks in waves as the shader reads them.
class WavePacker {
 public:
  /// `steps` has room for as many as there are edges, and one.
  WavePacker(const vp9::WaveScheduler& schedule, std::span<shader::LoopFilterWaveStep> steps)
      : schedule_(schedule), steps_(steps) {
    steps_[kNoStep] = {0, 0, kNoStep};
  }

  void pack(std::span<std::uint32_t> superblocks, std::span<shader::LoopFilterWave> waves) {
    std::uint32_t superblock = 0;
    for (std::size_t wave = 0; wave < schedule_.wave_ends().size(); ++wave) {
      const std::uint32_t first = superblock;
      const std::uint32_t last = schedule_.wave_ends()[wave];
      std::uint32_t most = 0;
      for (; superblock < last; ++superblock) {
        const std::uint32_t first_step = packed_;
        pack_superblock(schedule_.superblock_ends()[superblock]);
        superblocks[superblock] = first_step;
        most = std::max(most, packed_ - first_step);
      }
      waves[wave] = {first, last, most};
    }
  }

 private:
  static constexpr std::uint32_t kNoStep = 0;

  // A step of more edges than a workgroup filters at once becomes several.
  void pack_superblock(std::uint32_t end) {
    for (; step_ < end; ++step_) {
      const auto last = edge_ + static_cast<std::uint32_t>(schedule_.steps()[step_].size());
      while (edge_ < last) {
        const std::uint32_t next = std::min(edge_ + shader::kWaveEdges, last);
        const bool superblock_ends = next == last && step_ + 1 == end;
        steps_[packed_] = {edge_, next, superblock_ends ? kNoStep : packed_ + 1};
        ++packed_;
        edge_ = next;
      }
    }
  }

  const vp9::WaveScheduler& schedule_;
  std::span<shader::LoopFilterWaveStep> steps_;
  std::uint32_t step_ = 0;              // of the schedule
  std::uint32_t packed_ = kNoStep + 1;  // steps so far
  std::uint32_t edge_ = 0;
};

std::size_t widest_wave(const vp9::WaveScheduler& schedule) {
  std::uint32_t first = 0;
  std::uint32_t widest = 0;
  for (const std::uint32_t last : schedule.wave_ends()) {
    widest = std::max(widest, last - first);
    first = last;
  }
  return widest;
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
  pack_edges(schedule.range(0, steps), sharpness);
  pack_steps(schedule, steps, step_buffer_->as<PackedStep>());
  dispatches_ = steps;
  in_waves_ = false;
}

void PictureLoopFilter::set_edges(const vp9::WaveScheduler& schedule, int sharpness) {
  if (!waves_) make_waves();
  const auto superblocks = waves_->superblocks->as<std::uint32_t>();
  const auto waves = waves_->waves->as<shader::LoopFilterWave>();
  if (schedule.superblock_ends().size() > superblocks.size() ||
      schedule.wave_ends().size() > waves.size()) {
    throw usage_error("{} superblocks in {} waves are more than the planes have",
                      schedule.superblock_ends().size(), schedule.wave_ends().size());
  }
  if (const std::size_t widest = widest_wave(schedule); widest > waves_->widest) {
    throw usage_error("a wave of {} superblocks is more than the {} that the planes can have",
                      widest, waves_->widest);
  }
  pack_edges(schedule.steps().edges(), sharpness);
  WavePacker(schedule, waves_->steps->as<shader::LoopFilterWaveStep>()).pack(superblocks, waves);
  dispatches_ = schedule.wave_ends().size();
  in_waves_ = true;
}

void PictureLoopFilter::make_waves() {
  const SuperblockGrid grid = most_superblocks(planes_, sample_bytes());
  Waves& waves = waves_.emplace(Waves{});
  waves.program = wave_filter_program(*device_, bits_);
  waves.steps =
      device_->create_buffer((most_edges(planes_) + 1) * sizeof(shader::LoopFilterWaveStep));
  waves.superblocks = device_->create_buffer(grid.columns * grid.rows * sizeof(std::uint32_t));
  waves.waves =
      device_->create_buffer((grid.columns + 2 * grid.rows) * sizeof(shader::LoopFilterWave));
  waves.widest = static_cast<std::uint32_t>(std::min(grid.rows, (grid.columns + 1) / 2));
}

void PictureLoopFilter::pack_edges(std::span<const vp9::PictureEdge> edges, int sharpness) {
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
  for (std::size_t index = 0; index < edges.size(); ++index) {
    const vp9::PictureEdge& edge = edges[index];
    const PicturePlanes::Plane& plane = planes_.planes[edge.plane];
    packed[index] = pack_edge(plane.offset + edge.y * plane.stride + edge.x * sample_bytes(),
                              vp9::loop_filter_kind(edge.direction, edge.width), limits[edge.level],
                              edge.plane == 0 ? 0 : 1);
  }
}

void PictureLoopFilter::record_levels(CommandList& list) const {
  list.upload({.buffer = step_buffer_.get()});
  for (std::size_t step = 0; step < dispatches_; ++step) {
    filter_.record_step(list, {{.buffer = picture_.get()}, edge_buffer_.get(), step_buffer_.get()},
                        static_cast<std::uint32_t>(step),
                        {planes_.planes[0].stride, planes_.planes[1].stride});
  }
}

void PictureLoopFilter::record_waves(CommandList& list) const {
  const BufferRange bindings[] = {{.buffer = picture_.get()},
                                  {.buffer = edge_buffer_.get()},
                                  {.buffer = waves_->steps.get()},
                                  {.buffer = waves_->superblocks.get()},
                                  {.buffer = waves_->waves.get()}};
  for (const BufferRange& ranges : std::span(bindings).subspan(2)) list.upload(ranges);
  for (std::size_t wave = 0; wave < dispatches_; ++wave) {
    const shader::LoopFilterWavePush push{
        .wave = static_cast<std::uint32_t>(wave),
        .strides = {static_cast<std::uint32_t>(planes_.planes[0].stride / 4),
                    static_cast<std::uint32_t>(planes_.planes[1].stride / 4)}};
    list.dispatch(*waves_->program, bindings, push, {waves_->widest, 1, 1});
  }
}

std::unique_ptr<CommandList> PictureLoopFilter::record() const {
  // A plane that is the CPU's may be at work meanwhile.
  const auto for_each_plane = [&](auto&& move) {
    for (const PicturePlanes::Plane& plane : planes_.planes) {
      if (plane.rows != 0)
        move(BufferRange{picture_.get(), plane.offset, plane.stride * plane.rows});
    }
  };
  auto list = device_->create_command_list();
  list->time_on_gpu();
  for_each_plane([&](const BufferRange& plane) { list->upload(plane); });
  list->upload({.buffer = edge_buffer_.get()});
  in_waves_ ? record_waves(*list) : record_levels(*list);
  for_each_plane([&](const BufferRange& plane) { list->download(plane); });
  list->finish();
  return list;
}

CommandList& PictureLoopFilter::list() {
  return (in_waves_ ? waves_->lists : lists_).get(dispatches_, [this] { return record(); });
}

Ticket PictureLoopFilter::submit() {
  return device_->submit(list());
}

}  // namespace sidecore::qpu
