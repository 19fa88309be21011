#include "split/propose.h"

#include <algorithm>

#include "base/error.h"
#include "model/back_end_model.h"
#include "model/device_memory.h"

namespace sidecore::split {
namespace {

constexpr const char* kModelLabel = "model, not measured";

bool runs_modelled_plans(const ProposeOptions& options) {
  return options.device && is_modelled_device((*options.device)->info(), *options.model);
}

bool is_other_cpu(const ProposeOptions& options) {
  return options.board && !options.board->this_machine;
}

void check_model(const model::Stream& stream, const ProposeOptions& options) {
  if (!options.model) return;
  const model::ModelledClip& clip = options.model->clip;
  if (clip.packets > stream.packets.size()) {
    throw usage_error("'{}' models {} packets of '{}', but only {} packets of {} are read",
                      options.model_file, clip.packets, clip.name, stream.packets.size(),
                      stream.name);
  }
  if (options.model->waves.empty()) {
    throw usage_error("'{}' models {} packets of '{}' that have no edges to filter",
                      options.model_file, clip.packets, clip.name);
  }
  if (model::digest_of(std::span(stream.packets).first(clip.packets)) == clip.md5) return;
  throw usage_error(
      "'{}' is a model of '{}', which is another stream than {}: make a model of this stream with "
      "scripts/v3dsim-picture --json",
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
      "the QPU filters as the gates measured: {:.1f} us per submission and {:.1f} us per dispatch; "
      "while both filter, the QPU takes {:.2f} times as long and NEON {:.2f} times; in device "
      "memory "
      "NEON takes {:.2f} times as long as in the heap",
      1e6 * rates.submission, 1e6 * rates.dispatch, rates.qpu_slowdown, rates.neon_slowdown,
      rates.device_memory_factor);
}

std::string model_assumption(const model::PictureModel& model) {
  const auto line = [&](const std::vector<model::ModelledPicture>& pictures) {
    const model::ModelledLines lines = model::fit_lines(pictures, model.dispatch_overhead());
    return fmt::format("{:.0f} to {:.0f} us per dispatch and {:.0f} to {:.0f} ns per edge",
                       1e6 * lines.low.per_part, 1e6 * lines.high.per_part,
                       1e9 * lines.low.per_size, 1e9 * lines.high.per_size);
  };
  return fmt::format(
      "{}: the QPU is a V3D {} at {:.0f} MHz and {:.2f} GB/s, fitted to published figures of one "
      "board; by dependency levels it takes {}, by superblock waves {}; a fixed cost of {:.0f} us "
      "is "
      "counted once per submission at the low end, and once per dispatch at the high end",
      kModelLabel, model.v3d, model.assumed.at("clock_hz").high / 1e6,
      model.assumed.at("memory_bytes_per_second").high / 1e9, line(model.levels), line(model.waves),
      1e6 * model.dispatch_overhead());
}

/// Returns the board's CPU in words: "4 Cortex-A76 at 2.4 GHz".
std::string cores_of(const model::Board& board) {
  return fmt::format("{} Cortex-{} at {:.1f} GHz", board.cores,
                     board.core == model::Core::cortex_a72 ? "A72" : "A76", board.clock_hz / 1e9);
}

void add_board_assumptions(const model::Board& board, std::vector<std::string>& all) {
  all.push_back(
      fmt::format("{}: the CPU is {}; the cost of a frame is its numbers of kernel calls, bits and "
                  "blocks, each "
                  "times the cycles that docs/armsim.md models for it; the ends of the intervals "
                  "are added; every "
                  "edge passes the filter mask",
                  kModelLabel, cores_of(board)));
  all.push_back(
      fmt::format("{}: from one thread to {}, all stages scale perfectly at the low end of the "
                  "time, and all but parsing scale perfectly at the high end",
                  kModelLabel, board.cores));
}

/// Describes a divided loop filter: while the QPU filters luma, NEON filters the chroma planes on
/// up to two threads.
std::string memory_assumption(const model::QpuCost& qpu) {
  const auto text = [&](vp9::FilterOrder schedule) {
    const model::Slowdowns slowdowns = qpu.beside(schedule, 2);
    return fmt::format(
        "the QPU moves {:.1f} GB/s and takes {:.2f} times as long, NEON {:.2f} times",
        qpu.of(schedule).bytes / 1e9, slowdowns.qpu, slowdowns.neon);
  };
  return fmt::format(
      "{}: while QPU and NEON filter, they share {:.1f} GB/s of memory bandwidth, of which one "
      "NEON "
      "thread alone would use {:.1f}; beside two NEON threads, by dependency levels {}; by "
      "superblock waves {}",
      kModelLabel, qpu.memory->board.memory_bytes_per_second / 1e9, qpu.memory->neon_bytes / 1e9,
      text(vp9::FilterOrder::levels), text(vp9::FilterOrder::waves));
}

/// Returns the CPU seconds of accesses to the GPU's memory of the modelled board.
GpuMemoryUse use_of(const model::SampleTraffic& traffic, const ProposeOptions& options) {
  return {traffic, model::estimate_uncached(traffic, options.board_costs->uncached)};
}

/// Adds how the CPU's accesses to the GPU's memory count, and under which plans working on a copy
/// of each picture would take less time.
void add_gpu_memory_assumptions(const Proposal& proposal, const ProposeOptions& options,
                                std::vector<std::string>& all) {
  const auto& [read, write] = options.board_costs->uncached;
  all.push_back(fmt::format(
      "{}: under plans with the QPU, pictures are in the GPU's memory, which no cache holds; there "
      "a NEON thread reads {:.2f} GB/s ({:.2f} to {:.2f}) with loads of 16 bytes, and shorter "
      "loads take as long, except at the low end of the time; it writes {:.2f} GB/s ({:.2f} or "
      "more)",
      kModelLabel, read.expected / 1e9, read.low / 1e9, read.high / 1e9, write.expected / 1e9,
      write.low / 1e9));
  const model::Estimate copy = proposal.picture_copy->seconds;
  all.push_back(fmt::format(
      "{}: no output is included; a player that copies pictures out of the GPU's memory takes "
      "{:.2f} ms ({:.2f} to {:.2f}) more CPU time per picture under plans with the QPU",
      kModelLabel, 1e3 * copy.expected, 1e3 * copy.low, 1e3 * copy.high));
  model::SampleTraffic there_and_back = proposal.picture_copy->traffic;
  there_and_back.written_bytes = there_and_back.reads.bytes;
  const double copying = use_of(there_and_back, options).seconds.expected;
  std::vector<std::string> shorter;
  for (const StageCosts& costs : proposal.stages) {
    if (!costs.gpu_memory || costs.candidate.threads > 1) continue;
    const double direct = costs.gpu_memory->seconds.expected;
    if (copying >= direct) continue;
    shorter.push_back(
        fmt::format("{} ({:.2f} ms)", vp9::to_text(costs.candidate.plan), 1e3 * direct));
  }
  if (shorter.empty()) return;
  all.push_back(fmt::format(
      "{}: the decoder copies no picture; copying each one to ordinary memory and back would take "
      "{:.2f} ms per frame, less than the accesses in the GPU's memory under {}",
      kModelLabel, 1e3 * copying, fmt::join(shorter, ", ")));
}

void add_model_assumptions(const ProposeOptions& options, const model::QpuCost& qpu,
                           const Proposal& proposal, std::vector<std::string>& all) {
  all.push_back(model_assumption(*options.model));
  all.push_back(fmt::format("{}: the expected time is the middle of the interval{}", kModelLabel,
                            qpu.memory ? ""
                                       : "; QPU and NEON are assumed not to slow each other "
                                         "down"));
  if (qpu.memory) all.push_back(memory_assumption(qpu));
  if (options.board_costs) {
    add_board_assumptions(options.board_costs->board, all);
  } else if (is_other_cpu(options)) {
    all.push_back(fmt::format(
        "the CPU is that of {} (M3 of {}): all stages take {:.2f} times as long as on this "
        "machine, "
        "which is the factor for the stream's edges; more threads help as much as on this machine",
        options.board->board, fmt::join(options.board->origins, ", "), proposal.cpu_factor));
  } else {
    all.emplace_back(
        "the CPU is this machine's; to use the modelled board's CPU, give its M3 results "
        "(--results)");
  }
  if (options.board_costs) {
    add_gpu_memory_assumptions(proposal, options, all);
  } else if (options.board && options.board->knows_device_memory) {
    all.push_back(
        fmt::format("in device memory NEON takes {:.2f} times as long as in the heap (M3)",
                    options.board->device_memory_factor));
  } else {
    all.emplace_back(
        "NEON is as fast in device memory as in the heap; this has not been shown on a Raspberry "
        "Pi");
  }
}

/// Adds the assumptions about costs of plans that reconstruct on the QPU, or the reason why there
/// are no such plans.
void add_back_end_assumptions(const ProposeOptions& options, const model::QpuCost& qpu,
                              std::vector<std::string>& all) {
  if (qpu.reconstruction.empty() && options.rates) {
    all.emplace_back(
        "the gates' results cover only the loop filter, so no plan has other pixel stages on the "
        "QPU");
    return;
  }
  if (qpu.reconstruction.empty() && options.model) {
    all.emplace_back(
        "the model covers only the loop filter, so no plan has other pixel stages on the QPU; "
        "scripts/v3dsim-picture --back-end models all of them");
    return;
  }
  if (qpu.reconstruction.empty()) {
    all.emplace_back(
        "plans with pixel stages before the loop filter on the QPU are left out, because a Vulkan "
        "driver on the CPU takes minutes for them; --device cpu includes them");
    return;
  }
  if (!options.model) {
    all.emplace_back(
        "plans with pixel stages before the loop filter on the QPU were measured with low delay: "
        "no "
        "frame is parsed while the QPU works on another");
    return;
  }
  all.push_back(fmt::format(
      "{}: for plans with pixel stages before the loop filter on the QPU, the CPU parses, derives "
      "edges and writes lists of the work{}; each stage on the QPU takes as much per sample, block "
      "or edge as in the {} simulated pictures; QPU and NEON finish a divided stage at the same "
      "time; the expected time is the sum of the stages, with no slowdown by the other processor; "
      "at the low end a frame is parsed while the previous one is reconstructed; at the high end "
      "the faster processor does a divided stage alone",
      kModelLabel,
      options.board_costs ? " (per block, the cost of a call without its kernel)"
                          : " (the lists' cost is unknown and left out)",
      options.model->back_end.size()));
}

/// Returns the number of frames of each kind: "1 intra, 15 inter".
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
      fmt::format("the first frames are {}, the remaining ones {}; in each stage a frame takes a "
                  "fixed time "
                  "plus a time per byte, both fitted to the first frames of the same kind",
                  text_of(model::totals_of(stream.sample_work())),
                  text_of(model::totals_of(stream.rest_work()))),
      fmt::format(
          "with a probability of 95 % the time of the remaining frames, predicted from the first "
          "ones, is wrong by a factor of at most {:.2f}{}",
          1 + proposal.error,
          options.board_costs
              ? ""
              : fmt::format("; two rounds over the first frames differed by {:.1f} %",
                            100 * proposal.unrest))};
  if (options.threads > 1 && !options.board_costs) {
    all.emplace_back("between one thread and all, the time of each stage follows Amdahl's law");
  }
  if (qpu == nullptr) return all;
  const model::EdgeMix& mix = proposal.mix;
  all.push_back(fmt::format(
      "edges are distributed as in the first frames, which have on average {:.0f} edges in {:.1f} "
      "dependency levels or {:.1f} superblock waves; a divided loop filter gives the QPU {:.0f} "
      "luma "
      "edges in {:.1f} levels, or all {:.0f} luma edges in {:.1f} waves; an edge costs the same in "
      "luma and chroma",
      mix.edges, mix.steps, mix.waves, mix.large_edges, mix.large_steps, mix.luma_edges,
      mix.luma_waves));
  all.push_back(fmt::format(
      "loop_filter=divided gives NEON the first dependency level with fewer than {} "
      "edges and all later levels{}: {}",
      proposal.least_edges.edges,
      mix.large_edges > 0 ? "" : " (here these are all levels, so this plan is left out)",
      proposal.least_edges.origin));
  add_back_end_assumptions(options, *qpu, all);
  if (options.rates) {
    all.push_back(gates_assumption(*options.rates));
  } else if (options.model) {
    add_model_assumptions(options, *qpu, proposal, all);
  } else {
    all.emplace_back(
        "no gate results were given: the QPU was measured on the first frames, and QPU and NEON "
        "are "
        "assumed not to slow each other down");
  }
  if (machine.cpu_device) {
    all.push_back(fmt::format(
        "the Vulkan driver runs on the CPU: it shares {} core{} with the decoder's threads",
        machine.cores, machine.cores == 1 ? "" : "s"));
  }
  return all;
}

