#include "split/predictor.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace sidecore::split {
namespace {

/// What touches samples before the filter does.
constexpr std::array kReconstruction{Stage::prediction, Stage::intra, Stage::residual};

std::size_t index_of(Stage stage) {
  return static_cast<std::size_t>(stage);
}

std::vector<double> seconds_of(const Trial& trial, Stage stage) {
  std::vector<double> all;
  for (const FrameCost& frame : trial.frames) all.push_back(frame.seconds[index_of(stage)]);
  return all;
}

std::vector<double> cpu_seconds_of(const Trial& trial) {
  std::vector<double> all;
  for (const FrameCost& frame : trial.frames) all.push_back(frame.cpu_seconds);
  return all;
}

std::vector<double> total_seconds_of(const Trial& trial) {
  std::vector<double> all;
  for (const FrameCost& frame : trial.frames) all.push_back(total(frame.seconds));
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

double edges_of(const FrameCost& frame) {
  return sum(frame.edges[0]) + sum(frame.edges[1]);
}

// The plan is a copy: gcc 13 and later take a result beside a reference to a temporary for one that
// dangles.
const Trial& trial_of(const Sample& sample, Plan plan) {
  const auto found = std::ranges::find(sample.trials, plan, &Trial::plan);
  assert(found != sample.trials.end());
  return *found;
}

CostRange exact(const FrameCosts& costs) {
  return {costs, costs, costs};
}

int most_threads(const Sample& sample) {
  int threads = 1;
  for (const Trial& trial : sample.trials) threads = std::max(threads, trial.plan.threads);
  return threads;
}

const Trial& on_threads(const Sample& sample, Plan plan, int threads) {
  plan.threads = threads;
  return trial_of(sample, plan);
}

/// The plan on one thread and on all; `rest` and the error are as of measured_cpu_cost().
StagesCost stages_of(std::span<const FrameWork> work, const Sample& sample, const Plan& plan,
                     std::span<const FrameWork> rest) {
  const Trial& one = on_threads(sample, plan, 1);
  const Trial& all = on_threads(sample, plan, most_threads(sample));
  StagesCost cost;
  cost.error = std::hypot(relative_error(work, total_seconds_of(all), rest),
                          std::max(kLeastUnrest, sample.unrest));
  for (const Stage stage : kStages) {
    cost.one_thread[index_of(stage)] = exact({work, seconds_of(one, stage), followed_by(stage)});
    const double ratio = ratio_of_sums(all, one, {&stage, 1});
    cost.all_threads[index_of(stage)] = {ratio, ratio, ratio};
  }
  return cost;
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
  std::vector<double> all;     ///< seconds of each frame
  std::vector<double> shared;  ///< likewise
};

QpuCost::Schedule schedule_of(std::span<const FrameWork> work, const SchedulePrices& low,
                              const SchedulePrices& high) {
  const auto range = [&](std::span<const double> least, std::span<const double> most) {
    std::vector<double> middle;
    for (std::size_t frame = 0; frame < work.size(); ++frame) {
      middle.push_back((least[frame] + most[frame]) / 2);
    }
    const auto costs = [&](std::span<const double> seconds) {
      return FrameCosts(work, seconds, followed_by(Stage::filter));
    };
    return CostRange{costs(least), costs(middle), costs(most)};
  };
  return {range(low.all, high.all), range(low.shared, high.shared), 0};
}

/// price(frame, what is dispatched of it) gives a frame's seconds.
template <class Price>
SchedulePrices priced_schedule(std::span<const FrameWork> work, const Sample& sample,
                               LoopFilterOrder schedule, const Price& price) {
  SchedulePrices prices;
  for (std::size_t frame = 0; frame < work.size(); ++frame) {
    const EdgeMix& mix = sample.mixes[frame];
    prices.all.push_back(price(frame, mix.all(schedule)));
    prices.shared.push_back(price(frame, mix.shared(schedule)));
  }
  return prices;
}

/// What the QPU moves from and to memory while it filters: the model's seconds of memory alone, of
/// the seconds of all.
double bytes_a_second(std::span<const ModelledPicture> pictures, const PictureModel& model) {
  ModelledInterval memory;
  ModelledInterval all;
  const auto add = [](ModelledInterval& sum, const ModelledInterval& more) {
    sum.low += more.low;
    sum.high += more.high;
  };
  for (const ModelledPicture& picture : pictures) {
    add(memory, picture.bounds.at("memory"));
    add(all, picture.seconds(model.dispatch_overhead()));
  }
  if (all.high <= 0) return 0;
  return model.assumed.at("memory_bytes_per_second").high * (memory.low + memory.high) /
         (all.low + all.high);
}

/// Until both sides have done what takes them so long alone: each is slowed down while the other
/// still works.
double seconds_at_once(double qpu, double neon, const Slowdowns& slowdowns) {
  const double slowed_qpu = qpu * slowdowns.qpu;
  const double slowed_neon = neon * slowdowns.neon;
  if (slowed_qpu >= slowed_neon) return qpu + slowed_neon * (1 - 1 / slowdowns.qpu);
  return neon + slowed_qpu * (1 - 1 / slowdowns.neon);
}

QpuCost::Schedule measured_schedule(std::span<const FrameWork> work, const Sample& sample,
                                    LoopFilterOrder schedule) {
  const Trial& qpu = trial_of(sample, {FilterPlace::qpu, 1, schedule});
  std::vector<Load> dispatched;
  for (std::size_t frame = 0; frame < work.size(); ++frame) {
    dispatched.push_back(
        {sample.mixes[frame].all(schedule).dispatches, edges_of(qpu.frames[frame])});
  }
  const std::vector<double> measured = seconds_of(qpu, Stage::filter);
  const CostLine line = fit_cost(dispatched, measured);
  const auto price = [&](std::size_t, const Dispatched& part) {
    return line.seconds({part.dispatches, part.edges});
  };
  const SchedulePrices prices{measured, priced_schedule(work, sample, schedule, price).shared};
  return schedule_of(work, prices, prices);
}

}  // namespace

Follows followed_by(Stage stage) {
  return stage == Stage::parsing || stage == Stage::residual ? Follows::bytes : Follows::pictures;
}

QpuCost measured_qpu_cost(std::span<const FrameWork> work, const Sample& sample,
                          std::span<const FrameWork> rest) {
  const Trial& heap = trial_of(sample, {FilterPlace::neon, 1});
  const Trial& levels = trial_of(sample, {FilterPlace::qpu, 1, LoopFilterOrder::levels});
  BackEndCosts back_ends;
  for (const Trial& trial : sample.trials) {
    if (!is_plan_of_back_end(trial.plan) || trial.plan.threads > 1) continue;
    const std::vector<double> cpu = cpu_seconds_of(trial);
    const double on_all = sum(cpu_seconds_of(on_threads(sample, trial.plan, most_threads(sample))));
    const double ratio = sum(cpu) > 0 ? on_all / sum(cpu) : 1;
    back_ends.emplace(trial.plan.reconstruction,
                      BackEndCost{stages_of(work, sample, trial.plan, rest),
                                  exact({work, cpu, Follows::bytes}),
                                  {ratio, ratio, ratio}});
  }
  return {measured_schedule(work, sample, LoopFilterOrder::levels),
          measured_schedule(work, sample, LoopFilterOrder::waves),
          {},
          ratio_of_sums(levels, heap, kReconstruction),
          {},
          back_ends};
}

QpuCost gates_qpu_cost(std::span<const FrameWork> work, const Sample& sample,
                       const GateRates& rates) {
  const Trial& heap = trial_of(sample, {FilterPlace::neon, 1});
  const auto price = [&](std::size_t frame, const Dispatched& dispatched) {
    const double edges = sample.mixes[frame].edges;
    if (edges <= 0) return 0.0;
    return seconds_at(rates.qpu_edges, heap.frames[frame].edges) * dispatched.edges / edges +
           rates.submission + dispatched.dispatches * rates.dispatch;
  };
  const auto schedule = [&](LoopFilterOrder which) {
    const SchedulePrices prices = priced_schedule(work, sample, which, price);
    return schedule_of(work, prices, prices);
  };
  return {schedule(LoopFilterOrder::levels),
          schedule(LoopFilterOrder::waves),
          {rates.qpu_slowdown, rates.neon_slowdown},
          rates.device_memory_factor};
}

QpuCost modelled_qpu_cost(std::span<const FrameWork> work, const Sample& sample,
                          const PictureModel& model, double memory_factor) {
  const double overhead = model.dispatch_overhead();
  const auto schedule = [&](LoopFilterOrder which) {
    const bool by_levels = which == LoopFilterOrder::levels;
    const std::vector<ModelledPicture>& pictures = by_levels ? model.levels : model.waves;
    const ModelledLines lines = lines_of(pictures, overhead);
    const double miss = 1 + greatest_miss(pictures, lines);
    const auto price = [](const CostLine& line, double submission, double factor) {
      return [=](std::size_t, const Dispatched& dispatched) {
        if (dispatched.edges <= 0) return 0.0;
        return submission + factor * line.seconds({dispatched.dispatches, dispatched.edges});
      };
    };
    QpuCost::Schedule cost = schedule_of(
        work, priced_schedule(work, sample, which, price(lines.low, overhead, 1 / miss)),
        priced_schedule(work, sample, which, price(lines.high, 0, miss)));
    cost.bytes = bytes_a_second(pictures, model);
    return cost;
  };
  return {schedule(LoopFilterOrder::levels), schedule(LoopFilterOrder::waves), {}, memory_factor};
}

Slowdowns QpuCost::beside(LoopFilterOrder schedule, int threads) const {
  if (!memory) return slowdowns;
  // A unit of either side's work is what it does alone in a second.
  const armsim::MemoryLoad neon{memory->neon_bytes, 1};
  const armsim::Shared both = both_at_once(memory->board, threads, neon, {of(schedule).bytes, 1});
  return {1 / both.qpu, both_at_once(memory->board, threads, neon, {}).cpu / both.cpu};
}

CpuCost measured_cpu_cost(std::span<const FrameWork> work, const Sample& sample,
                          std::span<const FrameWork> rest) {
  CpuCost cost;
  cost.threads = most_threads(sample);
  cost.neon = stages_of(work, sample, {FilterPlace::neon}, rest);
  cost.scalar = stages_of(work, sample, {FilterPlace::scalar}, rest);
  return cost;
}

double cpu_factor(const Sample& sample, const EdgeRates& neon_edges) {
  const Trial& heap = trial_of(sample, {FilterPlace::neon, 1});
  double there = 0;
  for (const FrameCost& frame : heap.frames) there += seconds_at(neon_edges, frame.edges);
  const double here = sum(seconds_of(heap, Stage::filter));
  return there > 0 && here > 0 ? there / here : 1;
}

void scale_seconds(Sample& sample, double factor) {
  for (Trial& trial : sample.trials) {
    for (FrameCost& frame : trial.frames) {
      for (double& seconds : frame.seconds) seconds *= factor;
      frame.cpu_seconds *= factor;
    }
  }
}

Predictor::Predictor(const CpuCost& cpu, const EdgeMix& mix, const QpuCost* qpu,
                     const Machine& machine)
    : cpu_(cpu), machine_(machine) {
  if (mix.edges > 0) luma_share_ = mix.luma_edges / mix.edges;
  if (mix.luma_edges > 0) large_share_ = mix.large_edges / mix.luma_edges;
  if (qpu != nullptr) qpu_ = *qpu;
}

const StagesCost& Predictor::code_of(const Plan& plan) const {
  if (const BackEndCost* const back_end = back_end_of(plan)) return back_end->stages;
  assert(plan.filter != FilterPlace::scalar || cpu_.scalar);
  return plan.filter == FilterPlace::scalar ? *cpu_.scalar : cpu_.neon;
}

const BackEndCost* Predictor::back_end_of(const Plan& plan) const {
  if (plan.reconstruction == ReconstructionPlace::cpu) return nullptr;
  assert(qpu_->back_ends.contains(plan.reconstruction));
  return &qpu_->back_ends.at(plan.reconstruction);
}

Estimate Predictor::on_threads(int threads, const Estimate& one,
                               const Estimate& all_threads) const {
  if (cpu_.threads == 1) return one;
  const auto scale = [&](double at_all) {
    return 1 + (at_all - 1) * (1 - 1.0 / threads) / (1 - 1.0 / cpu_.threads);
  };
  return {one.low * scale(all_threads.low), one.expected * scale(all_threads.expected),
          one.high * scale(all_threads.high)};
}

Estimate Predictor::on_cpu(const Plan& plan, Stage stage, const FrameTotals& work) const {
  const StagesCost& code = code_of(plan);
  return on_threads(plan.threads, code.one_thread[index_of(stage)].seconds(work),
                    code.all_threads[index_of(stage)]);
}

Estimate Predictor::stage(const Plan& plan, Stage stage, const FrameTotals& work) const {
  assert(!needs_qpu(plan) || qpu_);
  if (back_end_of(plan) != nullptr) return on_cpu(plan, stage, work);
  if (is_on_qpu(plan, stage)) {
    if (plan.filter == FilterPlace::split) return shared_filter(plan, work);
    return qpu_->of(plan.schedule).all_edges.seconds(work);
  }
  Estimate time = on_cpu(plan, stage, work);
  if (std::ranges::count(kReconstruction, stage) > 0 && needs_qpu(plan.filter)) {
    for (double* const end : {&time.low, &time.expected, &time.high}) *end *= qpu_->memory_factor;
  }
  return time;
}

/// The QPU's share of luma beside chroma on NEON, then the rest of luma on one thread.
Estimate Predictor::shared_filter(const Plan& plan, const FrameTotals& work) const {
  const Estimate neon = cpu_.neon.one_thread[index_of(Stage::filter)].seconds(work);
  const Estimate qpu = qpu_->of(plan.schedule).shared_edges.seconds(work);
  const double chroma_share = 1 - luma_share_;
  const double beside = chroma_share / std::min(plan.threads, 2);  // a plane is one thread's
  const bool by_levels = plan.schedule == LoopFilterOrder::levels;
  const double rest_share = by_levels ? luma_share_ * (1 - large_share_) : 0;
  const double best = std::max(qpu.low, neon.low * beside);
  const double worst = qpu.high + neon.high * chroma_share;
  const double chroma = neon.expected * beside;
  // A device on the CPU's cores has them all busy; the chroma threads take their share of these.
  const double expected =
      machine_.cpu_device
          ? std::max({best, chroma, qpu.expected + neon.expected * chroma_share / machine_.cores})
          : seconds_at_once(qpu.expected, chroma,
                            qpu_->beside(plan.schedule, std::min(plan.threads, 2)));
  return {best + neon.low * rest_share,
          std::clamp(expected, best, worst) + neon.expected * rest_share,
          worst + neon.high * rest_share};
}

Estimate Predictor::total(const Plan& plan, const FrameTotals& work) const {
  const BackEndCost* const back_end = back_end_of(plan);
  Estimate sum;
  double parsing = 0;
  for (const Stage stage : kStages) {
    const Estimate part = this->stage(plan, stage, work);
    sum.low += part.low;
    sum.expected += part.expected;
    sum.high += part.high;
    if (stage == Stage::parsing) parsing = part.low;
  }
  if (back_end != nullptr && back_end->parses_ahead) {
    sum.low = std::max(parsing, sum.low - parsing);
  }
  const double error = code_of(plan).error;
  return {sum.low / (1 + error), sum.expected, sum.high * (1 + error)};
}

Estimate Predictor::cpu_time(const Plan& plan, const FrameTotals& work) const {
  const double error = code_of(plan).error;
  if (const BackEndCost* const back_end = back_end_of(plan)) {
    const Estimate cpu =
        on_threads(plan.threads, back_end->cpu.seconds(work), back_end->cpu_on_all_threads);
    return {cpu.low / (1 + error), cpu.expected, cpu.high * (1 + error)};
  }
  const Plan one{plan.filter, 1, plan.schedule};
  Estimate sum;
  const auto add = [&sum](const Estimate& part, double share) {
    sum.low += part.low * share;
    sum.expected += part.expected * share;
    sum.high += part.high * share;
  };
  for (const Stage stage : kStages) {
    if (!is_on_qpu(plan, stage)) add(this->stage(one, stage, work), 1);
  }
  if (needs_qpu(plan.filter)) {
    double on_qpu = 1;
    if (plan.filter == FilterPlace::split) {
      on_qpu = luma_share_ * (plan.schedule == LoopFilterOrder::levels ? large_share_ : 1);
    }
    add(cpu_.neon.one_thread[index_of(Stage::filter)].seconds(work), 1 - on_qpu);
    // A device on the CPU's cores has them all busy.
    if (machine_.cpu_device) {
      const auto& cost = qpu_->of(plan.schedule);
      const bool shared = plan.filter == FilterPlace::split;
      add((shared ? cost.shared_edges : cost.all_edges).seconds(work), machine_.cores);
    }
  }
  return {sum.low / (1 + error), sum.expected, sum.high * (1 + error)};
}

std::size_t fastest(std::span<const Estimate> estimates) {
  assert(!estimates.empty());
  return static_cast<std::size_t>(std::ranges::min_element(estimates, {}, &Estimate::expected) -
                                  estimates.begin());
}

}  // namespace sidecore::split
