#include "split/report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "gates/text_table.h"

namespace sidecore::split {
namespace {

using Json = nlohmann::ordered_json;

double rate(const Proposal& proposal, double seconds) {
  return seconds > 0 ? proposal.pictures / seconds : 0;
}

std::string rate_text(const Proposal& proposal, double seconds) {
  return fmt::format("{:.1f}", rate(proposal, seconds));
}

std::string error_text(const PlanResult& plan) {
  const std::optional<double> error = error_of(plan);
  return error ? fmt::format("{:+.1f} %", 100 * *error) : "-";
}

/// A plan as it is shown, with what it rests on.
template <class Shown>
std::string label_of(const Shown& shown) {
  return shown.plan.label() + (shown.modelled ? " (model, not measured)" : "");
}

std::string stage_table(const Proposal& proposal) {
  std::vector<std::string> header{"predicted, ms a picture"};
  for (const Stage stage : kStages) header.emplace_back(to_string(stage));
  gates::TextTable table(header, 1);
  for (const StageCosts& costs : proposal.stages) {
    std::vector<std::string> row{label_of(costs)};
    for (const double seconds : costs.seconds) row.push_back(fmt::format("{:.3f}", 1e3 * seconds));
    table.add(row);
  }
  return table.text();
}

std::string plan_table(const Proposal& proposal) {
  gates::TextTable table({"plan", "predicted", "from", "to", "measured", "measured is"}, 1);
  for (const PlanResult& plan : proposal.plans) {
    table.add({label_of(plan), rate_text(proposal, plan.predicted.expected),
               rate_text(proposal, plan.predicted.high), rate_text(proposal, plan.predicted.low),
               plan.measured ? rate_text(proposal, *plan.measured) : "-", error_text(plan)});
  }
  return table.text();
}

std::string best_sentence(const Proposal& proposal) {
  const PlanResult& best = proposal.plans[proposal.best];
  std::string text = fmt::format("proposal: {}: {} frames/s predicted ({} to {})", label_of(best),
                                 rate_text(proposal, best.predicted.expected),
                                 rate_text(proposal, best.predicted.high),
                                 rate_text(proposal, best.predicted.low));
  if (best.measured) {
    text +=
        fmt::format(", {} measured ({})", rate_text(proposal, *best.measured), error_text(best));
  }
  text += "\n";
  if (!proposal.rival) return text;
  const PlanResult& rival = proposal.plans[*proposal.rival];
  return text +
         fmt::format("model, not measured: it cannot tell this from {}: {} frames/s ({} to {})\n",
                     label_of(rival), rate_text(proposal, rival.predicted.expected),
                     rate_text(proposal, rival.predicted.high),
                     rate_text(proposal, rival.predicted.low));
}

/// "levels" or "waves"; null where no QPU filters.
Json schedule_json(const Plan& plan) {
  return needs_qpu(plan.filter) ? Json(to_string(plan.schedule)) : Json(nullptr);
}

template <class Shown>
const char* basis_of(const Shown& shown) {
  return shown.modelled ? "model, not measured" : "measured";
}

Json plan_json(const Proposal& proposal, const PlanResult& plan) {
  const std::optional<double> error = error_of(plan);
  return {{"loop_filter", to_string(plan.plan.filter)},
          {"schedule", schedule_json(plan.plan)},
          {"threads", plan.plan.threads},
          {"basis", basis_of(plan)},
          {"predicted_frames_per_second",
           {{"expected", rate(proposal, plan.predicted.expected)},
            {"low", rate(proposal, plan.predicted.high)},
            {"high", rate(proposal, plan.predicted.low)}}},
          {"measured_frames_per_second",
           plan.measured ? Json(rate(proposal, *plan.measured)) : Json(nullptr)},
          {"error", error ? Json(*error) : Json(nullptr)}};
}

Json stages_json(const Proposal& proposal) {
  Json all = Json::array();
  for (const StageCosts& costs : proposal.stages) {
    Json seconds;
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

}  // namespace

std::optional<double> error_of(const PlanResult& plan) {
  if (!plan.measured || *plan.measured <= 0) return std::nullopt;
  return plan.predicted.expected / *plan.measured - 1;
}

std::string to_text(const Proposal& proposal) {
  std::string text = fmt::format(
      "{}: {} packets; costs measured on the first {}, frames/s predicted for the other {}\n",
      proposal.stream, proposal.packets, proposal.sample, proposal.packets - proposal.sample);
  text += proposal.no_qpu.empty() ? fmt::format("QPU: {}\n", proposal.qpu)
                                  : fmt::format("no plan with a QPU: {}\n", proposal.no_qpu);
  text += "\n" + stage_table(proposal) + "\n" + plan_table(proposal);
  if (!proposal.not_run.empty()) text += fmt::format("not all were run: {}\n", proposal.not_run);
  text += "\n" + best_sentence(proposal) + "\nassumed:\n";
  for (const std::string& assumption : proposal.assumptions) text += "- " + assumption + "\n";
  return text;
}

std::string to_json(const Proposal& proposal) {
  Json plans = Json::array();
  for (const PlanResult& plan : proposal.plans) plans.push_back(plan_json(proposal, plan));
  const Json json{
      {"schema", "sidecore-split"},
      {"version", 1},
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
      {"rival", proposal.rival ? Json(*proposal.rival) : Json(nullptr)},
      {"assumptions", proposal.assumptions}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sidecore::split