/// Returns the open device, or null.
qpu::Device* device_of(const ProposeOptions& options) {
  return options.device.value.value_or(nullptr);
}

/// Returns the reason why the plan is predicted but cannot run here; none if it can.
std::optional<std::string> why_cannot_run(const ProposeOptions& options, const vp9::Plan& plan) {
  if (!options.run) return "--no-run was given";
  if (options.board_costs)
    return "all costs are modelled; without --model, plans run on this machine";
  if (is_other_cpu(options)) {
    return fmt::format("the prediction is for {}, and this is another machine",
                       options.board->board);
  }
  if (!plan.uses_qpu()) return std::nullopt;
  if (!options.device) {
    const std::string& reason = options.device.reason;
    return options.model
               ? fmt::format("costs of plans with a QPU are modelled, and there is no device: {}",
                             reason)
               : reason;
  }
  if (!options.model || runs_modelled_plans(options)) return std::nullopt;
  const qpu::DeviceInfo& device = (*options.device)->info();
  return fmt::format("costs of plans with a QPU are those of a modelled V3D {}; {} is {}",
                     options.model->v3d, device.name,
                     device.simulated ? "simulated" : "another device");
}

/// Measures the remaining frames under each plan that can run here; records why the others cannot.
void run_plans(const model::Stream& stream, const ProposeOptions& options, Proposal& proposal) {
  std::vector<model::Candidate> candidates;
  std::vector<PlanResult*> runs;
  for (PlanResult& result : proposal.plans) {
    if (const auto reason = why_cannot_run(options, result.candidate.plan)) {
      result.measured = Outcome<double>::none(*reason);
    } else {
      candidates.push_back(result.candidate);
      runs.push_back(&result);
    }
  }
  if (runs.empty()) return;
  const std::vector<double> seconds = measure_rest(stream, candidates, device_of(options));
  for (std::size_t index = 0; index < runs.size(); ++index) {
    runs[index]->measured.value = seconds[index];
  }
}

