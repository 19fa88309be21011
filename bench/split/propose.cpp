#include "split/propose.h"

#include <algorithm>

#include "base/error.h"
#include "model/back_end_model.h"

namespace sidecore::split {
namespace {

constexpr const char* kModelLabel = "model, not measured";

bool runs_modelled_plans(const ProposeOptions& options) {
  return options.device && is_modelled_device(options.device->info(), *options.model);
}

bool other_cpu(const ProposeOptions& options) {
  return options.board && !options.board->this_machine;
}

void check_model(const model::Stream& stream, const ProposeOptions& options) {
  if (!options.model) return;
  const model::ModelledClip& clip = options.model->clip;
  if (clip.packets > stream.packets.size()) {
    throw usage_error("'{}' is a model of {} packets of '{}', and only {} of {} are looked at",
                      options.model_file, clip.packets, clip.name, stream.packets.size(),
                      stream.name);
  }
  if (options.model->waves.empty()) {
    throw usage_error("'{}' is a model of {} packets of '{}' that have no edges to filter",
                      options.model_file, clip.packets, clip.name);
  }
  if (model::digest_of(std::span(stream.packets).first(clip.packets)) == clip.md5) return;
  throw usage_error(
      "'{}' is a model of '{}', which is another stream than {}: scripts/v3dsim-picture --json "
      "makes one of it",
      options.model_file, clip.name, stream.name);
}

std::optional<model::QpuCost> cost_of_qpu(const model::Stream& stream, const model::Sample& sample,
                                          const ProposeOptions& options) {
  if (options.rates) return model::gates_qpu_cost(stream.sample_work(), sample, *options.rates);
  if (options.model) {
    return model::modelled_qpu_cost(stream.sample_work(), sample, *options.model,
                                    options.board ? options.board->device_memory_factor : 1);
  }
  if (options.device)
    return model::measured_qpu_cost(stream.sample_work(), sample, stream.rest_work());
  return std::nullopt;
}

StageCosts stage_costs(const model::Predictor& predictor, const model::FrameTotals& rest,
                       const model::Candidate& candidate) {
  StageCosts costs{candidate, false, {}};
  for (const vp9::ClockRow stage : vp9::kClockRows) {
    costs.seconds[static_cast<std::size_t>(stage)] =
        predictor.stage(candidate, stage, rest).expected / rest.shown;
  }
  return costs;
}

std::string gates_assumption(const model::GateRates& rates) {
  return fmt::format(
      "the QPU filters as the gates measured: {:.1f} us a submission, "
      "{:.1f} us a dispatch; beside NEON it takes {:.2f} times as long and "
      "NEON {:.2f} times; in its memory NEON takes {:.2f} times as long",
      1e6 * rates.submission, 1e6 * rates.dispatch, rates.qpu_slowdown, rates.neon_slowdown,
      rates.device_memory_factor);
}

std::string model_assumption(const model::PictureModel& model) {
  const auto line = [&](const std::vector<model::ModelledPicture>& pictures) {
    const model::ModelledLines lines = model::lines_of(pictures, model.dispatch_overhead());
    return fmt::format("{:.0f} to {:.0f} us a dispatch and {:.0f} to {:.0f} ns an edge",
                       1e6 * lines.low.per_part, 1e6 * lines.high.per_part,
                       1e9 * lines.low.per_size, 1e9 * lines.high.per_size);
  };
  return fmt::format(
      "{}: the QPU is a V3D {} at {:.0f} MHz and {:.2f} GB/s, fitted to published figures of one "
      "board; in steps {}, in waves {}; a submission costs {:.0f} us at the low end, at the high "
      "end "
      "every dispatch does",
      kModelLabel, model.v3d, model.assumed.at("clock_hz").high / 1e6,
      model.assumed.at("memory_bytes_per_second").high / 1e9, line(model.levels), line(model.waves),
      1e6 * model.dispatch_overhead());
}

/// "4 Cortex-A76 at 2.4 GHz".
std::string cores_of(const model::Board& board) {
  return fmt::format("{} Cortex-{} at {:.1f} GHz", board.cores,
                     board.core == model::Core::cortex_a72 ? "A72" : "A76", board.clock_hz / 1e9);
}

void add_board_assumptions(const model::Board& board, std::vector<std::string>& all) {
  all.push_back(fmt::format(
      "{}: the CPU is {}; a frame costs it its kernels' calls, bits and blocks times "
      "the cycles that docs/armsim.md models for each, whose intervals are added; of an "
      "edge, that its mask is met",
      kModelLabel, cores_of(board)));
  all.push_back(
      fmt::format("{}: between one thread and {} all stages divide perfectly at the low end of "
                  "time, all but parsing at the high end",
                  kModelLabel, board.cores));
}

/// Where the loop filter is divided the chroma planes are NEON's meanwhile, on up to two threads.
std::string memory_assumption(const model::QpuCost& qpu) {
  const auto text = [&](vp9::FilterOrder schedule) {
    const model::Slowdowns slowdowns = qpu.beside(schedule, 2);
    return fmt::format("the QPU moves {:.1f} GB/s, takes {:.2f} times as long and NEON {:.2f}",
                       qpu.of(schedule).bytes / 1e9, slowdowns.qpu, slowdowns.neon);
  };
  return fmt::format(
      "{}: while both filter they share {:.1f} GB/s of memory, of which a NEON thread alone would "
      "take {:.1f}; beside two of them in steps {}, in waves {}",
      kModelLabel, qpu.memory->board.memory_bytes_per_second / 1e9, qpu.memory->neon_bytes / 1e9,
      text(vp9::FilterOrder::levels), text(vp9::FilterOrder::waves));
}

void add_model_assumptions(const ProposeOptions& options, const model::QpuCost& qpu,
                           double cpu_factor, std::vector<std::string>& all) {
  all.push_back(model_assumption(*options.model));
  all.push_back(fmt::format("{}: what is expected is the middle of its two ends{}", kModelLabel,
                            qpu.memory ? ""
                                       : ", and that QPU and NEON do not disturb one another is "
                                         "taken for granted"));
  if (qpu.memory) all.push_back(memory_assumption(qpu));
  if (options.board_costs) {
    add_board_assumptions(options.board_costs->board, all);
  } else if (other_cpu(options)) {
    all.push_back(fmt::format(
        "the CPU is that of {} (M3 of {}): all stages take {:.2f} times as long as here, as the "
        "stream's edges do, and threads help there as they do here",
        options.board->board, fmt::join(options.board->origins, ", "), cpu_factor));
  } else {
    all.emplace_back(
        "the CPU is this machine's; M3 results of the board that the model is of (--results) put "
        "its "
        "CPU in place");
  }
  if (options.board && options.board->knows_device_memory) {
    all.push_back(fmt::format("in the QPU's memory NEON takes {:.2f} times as long (M3)",
                              options.board->device_memory_factor));
  } else {
    all.emplace_back(
        "in the QPU's memory NEON is as fast as in the heap, which on a Raspberry Pi "
        "nobody has shown");
  }
}

/// What plans of the back end rest on, or why there are none.
void add_back_end_assumptions(const ProposeOptions& options, const model::QpuCost& qpu,
                              std::vector<std::string>& all) {
  if (qpu.reconstruction.empty() && options.rates) {
    all.emplace_back(
        "the gates' results tell of the loop filter only: no plan has more of the back end on the "
        "QPU");
    return;
  }
  if (qpu.reconstruction.empty() && options.model) {
    all.emplace_back(
        "the model has no back end, so that only its loop filter is the QPU's: "
        "scripts/v3dsim-picture --back-end makes one that has");
    return;
  }
  if (qpu.reconstruction.empty()) {
    all.emplace_back(
        "a driver on the CPU would take minutes for plans that have stages of the back end on the "
        "QPU: they are left out; --device cpu has them");
    return;
  }
  if (!options.model) {
    all.emplace_back(
        "plans of the back end were measured on the sample, with low delay: no frame is parsed "
        "while the QPU has another");
    return;
  }
  all.push_back(fmt::format(
      "{}: with stages of the back end on the QPU a CPU parses, derives edges and writes what the "
      "QPU reads{}; "
      "the QPU takes, by stage, so much a sample or a block as in the {} pictures that were "
      "simulated; what is divided ends on both sides at once; what is expected has one stage after "
      "the other, undisturbed by the other side, the low end a frame parsed while the one before "
      "is reconstructed, the high end of a division the faster side alone",
      kModelLabel,
      options.board_costs ? ", a block at what its call costs without its kernel"
                          : ", of which nobody measured the last",
      options.model->back_end.size()));
}

/// "1 intra, 15 inter".
std::string text_of(const model::FrameTotals& totals) {
  std::vector<std::string> kinds;
  for (const model::FrameKind kind : model::kFrameKinds) {
    const double frames = totals.of(kind).parts;
    if (frames > 0) kinds.push_back(fmt::format("{:.0f} {}", frames, to_string(kind)));
  }
  return kinds.empty() ? "no frames" : fmt::format("{}", fmt::join(kinds, ", "));
}

std::vector<std::string> assumptions_of(const Proposal& proposal, const model::Stream& stream,
                                        const ProposeOptions& options, const model::QpuCost* qpu,
                                        const model::Machine& machine) {
  std::vector<std::string> all{
      fmt::format(
          "the sample has {}, the rest {}; a frame of a kind costs each stage so much and so "
          "much a byte, as in the sample",
          text_of(model::totals_of(stream.sample_work())),
          text_of(model::totals_of(stream.rest_work()))),
      fmt::format("how the rest differs from the sample leaves an interval of 95 %: up to {:.1f} % "
                  "more or less time{}",
                  100 * proposal.error,
                  options.board_costs
                      ? ""
                      : fmt::format("; two rounds of the sample differed by {:.1f} %",
                                    100 * proposal.unrest))};
  if (options.threads > 1 && !options.board_costs) {
    all.emplace_back("between one thread and all, stages follow Amdahl's law");
  }
  if (!proposal.no_qpu.empty()) return all;
  const model::EdgeMix& mix = proposal.mix;
  all.push_back(fmt::format(
      "edges divide as in the sample: {:.0f} a frame in {:.1f} steps or {:.1f} waves, "
      "of which a divided "
      "loop filter gives the QPU {:.0f} of luma in {:.1f} steps, or all {:.0f} in {:.1f} waves; an "
      "edge costs the "
      "same in luma and chroma",
      mix.edges, mix.steps, mix.waves, mix.large_edges, mix.large_steps, mix.luma_edges,
      mix.luma_waves));
  all.push_back(
      fmt::format("loop_filter=divided leaves NEON the levels from the first with fewer than {} "
                  "edges on{}: {}",
                  proposal.least_edges.edges,
                  mix.large_edges > 0 ? "" : ", which is all of them, so that it is no plan here",
                  proposal.least_edges.origin));
  add_back_end_assumptions(options, *qpu, all);
  if (options.rates) {
    all.push_back(gates_assumption(*options.rates));
  } else if (options.model) {
    add_model_assumptions(options, *qpu, proposal.cpu_factor, all);
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

/// Why plans with a QPU are predicted but cannot be run.
std::string no_qpu_run(const ProposeOptions& options) {
  if (!options.device) {
    return options.model ? fmt::format("plans with a QPU rest on the model; {}", options.no_device)
                         : options.no_device;
  }
  return fmt::format("plans with a QPU rest on the model of a V3D {}; {} is {}", options.model->v3d,
                     options.device->info().name,
                     options.device->info().simulated ? "simulated" : "another device");
}

/// Those that can be run here, on the rest of the stream.
void run_plans(const model::Stream& stream, const ProposeOptions& options, Proposal& proposal) {
  if (!options.run) {
    proposal.not_run = "not asked for";
    return;
  }
  if (options.board_costs) {
    proposal.not_run = "all is a model; without --model plans run on this machine";
    return;
  }
  if (other_cpu(options)) {
    proposal.not_run =
        fmt::format("the prediction is for {}, this is another machine", options.board->board);
    return;
  }
  const bool with_qpu = options.device && (!options.model || runs_modelled_plans(options));
  std::vector<model::Candidate> runs;
  for (const PlanResult& result : proposal.plans) {
    if (!result.candidate.plan.uses_qpu() || with_qpu) runs.push_back(result.candidate);
  }
  if (runs.size() < proposal.plans.size()) proposal.not_run = no_qpu_run(options);
  const std::vector<double> seconds =
      measure_rest(stream, runs, {options.device, proposal.least_edges.edges});
  for (PlanResult& result : proposal.plans) {
    const auto found = std::ranges::find(runs, result.candidate);
    if (found == runs.end()) continue;
    result.measured = seconds[static_cast<std::size_t>(found - runs.begin())];
  }
}

/// Those that were run and are expected to keep the aim's rate, one after the other.
void play_plans(const model::Stream& stream, const ProposeOptions& options, Proposal& proposal) {
  for (PlanResult& result : proposal.plans) {
    if (!result.measured || !keeps_rate(proposal, result)) continue;
    result.played =
        play_rest(stream, result.candidate, {options.device, proposal.least_edges.edges},
                  proposal.fps, options.meter, proposal.no_energy);
  }
}

/// The best plan where speed is not what counts.
void serve_aim(const model::Stream& stream, const ProposeOptions& options, Proposal& proposal) {
  if (options.aim == Aim::speed) return;
  proposal.aim = options.aim;
  proposal.fps = options.fps;
  if (options.meter != nullptr) {
    proposal.energy_sensor = options.meter->description().value.value_or("");
  }
  play_plans(stream, options, proposal);
  choose_for_aim(proposal);
}

std::string qpu_origin(const ProposeOptions& options) {
  if (options.rates) {
    return fmt::format("M3 to M5 of {}", fmt::join(options.rates->origins, ", "));
  }
  if (options.board_costs) {
    return fmt::format("V3D {} of a {}, simulated on the first {} packets: {}", options.model->v3d,
                       options.board_costs->board.name, options.model->clip.packets, kModelLabel);
  }
  if (options.model) {
    return fmt::format("V3D {} of '{}': {}", options.model->v3d, options.model_file, kModelLabel);
  }
  return fmt::format("{}, measured on the sample", options.device->info().name);
}

/// Whether the "QPU" shares the cores of the decoder's threads.
bool on_cpu(const ProposeOptions& options) {
  if (options.rates) return options.rates->cpu_device();
  if (options.model || !options.device) return false;
  return options.device->info().is_cpu();
}

/// Whether a division leaves the QPU without an edge: that is NEON's plan by another name.
bool leaves_nothing(const vp9::Plan& plan, const model::EdgeMix& mix) {
  return !plan.reconstructs_on_qpu() && plan.is_divided(vp9::Stage::loop_filter) &&
         mix.shared(plan.filter_order).edges <= 0;
}

/// Whether the model leaves open which of two plans takes less: their intervals meet, those of the
/// stages that are not the same in both.
bool is_open(const model::Predictor& predictor, const model::FrameTotals& rest, double error,
             const model::Candidate& best, const model::Candidate& other) {
  double most_of_best = 0;
  double least_of_other = 0;
  for (const vp9::ClockRow stage : vp9::kClockRows) {
    const model::Estimate of_best = predictor.stage(best, stage, rest);
    const model::Estimate of_other = predictor.stage(other, stage, rest);
    if (of_best == of_other) continue;
    most_of_best += of_best.high;
    least_of_other += of_other.low;
  }
  return least_of_other / (1 + error) < most_of_best * (1 + error);
}

/// The fastest plan on as many threads on the other side of the question what the model of a QPU is
/// worth, if it is open; null when there is none.
const PlanResult* rival(const Proposal& proposal, const model::Predictor& predictor,
                        const model::FrameTotals& rest) {
  const PlanResult& best = proposal.plans[proposal.best];
  const PlanResult* rival = nullptr;
  for (const PlanResult& other : proposal.plans) {
    if (other.candidate.plan.uses_qpu() == best.candidate.plan.uses_qpu()) continue;
    if (!other.modelled && !best.modelled) continue;
    if (other.candidate.threads != best.candidate.threads) continue;
    if (!is_open(predictor, rest, proposal.error, best.candidate, other.candidate)) continue;
    if (rival == nullptr || other.predicted.expected < rival->predicted.expected) rival = &other;
  }
  return rival;
}

/// Those of model::reconstruction_plans() whose cost is known.
std::vector<vp9::Plan> plans_of(const model::QpuCost* qpu) {
  std::vector<vp9::Plan> plans;
  if (qpu == nullptr) return plans;
  for (const model::ReconstructionCost& cost : qpu->reconstruction) plans.push_back(cost.plan);
  return plans;
}

/// What the sample costs, by whatever tells.
struct SampleCosts {
  model::CpuCost cpu;
  std::optional<model::QpuCost> qpu;
  model::EdgeMix mix;
  double unrest = 0;
  double cpu_factor = 1;
};

SampleCosts modelled_costs(const model::Stream& stream, const ProposeOptions& options,
                           const LeastEdges& least_edges) {
  const std::vector<model::CountedFrame> frames = model::count_sample(stream, least_edges.edges);
  model::Sample sample;
  for (const model::CountedFrame& frame : frames) sample.mixes.push_back(frame.mix);
  SampleCosts costs;
  costs.cpu = model::modelled_cpu_cost(stream, frames, *options.board_costs);
  costs.qpu = model::modelled_qpu_cost(stream.sample_work(), sample, *options.model, 1);
  costs.qpu->memory = model::shared_memory(stream, *options.board_costs);
  if (!options.model->back_end.empty()) {
    costs.qpu->reconstruction = model::modelled_back_end_costs(
        stream, frames,
        {.neon = model::modelled_neon_stages(stream, frames, *options.board_costs),
         .threads = costs.cpu.neon,
         .board = &*options.board_costs},
        *options.model);
  }
  costs.mix = model::mean(sample.mixes, stream.sample_work());
  return costs;
}

SampleCosts measured_costs(const model::Stream& stream, const ProposeOptions& options,
                           const LeastEdges& least_edges) {
  const bool sample_qpu = options.device != nullptr && !options.rates && !options.model;
  model::Sample sample = measure_sample(
      stream, model::sampled_candidates(options.threads, sample_qpu, options.back_end),
      {options.device, least_edges.edges});
  SampleCosts costs;
  if (other_cpu(options)) costs.cpu_factor = model::cpu_factor(sample, options.board->neon_edges);
  model::scale_seconds(sample, costs.cpu_factor);
  costs.cpu = model::measured_cpu_cost(stream.sample_work(), sample, stream.rest_work());
  costs.qpu = cost_of_qpu(stream, sample, options);
  if (options.model && !options.rates && !options.model->back_end.empty()) {
    costs.qpu->reconstruction = model::modelled_back_end_costs(
        stream, model::count_sample(stream, least_edges.edges),
        {.neon = model::measured_neon_stages(sample),
         .threads = costs.cpu.neon,
         .memory_factor = options.board ? options.board->device_memory_factor : 1},
        *options.model);
  }
  costs.mix = model::mean(sample.mixes, stream.sample_work());
  costs.unrest = sample.unrest;
  return costs;
}

}  // namespace

bool is_modelled_device(const qpu::DeviceInfo& device, const model::PictureModel& model) {
  return !device.is_cpu() && device.name.starts_with(fmt::format("V3D {}.", model.v3d));
}

Proposal propose(const model::Stream& stream, const ProposeOptions& options) {
  check_model(stream, options);
  const gates::EnvironmentRecord before = gates::record_environment();
  const LeastEdges least_edges = least_edges_for(stream, options);
  const SampleCosts costs = options.board_costs ? modelled_costs(stream, options, least_edges)
                                                : measured_costs(stream, options, least_edges);
  const model::Machine machine{options.cores, on_cpu(options)};
  const model::FrameTotals rest = model::totals_of(stream.rest_work());
  const model::QpuCost* const qpu = costs.qpu ? &*costs.qpu : nullptr;
  const model::Predictor predictor(costs.cpu, costs.mix, qpu, machine);

  Proposal proposal;
  proposal.stream = stream.name;
  proposal.packets = stream.packets.size();
  proposal.sample = stream.sample;
  proposal.pictures = rest.shown;
  if (proposal.pictures < 1)
    throw usage_error("{}: nothing is shown after the sample", stream.name);
  if (qpu != nullptr) {
    proposal.qpu = qpu_origin(options);
  } else {
    proposal.no_qpu = options.no_device;
  }
  if (options.board_costs) {
    const model::Board& board = options.board_costs->board;
    proposal.cpu = fmt::format("{} of a {}: {}", cores_of(board), board.name, kModelLabel);
  }
  proposal.mix = costs.mix;
  proposal.least_edges = least_edges;
  proposal.cpu_factor = costs.cpu_factor;
  proposal.error = costs.cpu.neon.error;
  if (costs.cpu.scalar) proposal.error = std::max(proposal.error, costs.cpu.scalar->error);
  proposal.unrest = costs.unrest;
  std::vector<model::Estimate> estimates;
  for (const model::Candidate& candidate :
       model::all_candidates(options.threads, qpu != nullptr, least_edges.edges, plans_of(qpu))) {
    if (leaves_nothing(candidate.plan, proposal.mix)) continue;
    if (candidate.plan == model::scalar_plan() && !costs.cpu.scalar) continue;
    estimates.push_back(predictor.total(candidate, rest));
    const bool modelled =
        options.board_costs.has_value() || (options.model && candidate.plan.uses_qpu());
    proposal.plans.push_back(
        {candidate, modelled, estimates.back(), {}, predictor.cpu_time(candidate, rest), {}});
    if (candidate.threads == 1 || candidate.threads == options.threads) {
      proposal.stages.push_back(stage_costs(predictor, rest, candidate));
      proposal.stages.back().modelled = modelled;
    }
  }
  proposal.best = model::fastest(estimates);
  if (const PlanResult* const other = rival(proposal, predictor, rest)) {
    proposal.rival = static_cast<std::size_t>(other - proposal.plans.data());
  }
  proposal.assumptions = assumptions_of(proposal, stream, options, qpu, machine);
  run_plans(stream, options, proposal);
  serve_aim(stream, options, proposal);
  const gates::EnvironmentRecord after = gates::record_environment();
  proposal.run = {{},
                  gates::build_record(),
                  before,
                  after,
                  gates::throttled_between(before.throttle, after.throttle)};
  return proposal;
}

}  // namespace sidecore::split
