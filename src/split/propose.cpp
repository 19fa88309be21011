#include "split/propose.h"

#include <algorithm>

#include "base/error.h"

namespace sidecore::split {
namespace {

std::optional<QpuCost> cost_of_qpu(const Stream& stream, const Sample& sample,
                                   const ProposeOptions& options) {
  if (options.rates) return gates_qpu_cost(stream.sample_work(), sample, *options.rates);
  if (options.device) return measured_qpu_cost(stream.sample_work(), sample);
  return std::nullopt;
}

StageCosts stage_costs(const Predictor& predictor, const Stream& stream, const Plan& plan,
                       double pictures) {
  PacketWork all;
  for (const PacketWork& work : stream.rest_work()) {
    all.frames += work.frames;
    all.bytes += work.bytes;
  }
  StageCosts costs{plan, {}};
  for (const Stage stage : kStages) {
    costs.seconds[static_cast<std::size_t>(stage)] =
        predictor.stage(plan, stage, all).expected / pictures;
  }
  return costs;
}

std::vector<std::string> assumptions_of(const Proposal& proposal, const ProposeOptions& options,
                                        const Machine& machine) {
  std::vector<std::string> all{
      "a stage costs so much a frame and so much a byte, as in the sample",
      fmt::format("the interval is as wide as the misses of a quarter of the sample that is "
                  "predicted from the rest of it: {:+.1f} % to {:+.1f} %",
                  100 * (proposal.misses.low - 1), 100 * (proposal.misses.high - 1))};
  if (options.threads > 1) {
    all.emplace_back(
        "between one thread and all, stages follow Amdahl's law; the scalar filter divides over "
        "threads between perfectly and as NEON's does");
  }
  if (!proposal.no_qpu.empty()) return all;
  const EdgeMix& mix = proposal.mix;
  all.push_back(fmt::format(
      "edges divide as in the sample: {:.0f} a frame in {:.1f} steps, of which split gives the QPU "
      "{:.0f} of luma in {:.1f} steps; an edge costs the same in luma and chroma",
      mix.edges, mix.steps, mix.large_edges, mix.large_steps));
  if (options.rates) {
    all.push_back(fmt::format(
        "the QPU filters as the gates measured: {:.1f} us a submission, "
        "{:.1f} us a dispatch; beside NEON it takes {:.2f} times as long and "
        "NEON {:.2f} times; in its memory NEON takes {:.2f} times as long",
        1e6 * options.rates->submission, 1e6 * options.rates->dispatch, options.rates->qpu_slowdown,
        options.rates->neon_slowdown, options.rates->device_memory_factor));
  } else {
    all.emplace_back(
        "no results of the gates were given: the QPU was measured on the sample, and that it and "
        "NEON do not disturb one another is taken for granted");
  }
  if (machine.cpu_device) {
    all.push_back(fmt::format(
        "the QPU is a driver on the CPU: it shares {} core{} with the decoder's threads",
        machine.cores, machine.cores == 1 ? "" : "s"));
  }
  return all;
}

/// Those that can be run here, on the rest of the stream.
void run_plans(const Stream& stream, const ProposeOptions& options, Proposal& proposal) {
  if (!options.run) {
    proposal.not_run = "not asked for";
    return;
  }
  std::vector<Plan> plans;
  for (const PlanResult& result : proposal.plans) {
    if (!needs_qpu(result.plan.filter) || options.device) plans.push_back(result.plan);
  }
  if (plans.size() < proposal.plans.size()) proposal.not_run = options.no_device;
  const std::vector<double> seconds = measure_rest(stream, plans, options.device);
  for (PlanResult& result : proposal.plans) {
    const auto found = std::ranges::find(plans, result.plan);
    if (found == plans.end()) continue;
    result.measured = seconds[static_cast<std::size_t>(found - plans.begin())];
  }
}

std::string qpu_origin(const ProposeOptions& options) {
  if (options.rates) {
    return fmt::format("M3 to M5 of {}", fmt::join(options.rates->origins, ", "));
  }
  return fmt::format("{}, measured on the sample", options.device->info().name);
}

}  // namespace

Proposal propose(const Stream& stream, const ProposeOptions& options) {
  const bool sample_qpu = options.device != nullptr && !options.rates;
  const Sample sample =
      measure_sample(stream, sampled_plans(options.threads, sample_qpu), options.device);
  const std::optional<QpuCost> qpu = cost_of_qpu(stream, sample, options);
  const Machine machine{options.cores, options.rates    ? options.rates->cpu_device
                                       : options.device ? options.device->info().is_cpu()
                                                        : false};
  const Predictor predictor(stream.sample_work(), sample, qpu ? &*qpu : nullptr, machine);

  Proposal proposal;
  proposal.stream = stream.name;
  proposal.packets = stream.packets.size();
  proposal.sample = stream.sample;
  for (const PacketWork& work : stream.rest_work()) proposal.pictures += work.shown;
  if (proposal.pictures < 1)
    throw usage_error("{}: nothing is shown after the sample", stream.name);
  if (qpu) {
    proposal.qpu = qpu_origin(options);
  } else {
    proposal.no_qpu = options.no_device;
  }
  proposal.mix = mean(sample.mixes);
  proposal.misses = predictor.misses();
  std::vector<Estimate> estimates;
  for (const Plan& plan : all_plans(options.threads, qpu.has_value())) {
    estimates.push_back(predictor.total(plan, stream.rest_work()));
    proposal.plans.push_back({plan, estimates.back(), {}});
    if (plan.threads == 1 || plan.threads == options.threads) {
      proposal.stages.push_back(stage_costs(predictor, stream, plan, proposal.pictures));
    }
  }
  proposal.best = fastest(estimates);
  proposal.assumptions = assumptions_of(proposal, options, machine);
  run_plans(stream, options, proposal);
  return proposal;
}

}  // namespace sidecore::split