/// Plays, one after another, the plans that were run and are expected to keep the aim's rate.
void play_plans(const model::Stream& stream, const ProposeOptions& options, Proposal& proposal) {
  for (PlanResult& result : proposal.plans) {
    if (!result.measured || !keeps_rate(proposal, result)) continue;
    result.played =
        play_rest(stream, result.candidate, device_of(options), proposal.fps, options.meter);
  }
}

/// Plays the plans and chooses the best one for an aim other than speed.
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
    return fmt::format("V3D {} of the model '{}': {}", options.model->v3d, options.model_file,
                       kModelLabel);
  }
  return fmt::format("{}, measured on the first frames", (*options.device)->info().name);
}

/// Returns true if the device used as QPU is a Vulkan driver on the cores of the decoder's threads.
bool on_cpu(const ProposeOptions& options) {
  if (options.rates) return options.rates->cpu_device();
  if (options.model || !options.device) return false;
  return (*options.device)->info().is_cpu();
}

/// Returns true if a divided loop filter gives the QPU no edge: it then equals NEON's plan.
bool gives_qpu_no_edge(const vp9::Plan& plan, const model::EdgeMix& mix) {
  return !plan.reconstructs_on_qpu() && plan.is_divided(vp9::Stage::loop_filter) &&
         mix.shared(plan.filter_order).edges <= 0;
}

