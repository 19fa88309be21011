// Costs of a stream's measured frames, which are its first ones, under a few candidates.
// Predictions for the remaining frames are made from them.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "model/candidate.h"
#include "model/frame_costs.h"
#include "video/picture.h"
#include "vp9/decoder.h"
#include "vp9/loop_filter_schedule.h"

namespace sidecore::model {

using vp9::ClockRow;
using vp9::kClockRows;

/// Seconds of a frame or of several, by ClockRow.
using StageSeconds = std::array<double, kClockRows.size()>;
/// Returns the sum over all rows.
[[nodiscard]] double total(const StageSeconds& seconds);

/// Numbers of edges by [vertical, horizontal][width 4, 8, 16], as in vp9::DecoderStatistics.
using EdgeCounts = std::array<std::array<double, 3>, 2>;

/// Returns `after` minus `before`, count by count.
[[nodiscard]] EdgeCounts difference(const vp9::EdgeCounts& after, const vp9::EdgeCounts& before);

struct FrameCost {
  /// Seconds by row. The QPU's time is in ClockRow::waiting; if only one stage is on the QPU, it is
  /// in that stage's row.
  StageSeconds seconds{};
  double cpu_seconds = 0;  ///< CPU seconds, summed over all threads of the process
  EdgeCounts edges{};
};

/// Numbers of a frame's edges and of the dispatches that filter them, or means over several frames.
struct EdgeMix {
  double edges = 0;
  double luma_edges = 0;
  double large_edges = 0;  ///< luma edges in the leading levels that are large enough for the QPU
  double steps = 0;        ///< number of dispatches by dependency levels, all planes together
  double large_steps = 0;  ///< number of dispatches of luma's leading large levels
  double waves = 0;        ///< number of superblock waves, all planes together
  double luma_waves = 0;   ///< number of superblock waves of luma

  /// Dispatches of the loop filter, by levels or by waves, and their edges.
  struct Dispatched {
    double dispatches = 0;
    double edges = 0;
  };
  /// Returns the dispatches if the QPU filters all edges.
  [[nodiscard]] Dispatched all(vp9::FilterOrder schedule) const;
  /// Returns the QPU's dispatches if QPU and NEON divide the loop filter.
  [[nodiscard]] Dispatched shared(vp9::FilterOrder schedule) const;
};
/// Returns the mean mix of the frames that are decoded. `mixes` has one element per frame.
[[nodiscard]] EdgeMix mean(std::span<const EdgeMix> mixes, std::span<const FrameWork> frames);
/// Counts a frame's edges as qpu::LoopFilterStage divides them between QPU and NEON.
class EdgeMixCounter {
 public:
  EdgeMixCounter(std::size_t least_edges, video::Chroma chroma)
      : least_edges_(least_edges), scales_(chroma) {}
  [[nodiscard]] EdgeMix of(const vp9::LoopFilterEdges& edges);

 private:
  double count_waves(std::span<const vp9::LoopFilterEdge> edges);

  std::size_t least_edges_;
  vp9::PlaneScales scales_;
  vp9::LevelScheduler levels_;
  vp9::SuperblockWaves waves_;
};

/// Costs of the measured frames under one candidate.
struct Trial {
  Candidate candidate;
  std::vector<FrameCost> frames;  ///< one cost per measured frame
};

struct Sample {
  std::vector<Trial> trials;
  std::vector<EdgeMix> mixes;  ///< one mix per measured frame
  /// Difference between the slowest and the fastest round after the first, relative to the fastest,
  /// over all candidates. It shows other load on the machine.
  double unrest = 0;
};

}  // namespace sidecore::model
