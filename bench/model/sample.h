// The sample of a stream: its cost under a few plans, frame by frame. Predictions rest on it.
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

/// By ClockRow.
using StageSeconds = std::array<double, kClockRows.size()>;
[[nodiscard]] double total(const StageSeconds& seconds);

/// By [vertical, horizontal][width 4, 8, 16], as vp9::DecoderStatistics has them.
using EdgeCounts = std::array<std::array<double, 3>, 2>;

/// Returns `after` minus `before`, count by count.
[[nodiscard]] EdgeCounts difference(const vp9::EdgeCounts& after, const vp9::EdgeCounts& before);

struct FrameCost {
  /// The QPU's part of a stage is in ClockRow::waiting, or in the only stage that is the QPU's.
  StageSeconds seconds{};
  double cpu_seconds = 0;  ///< of all threads of the process
  EdgeCounts edges{};
};

/// How a frame's edges divide between QPU and NEON. Of several frames: means.
struct EdgeMix {
  double edges = 0;
  double luma_edges = 0;
  double large_edges = 0;  ///< of luma, in the leading steps that are large enough for the QPU
  double steps = 0;        ///< dispatches of the steps of all planes together
  double large_steps = 0;  ///< of those that are large enough
  double waves = 0;        ///< of superblocks, all planes'
  double luma_waves = 0;   ///< luma's alone

  /// The loop filter's dispatches, which are steps or waves, and their edges.
  struct Dispatched {
    double dispatches = 0;
    double edges = 0;
  };
  /// Where the QPU has the loop filter, and where it divides it with NEON.
  [[nodiscard]] Dispatched all(vp9::FilterOrder schedule) const;
  [[nodiscard]] Dispatched shared(vp9::FilterOrder schedule) const;
};
/// Returns the mean mix of the frames that are decoded. `mixes` has one element a frame.
[[nodiscard]] EdgeMix mean(std::span<const EdgeMix> mixes, std::span<const FrameWork> frames);
/// Divides a frame's edges as qpu::LoopFilterStage does.
class MixMaker {
 public:
  MixMaker(std::size_t least_edges, video::Chroma chroma)
      : least_edges_(least_edges), scales_(chroma) {}
  [[nodiscard]] EdgeMix of(const vp9::LoopFilterEdges& edges);

 private:
  double waves_of(std::span<const vp9::LoopFilterEdge> edges);

  std::size_t least_edges_;
  vp9::PlaneScales scales_;
  vp9::LevelScheduler levels_;
  vp9::SuperblockWaves waves_;
};

/// One candidate on the sample, frame by frame.
struct Trial {
  Candidate candidate;
  std::vector<FrameCost> frames;
};

struct Sample {
  std::vector<Trial> trials;
  std::vector<EdgeMix> mixes;  ///< of each frame
  /// By how much the rounds but the first lie apart, all plans together, relative to the least:
  /// what the machine did besides.
  double unrest = 0;
};

}  // namespace sidecore::model