/// Returns true if the model does not decide which plan takes less time: the intervals overlap,
/// summed over the stages whose estimates differ.
bool is_undecided(const model::Predictor& predictor, const model::FrameTotals& rest, double error,
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

/// Returns the fastest plan that the model cannot tell from the best one. It has the same number of
/// threads, and uses the QPU only if the best plan does not. Null if there is none.
const PlanResult* rival(const Proposal& proposal, const model::Predictor& predictor,
                        const model::FrameTotals& rest) {
  const PlanResult& best = proposal.plans[proposal.best];
  const PlanResult* rival = nullptr;
  for (const PlanResult& other : proposal.plans) {
    if (other.candidate.plan.uses_qpu() == best.candidate.plan.uses_qpu()) continue;
    if (!other.modelled && !best.modelled) continue;
    if (other.candidate.threads != best.candidate.threads) continue;
    if (!is_undecided(predictor, rest, proposal.error, best.candidate, other.candidate)) continue;
    if (rival == nullptr || other.predicted.expected < rival->predicted.expected) rival = &other;
  }
  return rival;
}

/// Returns the plans of model::reconstruction_plans() whose cost is known.
std::vector<vp9::Plan> plans_of(const model::QpuCost* qpu) {
  std::vector<vp9::Plan> plans;
  if (qpu == nullptr) return plans;
  for (const model::ReconstructionCost& cost : qpu->reconstruction) plans.push_back(cost.plan);
  return plans;
}

/// Returns the seconds of the QPU for the remaining frames. A row that QPU and NEON divide counts
/// whole.
model::Estimate qpu_time(const model::Predictor& predictor, const model::Candidate& candidate,
                         const model::FrameTotals& rest, double error) {
  model::Estimate sum;
  for (const vp9::ClockRow row : vp9::kClockRows) {
    if (!model::is_on_qpu(candidate.plan, row)) continue;
    const model::Estimate part = predictor.stage(candidate, row, rest);
    sum = {sum.low + part.low, sum.expected + part.expected, sum.high + part.high};
  }
  return {sum.low / (1 + error), sum.expected, sum.high * (1 + error)};
}

/// Returns the bytes per picture that CPU and QPU move from and to the memory of a modelled board.
/// NEON alone writes each picture once, and reads it once as a reference. The QPU moves what keeps
/// its memory busy in the simulated pictures.
double memory_bytes(const model::Predictor& predictor, const PlanResult& plan,
                    const model::Stream& stream, const ProposeOptions& options,
                    const model::QpuCost& qpu, double pictures) {
  const auto traffic = predictor.gpu_memory_traffic(plan.candidate);
  if (!traffic) return 2 * model::count_picture_copy(stream).reads.bytes;
  const double of_cpu = traffic->reads.bytes + traffic->written_bytes;
  if (!plan.candidate.plan.reconstructs_on_qpu()) {
    const double rate = qpu.of(plan.candidate.plan.filter_order).bytes;
    return of_cpu + rate * plan.qpu.expected / pictures;
  }
  double seconds = 0;
  for (const model::ReconstructedPicture& picture : options.model->back_end) {
    for (const vp9::Stage stage : vp9::kStages) {
      if (!plan.candidate.plan.on_qpu(stage)) continue;
      seconds += picture.stages[stage].bounds.at("memory").middle();
    }
  }
  return of_cpu + seconds / static_cast<double>(options.model->back_end.size()) *
                      options.model->assumed.at("memory_bytes_per_second").high;
}

/// Costs of CPU and QPU, measured on the first frames or modelled.
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
  costs.qpu->neon_in_gpu_memory =
      model::modelled_neon_in_gpu_memory(stream, frames, *options.board_costs);
  if (!options.model->back_end.empty()) {
    using model::PictureMemory;
    const auto neon = [&](PictureMemory pictures) {
      return model::modelled_neon_stages(stream, frames, *options.board_costs, pictures);
    };
    costs.qpu->reconstruction =
        model::modelled_back_end_costs(stream, frames,
                                       {.neon = neon(PictureMemory::heap),
                                        .neon_in_gpu_memory = neon(PictureMemory::gpu),
                                        .threads = costs.cpu.neon,
                                        .board = &*options.board_costs},
                                       *options.model);
  }
  costs.mix = model::mean(sample.mixes, stream.sample_work());
  return costs;
}

