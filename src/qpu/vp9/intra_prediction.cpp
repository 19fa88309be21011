#include "qpu/vp9/intra_prediction.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace sidecore::qpu {
namespace {

std::shared_ptr<Program> intra_program(Device& device, int bits) {
  if (bits < 8 || bits > 12) {
    throw usage_error("the QPU's intra prediction supports 8 to 12 bits, not {}", bits);
  }
  Specialization constants;
  if (bits > 8) {
    constants.constants.emplace_back(shader::kIntraExtraBitsConstant,
                                     static_cast<std::uint32_t>(bits - 8));
  }
  const DeviceInfo& info = device.info();
  constants.constants.emplace_back(
      shader::kIntraLockstepConstant,
      info.lockstep_subgroups && info.subgroup_size == shader::kIntraLanes ? 1U : 0U);
  return device.program(intra_prediction_shader(bits), constants);
}

std::uint32_t groups_of(vp9::TransformSize size) {
  return 1U << size;
}

// Returns the number of groups in the line from which a block larger than 4x4 is predicted.
std::uint32_t line_groups_of(const vp9::IntraBlock& block) {
  const std::uint32_t groups = groups_of(block.size);
  switch (block.mode) {
    case vp9::kDcPrediction:
      return shader::kIntraSums;
    case vp9::kVerticalPrediction:
    case vp9::kHorizontalPrediction:
      return groups;
    case vp9::kTrueMotionPrediction:
      return 2 * groups + 1;
    case vp9::kD45Prediction:
    case vp9::kD135Prediction:
      return 2 * groups;
    default:
      return 3 * groups;
  }
}

std::uint32_t whole_runs(std::uint32_t items) {
  return (items + shader::kIntraLanes - 1) / shader::kIntraLanes;
}

std::uint32_t workgroups_of(std::uint32_t superblocks) {
  return (superblocks + shader::kIntraSuperblocks - 1) / shader::kIntraSuperblocks;
}

constexpr std::uint32_t kMaxBlocks = shader::kIntraBlockMask + 1;

}  // namespace

Shader intra_prediction_shader(int bits) {
  return bits == 8 ? "intra_prediction" : "intra_prediction_hbd";
}

IntraPrediction::IntraPrediction(Device& device, int bits)
    : device_(device), bits_(bits), program_(intra_program(device, bits)) {}

void IntraPrediction::set_blocks(const vp9::IntraScheduler& schedule, const PicturePlanes& planes) {
  const std::size_t count = schedule.blocks().size();
  if (count > kMaxBlocks) {
    throw environment_error("a frame has {} intra blocks; the QPU supports at most {}", count,
                            kMaxBlocks);
  }
  waves_.clear();
  line_groups_ = runs_ = written_superblocks_ = 0;
  if (count == 0) return;
  const std::size_t group_bytes = bits_ == 8 ? 4 : 8;
  for (std::size_t index = 0; index < strides_.size(); ++index) {
    strides_[index] = static_cast<std::uint32_t>(planes.planes[index].stride / group_bytes);
  }
  reserve(items_, count_items(schedule) * shader::kIntraLanes * sizeof(std::uint32_t));
  std::uint32_t first = 0;
  std::size_t padded = 0;
  for (const std::uint32_t last : schedule.wave_ends()) {
    padded += workgroups_of(last - std::exchange(first, last)) * shader::kIntraSuperblocks;
  }
  reserve(superblocks_, padded * sizeof(PackedSuperblock));
  std::span<ItemKinds> kinds(kinds_);
  first = 0;
  for (const std::uint32_t last : schedule.wave_ends()) {
    wave_.clear();
    for (std::uint32_t index = first; index < last; ++index) {
      const vp9::IntraScheduler::Superblock& superblock = schedule.superblocks()[index];
      wave_.push_back(write_items(schedule, superblock, kinds.first(superblock.steps)));
      kinds = kinds.subspan(superblock.steps);
    }
    write_wave();
    first = last;
  }
  reserve(blocks_, count * sizeof(PackedBlock));
  PackedBlock* to = blocks_.buffer->as<PackedBlock>().data();
  for (const auto& scheduled : schedule.blocks()) *to++ = packed(scheduled.block, planes);
  device_.reserve(lines_, (line_groups_ + 1) * group_bytes);
}

