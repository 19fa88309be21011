// Measurements: the sample of a stream under a few plans, and the rest of it under any.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/outcome.h"
#include "gates/energy_meter.h"
#include "model/candidate.h"
#include "model/sample.h"
#include "model/stream.h"
#include "split/timed_decoder.h"

namespace sidecore::split {

/// How often every frame is decoded; its fastest run counts, which is the least disturbed one.
inline constexpr int kRounds = 3;

/// Decodes the sample under each plan, taking turns frame by frame, so that what else the machine
/// does falls on all alike. `least_edges` is what model::MixMaker counts by. Throws Error (usage)
/// that names the stream when it is damaged.
[[nodiscard]] model::Sample measure_sample(const model::Stream& stream,
                                           std::span<const model::Candidate> candidates,
                                           qpu::Device* device, std::size_t least_edges);

/// Seconds that the rest of the stream takes under each plan, in turns likewise; the sample is
/// decoded untimed before.
[[nodiscard]] std::vector<double> measure_rest(const model::Stream& stream,
                                               std::span<const model::Candidate> candidates,
                                               qpu::Device* device);

/// A plan that played the rest at a fixed rate.
struct PlayedPlan {
  double cpu_seconds = 0;  ///< a picture's, of all threads of the process
  /// A picture's, or why no sensor tells; neither if none was asked.
  Outcome<double> joules{};
  double latency_p99 = 0;  ///< seconds from a picture's release until it is shown
  std::uint64_t pictures = 0;
  std::uint64_t missed = 0;  ///< of them, after their deadline, a period after their release
};

/// Plays the rest of the stream under a plan at a fixed rate, after the sample untimed: a picture's
/// frames are released with it, and it is shown before the next one. `meter` may be null.
[[nodiscard]] PlayedPlan play_rest(const model::Stream& stream, const model::Candidate& candidate,
                                   qpu::Device* device, double fps, gates::EnergyMeter* meter);

}  // namespace sidecore::split
