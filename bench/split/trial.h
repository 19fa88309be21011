// Measurements of a stream: its first frames under a few candidates, its remaining frames under any
// candidate.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
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

/// Number of times that each frame is decoded. Only its fastest run counts, because it was
/// disturbed least.
inline constexpr int kRounds = 3;

/// Decodes the first frames (Stream::sample_frames) under each candidate. Candidates take turns
/// frame by frame, so that other load on the machine affects all candidates alike. `least_edges` is
/// passed to model::EdgeMixCounter. Throws Error (usage) that names the stream if it is damaged.
[[nodiscard]] model::Sample measure_sample(const model::Stream& stream,
                                           std::span<const model::Candidate> candidates,
                                           qpu::Device* device, std::size_t least_edges);

/// Returns the seconds that the remaining frames take under each candidate. Candidates take turns
/// frame by frame. The first frames (Stream::sample_frames) are decoded before that, without
/// timing.
[[nodiscard]] std::vector<double> measure_rest(const model::Stream& stream,
                                               std::span<const model::Candidate> candidates,
                                               qpu::Device* device);

/// Figures of a plan that played the remaining frames at a fixed picture rate.
struct PlayedPlan {
  double cpu_seconds = 0;  ///< CPU seconds per picture, summed over all threads of the process
  /// Joules per picture, or the reason why they are unknown; neither if there was no meter.
  Outcome<double> joules{};
  double latency_p99 = 0;  ///< 99th percentile of the seconds from release to display
  std::uint64_t pictures = 0;
  std::uint64_t missed = 0;  ///< number of pictures shown later than one period after their release
};

/// Plays the remaining frames under a candidate at `fps` pictures per second, after decoding the
/// first frames (Stream::sample_frames) without timing. Decoding of a picture's frames begins at
/// its release, and the picture is shown before the next release. `meter` may be null.
[[nodiscard]] PlayedPlan play_rest(const model::Stream& stream, const model::Candidate& candidate,
                                   qpu::Device* device, double fps, gates::EnergyMeter* meter);

/// One of several streams that play at once.
struct StreamPlayer {
  const model::Stream* stream;
  model::Candidate candidate;
};
/// Figures of several streams that played at once.
struct PlayedTogether {
  struct Stream {
    std::uint64_t pictures = 0;
    std::uint64_t missed = 0;  ///< pictures shown later than one period after release
  };
  std::vector<Stream> streams;
  /// CPU seconds per picture, summed over all threads of the process; mean over the pictures of all
  /// streams.
  double cpu_seconds = 0;
};
/// Plays the remaining frames of all streams at once, each on a thread of its own with a decoder of
/// its own, as play_rest() does. Decoders of plans with the QPU get a device each from
/// `open_device`, which throws if there is none.
[[nodiscard]] PlayedTogether play_together(
    std::span<const StreamPlayer> players, double fps,
    const std::function<std::unique_ptr<qpu::Device>()>& open_device);

}  // namespace sidecore::split
