#include <optional>
#include <utility>

#include "base/error.h"
#include "gates/json_members.h"
#include "gates/run_record_json.h"
#include "split/proposal.h"

namespace sidecore::split {
namespace {

using gates::json::amount;
using gates::json::Json;
using gates::json::list;
using gates::json::malformed;
using gates::json::member;
using gates::json::one_of;
using gates::json::text;
using gates::json::whole;
using Ordered = nlohmann::ordered_json;

constexpr gates::json::DocumentKind kProposalKind{"sidecore-split", kProposalVersion,
                                                  "a proposal of sidecore split"};
constexpr const char* kMeasured = "measured";
constexpr const char* kModelled = "model, not measured";

/// "levels" or "waves"; null where no QPU filters.
Ordered schedule_json(const Plan& plan) {
  return needs_qpu(plan.filter) ? Ordered(to_string(plan.schedule)) : Ordered(nullptr);
}

template <class Shown>
const char* basis_of(const Shown& shown) {
  return shown.modelled ? kModelled : kMeasured;
}

Ordered plan_json(const Proposal& proposal, const PlanResult& plan) {
  const std::optional<double> error = error_of(plan);
  return {{"loop_filter", to_string(plan.plan.filter)},
          {"schedule", schedule_json(plan.plan)},
          {"threads", plan.plan.threads},
          {"basis", basis_of(plan)},
          {"predicted_frames_per_second",
           {{"expected", frame_rate(proposal, plan.predicted.expected)},
            {"low", frame_rate(proposal, plan.predicted.high)},
            {"high", frame_rate(proposal, plan.predicted.low)}}},
          {"measured_frames_per_second",
           plan.measured ? Ordered(frame_rate(proposal, *plan.measured)) : Ordered(nullptr)},
          {"error", error ? Ordered(*error) : Ordered(nullptr)}};
}

Ordered stages_json(const Proposal& proposal) {
  Ordered all = Ordered::array();
  for (const StageCosts& costs : proposal.stages) {
    Ordered seconds;
    for (const Stage stage : kStages) {
      seconds[to_string(stage)] = costs.seconds[static_cast<std::size_t>(stage)];
    }
    all.push_back({{"loop_filter", to_string(costs.plan.filter)},
                   {"schedule", schedule_json(costs.plan)},
                   {"threads", costs.plan.threads},
                   {"basis", basis_of(costs)},
                   {"seconds_per_picture", std::move(seconds)}});
  }
  return all;
}

Plan plan_of(const Json& json) {
  Plan plan{.filter = one_of(json, "loop_filter", kFilterPlaces),
            .threads = whole<int>(json, "threads")};
  if (plan.threads < 1) throw malformed("\"threads\" is less than 1");
  if (needs_qpu(plan.filter)) {
    plan.schedule = one_of(json, "schedule", qpu::kEdgeSchedules);
  }
  return plan;
}

bool is_modelled(const Json& json) {
  const std::string basis = text(json, "basis");
  if (basis != kMeasured && basis != kModelled) {
    throw malformed(fmt::format("the basis \"{}\" is unknown", basis));
  }
  return basis == kModelled;
}

PlanResult plan_result(const Json& json, double pictures) {
  const auto seconds = [&](const Json& parent, const char* name) {
    const double rate = amount(parent, name);
    return rate > 0 ? pictures / rate : 0;
  };
  const Json& predicted = member(json, "predicted_frames_per_second");
  return {plan_of(json), is_modelled(json),
          Estimate{.low = seconds(predicted, "high"),
                   .expected = seconds(predicted, "expected"),
                   .high = seconds(predicted, "low")},
          gates::json::optional(json, "measured_frames_per_second", seconds)};
}

StageCosts stage_costs(const Json& json) {
  StageCosts costs{plan_of(json), is_modelled(json)};
  const Json& seconds = member(json, "seconds_per_picture");
  for (const Stage stage : kStages) {
    costs.seconds[static_cast<std::size_t>(stage)] = amount(seconds, to_string(stage));
  }
  return costs;
}

EdgeMix edge_mix(const Json& json) {
  const Json& shared = member(json, "qpu_share_of_split");
  return {.edges = amount(json, "per_frame"),
          .luma_edges = amount(json, "luma_per_frame"),
          .large_edges = amount(shared, "edges_per_frame"),
          .steps = amount(json, "steps_per_frame"),
          .large_steps = amount(shared, "steps_per_frame"),
          .waves = amount(json, "waves_per_frame"),
          .luma_waves = amount(json, "luma_waves_per_frame")};
}

LeastEdges least_edges(const Json& json) {
  return {whole<std::size_t>(json, "edges"), text(json, "origin")};
}

Proposal proposal_of(const Json& json) {
  const Json& misses = member(json, "misses_within_sample");
  Proposal proposal{.run = gates::json::run_record(json),
                    .stream = text(json, "stream"),
                    .packets = whole<std::size_t>(json, "packets"),
                    .sample = whole<std::size_t>(json, "sample_packets"),
                    .pictures = amount(json, "pictures_predicted"),
                    .qpu = text(json, "qpu"),
                    .no_qpu = text(json, "no_qpu"),
                    .not_run = text(json, "not_run"),
                    .mix = edge_mix(member(json, "edges")),
                    .least_edges = least_edges(member(json, "least_edges")),
                    .cpu_factor = amount(json, "cpu_factor"),
                    .misses = {amount(misses, "low"), amount(misses, "high")},
                    .stages = list(json, "stages", stage_costs),
                    .plans = {},
                    .best = whole<std::size_t>(json, "proposal"),
                    .rival = gates::json::optional(json, "rival", whole<std::size_t>),
                    .assumptions = list(json, "assumptions", gates::json::as_text)};
  proposal.plans =
      list(json, "plans", [&](const Json& plan) { return plan_result(plan, proposal.pictures); });
  if (proposal.sample > proposal.packets)
    throw malformed("the sample has more packets than there are");
  if (proposal.best >= proposal.plans.size() ||
      proposal.rival.value_or(0) >= proposal.plans.size()) {
    throw malformed("\"proposal\" or \"rival\" is not one of the plans");
  }
  return proposal;
}

}  // namespace

std::string to_json(const Proposal& proposal) {
  Ordered plans = Ordered::array();
  for (const PlanResult& plan : proposal.plans) plans.push_back(plan_json(proposal, plan));
  const Ordered json{
      {"schema", kProposalKind.schema},
      {"version", kProposalKind.version},
      {"command_line", proposal.run.command_line},
      {"build", gates::json::build_json(proposal.run)},
      {"environment", gates::json::environment_json(proposal.run)},
      {"stream", proposal.stream},
      {"packets", proposal.packets},
      {"sample_packets", proposal.sample},
      {"pictures_predicted", proposal.pictures},
      {"qpu", proposal.qpu},
      {"no_qpu", proposal.no_qpu},
      {"not_run", proposal.not_run},
      {"edges",
       {{"per_frame", proposal.mix.edges},
        {"luma_per_frame", proposal.mix.luma_edges},
        {"steps_per_frame", proposal.mix.steps},
        {"waves_per_frame", proposal.mix.waves},
        {"luma_waves_per_frame", proposal.mix.luma_waves},
        {"qpu_share_of_split",
         {{"edges_per_frame", proposal.mix.large_edges},
          {"steps_per_frame", proposal.mix.large_steps}}}}},
      {"least_edges",
       {{"edges", proposal.least_edges.edges}, {"origin", proposal.least_edges.origin}}},
      {"cpu_factor", proposal.cpu_factor},
      {"misses_within_sample", {{"low", proposal.misses.low}, {"high", proposal.misses.high}}},
      {"stages", stages_json(proposal)},
      {"plans", std::move(plans)},
      {"proposal", proposal.best},
      {"rival", proposal.rival ? Ordered(*proposal.rival) : Ordered(nullptr)},
      {"assumptions", proposal.assumptions}};
  return json.dump(2, ' ', false, Ordered::error_handler_t::replace) + "\n";
}

Proposal parse_proposal(const std::string& text, const std::string& origin) {
  const Json json = gates::json::parse_document(text, origin, kProposalKind);
  try {
    return proposal_of(json);
  } catch (const Error& error) {
    throw usage_error("'{}' is not a valid proposal: {}", origin, error.what());
  }
}

}  // namespace sidecore::split
