#include "split/trial.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "vp9/loop_filter_schedule.h"

namespace sidecore::split {
namespace {

using Decoders = std::vector<std::unique_ptr<TimedDecoder>>;

Decoders make_decoders(std::span<const Plan> plans, const QpuSide& qpu) {
  Decoders decoders;
  for (const Plan& plan : plans) decoders.push_back(std::make_unique<TimedDecoder>(plan, qpu));
  return decoders;
}

PacketCost decode(const Stream& stream, TimedDecoder& decoder, std::size_t packet) {
  try {
    return decoder.decode(stream.packets[packet]);
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}: {}", stream.name, error.what()));
  }
}

/// Divides a frame's edges as LoopFilterStage does.
class MixMaker {
 public:
  MixMaker(std::size_t least_edges, video::Chroma chroma)
      : least_edges_(least_edges), scales_(chroma) {}

  EdgeMix of(const vp9::LoopFilterEdges& edges) {
    EdgeMix mix;
    const vp9::EdgeSteps& all = levels_.schedule(edges.all());
    mix.edges = count(all.edges().size());
    mix.steps = count(all.count());
    const vp9::EdgeSteps& luma = levels_.schedule(edges.plane(0));
    const std::size_t large = luma.leading_steps_of(least_edges_);
    mix.luma_edges = count(luma.edges().size());
    mix.large_edges = count(luma.range(0, large).size());
    mix.large_steps = count(large);
    mix.waves = waves_of(edges.all());
    mix.luma_waves = waves_of(edges.plane(0));
    return mix;
  }

 private:
  static double count(std::size_t value) { return static_cast<double>(value); }
  double waves_of(std::span<const vp9::LoopFilterEdge> edges) {
    waves_.schedule(edges, scales_);
    return count(waves_.count());
  }

  std::size_t least_edges_;
  vp9::PlaneScales scales_;
  vp9::LevelScheduler levels_;
  vp9::SuperblockWaves waves_;
};

bool faster(const PacketCost& cost, const PacketCost& other) {
  return total(cost.seconds) < total(other.seconds);
}

}  // namespace

std::vector<Plan> sampled_plans(int threads, bool on_qpu) {
  std::vector<Plan> plans{{FilterPlace::neon, 1}};
  if (threads > 1) plans.push_back({FilterPlace::neon, threads});
  plans.push_back({FilterPlace::scalar, 1});
  if (!on_qpu) return plans;
  plans.push_back({FilterPlace::qpu, 1, qpu::LoopFilterOrder::levels});
  plans.push_back({FilterPlace::qpu, 1, qpu::LoopFilterOrder::waves});
  return plans;
}

EdgeMix::Dispatched EdgeMix::all(qpu::LoopFilterOrder schedule) const {
  return {schedule == qpu::LoopFilterOrder::levels ? steps : waves, edges};
}

EdgeMix::Dispatched EdgeMix::shared(qpu::LoopFilterOrder schedule) const {
  if (schedule == qpu::LoopFilterOrder::levels) return {large_steps, large_edges};
  return {luma_waves, luma_edges};
}

EdgeMix mean(std::span<const EdgeMix> mixes) {
  const double count = mixes.empty() ? 1 : static_cast<double>(mixes.size());
  EdgeMix mean;
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
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t packet = 0; packet < stream.sample; ++packet) {
      for (std::size_t index = 0; index < plans.size(); ++index) {
        std::vector<PacketCost>& best = sample.trials[index].packets;
        const PacketCost cost = decode(stream, *decoders[index], packet);
        if (round == 0) {
          best.push_back(cost);
        } else if (faster(cost, best[packet])) {
          best[packet] = cost;
        }
      }
      if (round == 0) sample.mixes.push_back(mixes.of(decoders.front()->edges()));
    }
  }
  return sample;
}

std::vector<double> measure_rest(const Stream& stream, std::span<const Plan> plans,
                                 const QpuSide& qpu) {
  const Decoders decoders = make_decoders(plans, qpu);
  std::vector<std::vector<double>> best(plans.size());
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t packet = 0; packet < stream.packets.size(); ++packet) {
      for (std::size_t index = 0; index < plans.size(); ++index) {
        const double time = total(decode(stream, *decoders[index], packet).seconds);
        if (packet < stream.sample) continue;
        if (round == 0) best[index].push_back(time);
        double& least = best[index][packet - stream.sample];
        least = std::min(least, time);
      }
    }
  }
  std::vector<double> seconds;
  seconds.reserve(best.size());
  for (const auto& packets : best) {
    seconds.push_back(std::accumulate(packets.begin(), packets.end(), 0.0));
  }
  return seconds;
}

}  // namespace sidecore::split
