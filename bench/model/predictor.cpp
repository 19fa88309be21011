#include "model/predictor.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace sidecore::model {
namespace {

/// Rows of the clock for stages that access samples before the loop filter.
constexpr std::array kReconstruction{ClockRow::prediction, ClockRow::intra, ClockRow::residual};

std::size_t index_of(ClockRow stage) {
  return static_cast<std::size_t>(stage);
}

std::vector<double> seconds_of(const Trial& trial, ClockRow stage) {
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

double ratio_of_sums(const Trial& above, const Trial& below, std::span<const ClockRow> stages) {
  double base = 0;
  double measured = 0;
  for (const ClockRow stage : stages) {
    base += sum(seconds_of(below, stage));
    measured += sum(seconds_of(above, stage));
  }
  return base > 0 ? measured / base : 1;
}

double edges_of(const FrameCost& frame) {
  return sum(frame.edges[0]) + sum(frame.edges[1]);
}

// `candidate` is passed by value, because gcc 13 and later warn of a dangling reference if a
// function with a reference parameter gets a temporary and returns a reference.
const Trial& find_trial(const Sample& sample, Candidate candidate) {
  const auto found = std::ranges::find(sample.trials, candidate, &Trial::candidate);
  assert(found != sample.trials.end());
  return *found;
}

CostRange exact(const FrameCosts& costs) {
  return {costs, costs, costs};
}

int most_threads(const Sample& sample) {
  int threads = 1;
  for (const Trial& trial : sample.trials) threads = std::max(threads, trial.candidate.threads);
  return threads;
}

const Trial& on_threads(const Sample& sample, const vp9::Plan& plan, int threads) {
  return find_trial(sample, {plan, threads});
}

/// Returns the cost of a plan's stages on one thread and on all, as measured_cpu_cost() describes.
StagesCost stages_of(std::span<const FrameWork> work, const Sample& sample, const vp9::Plan& plan,
                     std::span<const FrameWork> rest) {
  const Trial& one = on_threads(sample, plan, 1);
  const Trial& all = on_threads(sample, plan, most_threads(sample));
  StagesCost cost;
  cost.error = std::hypot(relative_error(work, total_seconds_of(all), rest),
                          std::max(kMinUnrest, sample.unrest));
  for (const ClockRow stage : kClockRows) {
    cost.one_thread[index_of(stage)] = exact({work, seconds_of(one, stage), scales_with(stage)});
    const double ratio = ratio_of_sums(all, one, {&stage, 1});
    cost.all_threads[index_of(stage)] = {ratio, ratio, ratio};
  }
  return cost;
}

using vp9::FilterOrder;
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
  std::vector<double> all;     ///< seconds per frame for all edges
  std::vector<double> shared;  ///< seconds per frame for the QPU's edges of a divided filter
};

QpuCost::Schedule schedule_of(std::span<const FrameWork> work, const SchedulePrices& low,
                              const SchedulePrices& high) {
  const auto range = [&](std::span<const double> least, std::span<const double> most) {
    std::vector<double> middle;
    for (std::size_t frame = 0; frame < work.size(); ++frame) {
      middle.push_back((least[frame] + most[frame]) / 2);
    }
    const auto costs = [&](std::span<const double> seconds) {
      return FrameCosts(work, seconds, scales_with(ClockRow::loop_filter));
    };
    return CostRange{costs(least), costs(middle), costs(most)};
  };
  return {range(low.all, high.all), range(low.shared, high.shared), 0};
}

/// Returns the seconds of each frame; price(frame, dispatched) computes them.
template <class Price>
SchedulePrices priced_schedule(std::span<const FrameWork> work, const Sample& sample,
                               FilterOrder schedule, const Price& price) {
  SchedulePrices prices;
  for (std::size_t frame = 0; frame < work.size(); ++frame) {
    const EdgeMix& mix = sample.mixes[frame];
    prices.all.push_back(price(frame, mix.all(schedule)));
    prices.shared.push_back(price(frame, mix.shared(schedule)));
  }
  return prices;
}

/// Returns the number of bytes per second that the QPU moves while it filters: the memory rate
/// times the modelled share of time that memory is busy.
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

/// Returns the time until QPU and NEON have both finished. `qpu` and `neon` are their times alone;
/// each is slowed down while the other works.
double seconds_at_once(double qpu, double neon, const Slowdowns& slowdowns) {
  const double slowed_qpu = qpu * slowdowns.qpu;
  const double slowed_neon = neon * slowdowns.neon;
  if (slowed_qpu >= slowed_neon) return qpu + slowed_neon * (1 - 1 / slowdowns.qpu);
  return neon + slowed_qpu * (1 - 1 / slowdowns.neon);
}

QpuCost::Schedule measured_schedule(std::span<const FrameWork> work, const Sample& sample,
                                    FilterOrder schedule) {
  const Trial& qpu = find_trial(sample, {filter_plan(vp9::Processor::qpu, schedule), 1});
  std::vector<Load> dispatched;
  for (std::size_t frame = 0; frame < work.size(); ++frame) {
    dispatched.push_back(
        {sample.mixes[frame].all(schedule).dispatches, edges_of(qpu.frames[frame])});
  }
  const std::vector<double> measured = seconds_of(qpu, ClockRow::loop_filter);
  const CostLine line = fit_cost(dispatched, measured);
  const auto price = [&](std::size_t, const Dispatched& part) {
    return line.seconds({part.dispatches, part.edges});
  };
  const SchedulePrices prices{measured, priced_schedule(work, sample, schedule, price).shared};
  return schedule_of(work, prices, prices);
}

}  // namespace