void IntraPrediction::reserve(List& list, std::size_t bytes) {
  device_.reserve(list.buffer, bytes);
  list.bytes = bytes;
}

/// Counts the items into kinds_ by kind. Returns the number of runs that they fill.
std::uint32_t IntraPrediction::count_items(const vp9::IntraScheduler& schedule) {
  kinds_.clear();
  std::uint32_t runs = 0;
  for (const auto& [blocks, steps] : schedule.superblocks()) {
    const std::size_t first = kinds_.size();
    kinds_.resize(first + steps);
    const std::span kinds = std::span(kinds_).subspan(first);
    for (const auto& [block, step] :
         schedule.blocks().subspan(blocks.begin, blocks.end - blocks.begin)) {
      if (block.size == vp9::kTransform4x4) {
        ++kinds[step][shader::kIntraSmall];
      } else {
        kinds[step][shader::kIntraLine] += line_groups_of(block);
        kinds[step + 1][shader::kIntraSquare] += groups_of(block.size) * groups_of(block.size);
      }
    }
    for (const ItemKinds& step : kinds) {
      for (const std::uint32_t items : step) runs += whole_runs(items);
    }
  }
  return runs;
}

/// Sorts the items in host memory first, so that device memory is written once and in order.
IntraPrediction::SuperblockInWave IntraPrediction::write_items(
    const vp9::IntraScheduler& schedule, const vp9::IntraScheduler::Superblock& superblock,
    std::span<ItemKinds> kinds) {
  SuperblockInWave of_wave{.packed = {.first_run = runs_}};
  std::uint32_t runs = 0;
  for (ItemKinds& step : kinds) {
    of_wave.squares += step[shader::kIntraSmall] + step[shader::kIntraSquare];
    for (std::uint32_t& kind : step) {
      const std::uint32_t of_kind = whole_runs(kind);
      kind = runs * shader::kIntraLanes;
      runs += of_kind;
    }
  }
  superblock_items_.assign(std::size_t{runs} * shader::kIntraLanes,
                           shader::kIntraNothing << shader::kIntraKindShift);
  for (std::uint32_t number = superblock.blocks.begin; number < superblock.blocks.end; ++number) {
    place_items(schedule.blocks()[number], number, kinds);
  }
  std::ranges::copy(superblock_items_, items_.buffer->as<std::uint32_t>().data() +
                                           std::size_t{runs_} * shader::kIntraLanes);
  runs_ += runs;
  of_wave.packed.runs = runs;
  return of_wave;
}

// Writes a wave. Superblocks of similar length share a workgroup, because it takes as long as its
// longest one. Workgroups get equal numbers of superblocks, to load the GPU's processors evenly.
void IntraPrediction::write_wave() {
  std::ranges::stable_sort(wave_, std::ranges::greater(),
                           [](const SuperblockInWave& one) { return one.packed.runs; });
  const auto count = static_cast<std::uint32_t>(wave_.size());
  const std::uint32_t workgroups = workgroups_of(count);
  if (workgroups > kMaxChained) {
    waves_.push_back({written_superblocks_, workgroups, 1});
  } else if (!waves_.empty() && waves_.back().workgroups == 1) {
    waves_.back().rounds += workgroups;
  } else {
    waves_.push_back({written_superblocks_, 1, workgroups});
  }
  PackedSuperblock* to = superblocks_.buffer->as<PackedSuperblock>().data() + written_superblocks_;
  for (std::uint32_t workgroup = 0; workgroup < workgroups; ++workgroup) {
    const std::uint32_t begin = count * workgroup / workgroups;
    const std::uint32_t end = count * (workgroup + 1) / workgroups;
    for (std::uint32_t index = begin; index < end; ++index) *to++ = wave_[index].packed;
    to = std::fill_n(to, shader::kIntraSuperblocks - (end - begin), PackedSuperblock{});
  }
  written_superblocks_ += workgroups * shader::kIntraSuperblocks;
  for (const SuperblockInWave& one : wave_) waves_.back().squares += one.squares;
}

