#include "vp9/loop_filter_schedule.h"

#include <algorithm>
#include <numeric>

#include "vp9/types.h"

namespace sidecore::vp9 {
namespace {

constexpr int kCell = 4;  // size of a cell in samples; edges touch whole cells
// Number of groups of edges: direction, width and plane select one. Edges of one group run the same
// code.
constexpr std::size_t kEdgeGroups = 18;
std::size_t group_of(const LoopFilterEdge& edge) {
  const std::size_t width = edge.width == 4 ? 0 : edge.width == 8 ? 1 : 2;
  return (static_cast<std::size_t>(edge.direction) * 3 + width) * 3 + edge.plane;
}

// Replaces counts of elements by the index of each group's first element.
void counts_to_starts(std::vector<std::uint32_t>& counts) {
  std::exclusive_scan(counts.begin(), counts.end(), counts.begin(), 0U);
}

struct Superblock {
  std::size_t column, row;
};

Superblock superblock_of(const LoopFilterEdge& edge, const PlaneScales& scales) {
  return {static_cast<std::size_t>(edge.x * scales.horizontal[edge.plane] / kSuperblock),
          static_cast<std::size_t>(edge.y * scales.vertical[edge.plane] / kSuperblock)};
}

}  // namespace

std::size_t EdgeLevels::count_large_levels(std::size_t edges) const {
  std::size_t step = 0;
  while (step < count() && (*this)[step].size() >= edges) ++step;
  return step;
}

const EdgeLevels& LevelScheduler::schedule(std::span<const LoopFilterEdge> edges) {
  const auto end = static_cast<std::uint32_t>(edges.size());
  return schedule_each(edges, {&end, 1}, whole_);
}

// Levels are numbered across lists, so that all levels of earlier lists in the maps are below those
// of the current list.
const EdgeLevels& LevelScheduler::schedule_each(std::span<const LoopFilterEdge> edges,
                                                std::span<const std::uint32_t> ends,
                                                std::vector<std::uint32_t>& step_ends) {
  clear_maps(edges);
  level_of_edge_.clear();
  step_ends.clear();
  std::uint32_t highest = 0;
  for (const std::uint32_t end : ends) {
    const std::uint32_t floor = highest;
    while (level_of_edge_.size() < end) {
      level_of_edge_.push_back(place(edges[level_of_edge_.size()], floor));
      highest = std::max(highest, level_of_edge_.back());
    }
    step_ends.push_back(highest);
  }
  sort_into_steps(edges, highest);
  return steps_;
}

void LevelScheduler::clear_maps(std::span<const LoopFilterEdge> edges) {
  std::array<int, 3> right{};
  std::array<int, 3> bottom{};
  for (const LoopFilterEdge& edge : edges) {
    const TouchedSamples touched(edge);
    right[edge.plane] = std::max(right[edge.plane], touched.right);
    bottom[edge.plane] = std::max(bottom[edge.plane], touched.bottom);
  }
  for (std::size_t plane = 0; plane < maps_.size(); ++plane) {
    maps_[plane].columns = static_cast<std::size_t>(right[plane] / kCell);
    maps_[plane].levels.assign(
        maps_[plane].columns * static_cast<std::size_t>(bottom[plane] / kCell), 0);
  }
}

// Returns the edge's level, which is above `floor`, and stores it in the map.
std::uint32_t LevelScheduler::place(const LoopFilterEdge& edge, std::uint32_t floor) {
  LevelMap& map = maps_[edge.plane];
  const TouchedSamples touched(edge);
  const auto columns = static_cast<std::size_t>((touched.right - touched.left) / kCell);
  const auto first = static_cast<std::size_t>(touched.top / kCell) * map.columns +
                     static_cast<std::size_t>(touched.left / kCell);
  const auto last =
      first + static_cast<std::size_t>((touched.bottom - touched.top) / kCell) * map.columns;
  std::uint32_t level = floor;
  for (std::size_t row = first; row < last; row += map.columns) {
    for (std::size_t at = row; at < row + columns; ++at) level = std::max(level, map.levels[at]);
  }
  ++level;
  for (std::size_t row = first; row < last; row += map.columns) {
    for (std::size_t at = row; at < row + columns; ++at) map.levels[at] = level;
  }
  return level;
}

void LevelScheduler::sort_into_steps(std::span<const LoopFilterEdge> edges, std::size_t levels) {
  const auto bucket = [&](std::size_t index) {
    return (level_of_edge_[index] - 1) * kEdgeGroups + group_of(edges[index]);
  };
  next_.assign(levels * kEdgeGroups, 0);
  for (std::size_t index = 0; index < edges.size(); ++index) ++next_[bucket(index)];
  counts_to_starts(next_);
  steps_.ends_.clear();
  for (std::size_t level = 1; level < levels; ++level) {
    steps_.ends_.push_back(next_[level * kEdgeGroups]);
  }
  if (levels > 0) steps_.ends_.push_back(static_cast<std::uint32_t>(edges.size()));
  steps_.edges_.resize(edges.size());
  for (std::size_t index = 0; index < edges.size(); ++index) {
    steps_.edges_[next_[bucket(index)]++] = edges[index];
  }
}

void SuperblockWaves::schedule(std::span<const LoopFilterEdge> edges, const PlaneScales& scales) {
  std::size_t columns = 0;
  std::size_t rows = 0;
  for (const LoopFilterEdge& edge : edges) {
    const Superblock superblock = superblock_of(edge, scales);
    columns = std::max(columns, superblock.column + 1);
    rows = std::max(rows, superblock.row + 1);
  }
  const std::size_t waves = rows == 0 ? 0 : columns + 2 * (rows - 1);
  // One bucket for each row in each wave; most of them are empty.
  const auto bucket = [&](const LoopFilterEdge& edge) {
    const Superblock superblock = superblock_of(edge, scales);
    return (superblock.column + 2 * superblock.row) * rows + superblock.row;
  };
  next_.assign(waves * rows, 0);
  for (const LoopFilterEdge& edge : edges) ++next_[bucket(edge)];

  superblock_ends_.clear();
  wave_ends_.clear();
  std::uint32_t end = 0;
  for (std::size_t wave = 0; wave < waves; ++wave) {
    for (std::size_t row = 0; row < rows; ++row) {
      const std::uint32_t count = next_[wave * rows + row];
      if (count == 0) continue;
      superblock_ends_.push_back(end += count);
    }
    const auto so_far = static_cast<std::uint32_t>(superblock_ends_.size());
    if (so_far > (wave_ends_.empty() ? 0 : wave_ends_.back())) wave_ends_.push_back(so_far);
  }
  counts_to_starts(next_);
  edges_.resize(edges.size());
  for (const LoopFilterEdge& edge : edges) edges_[next_[bucket(edge)]++] = edge;
}

}  // namespace sidecore::vp9
