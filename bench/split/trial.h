// Measurements: the sample of a stream under a few plans, and the rest of it under any.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gates/energy_meter.h"
#include "qpu/vp9/loop_filter_stage.h"
#include "split/plan.h"
#include "split/stream.h"
#include "split/timed_decoder.h"
#include "vp9/loop_filter_schedule.h"

namespace sidecore::split {

/// How a frame's edges divide between QPU and NEON. Of several frames: means.
struct EdgeMix {
  double edges = 0;
  double luma_edges = 0;
  double large_edges = 0;  ///< of luma, in the leading steps that are large enough for the QPU
  double steps = 0;        ///< dispatches of the steps of all planes together
  double large_steps = 0;  ///< of those that are large enough
  double waves = 0;        ///< of superblocks, all planes'
  double luma_waves = 0;   ///< luma's alone

  /// What is dispatched of it: steps or waves, and their edges.
  struct Dispatched {
    double dispatches = 0;
    double edges = 0;
  };
  /// With FilterPlace::qpu, and with FilterPlace::split.
  [[nodiscard]] Dispatched all(qpu::LoopFilterOrder schedule) const;
  [[nodiscard]] Dispatched shared(qpu::LoopFilterOrder schedule) const;
};
/// Of the frames that are decoded; as many mixes as frames.
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

/// One plan on the sample, frame by frame.
struct Trial {
  Plan plan;
  std::vector<FrameCost> frames;
};

struct Sample {
  std::vector<Trial> trials;
  std::vector<EdgeMix> mixes;  ///< of each frame
  /// By how much the rounds but the first lie apart, all plans together, relative to the least:
  /// what the machine did besides.
  double unrest = 0;
};

/// The plans that are measured on the sample: NEON and scalar code on one thread and on all and,
/// with `on_qpu`, the QPU's filter beside one thread by either schedule; with `back_end` as well,
/// every back_end_plan(), on one thread and on all. All others are predicted from
/// these.
[[nodiscard]] std::vector<Plan> sampled_plans(int threads, bool on_qpu, bool back_end);

/// How often every frame is decoded; its fastest run counts, which is the least disturbed one.
inline constexpr int kRounds = 3;

/// Decodes the sample under each plan, taking turns frame by frame, so that what else the machine
/// does falls on all alike. Throws Error (usage) that names the stream when it is damaged.
[[nodiscard]] Sample measure_sample(const Stream& stream, std::span<const Plan> plans,
                                    const QpuSide& qpu);

/// Seconds that the rest of the stream takes under each plan, in turns likewise; the sample is
/// decoded untimed before.
[[nodiscard]] std::vector<double> measure_rest(const Stream& stream, std::span<const Plan> plans,
                                               const QpuSide& qpu);

/// A plan that played the rest at a fixed rate.
struct PlayedPlan {
  double cpu_seconds = 0;        ///< a picture's, of all threads of the process
  std::optional<double> joules;  ///< a picture's; none where no sensor tells
  double latency_p99 = 0;        ///< seconds from a picture's release until it is shown
  std::uint64_t pictures = 0;
  std::uint64_t missed = 0;  ///< of them, after their deadline, a period after their release
};

/// Plays the rest of the stream under a plan at a fixed rate, after the sample untimed: a picture's
/// frames are released with it, and it is shown before the next one. `meter` may be null; where it
/// does not tell, `no_energy` is told why.
[[nodiscard]] PlayedPlan play_rest(const Stream& stream, const Plan& plan, const QpuSide& qpu,
                                   double fps, gates::EnergyMeter* meter, std::string& no_energy);

}  // namespace sidecore::split
