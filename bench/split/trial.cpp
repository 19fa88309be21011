#include "split/trial.h"

#include <algorithm>
#include <numeric>
#include <thread>
#include <utility>

#include "base/error.h"
#include "gates/pace.h"

namespace sidecore::split {
namespace {

using Decoders = std::vector<std::unique_ptr<TimedDecoder>>;

Decoders make_decoders(std::span<const Plan> plans, const QpuSide& qpu) {
  Decoders decoders;
  for (const Plan& plan : plans) decoders.push_back(std::make_unique<TimedDecoder>(plan, qpu));
  return decoders;
}

FrameCost decode(const Stream& stream, TimedDecoder& decoder, std::size_t frame) {
  try {
    return decoder.decode(stream.frame(frame));
  } catch (const Error& error) {
    throw error.reworded(fmt::format("{}: {}", stream.name, error.what()));
  }
}

bool faster(const FrameCost& cost, const FrameCost& other) {
  return total(cost.seconds) < total(other.seconds);
}

double count(std::size_t value) {
  return static_cast<double>(value);
}

double dispatches_of(const vp9::EdgeSteps& schedule, std::size_t steps) {
  return count(qpu::LoopFilter::dispatch_sizes(schedule, steps).size());
}

}  // namespace

EdgeMix MixMaker::of(const vp9::LoopFilterEdges& edges) {
  EdgeMix mix;
  const vp9::EdgeSteps& all = levels_.schedule(edges.all());
  mix.edges = count(all.edges().size());
  mix.steps = dispatches_of(all, all.count());
  const vp9::EdgeSteps& luma = levels_.schedule(edges.plane(0));
  const std::size_t large = luma.leading_steps_of(least_edges_);
  mix.luma_edges = count(luma.edges().size());
  mix.large_edges = count(luma.range(0, large).size());
  mix.large_steps = dispatches_of(luma, large);
  mix.waves = waves_of(edges.all());
  mix.luma_waves = waves_of(edges.plane(0));
  return mix;
}

double MixMaker::waves_of(std::span<const vp9::LoopFilterEdge> edges) {
  waves_.schedule(edges, scales_);
  return count(waves_.count());
}

std::vector<Plan> sampled_plans(int threads, bool on_qpu, bool back_end) {
  std::vector<Plan> plans;
  for (const FilterPlace code : {FilterPlace::neon, FilterPlace::scalar}) {
    plans.push_back({code, 1});
    if (threads > 1) plans.push_back({code, threads});
  }
  if (!on_qpu) return plans;
  plans.push_back({FilterPlace::qpu, 1, qpu::LoopFilterOrder::levels});
  plans.push_back({FilterPlace::qpu, 1, qpu::LoopFilterOrder::waves});
  if (!back_end) return plans;
  for (const ReconstructionPlace place : kReconstructionPlaces) {
    if (place == ReconstructionPlace::cpu) continue;
    plans.push_back(back_end_plan(place, 1));
    if (threads > 1) plans.push_back(back_end_plan(place, threads));
  }
  return plans;
}

EdgeMix::Dispatched EdgeMix::all(qpu::LoopFilterOrder schedule) const {
  return {schedule == qpu::LoopFilterOrder::levels ? steps : waves, edges};
}

EdgeMix::Dispatched EdgeMix::shared(qpu::LoopFilterOrder schedule) const {
  if (schedule == qpu::LoopFilterOrder::levels) return {large_steps, large_edges};
  return {luma_waves, luma_edges};
}

EdgeMix mean(std::span<const EdgeMix> mixes, std::span<const FrameWork> frames) {
  const double count = totals_of(frames).frames();
  EdgeMix mean;
  if (count <= 0) return mean;
  for (const auto figure :
       {&EdgeMix::edges, &EdgeMix::luma_edges, &EdgeMix::large_edges, &EdgeMix::steps,
        &EdgeMix::large_steps, &EdgeMix::waves, &EdgeMix::luma_waves}) {
    for (const EdgeMix& mix : mixes) mean.*figure += mix.*figure;
    mean.*figure /= count;
  }
  return mean;
}

Sample measure_sample(const Stream& stream, std::span<const Plan> plans, const QpuSide& qpu) {
  const Decoders decoders = make_decoders(plans, qpu);
  Sample sample;
  for (const Plan& plan : plans) sample.trials.push_back({plan, {}});
  MixMaker mixes(qpu.least_edges, stream.pixel.chroma);
  std::array<double, kRounds> sums{};
  for (double& sum : sums) {
    const bool first = &sum == sums.data();
    for (std::size_t frame = 0; frame < stream.sample_frames; ++frame) {
      for (std::size_t index = 0; index < plans.size(); ++index) {
        std::vector<FrameCost>& best = sample.trials[index].frames;
        const FrameCost cost = decode(stream, *decoders[index], frame);
        sum += total(cost.seconds);
        if (first) {
          best.push_back(cost);
        } else if (faster(cost, best[frame])) {
          best[frame] = cost;
        }
      }
      if (!first) continue;
      const bool repeated = stream.work[frame].repeated;
      sample.mixes.push_back(repeated ? EdgeMix() : mixes.of(decoders.front()->edges()));
    }
  }
  // The first round also finds memory and caches empty.
  const auto [least, most] = std::ranges::minmax(std::span(sums).subspan(1));
  sample.unrest = least > 0 ? most / least - 1 : 0;
  return sample;
}

std::vector<double> measure_rest(const Stream& stream, std::span<const Plan> plans,
                                 const QpuSide& qpu) {
  const Decoders decoders = make_decoders(plans, qpu);
  std::vector<std::vector<double>> best(plans.size());
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t frame = 0; frame < stream.frames.size(); ++frame) {
      for (std::size_t index = 0; index < plans.size(); ++index) {
        const double time = total(decode(stream, *decoders[index], frame).seconds);
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

PlayedPlan play_rest(const Stream& stream, const Plan& plan, const QpuSide& qpu, double fps,
                     gates::EnergyMeter* meter, std::string& no_energy) {
  TimedDecoder decoder(plan, qpu);
  for (std::size_t frame = 0; frame < stream.sample_frames; ++frame) decode(stream, decoder, frame);
  gates::PaceClock clock;
  gates::Pace pace(fps, clock);
  std::optional<std::jthread> reading;
  if (meter != nullptr) {
    meter->begin(Clock::now());
    reading.emplace(meter->watch());
  }
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
  reading.reset();
  const gates::PacedFigures figures = pace.figures();
  PlayedPlan played{.cpu_seconds = 1e-9 * figures.cpu_ns_per_picture.median,
                    .joules = {},
                    .latency_p99 = 1e-9 * figures.latency_ns.p99,
                    .pictures = figures.pictures,
                    .missed = figures.missed};
  if (meter == nullptr) return played;
  const gates::Energy energy = meter->end(Clock::now());
  if (energy.joules) {
    played.joules = *energy.joules / static_cast<double>(figures.pictures);
  } else {
    no_energy = energy.unknown;
  }
  return played;
}

}  // namespace sidecore::split
