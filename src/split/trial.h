// Measurements: the sample of a stream under a few plans, and the rest of it under any.
#pragma once

#include <span>
#include <vector>

#include "qpu/vp9/loop_filter_stage.h"
#include "split/plan.h"
#include "split/stream.h"
#include "split/timed_decoder.h"

namespace sidecore::split {

/// How a frame's edges divide between QPU and NEON. Of several frames: means.
struct EdgeMix {
  double edges = 0;
  double luma_edges = 0;
  double large_edges = 0;  ///< of luma, in the leading steps that are large enough for the QPU
  double steps = 0;        ///< of all planes together
  double large_steps = 0;  ///< of luma
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
[[nodiscard]] EdgeMix mean(std::span<const EdgeMix> mixes);

/// One plan on the sample, packet by packet.
struct Trial {
  Plan plan;
  std::vector<PacketCost> packets;
};

struct Sample {
  std::vector<Trial> trials;
  std::vector<EdgeMix> mixes;  ///< of the last frame of each packet
};

/// The plans that are measured on the sample: NEON on one thread and on all, scalar on one and,
/// with `on_qpu`, the QPU beside one thread by either schedule. All others are predicted from
/// these.
[[nodiscard]] std::vector<Plan> sampled_plans(int threads, bool on_qpu);

/// How often every packet is decoded; its fastest run counts, which is the least disturbed one.
inline constexpr int kRounds = 3;

/// Decodes the sample under each plan, taking turns packet by packet, so that what else the machine
/// does falls on all alike. Throws Error (usage) that names the stream when it is damaged.
[[nodiscard]] Sample measure_sample(const Stream& stream, std::span<const Plan> plans,
                                    const QpuSide& qpu);

/// Seconds that the rest of the stream takes under each plan, in turns likewise; the sample is
/// decoded untimed before.
[[nodiscard]] std::vector<double> measure_rest(const Stream& stream, std::span<const Plan> plans,
                                               const QpuSide& qpu);

}  // namespace sidecore::split
