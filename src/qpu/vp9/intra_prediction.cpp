#include "qpu/vp9/intra_prediction.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace sidecore::qpu {
namespace {

std::shared_ptr<Program> intra_program(Device& device, int bits) {
  if (bits < 8 || bits > 12) {
    throw usage_error("the QPU's intra prediction is for samples of 8 to 12 bits, not {}", bits);
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

// Groups of the line that a block larger than 4x4 is predicted from.
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

constexpr std::uint32_t kMostBlocks = shader::kIntraBlockMask + 1;

}  // namespace

Shader intra_prediction_shader(int bits) {
  return bits == 8 ? "intra_prediction" : "intra_prediction_hbd";
}

IntraPrediction::IntraPrediction(Device& device, int bits)
    : device_(device), bits_(bits), program_(intra_program(device, bits)) {}

void IntraPrediction::set_blocks(const vp9::IntraScheduler& schedule, const PicturePlanes& planes) {
  if (schedule.blocks().size() > kMostBlocks) {
    throw usage_error("{} intra blocks in a frame; the QPU takes {}", schedule.blocks().size(),
                      kMostBlocks);
  }
  items_.clear();
  blocks_.clear();
  superblocks_.clear();
  waves_.clear();
  line_groups_ = 0;
  const std::size_t group_bytes = bits_ == 8 ? 4 : 8;
  for (std::size_t index = 0; index < strides_.size(); ++index) {
    strides_[index] = static_cast<std::uint32_t>(planes.planes[index].stride / group_bytes);
  }
  std::uint32_t first = 0;
  for (const std::uint32_t last : schedule.wave_ends()) {
    wave_.clear();
    for (std::uint32_t index = first; index < last; ++index) {
      const auto before = runs();
      pack_superblock(schedule, schedule.superblocks()[index]);
      wave_.push_back({before, runs() - before});
    }
    lay_out_wave();
    first = last;
  }
  for (const auto& scheduled : schedule.blocks()) pack_block(scheduled.block, planes);
  if (waves_.empty()) return;
  give(buffers_.items, items_);
  give(buffers_.blocks, blocks_);
  give(buffers_.superblocks, superblocks_);
  device_.reserve(buffers_.lines, (line_groups_ + 1) * group_bytes);
}

void IntraPrediction::pack_superblock(const vp9::IntraScheduler& schedule,
                                      const vp9::IntraScheduler::Superblock& superblock) {
  const auto blocks = schedule.blocks().subspan(superblock.blocks.begin,
                                                superblock.blocks.end - superblock.blocks.begin);
  kinds_.assign(superblock.steps, {});
  for (const auto& [block, step] : blocks) {
    if (block.size == vp9::kTransform4x4) {
      ++kinds_[step][shader::kIntraSmall];
    } else {
      kinds_[step][shader::kIntraLine] += line_groups_of(block);
      kinds_[step + 1][shader::kIntraSquare] += groups_of(block.size) * groups_of(block.size);
    }
  }
  lay_out_steps(superblock.steps);
  std::uint32_t number = superblock.blocks.begin;
  for (const auto& scheduled : blocks) place_items(scheduled, number++);
}

// Long superblocks share a workgroup, which takes as long as the longest; all workgroups have as
// many, so that the GPU's processors have.
void IntraPrediction::lay_out_wave() {
  std::ranges::stable_sort(wave_, std::ranges::greater(), &PackedSuperblock::runs);
  const auto count = static_cast<std::uint32_t>(wave_.size());
  const std::uint32_t workgroups =
      (count + shader::kIntraSuperblocks - 1) / shader::kIntraSuperblocks;
  const auto first = static_cast<std::uint32_t>(superblocks_.size());
  if (workgroups > kMostChained) {
    waves_.push_back({first, workgroups, 1});
  } else if (!waves_.empty() && waves_.back().workgroups == 1) {
    waves_.back().rounds += workgroups;
  } else {
    waves_.push_back({first, 1, workgroups});
  }
  for (std::uint32_t workgroup = 0; workgroup < workgroups; ++workgroup) {
    const auto begin = wave_.begin() + count * workgroup / workgroups;
    const auto end = wave_.begin() + count * (workgroup + 1) / workgroups;
    superblocks_.insert(superblocks_.end(), begin, end);
    superblocks_.resize((superblocks_.size() + shader::kIntraSuperblocks - 1) /
                        shader::kIntraSuperblocks * shader::kIntraSuperblocks);
  }
}

void IntraPrediction::lay_out_steps(std::uint32_t steps) {
  for (std::uint32_t step = 0; step < steps; ++step) {
    std::uint32_t end = runs();
    for (std::uint32_t& kind : kinds_[step]) {
      const std::uint32_t of_kind = whole_runs(kind);
      kind = end * shader::kIntraLanes;
      end += of_kind;
    }
    items_.resize(std::size_t{end} * shader::kIntraLanes,
                  shader::kIntraNothing << shader::kIntraKindShift);
  }
}

void IntraPrediction::place_items(const vp9::IntraScheduler::Scheduled& scheduled,
                                  std::uint32_t number) {
  const auto place = [&](std::uint32_t step, std::uint32_t kind, std::uint32_t part) {
    items_[kinds_[step][kind]++] =
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

void IntraPrediction::pack_block(const vp9::IntraBlock& block, const PicturePlanes& planes) {
  const std::size_t group_bytes = bits_ == 8 ? 4 : 8;
  const PicturePlanes::Plane& plane = planes.planes[block.plane];
  const vp9::IntraSurroundings& where = block.where;
  const std::size_t row = plane.offset + plane.stride * static_cast<std::size_t>(where.y);
  const auto at =
      static_cast<std::uint32_t>(row / group_bytes + static_cast<std::size_t>(where.x) / 4);
  const vp9::IntraNeeds needs = vp9::intra_needs(block.mode);
  const auto flag = [](bool set, std::uint32_t bit) { return set ? bit : 0; };
  // Groups that are decoded, less one.
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
  blocks_.push_back({at, flags, residual, line_groups_});
  // Squares read a group behind the one that they need.
  if (block.size != vp9::kTransform4x4) line_groups_ += line_groups_of(block) + 1;
}

template <class T>
void IntraPrediction::give(std::shared_ptr<Buffer>& buffer, const std::vector<T>& values) {
  const std::size_t bytes = values.size() * sizeof(T);
  device_.reserve(buffer, bytes);
  std::memcpy(buffer->bytes().data(), values.data(), bytes);
}

std::vector<DispatchWork> IntraPrediction::work() const {
  std::vector<DispatchWork> work;
  for (const Waves& waves : waves_) {
    const auto superblocks =
        std::span(superblocks_)
            .subspan(waves.first_superblock,
                     std::size_t{waves.workgroups} * waves.rounds * shader::kIntraSuperblocks);
    std::ptrdiff_t squares = 0;
    for (const PackedSuperblock& superblock : superblocks) {
      const auto items =
          std::span(items_).subspan(std::size_t{superblock.first_run} * shader::kIntraLanes,
                                    std::size_t{superblock.runs} * shader::kIntraLanes);
      squares += std::ranges::count_if(items, [](std::uint32_t item) {
        const std::uint32_t kind = item >> shader::kIntraKindShift;
        return kind == shader::kIntraSmall || kind == shader::kIntraSquare;
      });
    }
    work.push_back({"4x4 square", "", static_cast<double>(squares)});
  }
  return work;
}

void IntraPrediction::record(CommandList& list, const BufferRange& picture,
                             const BufferRange& residual) const {
  if (waves_.empty()) return;
  const BufferRange bindings[] = {picture,
                                  residual,
                                  {.buffer = buffers_.items.get()},
                                  {.buffer = buffers_.blocks.get()},
                                  {.buffer = buffers_.superblocks.get()},
                                  {.buffer = buffers_.lines.get()}};
  for (const BufferRange& range : std::span(bindings).subspan(2, 3)) list.upload(range);
  for (const Waves& waves : waves_) {
    const shader::IntraPredictionPush push{
        .first_superblock = waves.first_superblock,
        .end = waves.first_superblock + waves.rounds * shader::kIntraSuperblocks,
        .strides = {strides_[0], strides_[1]}};
    list.dispatch(*program_, bindings, push, {waves.workgroups, 1, 1});
  }
}

}  // namespace sidecore::qpu