SampleCosts measured_costs(const model::Stream& stream, const ProposeOptions& options,
                           const LeastEdges& least_edges) {
  const bool sample_qpu = options.device && !options.rates && !options.model;
  model::Sample sample = measure_sample(
      stream, model::sampled_candidates(options.threads, sample_qpu, options.back_end),
      device_of(options), least_edges.edges);
  SampleCosts costs;
  if (is_other_cpu(options))
    costs.cpu_factor = model::cpu_factor(sample, options.board->neon_edges);
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
  const LeastEdges least_edges = choose_least_edges(stream, options);
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
    throw usage_error(
        "{}: no picture is shown after the first packets, which are measured: lower --sample",
        stream.name);
  if (qpu != nullptr) {
    proposal.qpu.value = qpu_origin(options);
  } else {
    proposal.qpu.reason = options.device.reason;
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
    if (gives_qpu_no_edge(candidate.plan, proposal.mix)) continue;
    if (candidate.plan == model::scalar_plan() && !costs.cpu.scalar) continue;
    estimates.push_back(predictor.total(candidate, rest));
    const bool modelled =
        options.board_costs.has_value() || (options.model && candidate.plan.uses_qpu());
    proposal.plans.push_back(
        {candidate, modelled, estimates.back(), {}, predictor.cpu_time(candidate, rest), {}});
    PlanResult& result = proposal.plans.back();
    if (candidate.plan.uses_qpu()) {
      result.qpu = qpu_time(predictor, candidate, rest, proposal.error);
    }
    if (options.board_costs) {
      result.memory_bytes =
          memory_bytes(predictor, result, stream, options, *qpu, proposal.pictures);
    }
    if (candidate.threads == 1 || candidate.threads == options.threads) {
      proposal.stages.push_back(stage_costs(predictor, rest, candidate));
      proposal.stages.back().modelled = modelled;
      if (const auto traffic = predictor.gpu_memory_traffic(candidate)) {
        proposal.stages.back().gpu_memory = use_of(*traffic, options);
      }
    }
  }
  if (options.board_costs) {
    proposal.picture_copy = use_of(model::count_picture_copy(stream), options);
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
