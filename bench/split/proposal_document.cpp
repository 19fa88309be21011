#include <array>
#include <optional>
#include <utility>

#include "base/json_outcome.h"
#include "gates/run_record_fields.h"
#include "split/proposal.h"

namespace sidecore {

/// As Plan::parse() reads it.
template <>
struct json::Form<vp9::Plan> {
  static Ordered write(const vp9::Plan& plan) { return vp9::to_text(plan); }
  static void read(const Json& json, const Place& place, vp9::Plan& plan) {
    std::string text;
    Form<std::string>::read(json, place, text);
    try {
      plan = vp9::Plan::parse(text);
    } catch (const Error&) {
      throw place.error("is no plan");
    }
  }
  static Ordered describe(Ordered& definitions, const About& about) {
    return Form<std::string>::describe(definitions, about);
  }
};

namespace split {
namespace {

constexpr json::DocumentKind kProposalKind{"sidecore-split", 4, "proposal of sidecore split", 4};
constexpr const char* kMeasured = "measured";
constexpr const char* kModelled = "model, not measured";

}  // namespace

/// A model::Estimate as the document has it.
struct EstimateMembers {
  double expected = 0;
  double low = 0;
  double high = 0;
};

/// A plan's times as rates.
struct PlanRates {
  model::Candidate candidate;
  bool modelled = false;
  EstimateMembers predicted;  ///< pictures a second
  std::optional<double> measured;
  std::optional<double> error;
  EstimateMembers cpu{};  ///< seconds a picture
  std::optional<PlayedPlan> played{};
};

constexpr auto values_of(Aim) {
  return kAims;
}

/// What StageCosts and PlanRates begin with.
void candidate_fields(auto& json, model::Candidate& candidate, bool& modelled) {
  std::string basis = modelled ? kModelled : kMeasured;
  json("plan", candidate.plan, {"As `sidecore decode --plan` takes it."});
  json("threads", candidate.threads, {.minimum = 1});
  json("basis", basis, {.one_of = {kMeasured, kModelled}});
  modelled = basis == kModelled;
}

/// "prediction" where the clock's row says that it is of inter blocks.
const char* key_of(vp9::ClockRow row) {
  return row == vp9::ClockRow::prediction ? "prediction" : to_string(row);
}

void fields(auto& json, StageCosts& costs) {
  candidate_fields(json, costs.candidate, costs.modelled);
  json.object("seconds_per_picture",
              [&](auto& seconds) {
                for (const vp9::ClockRow row : vp9::kClockRows) {
                  seconds(key_of(row), costs.seconds[static_cast<std::size_t>(row)],
                          {.minimum = 0});
                }
              },
              {"Of the stages that `sidecore decode --stats` names; `prediction` is of inter "
               "blocks."});
}

void fields(auto& json, EstimateMembers& of) {
  json("expected", of.expected, {.minimum = 0});
  json("low", of.low, {.minimum = 0});
  json("high", of.high, {.minimum = 0});
}

void fields(auto& json, PlayedPlan& played) {
  json.record("at_rate",
              "The rest of the stream at a fixed rate, a picture shown before the next.");
  json("cpu_seconds_per_picture", played.cpu_seconds,
       {.text = "Of all threads of the process.", .minimum = 0});
  json("joules_per_picture", played.joules.value,
       {.text = "By energy_sensor; null: no_energy says why.", .minimum = 0});
  json("latency_p99_seconds", played.latency_p99,
       {.text = "From a picture's release until it is shown.", .minimum = 0});
  json("pictures", played.pictures, {.text = "Shown.", .minimum = 0});
  json("missed_deadlines", played.missed,
       {.text = "Pictures shown later than a period after their release.", .minimum = 0});
}

void fields(auto& json, PlanRates& rates) {
  candidate_fields(json, rates.candidate, rates.modelled);
  json("predicted_frames_per_second", rates.predicted);
  json("measured_frames_per_second", rates.measured,
       {.text = "Null: the plan was not run.", .minimum = 0});
  json.derived("error", rates.error, {"Measured over predicted rate, less 1."});
  json("predicted_cpu_seconds_per_picture", rates.cpu,
       {.text = "Of all CPUs together, whatever the threads; of a CPU that plays the GPU too."});
  json("at_rate", rates.played, {.text = "Null: the plan did not play at the aim's rate."});
}

void edge_fields(auto& json, model::EdgeMix& mix) {
  json("per_frame", mix.edges, {.minimum = 0});
  json("luma_per_frame", mix.luma_edges, {.minimum = 0});
  json("steps_per_frame", mix.steps,
       {.text = "Dependency levels of all planes together.", .minimum = 0});
  json("waves_per_frame", mix.waves, {.text = "Of superblocks, all planes'.", .minimum = 0});
  json("luma_waves_per_frame", mix.luma_waves, {.minimum = 0});
  json.object("qpu_share_of_divided",
              [&](auto& shared) {
                shared("edges_per_frame", mix.large_edges, {.minimum = 0});
                shared("steps_per_frame", mix.large_steps, {.minimum = 0});
              },
              {"By levels: luma's leading steps that are large enough."});
}

void fields(auto& json, LeastEdges& least) {
  json("edges", least.edges, {.minimum = 1});
  json("origin", least.origin, {"Which prices it follows from."});
}

void plans_field(auto& json, Proposal& proposal) {
  std::vector<PlanRates> plans;
  for (const PlanResult& plan : proposal.plans) {
    const auto rate = [&](double seconds) { return frame_rate(proposal, seconds); };
    const auto& [low, expected, high] = plan.predicted;
    const double pictures = proposal.pictures;
    plans.push_back({plan.candidate,
                     plan.modelled,
                     {.expected = rate(expected), .low = rate(high), .high = rate(low)},
                     {},
                     {},
                     {.expected = plan.cpu.expected / pictures,
                      .low = plan.cpu.low / pictures,
                      .high = plan.cpu.high / pictures},
                     plan.played});
    if (plan.measured) plans.back().measured = rate(*plan.measured);
    plans.back().error = error_of(plan);
  }
  json("plans", plans, {.least_items = 1});
  proposal.plans.clear();
  for (const PlanRates& plan : plans) {
    const auto seconds = [&](double rate) { return rate > 0 ? proposal.pictures / rate : 0; };
    const auto& [expected, low, high] = plan.predicted;
    proposal.plans.push_back(
        {plan.candidate,
         plan.modelled,
         {seconds(high), seconds(expected), seconds(low)},
         {},
         {plan.cpu.low * proposal.pictures, plan.cpu.expected * proposal.pictures,
          plan.cpu.high * proposal.pictures},
         plan.played});
    if (plan.measured) proposal.plans.back().measured.value = seconds(*plan.measured);
  }
}

/// Gives the document's one reason to all plans that were not run, and to all without joules.
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
  json("stream", proposal.stream, {"Its path in quotes, or standard input."});
  json("packets", proposal.packets, {.text = "That were read.", .minimum = 1});
  json("sample_packets", proposal.sample,
       {.text = "The first so many were measured.", .minimum = 1});
  json("pictures_predicted", proposal.pictures,
       {.text = "Shown by the other packets.", .above = 0});
  json("cpu", proposal.cpu, {"Of which model; empty: this machine's, measured."});
  json::outcome_fields(json, proposal.qpu,
                       {"qpu", {"Device or files that its costs are from; empty: none."}},
                       {"no_qpu", {"Why no plan has a QPU; empty when some have."}});
  json("not_run", not_run, {"Why plans were not run; empty when all were."});
  json.object("edges", [&](auto& edges) { edge_fields(edges, proposal.mix); },
              {"Means over the sample's frames."});
  json("least_edges", proposal.least_edges,
       {"Edges of the smallest dependency level that is the QPU's where the loop filter is divided "
        "by levels."});
  json("cpu_factor", proposal.cpu_factor,
       {.text = "By which this machine's times became those of a board's CPU; 1: they are this "
                "machine's.",
        .above = 0});
  json("error_95", proposal.error,
       {.text =
            "The intervals are of 95 %: a plan takes up to so much more or less time, that of the "
            "code that scatters most. From how the sample's frames scatter "
            "about their lines, scenes, and the machine's unrest. Bounds that a plan has of "
            "its own come on top.",
        .minimum = 0});
  json("unrest", proposal.unrest,
       {.text = "By how much two rounds of the sample differed; 0: nothing was timed.",
        .minimum = 0});
  json("stages", proposal.stages, {"What is expected of plans with one thread and with all."});
  plans_field(json, proposal);
  json("proposal", proposal.best, {"Which of the plans, counted from 0."});
  json("aim", proposal.aim, {.text = "What it is the best at."});
  json("fps", proposal.fps, {.text = "Pictures a second of the aim; 0 of speed.", .minimum = 0});
  json("energy_sensor", proposal.energy_sensor,
       {.text = "What joules_per_picture measures; empty: there is no sensor, or none was asked."});
  json("no_energy", no_energy, {.text = "Why a plan that played has no joules_per_picture."});
  set_reasons(proposal, not_run, no_energy);
  json("off_aim", proposal.off_aim,
       {.text = "Why the proposal is only the fastest plan; empty: it serves the aim."});
  json("rival", proposal.rival,
       {"The plan that a model cannot tell from the proposed one, for their intervals meet; null: "
        "none."});
  json("assumptions", proposal.assumptions, {"In words."});
}

std::string to_json(const Proposal& proposal) {
  return json::write_document(kProposalKind, proposal);
}

Proposal parse_proposal(const std::string& text, const std::string& origin) {
  return json::read_document<Proposal>(kProposalKind, text, origin, [](const Proposal& proposal) {
    if (proposal.sample > proposal.packets) {
      throw json::malformed("the sample has more packets than there are");
    }
    if (proposal.best >= proposal.plans.size() ||
        proposal.rival.value_or(0) >= proposal.plans.size()) {
      throw json::malformed("\"proposal\" or \"rival\" is not one of the plans");
    }
  });
}

std::string proposal_schema() {
  return json::describe_document<Proposal>(
      kProposalKind,
      "What `sidecore split --json` writes: which stage of a VP9 decoder runs where, how fast "
      "every "
      "plan was predicted to be, and how fast it was. Rates are frames a second of the packets "
      "behind the sample.");
}

}  // namespace split
}  // namespace sidecore
