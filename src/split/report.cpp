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

std::string stage_table(const Proposal& proposal) {
  std::vector<std::string> header{"predicted, ms a picture"};
  for (const Stage stage : kStages) header.emplace_back(to_string(stage));
  gates::TextTable table(header, 1);
  for (const StageCosts& costs : proposal.stages) {
    std::vector<std::string> row{costs.plan.label()};
    for (const double seconds : costs.seconds) row.push_back(fmt::format("{:.3f}", 1e3 * seconds));
    table.add(row);
  }
  return table.text();
}

std::string plan_table(const Proposal& proposal) {
  gates::TextTable table({"plan", "predicted", "from", "to", "measured", "measured is"}, 1);
  for (const PlanResult& plan : proposal.plans) {
    table.add({plan.plan.label(), rate_text(proposal, plan.predicted.expected),
               rate_text(proposal, plan.predicted.high), rate_text(proposal, plan.predicted.low),
               plan.measured ? rate_text(proposal, *plan.measured) : "-", error_text(plan)});
  }
  return table.text();
}

std::string best_sentence(const Proposal& proposal) {
  const PlanResult& best = proposal.plans[proposal.best];
  std::string text = fmt::format("proposal: {}: {} frames/s predicted ({} to {})",
                                 best.plan.label(), rate_text(proposal, best.predicted.expected),
                                 rate_text(proposal, best.predicted.high),
                                 rate_text(proposal, best.predicted.low));
  if (best.measured) {
    text +=
        fmt::format(", {} measured ({})", rate_text(proposal, *best.measured), error_text(best));
  }
  return text + "\n";
}

Json plan_json(const Proposal& proposal, const PlanResult& plan) {
  const std::optional<double> error = error_of(plan);
  return {{"loop_filter", to_string(plan.plan.filter)},
          {"threads", plan.plan.threads},
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
                   {"threads", costs.plan.threads},
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
        {"qpu_share_of_split",
         {{"edges_per_frame", proposal.mix.large_edges},
          {"steps_per_frame", proposal.mix.large_steps}}}}},
      {"misses_within_sample", {{"low", proposal.misses.low}, {"high", proposal.misses.high}}},
      {"stages", stages_json(proposal)},
      {"plans", std::move(plans)},
      {"proposal", proposal.best},
      {"assumptions", proposal.assumptions}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace sidecore::split
