#include "split/trial.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "vp9/edge_schedule.h"

namespace sidecore::split {
namespace {

using Decoders = std::vector<std::unique_ptr<TimedDecoder>>;

Decoders make_decoders(std::span<const Plan> plans, const std::shared_ptr<qpu::Device>& device) {
  Decoders decoders;
  for (const Plan& plan : plans) decoders.push_back(std::make_unique<TimedDecoder>(plan, device));
  return decoders;
}

PacketCost decode(const Stream& stream, TimedDecoder& decoder, std::size_t packet) {
  try {
    return decoder.decode(stream.packets[packet]);
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}: {}", stream.name, error.what()));
  }
}

EdgeMix mix_of(const vp9::PictureEdges& edges, vp9::LevelScheduler& scheduler) {
  const auto count = [](std::size_t value) { return static_cast<double>(value); };
  EdgeMix mix;
  const vp9::EdgeSteps& all = scheduler.schedule(edges.all());
  mix.edges = count(all.edges().size());
  mix.steps = count(all.count());
  const vp9::EdgeSteps& luma = scheduler.schedule(edges.plane(0));
  const std::size_t large = luma.leading_steps_of(kLeastEdgesOfAStep);
  mix.luma_edges = count(luma.edges().size());
  mix.large_edges = count(luma.range(0, large).size());
  mix.large_steps = count(large);
  return mix;
}

bool faster(const PacketCost& cost, const PacketCost& other) {
  return total(cost.seconds) < total(other.seconds);
}

}  // namespace

std::vector<Plan> sampled_plans(int threads, bool on_qpu) {
  std::vector<Plan> plans{{FilterPlace::neon, 1}};
  if (threads > 1) plans.push_back({FilterPlace::neon, threads});
  plans.push_back({FilterPlace::scalar, 1});
  if (on_qpu) plans.push_back({FilterPlace::qpu, 1});
  return plans;
}

EdgeMix mean(std::span<const EdgeMix> mixes) {
  EdgeMix sum;
  for (const EdgeMix& mix : mixes) {
    sum.edges += mix.edges;
    sum.luma_edges += mix.luma_edges;
    sum.large_edges += mix.large_edges;
    sum.steps += mix.steps;
    sum.large_steps += mix.large_steps;
  }
  const double count = mixes.empty() ? 1 : static_cast<double>(mixes.size());
  return {sum.edges / count, sum.luma_edges / count, sum.large_edges / count, sum.steps / count,
          sum.large_steps / count};
}

Sample measure_sample(const Stream& stream, std::span<const Plan> plans,
                      const std::shared_ptr<qpu::Device>& device) {
  const Decoders decoders = make_decoders(plans, device);
  Sample sample;
  for (const Plan& plan : plans) sample.trials.push_back({plan, {}});
  vp9::LevelScheduler scheduler;
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
      if (round == 0) sample.mixes.push_back(mix_of(decoders.front()->edges(), scheduler));
    }
  }
  return sample;
}

std::vector<double> measure_rest(const Stream& stream, std::span<const Plan> plans,
                                 const std::shared_ptr<qpu::Device>& device) {
  const Decoders decoders = make_decoders(plans, device);
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
