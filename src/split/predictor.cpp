#include "split/predictor.h"

#include <algorithm>
#include <cassert>

namespace sidecore::split {
namespace {

constexpr std::size_t kQuarters = 4;
/// What touches samples before the filter does.
constexpr std::array kReconstruction{Stage::prediction, Stage::residual};

std::vector<double> seconds_of(const Trial& trial, Stage stage) {
  std::vector<double> all;
  for (const PacketCost& packet : trial.packets) {
    all.push_back(packet.seconds[static_cast<std::size_t>(stage)]);
  }
  return all;
}

std::vector<double> total_seconds_of(const Trial& trial) {
  std::vector<double> all;
  for (const PacketCost& packet : trial.packets) all.push_back(total(packet.seconds));
  return all;
}

double sum(std::span<const double> values) {
  double total = 0;
  for (const double value : values) total += value;
  return total;
}

double ratio_of_sums(const Trial& above, const Trial& below, std::span<const Stage> stages) {
  double base = 0;
  double measured = 0;
  for (const Stage stage : stages) {
    base += sum(seconds_of(below, stage));
    measured += sum(seconds_of(above, stage));
  }
  return base > 0 ? measured / base : 1;
}

double edges_of(const PacketCost& packet) {
  return sum(packet.edges[0]) + sum(packet.edges[1]);
}

const Trial& trial_of(const Sample& sample, const Plan& plan) {
  const auto found = std::ranges::find(sample.trials, plan, &Trial::plan);
  assert(found != sample.trials.end());
  return *found;
}

/// Measured over predicted for the packets [first, last), predicted from all others.
double miss(std::span<const PacketWork> work, std::span<const double> seconds, std::size_t first,
            std::size_t last) {
  std::vector<PacketWork> other_work;
  std::vector<double> other_seconds;
  double measured = 0;
  for (std::size_t packet = 0; packet < work.size(); ++packet) {
    if (packet >= first && packet < last) {
      measured += seconds[packet];
    } else {
      other_work.push_back(work[packet]);
      other_seconds.push_back(seconds[packet]);
    }
  }
  const CostLine line = fit_cost(other_work, other_seconds);
  double predicted = 0;
  for (std::size_t packet = first; packet < last; ++packet) predicted += line.seconds(work[packet]);
  return predicted > 0 ? measured / predicted : 1;
}

using qpu::LoopFilterOrder;
using Dispatched = EdgeMix::Dispatched;

double seconds_at(const EdgeRates& edges_a_second, const EdgeCounts& edges) {
  double seconds = 0;
  for (std::size_t direction = 0; direction < edges.size(); ++direction) {
    for (std::size_t width = 0; width < edges[direction].size(); ++width) {
      seconds += edges[direction][width] / edges_a_second[direction][width];
    }
  }
  return seconds;
}

struct SchedulePrices {
  CostLine all;
  CostLine shared;
};

QpuCost::Schedule exact(const SchedulePrices& prices) {
  return {{prices.all, prices.all}, {prices.shared, prices.shared}};
}

/// price(packet, its frames, what is dispatched of a frame) gives a packet's seconds.
template <class Price>
SchedulePrices priced_schedule(std::span<const PacketWork> work, const Sample& sample,
                               LoopFilterOrder schedule, const Price& price) {
  std::vector<double> all;
  std::vector<double> shared;
  for (std::size_t packet = 0; packet < work.size(); ++packet) {
    const EdgeMix& mix = sample.mixes[packet];
    const double frames = work[packet].frames;
    all.push_back(price(packet, frames, mix.all(schedule)));
    shared.push_back(price(packet, frames, mix.shared(schedule)));
  }
  return {fit_cost(work, all), fit_cost(work, shared)};
}

QpuCost::Schedule measured_schedule(std::span<const PacketWork> work, const Sample& sample,
                                    LoopFilterOrder schedule) {
  const Trial& qpu = trial_of(sample, {FilterPlace::qpu, 1, schedule});
  std::vector<PacketWork> dispatched;
  for (std::size_t packet = 0; packet < work.size(); ++packet) {
    dispatched.push_back({work[packet].frames * sample.mixes[packet].all(schedule).dispatches,
                          edges_of(qpu.packets[packet]), work[packet].shown});
  }
  const std::vector<double> measured = seconds_of(qpu, Stage::filter);
  const CostLine line = fit_cost(dispatched, measured);
  const auto price = [&](std::size_t, double frames, const Dispatched& part) {
    return frames * line.seconds({part.dispatches, part.edges, 0});
  };
  return exact({fit_cost(work, measured), priced_schedule(work, sample, schedule, price).shared});
}

Predictor::Misses misses_of(std::span<const PacketWork> work, std::span<const double> seconds) {
  Predictor::Misses misses{1 - Predictor::kLeastMiss, 1 + Predictor::kLeastMiss};
  for (std::size_t quarter = 0; quarter < kQuarters; ++quarter) {
    const double ratio = miss(work, seconds, work.size() * quarter / kQuarters,
                              work.size() * (quarter + 1) / kQuarters);
    misses.low = std::min(misses.low, ratio);
    misses.high = std::max(misses.high, ratio);
  }
  return misses;
}

}  // namespace

QpuCost measured_qpu_cost(std::span<const PacketWork> work, const Sample& sample) {
  const Trial& heap = trial_of(sample, {FilterPlace::neon, 1});
  const Trial& levels = trial_of(sample, {FilterPlace::qpu, 1, LoopFilterOrder::levels});
  return {measured_schedule(work, sample, LoopFilterOrder::levels),
          measured_schedule(work, sample, LoopFilterOrder::waves), 1, 1,
          ratio_of_sums(levels, heap, kReconstruction)};
}

QpuCost gates_qpu_cost(std::span<const PacketWork> work, const Sample& sample,
                       const GateRates& rates) {
  const Trial& heap = trial_of(sample, {FilterPlace::neon, 1});
  const auto price = [&](std::size_t packet, double frames, const Dispatched& dispatched) {
    const double edges = sample.mixes[packet].edges;
    const double share = edges > 0 ? dispatched.edges / edges : 1;
    return seconds_at(rates.qpu_edges, heap.packets[packet].edges) * share +
           frames * (rates.submission + dispatched.dispatches * rates.dispatch);
  };
  return {exact(priced_schedule(work, sample, LoopFilterOrder::levels, price)),
          exact(priced_schedule(work, sample, LoopFilterOrder::waves, price)), rates.qpu_slowdown,
          rates.neon_slowdown, rates.device_memory_factor};
}

QpuCost modelled_qpu_cost(std::span<const PacketWork> work, const Sample& sample,
                          const PictureModel& model, double memory_factor) {
  const double overhead = model.dispatch_overhead();
  const auto schedule = [&](LoopFilterOrder which) {
    const bool by_levels = which == LoopFilterOrder::levels;
    const ModelledLines lines = lines_of(by_levels ? model.levels : model.waves, overhead);
    const auto price = [](const CostLine& line, double submission) {
      return [line, submission](std::size_t, double frames, const Dispatched& dispatched) {
        if (dispatched.edges <= 0) return 0.0;
        return frames * (submission + line.seconds({dispatched.dispatches, dispatched.edges, 0}));
      };
    };
    const SchedulePrices low = priced_schedule(work, sample, which, price(lines.low, overhead));
    const SchedulePrices high = priced_schedule(work, sample, which, price(lines.high, 0));
    return QpuCost::Schedule{{low.all, high.all}, {low.shared, high.shared}};
  };
  return {schedule(LoopFilterOrder::levels), schedule(LoopFilterOrder::waves), 1, 1, memory_factor};
}

double cpu_factor(const Sample& sample, const EdgeRates& neon_edges) {
  const Trial& heap = trial_of(sample, {FilterPlace::neon, 1});
  double there = 0;
  for (const PacketCost& packet : heap.packets) there += seconds_at(neon_edges, packet.edges);
  const double here = sum(seconds_of(heap, Stage::filter));
  return there > 0 && here > 0 ? there / here : 1;
}

void scale_seconds(Sample& sample, double factor) {
  for (Trial& trial : sample.trials) {
    for (PacketCost& packet : trial.packets) {
      for (double& seconds : packet.seconds) seconds *= factor;
    }
  }
}

Predictor::Predictor(std::span<const PacketWork> work, const Sample& sample, const QpuCost* qpu,
                     const Machine& machine)
    : machine_(machine) {
  const EdgeMix mix = mean(sample.mixes);
  if (mix.edges > 0) luma_share_ = mix.luma_edges / mix.edges;
  if (mix.luma_edges > 0) large_share_ = mix.large_edges / mix.luma_edges;
  const Trial& one = trial_of(sample, {FilterPlace::neon, 1});
  for (const Trial& trial : sample.trials) {
    if (trial.plan.filter == FilterPlace::neon) threads_ = std::max(threads_, trial.plan.threads);
  }
  const Trial& all = trial_of(sample, {FilterPlace::neon, threads_});
  for (const Stage stage : kStages) {
    const auto index = static_cast<std::size_t>(stage);
    one_thread_[index] = fit_cost(work, seconds_of(one, stage));
    all_threads_[index] = ratio_of_sums(all, one, {&stage, 1});
  }
  scalar_filter_ =
      fit_cost(work, seconds_of(trial_of(sample, {FilterPlace::scalar, 1}), Stage::filter));
  if (qpu != nullptr) qpu_.push_back(*qpu);
  misses_ = misses_of(work, total_seconds_of(all));
}

/// Amdahl's law through the two measured numbers of threads.
double Predictor::scale(Stage stage, int threads) const {
  if (threads_ == 1) return 1;
  const double at_all = all_threads_[static_cast<std::size_t>(stage)];
  return 1 + (at_all - 1) * (1 - 1.0 / threads) / (1 - 1.0 / threads_);
}

Estimate Predictor::stage(const Plan& plan, Stage stage, const PacketWork& work) const {
  assert(!needs_qpu(plan.filter) || !qpu_.empty());
  if (stage == Stage::filter) return filter(plan, work);
  double time =
      one_thread_[static_cast<std::size_t>(stage)].seconds(work) * scale(stage, plan.threads);
  if (std::ranges::count(kReconstruction, stage) > 0 && needs_qpu(plan.filter)) {
    time *= qpu_.front().memory_factor;
  }
  return {time, time, time};
}

Estimate Predictor::filter(const Plan& plan, const PacketWork& work) const {
  const double scaled = scale(Stage::filter, plan.threads);
  switch (plan.filter) {
    case FilterPlace::neon: {
      const double time = one_thread_[static_cast<std::size_t>(Stage::filter)].seconds(work);
      return {time * scaled, time * scaled, time * scaled};
    }
    case FilterPlace::scalar: {
      // It waits less for memory than NEON, so that it may divide better, up to perfectly.
      const double time = scalar_filter_.seconds(work);
      const double perfect = std::min(scaled, 1.0 / plan.threads);
      return {time * perfect, time * (perfect + scaled) / 2, time * scaled};
    }
    case FilterPlace::qpu:
      return qpu_.front().of(plan.schedule).all_edges.seconds(work);
    case FilterPlace::split:
      break;
  }
  return shared_filter(work, plan);
}

/// The QPU's share of luma beside chroma on NEON, then the rest of luma on one thread.
Estimate Predictor::shared_filter(const PacketWork& work, const Plan& plan) const {
  const QpuCost& cost = qpu_.front();
  const double neon_all = one_thread_[static_cast<std::size_t>(Stage::filter)].seconds(work);
  const Estimate qpu = cost.of(plan.schedule).shared_edges.seconds(work);
  const double chroma_work = neon_all * (1 - luma_share_);
  const double chroma = chroma_work / std::min(plan.threads, 2);  // a plane is one thread's
  const bool by_levels = plan.schedule == LoopFilterOrder::levels;
  const double rest = by_levels ? neon_all * luma_share_ * (1 - large_share_) : 0;
  const double best = std::max(qpu.low, chroma);
  const double worst = qpu.high + chroma_work;
  // A device on the CPU's cores has them all busy; the chroma threads take their share of these.
  const double expected =
      machine_.cpu_device ? std::max({best, chroma, qpu.expected + chroma_work / machine_.cores})
                          : std::max(qpu.expected * cost.slowdown, chroma * cost.neon_slowdown);
  return {best + rest, std::clamp(expected, best, worst) + rest, worst + rest};
}

Estimate Predictor::total(const Plan& plan, std::span<const PacketWork> work) const {
  PacketWork all;
  for (const PacketWork& packet : work) {
    all.frames += packet.frames;
    all.bytes += packet.bytes;
  }
  Estimate sum;
  for (const Stage stage : kStages) {
    const Estimate part = this->stage(plan, stage, all);
    sum.low += part.low;
    sum.expected += part.expected;
    sum.high += part.high;
  }
  return {sum.low * misses_.low, sum.expected, sum.high * misses_.high};
}

std::size_t fastest(std::span<const Estimate> estimates) {
  assert(!estimates.empty());
  return static_cast<std::size_t>(std::ranges::min_element(estimates, {}, &Estimate::expected) -
                                  estimates.begin());
}

}  // namespace sidecore::split