void IntraPrediction::place_items(const vp9::IntraScheduler::Scheduled& scheduled,
                                  std::uint32_t number, std::span<ItemKinds> next) {
  const auto place = [&](std::uint32_t step, std::uint32_t kind, std::uint32_t part) {
    superblock_items_[next[step][kind]++] =
        kind << shader::kIntraKindShift | part << shader::kIntraPartShift | number;
  };
  const vp9::IntraBlock& block = scheduled.block;
  const std::uint32_t step = scheduled.first_step;
  if (block.size == vp9::kTransform4x4) return place(step, shader::kIntraSmall, 0);
  const std::uint32_t line = line_groups_of(block);
  for (std::uint32_t part = 0; part < line; ++part) place(step, shader::kIntraLine, part);
  const std::uint32_t groups = groups_of(block.size);
  for (std::uint32_t row = 0; row < groups; ++row) {
    for (std::uint32_t column = 0; column < groups; ++column) {
      place(step + 1, shader::kIntraSquare, row * 8 + column);
    }
  }
}

IntraPrediction::PackedBlock IntraPrediction::packed(const vp9::IntraBlock& block,
                                                     const PicturePlanes& planes) {
  const std::size_t group_bytes = bits_ == 8 ? 4 : 8;
  const PicturePlanes::Plane& plane = planes.planes[block.plane];
  const vp9::IntraSurroundings& where = block.where;
  const std::size_t row = plane.offset + plane.stride * static_cast<std::size_t>(where.y);
  const auto at =
      static_cast<std::uint32_t>(row / group_bytes + static_cast<std::size_t>(where.x) / 4);
  const vp9::IntraNeeds needs = vp9::intra_needs(block.mode);
  const auto flag = [](bool set, std::uint32_t bit) { return set ? bit : 0; };
  // Returns the number of decoded groups from `begin` to `end`, at most as many as the block has,
  // minus 1.
  const auto decoded = [&](int begin, int end) {
    const std::uint32_t groups = static_cast<std::uint32_t>(end - begin) / 4;
    return std::min(groups, groups_of(block.size)) - 1;
  };
  const std::uint32_t flags =
      block.mode | std::uint32_t{block.size} << shader::kIntraSizeShift |
      flag(block.plane != 0, 1U << shader::kIntraStrideShift) |
      flag(block.transform != nullptr, shader::kIntraHasResidual) |
      flag(needs.above && where.above, shader::kIntraAbove) |
      flag(needs.left && where.left, shader::kIntraLeft) |
      flag(needs.corner && where.above && where.left, shader::kIntraCorner) |
      flag(needs.above_right && where.above && where.above_right && where.x + 8 <= where.end_x,
           shader::kIntraAboveRight) |
      decoded(where.x, where.end_x) << shader::kIntraColumnsShift |
      decoded(where.y, where.end_y) << shader::kIntraRowsShift;
  const std::uint32_t residual =
      block.transform != nullptr ? block.transform->first_coefficient / 4 : 0;
  const std::uint32_t line = line_groups_;
  // Each line has one group more than its blocks need, because 4x4 squares read the group after
  // their own, too.
  if (block.size != vp9::kTransform4x4) line_groups_ += line_groups_of(block) + 1;
  return {at, flags, residual, line};
}

std::vector<DispatchWork> IntraPrediction::work() const {
  std::vector<DispatchWork> work;
  for (const Waves& waves : waves_) {
    work.push_back({"4x4 square", "", static_cast<double>(waves.squares)});
  }
  return work;
}

void IntraPrediction::record(CommandList& list, const BufferRange& picture,
                             const BufferRange& residual) const {
  if (waves_.empty()) return;
  const BufferRange bindings[] = {picture,
                                  residual,
                                  {.buffer = items_.buffer.get()},
                                  {.buffer = blocks_.buffer.get()},
                                  {.buffer = superblocks_.buffer.get()},
                                  {.buffer = lines_.get()}};
  for (const List* const read : {&items_, &blocks_, &superblocks_}) {
    list.upload({.buffer = read->buffer.get(), .size = read->bytes});
  }
  for (const Waves& waves : waves_) {
    const shader::IntraPredictionPush push{
        .first_superblock = waves.first_superblock,
        .end = waves.first_superblock + waves.rounds * shader::kIntraSuperblocks,
        .strides = {strides_[0], strides_[1]}};
    list.dispatch(*program_, bindings, push, {waves.workgroups, 1, 1});
  }
}

}  // namespace sidecore::qpu
