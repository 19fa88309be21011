#include "split/trial.h"

#include <algorithm>
#include <exception>
#include <numeric>
#include <thread>
#include <utility>

#include "base/error.h"
#include "gates/pace.h"

namespace sidecore::split {
namespace {

using Decoders = std::vector<std::unique_ptr<TimedDecoder>>;

Decoders make_decoders(std::span<const model::Candidate> candidates, qpu::Device* device) {
  Decoders decoders;
  for (const model::Candidate& candidate : candidates) {
    decoders.push_back(std::make_unique<TimedDecoder>(candidate, device));
  }
  return decoders;
}

model::FrameCost decode(const model::Stream& stream, TimedDecoder& decoder, std::size_t frame) {
  try {
    return decoder.decode(stream.frame(frame));
  } catch (const Error& error) {
    throw error.reworded(fmt::format("{}: {}", stream.name, error.what()));
  }
}

void decode_sample(const model::Stream& stream, TimedDecoder& decoder) {
  for (std::size_t frame = 0; frame < stream.sample_frames; ++frame) decode(stream, decoder, frame);
}

/// Plays the remaining frames in one time window of `pace`.
void play(const model::Stream& stream, TimedDecoder& decoder, gates::Pace& pace) {
  pace.begin(0);
  bool released = false;
  std::size_t picture = 0;
  for (std::size_t frame = stream.sample_frames; frame < stream.frames.size(); ++frame) {
    if (!std::exchange(released, true)) picture = pace.release();
    decode(stream, decoder, frame);
    if (!stream.work[frame].shown) continue;
    pace.show(picture);
    released = false;
  }
  pace.end();
}

/// A stream that plays beside others. The decoder must end before its device.
struct RunningStream {
  std::unique_ptr<qpu::Device> device;
  std::unique_ptr<TimedDecoder> decoder;
  gates::PaceClock clock;
  std::unique_ptr<gates::Pace> pace;
  std::exception_ptr error;
};

bool faster(const model::FrameCost& cost, const model::FrameCost& other) {
  return model::total(cost.seconds) < model::total(other.seconds);
}

}  // namespace

model::Sample measure_sample(const model::Stream& stream,
                             std::span<const model::Candidate> candidates, qpu::Device* device,
                             std::size_t least_edges) {
  const Decoders decoders = make_decoders(candidates, device);
  model::Sample sample;
  for (const model::Candidate& candidate : candidates) sample.trials.push_back({candidate, {}});
  model::EdgeMixCounter mixes(least_edges, stream.pixel.chroma);
  std::array<double, kRounds> sums{};
  for (double& sum : sums) {
    const bool first = &sum == sums.data();
    for (std::size_t frame = 0; frame < stream.sample_frames; ++frame) {
      for (std::size_t index = 0; index < candidates.size(); ++index) {
        std::vector<model::FrameCost>& best = sample.trials[index].frames;
        const model::FrameCost cost = decode(stream, *decoders[index], frame);
        sum += model::total(cost.seconds);
        if (first) {
          best.push_back(cost);
        } else if (faster(cost, best[frame])) {
          best[frame] = cost;
        }
      }
      if (!first) continue;
      const bool repeated = stream.work[frame].repeated;
      sample.mixes.push_back(repeated ? model::EdgeMix() : mixes.of(decoders.front()->edges()));
    }
  }
  // The first round does not count, because it also fills memory and caches.
  const auto [least, most] = std::ranges::minmax(std::span(sums).subspan(1));
  sample.unrest = least > 0 ? most / least - 1 : 0;
  return sample;
}

std::vector<double> measure_rest(const model::Stream& stream,
                                 std::span<const model::Candidate> candidates,
                                 qpu::Device* device) {
  const Decoders decoders = make_decoders(candidates, device);
  std::vector<std::vector<double>> best(candidates.size());
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t frame = 0; frame < stream.frames.size(); ++frame) {
      for (std::size_t index = 0; index < candidates.size(); ++index) {
        const double time = model::total(decode(stream, *decoders[index], frame).seconds);
        if (frame < stream.sample_frames) continue;
        if (round == 0) best[index].push_back(time);
        double& least = best[index][frame - stream.sample_frames];
        least = std::min(least, time);
      }
    }
  }
  std::vector<double> seconds;
  seconds.reserve(best.size());
  for (const auto& frames : best) {
    seconds.push_back(std::accumulate(frames.begin(), frames.end(), 0.0));
  }
  return seconds;
}

PlayedPlan play_rest(const model::Stream& stream, const model::Candidate& candidate,
                     qpu::Device* device, double fps, gates::EnergyMeter* meter) {
  TimedDecoder decoder(candidate, device);
  decode_sample(stream, decoder);
  gates::PaceClock clock;
  gates::Pace pace(fps, clock);
  std::optional<std::jthread> reading;
  if (meter != nullptr) {
    meter->begin(Clock::now());
    reading.emplace(meter->watch());
  }
  play(stream, decoder, pace);
  reading.reset();
  const gates::PacedFigures figures = pace.figures();
  PlayedPlan played{.cpu_seconds = 1e-9 * figures.cpu_ns_per_picture.median,
                    .joules = {},
                    .latency_p99 = 1e-9 * figures.latency_ns.p99,
                    .pictures = figures.pictures,
                    .missed = figures.missed};
  if (meter == nullptr) return played;
  const Outcome<double> energy = meter->end(Clock::now());
  if (energy) {
    played.joules.value = *energy / static_cast<double>(figures.pictures);
  } else {
    played.joules.reason = energy.reason;
  }
  return played;
}

PlayedTogether play_together(std::span<const StreamPlayer> players, double fps,
                             const std::function<std::unique_ptr<qpu::Device>()>& open_device) {
  std::vector<RunningStream> running(players.size());
  for (std::size_t index = 0; index < players.size(); ++index) {
    const auto& [stream, candidate] = players[index];
    RunningStream& own = running[index];
    if (candidate.plan.uses_qpu()) own.device = open_device();
    own.decoder = std::make_unique<TimedDecoder>(candidate, own.device.get());
    decode_sample(*stream, *own.decoder);
    own.pace = std::make_unique<gates::Pace>(fps, own.clock);
  }
  gates::PaceClock clock;
  const Nanoseconds before = clock.cpu_time();
  {
    std::vector<std::jthread> threads;
    for (std::size_t index = 0; index < players.size(); ++index) {
      threads.emplace_back([&own = running[index], stream = players[index].stream] {
        try {
          play(*stream, *own.decoder, *own.pace);
        } catch (...) {
          own.error = std::current_exception();
        }
      });
    }
  }
  const double cpu = seconds(clock.cpu_time() - before);
  PlayedTogether played;
  double pictures = 0;
  for (const RunningStream& own : running) {
    if (own.error) std::rethrow_exception(own.error);
    const gates::PacedFigures figures = own.pace->figures();
    played.streams.push_back({figures.pictures, figures.missed});
    pictures += static_cast<double>(figures.pictures);
  }
  played.cpu_seconds = pictures > 0 ? cpu / pictures : 0;
  return played;
}

}  // namespace sidecore::split
