// Schedules: the order in which the edges of a picture are filtered, and which of them may be
// filtered at the same time. Every schedule gives the same samples as the order of the scalar
// definition (vp9::filter_edges()).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "video/picture.h"
#include "vp9/loop_filter.h"

namespace sidecore::vp9 {

/// Edges by dependency levels (names of functions say `step` for a level). Two edges of one level
/// touch no common sample, so that they may be filtered in any order or at once. Levels must be
/// filtered in order.
class EdgeLevels {
 public:
  [[nodiscard]] std::size_t count() const { return ends_.size(); }
  [[nodiscard]] std::span<const LoopFilterEdge> operator[](std::size_t step) const {
    return range(step, step + 1);
  }
  /// Returns the edges of the levels [first, last) in order, as a list for filter_edges().
  [[nodiscard]] std::span<const LoopFilterEdge> range(std::size_t first, std::size_t last) const {
    const std::size_t begin = first == 0 ? 0 : ends_[first - 1];
    return std::span(edges_).subspan(begin, last == 0 ? 0 : ends_[last - 1] - begin);
  }
  [[nodiscard]] std::span<const LoopFilterEdge> edges() const { return edges_; }

  /// Counts the levels, from the first on, that have at least `edges` edges each. These levels are
  /// worth a dispatch; the CPU filters the rest, which depends on them.
  [[nodiscard]] std::size_t count_large_levels(std::size_t edges) const;

 private:
  friend class LevelScheduler;
  std::vector<LoopFilterEdge> edges_;
  std::vector<std::uint32_t> ends_;
};

/// Assigns edges to dependency levels. An edge gets the level after the last earlier edge that
/// touches one of its samples, which gives the smallest possible number of levels. Within a level
/// edges are sorted by direction, width and plane; equal edges keep their order. Memory is reused
/// for the next picture.
class LevelScheduler {
 public:
  /// Schedules `edges`, which must be in the order of the scalar definition. x and y must be
  /// multiples of 4, and no edge may reach beyond the left or top of its plane (check_edges()). The
  /// result is valid until the next call.
  const EdgeLevels& schedule(std::span<const LoopFilterEdge> edges);

  /// Schedules several lists that are stored one after another; `ends` holds the end of each list
  /// in `edges`. The levels of a list follow those of the previous list, and `step_ends` receives
  /// the end of each list's levels.
  const EdgeLevels& schedule_each(std::span<const LoopFilterEdge> edges,
                                  std::span<const std::uint32_t> ends,
                                  std::vector<std::uint32_t>& step_ends);

  /// Returns the levels of the last schedule() or schedule_each().
  [[nodiscard]] const EdgeLevels& steps() const { return steps_; }

 private:
  // Last level that touches each cell of 4x4 samples in one plane; 0: none yet.
  struct LevelMap {
    std::size_t columns = 0;
    std::vector<std::uint32_t> levels;
  };
  void clear_maps(std::span<const LoopFilterEdge> edges);
  std::uint32_t place(const LoopFilterEdge& edge, std::uint32_t floor);
  void sort_into_steps(std::span<const LoopFilterEdge> edges, std::size_t levels);

  std::array<LevelMap, 3> maps_;
  std::vector<std::uint32_t> level_of_edge_;
  std::vector<std::uint32_t> next_;
  std::vector<std::uint32_t> whole_;  ///< `ends` of schedule(), which has a single list
  EdgeLevels steps_;
};

/// Number of luma samples that one sample of each plane spans: {1, 1, 1} for 4:4:4 and {1, 2, 2}
/// for 4:2:0. 4:2:2 has {1, 2, 2} horizontally and {1, 1, 1} vertically; 4:4:0 has the reverse.
struct PlaneScales {
  std::array<int, 3> horizontal{1, 2, 2};
  std::array<int, 3> vertical{1, 2, 2};

  PlaneScales() = default;
  explicit PlaneScales(video::Chroma chroma) {
    using enum video::Chroma;
    if (chroma == c444 || chroma == c440) horizontal = {1, 1, 1};
    if (chroma == c444 || chroma == c422) vertical = {1, 1, 1};
  }
};

/// Superblock waves: wave t contains the 64x64 superblocks with column + 2 * row = t. Two
/// superblocks of one wave touch no common sample, so threads filter them at the same time and
/// synchronise after each wave. The edges of a superblock keep their order. Memory is reused for
/// the next picture.
class SuperblockWaves {
 public:
  /// Schedules `edges`, which must be in the order of the scalar definition. An edge belongs to the
  /// superblock right of or below its boundary.
  void schedule(std::span<const LoopFilterEdge> edges, const PlaneScales& scales);

  [[nodiscard]] std::size_t count() const { return wave_ends_.size(); }
  /// Returns the number of superblocks of the wave that have edges.
  [[nodiscard]] std::size_t superblocks(std::size_t wave) const {
    return wave_ends_[wave] - first_of(wave);
  }
  /// Returns the edges of superblock `index` of the wave, in order.
  [[nodiscard]] std::span<const LoopFilterEdge> superblock(std::size_t wave,
                                                           std::size_t index) const {
    const std::size_t at = first_of(wave) + index;
    const std::size_t begin = at == 0 ? 0 : superblock_ends_[at - 1];
    return std::span(edges_).subspan(begin, superblock_ends_[at] - begin);
  }

  /// Returns all edges, ordered by wave and then by superblock.
  [[nodiscard]] std::span<const LoopFilterEdge> edges() const { return edges_; }
  /// Returns the end of each superblock in edges(); wave_ends() returns the end of each wave in
  /// superblocks.
  [[nodiscard]] std::span<const std::uint32_t> superblock_ends() const { return superblock_ends_; }
  [[nodiscard]] std::span<const std::uint32_t> wave_ends() const { return wave_ends_; }

 private:
  [[nodiscard]] std::size_t first_of(std::size_t wave) const {
    return wave == 0 ? 0 : wave_ends_[wave - 1];
  }

  std::vector<LoopFilterEdge> edges_;
  std::vector<std::uint32_t> superblock_ends_;
  std::vector<std::uint32_t> wave_ends_;
  std::vector<std::uint32_t> next_;
};

/// Superblock waves whose edges have dependency levels within each superblock, for a processor that
/// filters a superblock with many lanes. Memory is reused for the next picture.
class WaveScheduler {
 public:
  /// Schedules like SuperblockWaves::schedule(). The results of the other functions are valid until
  /// the next call.
  void schedule(std::span<const LoopFilterEdge> edges, const PlaneScales& scales) {
    waves_.schedule(edges, scales);
    levels_.schedule_each(waves_.edges(), waves_.superblock_ends(), step_ends_);
  }

  [[nodiscard]] const EdgeLevels& steps() const { return levels_.steps(); }
  /// Returns the end of each superblock in steps(); wave_ends() returns the end of each wave in
  /// superblocks.
  [[nodiscard]] std::span<const std::uint32_t> superblock_ends() const { return step_ends_; }
  [[nodiscard]] std::span<const std::uint32_t> wave_ends() const { return waves_.wave_ends(); }

 private:
  SuperblockWaves waves_;
  LevelScheduler levels_;
  std::vector<std::uint32_t> step_ends_;
};

}  // namespace sidecore::vp9