ScalesWith scales_with(ClockRow stage) {
  return stage == ClockRow::parsing || stage == ClockRow::residual ? ScalesWith::bytes
                                                                   : ScalesWith::pictures;
}

QpuCost measured_qpu_cost(std::span<const FrameWork> work, const Sample& sample,
                          std::span<const FrameWork> rest) {
  const Trial& heap = find_trial(sample, {neon_plan(), 1});
  const Trial& levels = find_trial(sample, {filter_plan(vp9::Processor::qpu), 1});
  std::vector<ReconstructionCost> reconstruction;
  for (const Trial& trial : sample.trials) {
    const auto& [plan, threads] = trial.candidate;
    if (!plan.reconstructs_on_qpu() || threads > 1) continue;
    const std::vector<double> cpu = cpu_seconds_of(trial);
    const double on_all = sum(cpu_seconds_of(on_threads(sample, plan, most_threads(sample))));
    const double ratio = sum(cpu) > 0 ? on_all / sum(cpu) : 1;
    reconstruction.push_back({plan,
                              stages_of(work, sample, plan, rest),
                              exact({work, cpu, ScalesWith::bytes}),
                              {ratio, ratio, ratio}});
  }
  return {measured_schedule(work, sample, FilterOrder::levels),
          measured_schedule(work, sample, FilterOrder::waves),
          {},
          ratio_of_sums(levels, heap, kReconstruction),
          {},
          reconstruction};
}

QpuCost gates_qpu_cost(std::span<const FrameWork> work, const Sample& sample,
                       const GateRates& rates) {
  const Trial& heap = find_trial(sample, {neon_plan(), 1});
  const auto price = [&](std::size_t frame, const Dispatched& dispatched) {
    const double edges = sample.mixes[frame].edges;
    if (edges <= 0) return 0.0;
    return seconds_at(rates.qpu_edges, heap.frames[frame].edges) * dispatched.edges / edges +
           rates.submission + dispatched.dispatches * rates.dispatch;
  };
  const auto schedule = [&](FilterOrder which) {
    const SchedulePrices prices = priced_schedule(work, sample, which, price);
    return schedule_of(work, prices, prices);
  };
  return {schedule(FilterOrder::levels),
          schedule(FilterOrder::waves),
          {rates.qpu_slowdown, rates.neon_slowdown},
          rates.device_memory_factor};
}

