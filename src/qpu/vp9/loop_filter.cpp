#include "qpu/vp9/loop_filter.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "vp9/loop_filter.interface.h"

namespace sidecore::qpu {
namespace {

// Edge in the form that the shaders read.
struct PackedEdge {
  std::uint32_t words = 0;
  std::uint32_t rest = 0;
};

// One round of a dependency level: edges [first, last) of the edge buffer.
struct PackedRound {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
};

// One dispatch: its first round, and the number of rounds per workgroup.
struct PackedDispatch {
  std::uint32_t first_round = 0;
  std::uint32_t rounds_each = 0;
};

// Packs an edge. Sample q0 is `offset` bytes, a multiple of 4, after the start of the planes.
// `stride` is 0 or 1 and selects one of the dispatch's strides.
PackedEdge pack_edge(std::size_t offset, vp9::LoopFilterKind kind,
                     const vp9::LoopFilterLimits& limits, std::uint32_t stride) {
  return {.words = static_cast<std::uint32_t>(offset / 4),
          .rest = limits.blimit | std::uint32_t{limits.limit} << 8U |
                  std::uint32_t{limits.thresh} << 16U |
                  static_cast<std::uint32_t>(kind) << shader::kKindShift |
                  stride << shader::kStrideShift};
}

std::shared_ptr<Program> program_of(Device& device, vp9::FilterOrder order, int bits) {
  Specialization constants;
  if (order == vp9::FilterOrder::levels) {
    constants.constants.emplace_back(shader::kKindsConstant, shader::kAllKinds);
  }
  if (bits > 8) {
    constants.constants.emplace_back(shader::kExtraBitsConstant,
                                     static_cast<std::uint32_t>(bits - 8));
  }
  return device.program(loop_filter_shader(order, bits), constants);
}

int checked_bits(int bits) {
  if (bits < 8 || bits > 12) {
    throw usage_error("the QPU's loop filter supports 8 to 12 bits, not {}", bits);
  }
  return bits;
}

// Returns the maximum number of edges in the planes. Each 8x8 samples have two boundaries, at the
// border and in the middle, in both directions.
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

// Returns an upper bound of the number of superblocks in the planes. Chroma counts as subsampled,
// which gives the larger result.
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

// Returns the maximum number of dependency levels. A chain of dependent edges passes through
// superblocks of ever later waves. In each superblock it has at most 16 columns of vertical edges
// and 16 rows of horizontal edges.
std::size_t most_levels(const SuperblockGrid& grid) {
  return 2 * (kSuperblock / 4) * (grid.columns + 2 * grid.rows);
}

constexpr std::size_t rounds_of(std::size_t edges) {
  return (edges + shader::kRoundEdges - 1) / shader::kRoundEdges;
}

// Returns the maximum number of rounds. It includes the partly filled last round of each level, and
// the empty rounds that fill up a large level's workgroups.
std::size_t most_rounds(std::size_t edges, std::size_t steps) {
  const std::size_t large_steps = edges / LoopFilter::kMinEdgesPerDispatch;
  return rounds_of(edges) + steps + large_steps * shader::kStepWorkgroups;
}

// Packs dependency levels into dispatches as the shader reads them.
class StepPacker {
 public:
  StepPacker(std::span<PackedRound> rounds, std::span<PackedDispatch> dispatches)
      : rounds_(rounds), dispatches_(dispatches) {}

  /// Adds one level as a dispatch of many workgroups.
  void add_large(std::size_t edges) {
    const std::uint32_t first = round_;
    add_rounds(edges);
    const std::uint32_t each =
        (round_ - first + shader::kStepWorkgroups - 1) / shader::kStepWorkgroups;
    const std::uint32_t end = first + each * shader::kStepWorkgroups;
    while (round_ < end) rounds_[round_++] = {edge_, edge_};
    dispatches_[dispatch_++] = {first, each};
  }

  /// Adds levels [first, last) as a dispatch of one workgroup.
  void add_small(const vp9::EdgeLevels& schedule, std::size_t first, std::size_t last) {
    const std::uint32_t first_round = round_;
    for (std::size_t step = first; step < last; ++step) add_rounds(schedule[step].size());
    dispatches_[dispatch_++] = {first_round, round_ - first_round};
  }

 private:
  void add_rounds(std::size_t edges) {
    const std::uint32_t end = edge_ + static_cast<std::uint32_t>(edges);
    while (edge_ < end) {
      const std::uint32_t next = std::min(edge_ + shader::kRoundEdges, end);
      rounds_[round_++] = {edge_, next};
      edge_ = next;
    }
  }

  std::span<PackedRound> rounds_;
  std::span<PackedDispatch> dispatches_;
  std::uint32_t edge_ = 0;
  std::uint32_t round_ = 0;
  std::uint32_t dispatch_ = 0;
};

// Packs superblock waves as the shader reads them.
class WavePacker {
 public:
  /// Creates the packer; `steps` must have room for one step per edge, plus one.
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

