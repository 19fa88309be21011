// In which order, and which at the same time, the edges of a picture may be filtered. Every
// schedule gives the samples that the definition's order gives (vp9::filter_edges()).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "video/picture.h"
#include "vp9/loop_filter.h"

namespace sidecore::vp9 {

/// Edges in steps. No two edges of a step touch a common sample: they may be filtered in any order,
/// or at once. Steps follow one another.
class EdgeSteps {
 public:
  [[nodiscard]] std::size_t count() const { return ends_.size(); }
  [[nodiscard]] std::span<const LoopFilterEdge> operator[](std::size_t step) const {
    return range(step, step + 1);
  }
  /// Steps [first, last), one behind the other: a list for filter_edges().
  [[nodiscard]] std::span<const LoopFilterEdge> range(std::size_t first, std::size_t last) const {
    const std::size_t begin = first == 0 ? 0 : ends_[first - 1];
    return std::span(edges_).subspan(begin, last == 0 ? 0 : ends_[last - 1] - begin);
  }
  [[nodiscard]] std::span<const LoopFilterEdge> edges() const { return edges_; }

  /// How many steps from the start on have at least `edges` edges each: those that are worth a
  /// dispatch, while the rest, whose edges wait for them, is the CPU's.
  [[nodiscard]] std::size_t leading_steps_of(std::size_t edges) const;

 private:
  friend class LevelScheduler;
  std::vector<LoopFilterEdge> edges_;
  std::vector<std::uint32_t> ends_;
};

/// Dependency levels: an edge goes one step behind the last earlier edge that touches one of its
/// samples, so that there are as few steps as the order allows. Within a step edges lie by
/// direction, width and plane, and then in the order in which they came. Memory is kept between
/// pictures.
class LevelScheduler {
 public:
  /// `edges` in the definition's order. x and y are multiples of 4 and no edge leaves its plane at
  /// the left or the top (check_edges()). The result is valid until the next call.
  const EdgeSteps& schedule(std::span<const LoopFilterEdge> edges);

  /// The same for each of several lists that lie one behind the other, of which `ends` says where
  /// they end in `edges`: the steps of a list follow those of the one before, and `step_ends` comes
  /// to say where they end.
  const EdgeSteps& schedule_each(std::span<const LoopFilterEdge> edges,
                                 std::span<const std::uint32_t> ends,
                                 std::vector<std::uint32_t>& step_ends);

  /// Of the last call.
  [[nodiscard]] const EdgeSteps& steps() const { return steps_; }

 private:
  // Groups of 4x4 samples of one plane, and the last level that touches each; 0 none.
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
  std::vector<std::uint32_t> whole_;  ///< where the one list of schedule() ends
  EdgeSteps steps_;
};

/// How many luma samples a sample of each plane spans: {1, 1, 1} at 4:4:4, {1, 2, 2} at 4:2:0; at
/// 4:2:2 and 4:4:0 the one horizontally and the other vertically, or the reverse.
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

/// Superblocks in waves: wave t has the 64x64 superblocks of column c and row r with c + 2r = t. No
/// two superblocks of a wave touch a common sample, while the edges of one superblock keep their
/// order: threads take superblocks, and meet after each wave. Memory is kept between pictures.
class SuperblockWaves {
 public:
  /// `edges` in the definition's order. An edge belongs to the superblock right of or below its
  /// boundary.
  void schedule(std::span<const LoopFilterEdge> edges, const PlaneScales& scales);

  [[nodiscard]] std::size_t count() const { return wave_ends_.size(); }
  /// How many superblocks of the wave have edges.
  [[nodiscard]] std::size_t superblocks(std::size_t wave) const {
    return wave_ends_[wave] - first_of(wave);
  }
  /// The edges of one of them, in order.
  [[nodiscard]] std::span<const LoopFilterEdge> superblock(std::size_t wave,
                                                           std::size_t index) const {
    const std::size_t at = first_of(wave) + index;
    const std::size_t begin = at == 0 ? 0 : superblock_ends_[at - 1];
    return std::span(edges_).subspan(begin, superblock_ends_[at] - begin);
  }

  /// All edges: superblock after superblock, wave after wave.
  [[nodiscard]] std::span<const LoopFilterEdge> edges() const { return edges_; }
  /// Where each superblock ends in them, and each wave in the superblocks.
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

/// Superblock waves for who filters a superblock with many lanes: each superblock's edges in
/// dependency levels of its own. Memory is kept between pictures.
class WaveScheduler {
 public:
  /// As SuperblockWaves::schedule(). What the others return is valid until the next call.
  void schedule(std::span<const LoopFilterEdge> edges, const PlaneScales& scales) {
    waves_.schedule(edges, scales);
    levels_.schedule_each(waves_.edges(), waves_.superblock_ends(), step_ends_);
  }

  [[nodiscard]] const EdgeSteps& steps() const { return levels_.steps(); }
  /// Where each superblock ends in the steps, and each wave in the superblocks.
  [[nodiscard]] std::span<const std::uint32_t> superblock_ends() const { return step_ends_; }
  [[nodiscard]] std::span<const std::uint32_t> wave_ends() const { return waves_.wave_ends(); }

 private:
  SuperblockWaves waves_;
  LevelScheduler levels_;
  std::vector<std::uint32_t> step_ends_;
};

}  // namespace sidecore::vp9