QpuCost modelled_qpu_cost(std::span<const FrameWork> work, const Sample& sample,
                          const PictureModel& model, double memory_factor) {
  const double overhead = model.dispatch_overhead();
  const auto schedule = [&](FilterOrder which) {
    const bool by_levels = which == FilterOrder::levels;
    const std::vector<ModelledPicture>& pictures = by_levels ? model.levels : model.waves;
    const ModelledLines lines = fit_lines(pictures, overhead);
    const double miss = 1 + greatest_line_error(pictures, lines);
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
  return {schedule(FilterOrder::levels), schedule(FilterOrder::waves), {}, memory_factor};
}

Slowdowns QpuCost::beside(FilterOrder schedule, int threads) const {
  if (!memory) return slowdowns;
  // A work unit of QPU or NEON is what it does alone in one second.
  const MemoryLoad neon{memory->neon_bytes, 1};
  const SharedRates both =
      estimate_shared_rates(memory->board, threads, neon, {of(schedule).bytes, 1});
  return {1 / both.qpu, estimate_shared_rates(memory->board, threads, neon, {}).cpu / both.cpu};
}

CpuCost measured_cpu_cost(std::span<const FrameWork> work, const Sample& sample,
                          std::span<const FrameWork> rest) {
  CpuCost cost;
  cost.threads = most_threads(sample);
  cost.neon = stages_of(work, sample, neon_plan(), rest);
  cost.scalar = stages_of(work, sample, scalar_plan(), rest);
  return cost;
}

double cpu_factor(const Sample& sample, const EdgeRates& neon_edges) {
  const Trial& heap = find_trial(sample, {neon_plan(), 1});
  double there = 0;
  for (const FrameCost& frame : heap.frames) there += seconds_at(neon_edges, frame.edges);
  const double here = sum(seconds_of(heap, ClockRow::loop_filter));
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

const StagesCost& Predictor::code_of(const Candidate& candidate) const {
  if (const ReconstructionCost* const cost = reconstruction_of(candidate)) return cost->stages;
  if (candidate.plan.uses_qpu() && qpu_->neon_in_gpu_memory) {
    return qpu_->neon_in_gpu_memory->stages;
  }
  const bool scalar = candidate.plan == scalar_plan();
  assert(!scalar || cpu_.scalar);
  return scalar ? *cpu_.scalar : cpu_.neon;
}

const ReconstructionCost* Predictor::reconstruction_of(const Candidate& candidate) const {
  if (!candidate.plan.reconstructs_on_qpu()) return nullptr;
  const auto found =
      std::ranges::find(qpu_->reconstruction, candidate.plan, &ReconstructionCost::plan);
  assert(found != qpu_->reconstruction.end());
  return &*found;
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

Estimate Predictor::on_cpu(const Candidate& candidate, ClockRow row,
                           const FrameTotals& work) const {
  const StagesCost& code = code_of(candidate);
  return on_threads(candidate.threads, code.one_thread[index_of(row)].seconds(work),
                    code.all_threads[index_of(row)]);
}

Estimate Predictor::stage(const Candidate& candidate, ClockRow row, const FrameTotals& work) const {
  const vp9::Plan& plan = candidate.plan;
  assert(!plan.uses_qpu() || qpu_);
  if (reconstruction_of(candidate) != nullptr) return on_cpu(candidate, row, work);
  if (is_on_qpu(plan, row)) {
    if (plan.is_divided(vp9::Stage::loop_filter)) return shared_filter(candidate, work);
    return qpu_->of(plan.filter_order).all_edges.seconds(work);
  }
  Estimate time = on_cpu(candidate, row, work);
  if (std::ranges::count(kReconstruction, row) > 0 && plan.uses_qpu()) {
    for (double* const end : {&time.low, &time.expected, &time.high}) *end *= qpu_->memory_factor;
  }
  return time;
}

/// Predicts a divided loop filter: the QPU filters its part of luma while NEON filters chroma; then
/// one NEON thread filters the rest of luma.
Estimate Predictor::shared_filter(const Candidate& candidate, const FrameTotals& work) const {
  const vp9::FilterOrder order = candidate.plan.filter_order;
  const Estimate neon =
      code_of(candidate).one_thread[index_of(ClockRow::loop_filter)].seconds(work);
  const Estimate qpu = qpu_->of(order).shared_edges.seconds(work);
  const double chroma_share = 1 - luma_share_;
  const double beside =
      chroma_share / std::min(candidate.threads, 2);  // number of threads: one per chroma plane
  const bool by_levels = order == FilterOrder::levels;
  const double rest_share = by_levels ? luma_share_ * (1 - large_share_) : 0;
  const double best = std::max(qpu.low, neon.low * beside);
  const double worst = qpu.high + neon.high * chroma_share;
  const double chroma = neon.expected * beside;
  // A Vulkan driver on the CPU uses all cores; so the chroma threads take a share of them.
  const double expected =
      machine_.cpu_device
          ? std::max({best, chroma, qpu.expected + neon.expected * chroma_share / machine_.cores})
          : seconds_at_once(qpu.expected, chroma,
                            qpu_->beside(order, std::min(candidate.threads, 2)));
  return {best + neon.low * rest_share,
          std::clamp(expected, best, worst) + neon.expected * rest_share,
          worst + neon.high * rest_share};
}

Estimate Predictor::total(const Candidate& candidate, const FrameTotals& work) const {
  const ReconstructionCost* const reconstruction = reconstruction_of(candidate);
  Estimate sum;
  double parsing = 0;
  for (const ClockRow row : kClockRows) {
    const Estimate part = stage(candidate, row, work);
    sum.low += part.low;
    sum.expected += part.expected;
    sum.high += part.high;
    if (row == ClockRow::parsing) parsing = part.low;
  }
  if (reconstruction != nullptr && reconstruction->parses_ahead) {
    sum.low = std::max(parsing, sum.low - parsing);
  }
  const double error = code_of(candidate).error;
  return {sum.low / (1 + error), sum.expected, sum.high * (1 + error)};
}

Estimate Predictor::cpu_time(const Candidate& candidate, const FrameTotals& work) const {
  const vp9::Plan& plan = candidate.plan;
  const double error = code_of(candidate).error;
  if (const ReconstructionCost* const cost = reconstruction_of(candidate)) {
    const Estimate cpu =
        on_threads(candidate.threads, cost->cpu.seconds(work), cost->cpu_on_all_threads);
    return {cpu.low / (1 + error), cpu.expected, cpu.high * (1 + error)};
  }
  const Candidate one{plan, 1};
  Estimate sum;
  const auto add = [&sum](const Estimate& part, double share) {
    sum.low += part.low * share;
    sum.expected += part.expected * share;
    sum.high += part.high * share;
  };
  for (const ClockRow row : kClockRows) {
    if (!is_on_qpu(plan, row)) add(stage(one, row, work), 1);
  }
  if (plan.uses_qpu()) {
    const bool shared = plan.is_divided(vp9::Stage::loop_filter);
    add(code_of(candidate).one_thread[index_of(ClockRow::loop_filter)].seconds(work),
        1 - filter_share_of_qpu(plan));
    // A Vulkan driver on the CPU uses all cores.
    if (machine_.cpu_device) {
      const auto& cost = qpu_->of(plan.filter_order);
      add((shared ? cost.shared_edges : cost.all_edges).seconds(work), machine_.cores);
    }
  }
  return {sum.low / (1 + error), sum.expected, sum.high * (1 + error)};
}

double Predictor::filter_share_of_qpu(const vp9::Plan& plan) const {
  if (!plan.is_divided(vp9::Stage::loop_filter)) return 1;
  return luma_share_ * (plan.filter_order == FilterOrder::levels ? large_share_ : 1);
}

std::optional<SampleTraffic> Predictor::gpu_memory_traffic(const Candidate& candidate) const {
  if (!candidate.plan.uses_qpu() || !qpu_->neon_in_gpu_memory) return std::nullopt;
  if (const ReconstructionCost* const cost = reconstruction_of(candidate)) {
    if (cpu_.threads == 1) return cost->traffic_on_one;
    const double of_all = (1 - 1.0 / candidate.threads) / (1 - 1.0 / cpu_.threads);
    SampleTraffic sum = cost->traffic_on_one * (1 - of_all);
    return sum += cost->traffic_on_all * of_all;
  }
  const vp9::PerStage<SampleTraffic>& all = qpu_->neon_in_gpu_memory->traffic;
  SampleTraffic sum = all.loop_filter * (1 - filter_share_of_qpu(candidate.plan));
  for (const SampleTraffic& stage : {all.prediction, all.residual, all.intra}) sum += stage;
  return sum;
}

std::size_t fastest(std::span<const Estimate> estimates) {
  assert(!estimates.empty());
  return static_cast<std::size_t>(std::ranges::min_element(estimates, {}, &Estimate::expected) -
                                  estimates.begin());
}

}  // namespace sidecore::model
