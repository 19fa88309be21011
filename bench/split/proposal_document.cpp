#include <array>
#include <optional>
#include <utility>

#include "base/json_outcome.h"
#include "gates/run_record_fields.h"
#include "split/proposal.h"

namespace sidecore {

/// Converts a stage plan to and from the text that Plan::parse() reads.
template <>
struct json::Converter<vp9::Plan> {
  static Ordered write(const vp9::Plan& plan) { return vp9::to_text(plan); }
  static void read(const Json& json, const Place& place, vp9::Plan& plan) {
    std::string text;
    Converter<std::string>::read(json, place, text);
    try {
      plan = vp9::Plan::parse(text);
    } catch (const Error&) {
      throw place.error("is not a stage plan");
    }
  }
  static Ordered describe(Ordered& definitions, const About& about) {
    return Converter<std::string>::describe(definitions, about);
  }
};

namespace split {
namespace {

constexpr json::DocumentKind kProposalKind{"sidecore-split", 5, "proposal of sidecore split", 5};
constexpr const char* kMeasured = "measured";
constexpr const char* kModelled = "model, not measured";

}  // namespace

/// A model::Estimate in the order of the document's members.
struct EstimateMembers {
  double expected = 0;
  double low = 0;
  double high = 0;
};

/// A PlanResult with rates in place of times.
struct PlanRates {
  model::Candidate candidate;
  bool modelled = false;
  EstimateMembers predicted;  ///< predicted pictures per second
  std::optional<double> measured;
  std::optional<double> error;
  EstimateMembers cpu{};  ///< predicted CPU seconds per picture
  EstimateMembers qpu{};  ///< predicted seconds of the QPU per picture
  std::optional<PlayedPlan> played{};
};

EstimateMembers members_of(const model::Estimate& estimate, double factor) {
  return {estimate.expected * factor, estimate.low * factor, estimate.high * factor};
}
model::Estimate estimate_of(const EstimateMembers& members, double factor) {
  return {members.low * factor, members.expected * factor, members.high * factor};
}

constexpr auto values_of(Aim) {
  return kAims;
}

/// Lists the first members of StageCosts and of PlanRates.
void candidate_fields(auto& json, model::Candidate& candidate, bool& modelled) {
  std::string basis = modelled ? kModelled : kMeasured;
  json("plan", candidate.plan, {"Stage plan as `sidecore decode --plan` takes it."});
  json("threads", candidate.threads, {.minimum = 1});
  json("basis", basis, {.one_of = {kMeasured, kModelled}});
  modelled = basis == kModelled;
}

/// Returns the document's key of a clock row. For inter prediction it is "prediction", not the
/// row's name.
const char* key_of(vp9::ClockRow row) {
  return row == vp9::ClockRow::prediction ? "prediction" : to_string(row);
}

void fields(auto& json, EstimateMembers& of) {
  json("expected", of.expected, {.minimum = 0});
  json("low", of.low, {.minimum = 0});
  json("high", of.high, {.minimum = 0});
}

void fields(auto& json, GpuMemoryUse& use) {
  auto& [reads, written] = use.traffic;
  json.record("gpu_memory_use", "Accesses of the CPU to samples in the GPU's memory.");
  json("read_bytes", reads.bytes, {.minimum = 0});
  json("loads", reads.loads,
       {.text = "Number of loads of at most 16 bytes that read them.", .minimum = 0});
  json("written_bytes", written, {.minimum = 0});
  EstimateMembers seconds = members_of(use.seconds, 1);
  json("cpu_seconds", seconds, {.text = "CPU seconds of all threads for these accesses."});
  use.seconds = estimate_of(seconds, 1);
}

void fields(auto& json, StageCosts& costs) {
  candidate_fields(json, costs.candidate, costs.modelled);
  json.object(
      "seconds_per_picture",
      [&](auto& seconds) {
        for (const vp9::ClockRow row : vp9::kClockRows) {
          seconds(key_of(row), costs.seconds[static_cast<std::size_t>(row)], {.minimum = 0});
        }
      },
      {"Expected seconds of each stage that `sidecore decode --stats` names; `prediction` is "
       "inter prediction."});
  json("gpu_memory_per_frame", costs.gpu_memory,
       {"Mean of the first sample_packets packets' frames, included in seconds_per_picture; "
        "null for plans without the QPU and if the CPU is not modelled."});
}

void fields(auto& json, PlayedPlan& played) {
  json.record("at_rate", "Figures from playing the remaining packets at the aim's picture rate.");
  json("cpu_seconds_per_picture", played.cpu_seconds,
       {.text = "CPU seconds of all threads of the process.", .minimum = 0});
  json("joules_per_picture", played.joules.value,
       {.text = "Joules that energy_sensor measured; null: no_energy says why.", .minimum = 0});
  json("latency_p99_seconds", played.latency_p99,
       {.text = "99th percentile of the time from a picture's release until it is shown.",
        .minimum = 0});
  json("pictures", played.pictures, {.text = "Number of pictures shown.", .minimum = 0});
  json("missed_deadlines", played.missed,
       {.text = "Number of pictures shown later than one period after their release.",
        .minimum = 0});
}

void fields(auto& json, PlanRates& rates) {
  candidate_fields(json, rates.candidate, rates.modelled);
  json("predicted_frames_per_second", rates.predicted);
  json("measured_frames_per_second", rates.measured,
       {.text = "Measured pictures per second; null if the plan was not run.", .minimum = 0});
  json.derived("error", rates.error, {"Measured rate divided by predicted rate, minus 1."});
  json(
      "predicted_cpu_seconds_per_picture", rates.cpu,
      {.text =
           "CPU seconds of all threads together, including a Vulkan driver that runs on the CPU."});
  json("predicted_qpu_seconds_per_picture", rates.qpu,
       {"Seconds of the QPU, submissions included."});
  json("at_rate", rates.played,
       {.text = "Figures of playing at the aim's rate; null if the plan did not play at it."});
}

void edge_fields(auto& json, model::EdgeMix& mix) {
  json("per_frame", mix.edges, {.minimum = 0});
  json("luma_per_frame", mix.luma_edges, {.minimum = 0});
  json("steps_per_frame", mix.steps,
       {.text = "Number of dependency levels, summed over the planes.", .minimum = 0});
  json("waves_per_frame", mix.waves,
       {.text = "Number of superblock waves, summed over the planes.", .minimum = 0});
  json("luma_waves_per_frame", mix.luma_waves, {.minimum = 0});
  json.object(
      "qpu_share_of_divided",
      [&](auto& shared) {
        shared("edges_per_frame", mix.large_edges, {.minimum = 0});
        shared("steps_per_frame", mix.large_steps, {.minimum = 0});
      },
      {"The QPU's part of a loop filter that is divided by dependency levels: luma's leading "
       "levels that are large enough."});
}

void fields(auto& json, LeastEdges& least) {
  json("edges", least.edges, {.minimum = 1});
  json("origin", least.origin, {"Costs from which `edges` follows."});
}

void plans_field(auto& json, Proposal& proposal) {
  std::vector<PlanRates> plans;
  for (const PlanResult& plan : proposal.plans) {
    const auto rate = [&](double seconds) { return frame_rate(proposal, seconds); };
    const auto& [low, expected, high] = plan.predicted;
    const double per_picture = 1 / proposal.pictures;
    plans.push_back({plan.candidate,
                     plan.modelled,
                     {.expected = rate(expected), .low = rate(high), .high = rate(low)},
                     {},
                     {},
                     members_of(plan.cpu, per_picture),
                     members_of(plan.qpu, per_picture),
                     plan.played});
    if (plan.measured) plans.back().measured = rate(*plan.measured);
    plans.back().error = prediction_error(plan);
  }
  json("plans", plans, {.least_items = 1});
  proposal.plans.clear();
  for (const PlanRates& plan : plans) {
    const auto seconds = [&](double rate) { return rate > 0 ? proposal.pictures / rate : 0; };
    const auto& [expected, low, high] = plan.predicted;
    proposal.plans.push_back({plan.candidate,
                              plan.modelled,
                              {seconds(high), seconds(expected), seconds(low)},
                              {},
                              estimate_of(plan.cpu, proposal.pictures),
                              plan.played,
                              estimate_of(plan.qpu, proposal.pictures)});
    if (plan.measured) proposal.plans.back().measured.value = seconds(*plan.measured);
  }
}

void fields(auto& json, StreamShare& share) {
  json("stream", share.stream, {"The stream's path in quotes, or standard input."});
  candidate_fields(json, share.plan.candidate, share.plan.modelled);
  EstimateMembers cpu = members_of(share.plan.cpu, 1);
  EstimateMembers qpu = members_of(share.plan.qpu, 1);
  json("predicted_cpu_seconds_per_picture", cpu);
  json("predicted_qpu_seconds_per_picture", qpu);
  share.plan.cpu = estimate_of(cpu, 1);
  share.plan.qpu = estimate_of(qpu, 1);
  json("memory_bytes_per_picture", share.plan.memory_bytes,
       {.text = "Bytes that CPU and QPU move from and to memory; 0 if unknown.", .minimum = 0});
  json("keeps_rate", share.plan.keeps_rate, {"True if the stream alone reaches the rate."});
  json("fits", share.fits, {"True if the stream fits beside the earlier ones that fit."});
  json("pictures", share.pictures,
       {.text = "Number of pictures shown while all streams played at once; null if not played.",
        .minimum = 0});
  json("missed_deadlines", share.missed,
       {.text = "Number of pictures shown later than one period after their release.",
        .minimum = 0});
}

void fields(auto& json, StreamsAnswer& answer) {
  json.record("streams_at_once", "Several streams at once on one machine.");
  json("fps", answer.fps, {.text = "Pictures per second of each stream.", .above = 0});
  json("cores", answer.capacity.cores, {.text = "Number of the CPU's cores.", .above = 0});
  json("qpu", answer.capacity.qpu,
       {.text = "Capacity of the QPU in seconds per second: 1, or 0 if no plan uses a QPU.",
        .minimum = 0});
  json("memory_bytes_per_second", answer.capacity.memory_bytes_per_second,
       {.text = "Bytes per second that the memory moves; 0 if unknown.", .minimum = 0});
  json("each", answer.streams, {.least_items = 1});
  json.object(
      "fitting",
      [&](auto& fitting) {
        fitting("expected", answer.expected, {.minimum = 0});
        fitting("fewest", answer.fewest, {.minimum = 0});
        fitting("most", answer.most, {.minimum = 0});
      },
      {"Number of streams that fit if the clips are taken in turn, at the expected, the high and "
       "the low costs."});
  json("limit", answer.limit, {"What one stream more than `expected` would lack."});
  json("played_cpu_seconds_per_picture", answer.played_cpu,
       {.text = "CPU seconds of the process while all streams played at once; null if not played.",
        .minimum = 0});
  json("not_played", answer.not_played, {"Reason why no stream was played; empty if all were."});
}

/// Copies the document's reason `not_run` to all plans that were not run, and its reason
/// `no_energy` to all played plans without joules.
void set_reasons(Proposal& proposal, const std::string& not_run, const std::string& no_energy) {
  for (PlanResult& plan : proposal.plans) {
    if (!plan.measured) plan.measured.reason = not_run;
    if (plan.played && !plan.played->joules) plan.played->joules.reason = no_energy;
  }
}

void fields(auto& json, Proposal& proposal) {
  std::string not_run = why_not_run(proposal);
  std::string no_energy = why_no_energy(proposal);
  json("command_line", proposal.run.command_line);
  build_and_environment_fields(json, proposal.run);
  json("stream", proposal.stream, {"The stream's path in quotes, or standard input."});
  json("packets", proposal.packets, {.text = "Number of packets read.", .minimum = 1});
  json("sample_packets", proposal.sample,
       {.text = "Number of leading packets whose costs were measured or modelled.", .minimum = 1});
  json("pictures_predicted", proposal.pictures,
       {.text = "Number of pictures that the remaining packets show.", .above = 0});
  json("cpu", proposal.cpu,
       {"Name of the modelled CPU; empty if this machine's CPU was measured."});
  json::outcome_fields(
      json, proposal.qpu,
      {"qpu", {"Device or files that the QPU's costs come from; empty if no plan uses the QPU."}},
      {"no_qpu", {"Reason why no stage plan uses the QPU; empty if some do."}});
  json("not_run", not_run, {"Reason why some stage plans were not run; empty if all were run."});
  json.object("edges", [&](auto& edges) { edge_fields(edges, proposal.mix); },
              {"Means over the frames of the first sample_packets packets."});
  json("least_edges", proposal.least_edges,
       {"Smallest number of edges of a dependency level that the QPU filters, if the loop filter "
        "is divided."});
  json("cpu_factor", proposal.cpu_factor,
       {.text =
            "Factor by which this machine's CPU times were multiplied to get a board's; 1 if they "
            "are this machine's.",
        .above = 0});
  json("error_95", proposal.error,
       {.text =
            "The remaining packets take between 1 / (1 + error_95) and 1 + error_95 times the "
            "expected time with a probability of 95 %. The value is the greater one of NEON and "
            "scalar code. It follows from the scatter of the first frames, from scene changes and "
            "from unrest. A plan's own bounds come on top.",
        .minimum = 0});
  json("unrest", proposal.unrest,
       {.text =
            "By how much two rounds over the first packets differed, relative to the faster; 0 if "
            "nothing was timed.",
        .minimum = 0});
  json("stages", proposal.stages,
       {"Expected times of the plans with one thread and with all threads."});
  json("picture_copy", proposal.picture_copy,
       {"Copying one picture out of the GPU's memory, which no plan's time includes; null if "
        "the CPU is not modelled."});
  plans_field(json, proposal);
  json("proposal", proposal.best, {"Index of the proposed plan in plans, from 0."});
  json("aim", proposal.aim, {.text = "Criterion by which the proposed plan was chosen."});
  json("fps", proposal.fps,
       {.text = "Pictures per second of the aim; 0 if the aim is speed.", .minimum = 0});
  json("energy_sensor", proposal.energy_sensor,
       {.text = "Part of the machine whose energy joules_per_picture has; empty if no sensor was "
                "found or sought."});
  json("no_energy", no_energy,
       {.text = "Reason why a plan that played has no joules_per_picture; empty if all have it."});
  set_reasons(proposal, not_run, no_energy);
  json("off_aim", proposal.off_aim,
       {.text = "Reason why the proposal is only the fastest plan; empty if it serves the aim."});
  json("rival", proposal.rival,
       {"Index of the plan that a model cannot tell from the proposed one, because their intervals "
        "overlap; null if there is none."});
  json("assumptions", proposal.assumptions,
       {"Assumptions on which the prediction rests, as text."});
  json("streams", proposal.streams,
       {"Several streams at once, the first of which this document proposes plans for; null if "
        "one stream was given."});
}

std::string to_json(const Proposal& proposal) {
  return json::write_document(kProposalKind, proposal);
}

Proposal parse_proposal(const std::string& text, const std::string& origin) {
  return json::read_document<Proposal>(kProposalKind, text, origin, [](const Proposal& proposal) {
    if (proposal.sample > proposal.packets) {
      throw json::malformed("\"sample_packets\" is greater than \"packets\"");
    }
    if (proposal.best >= proposal.plans.size() ||
        proposal.rival.value_or(0) >= proposal.plans.size()) {
      throw json::malformed("\"proposal\" or \"rival\" is not an index of \"plans\"");
    }
  });
}

std::string proposal_schema() {
  return json::describe_document<Proposal>(
      kProposalKind,
      "Document that `sidecore split --json` writes: stage plans of a VP9 decoder with their "
      "predicted and measured speed. Rates are pictures per second of the packets after the first "
      "sample_packets.");
}

}  // namespace split
}  // namespace sidecore