  // Packs one superblock. A step with more edges than a workgroup filters at once becomes several
  // steps.
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
  std::uint32_t step_ = 0;              // next step of the schedule
  std::uint32_t packed_ = kNoStep + 1;  // index of the next packed step
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

Shader loop_filter_shader(vp9::FilterOrder order, int bits) {
  if (order == vp9::FilterOrder::levels) return bits == 8 ? "loop_filter" : "loop_filter_hbd";
  return bits == 8 ? "loop_filter_wave" : "loop_filter_wave_hbd";
}

LoopFilter::LoopFilter(Device& device, std::shared_ptr<Buffer> picture, const PicturePlanes& planes,
                       int bits)
    : device_(device),
      picture_(std::move(picture)),
      planes_(planes),
      bits_(checked_bits(bits)),
      level_program_(program_of(device_, vp9::FilterOrder::levels, bits)) {
  planes_.check(picture_->size(), kPlaneAlignment);
  const std::size_t edges = most_edges(planes_);
  most_steps_ = most_levels(most_superblocks(planes_, sample_bytes()));
  edge_buffer_ = device_.create_buffer(edges * sizeof(PackedEdge));
  round_buffer_ = device_.create_buffer(most_rounds(edges, most_steps_) * sizeof(PackedRound));
  dispatch_buffer_ =
      device_.create_buffer((edges / kMinEdgesPerDispatch + 1) * sizeof(PackedDispatch));
}

std::array<std::uint32_t, 2> LoopFilter::strides_in_words() const {
  return {static_cast<std::uint32_t>(planes_.planes[0].stride / 4),
          static_cast<std::uint32_t>(planes_.planes[1].stride / 4)};
}

void LoopFilter::require_done() const {
  if (!last_submission_.done()) {
    throw usage_error("set_edges: the last submission is still in flight; wait for it first");
  }
}

void LoopFilter::set_edges(const vp9::EdgeLevels& schedule, std::size_t steps, int sharpness) {
  require_done();
  if (steps > schedule.count() || steps > most_steps_) {
    throw usage_error("{} levels requested, but the schedule has {} and the planes at most {}",
                      steps, schedule.count(), most_steps_);
  }
  pack_edges(schedule.range(0, steps), sharpness);
  StepPacker packer(round_buffer_->as<PackedRound>(), dispatch_buffer_->as<PackedDispatch>());
  large_steps_ = std::min(steps, schedule.count_large_levels(kMinEdgesPerDispatch));
  for (std::size_t step = 0; step < large_steps_; ++step) packer.add_large(schedule[step].size());
  if (large_steps_ < steps) packer.add_small(schedule, large_steps_, steps);
  dispatches_ = large_steps_ + (large_steps_ < steps ? 1 : 0);
  order_ = vp9::FilterOrder::levels;
}

std::vector<std::size_t> LoopFilter::dispatch_sizes(const vp9::EdgeLevels& schedule,
                                                    std::size_t steps) {
  const std::size_t large = std::min(steps, schedule.count_large_levels(kMinEdgesPerDispatch));
  std::vector<std::size_t> sizes;
  sizes.reserve(large + 1);
  for (std::size_t step = 0; step < large; ++step) sizes.push_back(schedule[step].size());
  if (large < steps) {
    sizes.push_back(schedule.range(0, steps).size() - schedule.range(0, large).size());
  }
  return sizes;
}

void LoopFilter::set_edges(const vp9::WaveScheduler& schedule, int sharpness) {
  require_done();
  if (!waves_) make_waves();
  const auto superblocks = waves_->superblocks->as<std::uint32_t>();
  const auto waves = waves_->waves->as<shader::LoopFilterWave>();
  if (schedule.superblock_ends().size() > superblocks.size() ||
      schedule.wave_ends().size() > waves.size()) {
    throw usage_error("{} superblocks in {} waves exceed the number in the planes",
                      schedule.superblock_ends().size(), schedule.wave_ends().size());
  }
  if (const std::size_t widest = widest_wave(schedule); widest > waves_->widest) {
    throw usage_error("a wave of {} superblocks exceeds the planes' maximum of {}", widest,
                      waves_->widest);
  }
  pack_edges(schedule.steps().edges(), sharpness);
  WavePacker(schedule, waves_->steps->as<shader::LoopFilterWaveStep>()).pack(superblocks, waves);
  dispatches_ = schedule.wave_ends().size();
  order_ = vp9::FilterOrder::waves;
}

void LoopFilter::make_waves() {
  const SuperblockGrid grid = most_superblocks(planes_, sample_bytes());
  Waves& waves = waves_.emplace(Waves{});
  waves.program = program_of(device_, vp9::FilterOrder::waves, bits_);
  waves.steps =
      device_.create_buffer((most_edges(planes_) + 1) * sizeof(shader::LoopFilterWaveStep));
  waves.superblocks = device_.create_buffer(grid.columns * grid.rows * sizeof(std::uint32_t));
  waves.waves =
      device_.create_buffer((grid.columns + 2 * grid.rows) * sizeof(shader::LoopFilterWave));
  waves.widest = static_cast<std::uint32_t>(std::min(grid.rows, (grid.columns + 1) / 2));
}

void LoopFilter::pack_edges(std::span<const vp9::LoopFilterEdge> edges, int sharpness) {
  if (bits_ == 8) {
    vp9::check_edges(planes_.in<std::uint8_t>(picture_->bytes()), edges);
  } else {
    vp9::check_edges(planes_.in<std::uint16_t>(picture_->bytes()), edges);
  }
  const auto packed = edge_buffer_->as<PackedEdge>();
  if (edges.size() > packed.size()) {
    throw usage_error("{} edges exceed the planes' maximum of {}", edges.size(), packed.size());
  }
  const vp9::LoopFilterLimitTable limits(sharpness);
  for (std::size_t index = 0; index < edges.size(); ++index) {
    const vp9::LoopFilterEdge& edge = edges[index];
    if (edge.width == 16 && edge.x % 8 != 0) {
      throw usage_error("edge {}: x {} must be a multiple of 8 for an edge that is 16 wide", index,
                        edge.x);
    }
    const PicturePlanes::Plane& plane = planes_.planes[edge.plane];
    packed[index] = pack_edge(plane.offset + edge.y * plane.stride + edge.x * sample_bytes(),
                              edge.kind(), limits[edge.level], edge.plane == 0 ? 0 : 1);
  }
}

void LoopFilter::record_levels(CommandList& list) const {
  list.upload({.buffer = round_buffer_.get()});
  list.upload({.buffer = dispatch_buffer_.get()});
  const BufferRange bindings[] = {{.buffer = picture_.get()},
                                  {.buffer = edge_buffer_.get()},
                                  {.buffer = round_buffer_.get()},
                                  {.buffer = dispatch_buffer_.get()}};
  const auto [luma, chroma] = strides_in_words();
  for (std::size_t dispatch = 0; dispatch < dispatches_; ++dispatch) {
    const shader::LoopFilterPush push{.dispatch_index = static_cast<std::uint32_t>(dispatch),
                                      .strides = {luma, chroma}};
    const std::uint32_t workgroups = dispatch < large_steps_ ? shader::kStepWorkgroups : 1;
    list.dispatch(*level_program_, bindings, push, {workgroups, 1, 1});
  }
}

void LoopFilter::record_waves(CommandList& list) const {
  const BufferRange bindings[] = {{.buffer = picture_.get()},
                                  {.buffer = edge_buffer_.get()},
                                  {.buffer = waves_->steps.get()},
                                  {.buffer = waves_->superblocks.get()},
                                  {.buffer = waves_->waves.get()}};
  for (const BufferRange& ranges : std::span(bindings).subspan(2)) list.upload(ranges);
  const auto [luma, chroma] = strides_in_words();
  for (std::size_t wave = 0; wave < dispatches_; ++wave) {
    const shader::LoopFilterWavePush push{.wave = static_cast<std::uint32_t>(wave),
                                          .strides = {luma, chroma}};
    list.dispatch(*waves_->program, bindings, push, {waves_->widest, 1, 1});
  }
}

void LoopFilter::record(CommandList& list) const {
  list.upload({.buffer = edge_buffer_.get()});
  order_ == vp9::FilterOrder::waves ? record_waves(list) : record_levels(list);
}

std::unique_ptr<CommandList> LoopFilter::record_with_copies() const {
  // Planes without rows are not copied, because the CPU may filter them meanwhile.
  const auto for_each_plane = [&](auto&& move) {
    for (const PicturePlanes::Plane& plane : planes_.planes) {
      if (plane.rows != 0)
        move(BufferRange{picture_.get(), plane.offset, plane.stride * plane.rows});
    }
  };
  auto list = device_.create_command_list();
  list->time_on_gpu();
  for_each_plane([&](const BufferRange& plane) { list->upload(plane); });
  record(*list);
  for_each_plane([&](const BufferRange& plane) { list->download(plane); });
  list->finish();
  return list;
}

CommandList& LoopFilter::list() {
  RecordedLists& lists = order_ == vp9::FilterOrder::waves ? waves_->lists
                         : large_steps_ == dispatches_     ? lists_of_large_steps_
                                                           : lists_;
  return lists.get(dispatches_, [this] { return record_with_copies(); });
}

Ticket LoopFilter::submit() {
  last_submission_ = device_.submit(list());
  return last_submission_;
}

}  // namespace sidecore::qpu
