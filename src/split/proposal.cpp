#include "split/proposal.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text_table.h"

namespace sidecore::split {
namespace {

std::string rate_text(const Proposal& proposal, double seconds) {
  return fmt::format("{:.1f}", frame_rate(proposal, seconds));
}

std::string error_text(const PlanResult& plan) {
  const std::optional<double> error = error_of(plan);
  return error ? fmt::format("{:+.1f} %", 100 * *error) : "-";
}

std::string label_of(const Plan& plan, bool modelled) {
  return plan.label() + (modelled ? " (model, not measured)" : "");
}

std::string stage_table(const Proposal& proposal) {
  std::vector<std::string> header{"predicted, ms a picture"};
  for (const Stage stage : kStages) header.emplace_back(to_string(stage));
  TextTable table(header, 1);
  for (const StageCosts& costs : proposal.stages) {
    std::vector<std::string> row{label_of(costs)};
    for (const double seconds : costs.seconds) row.push_back(fmt::format("{:.3f}", 1e3 * seconds));
    table.add(row);
  }
  return table.text();
}

std::string plan_table(const Proposal& proposal) {
  const bool run = was_run(proposal);
  std::vector<std::string> header{"plan", "predicted", "from", "to"};
  if (run) header.insert(header.end(), {"measured", "measured is"});
  TextTable table(header, 1);
  for (const PlanResult& plan : proposal.plans) {
    std::vector<std::string> row{label_of(plan), rate_text(proposal, plan.predicted.expected),
                                 rate_text(proposal, plan.predicted.high),
                                 rate_text(proposal, plan.predicted.low)};
    if (run) {
      row.push_back(plan.measured ? rate_text(proposal, *plan.measured) : "-");
      row.push_back(error_text(plan));
    }
    table.add(row);
  }
  return table.text();
}

}  // namespace

bool was_run(const Proposal& proposal) {
  return std::ranges::any_of(proposal.plans,
                             [](const PlanResult& plan) { return plan.measured.has_value(); });
}

std::optional<double> error_of(const PlanResult& plan) {
  if (!plan.measured || *plan.measured <= 0) return std::nullopt;
  return plan.predicted.expected / *plan.measured - 1;
}

double frame_rate(const Proposal& proposal, double seconds) {
  return seconds > 0 ? proposal.pictures / seconds : 0;
}

std::string label_of(const PlanResult& plan) {
  return label_of(plan.plan, plan.modelled);
}

std::string label_of(const StageCosts& costs) {
  return label_of(costs.plan, costs.modelled);
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
  return text;
}

std::string rival_sentence(const Proposal& proposal) {
  if (!proposal.rival) return {};
  const PlanResult& rival = proposal.plans[*proposal.rival];
  return fmt::format("model, not measured: it cannot tell this from {}: {} frames/s ({} to {})",
                     label_of(rival), rate_text(proposal, rival.predicted.expected),
                     rate_text(proposal, rival.predicted.high),
                     rate_text(proposal, rival.predicted.low));
}

std::string to_text(const Proposal& proposal) {
  std::string text = fmt::format(
      "{}: {} packets; costs {} the first {}, frames/s predicted for the other {}\n",
      proposal.stream, proposal.packets, proposal.cpu.empty() ? "measured on" : "modelled of",
      proposal.sample, proposal.packets - proposal.sample);
  if (!proposal.cpu.empty()) text += fmt::format("CPU: {}\n", proposal.cpu);
  text += proposal.no_qpu.empty() ? fmt::format("QPU: {}\n", proposal.qpu)
                                  : fmt::format("no plan with a QPU: {}\n", proposal.no_qpu);
  text += "\n" + stage_table(proposal) + "\n" + plan_table(proposal);
  if (!proposal.not_run.empty())
    text += fmt::format("{} run: {}\n", was_run(proposal) ? "not all were" : "none was",
                        proposal.not_run);
  text += "\n" + best_sentence(proposal) + "\n";
  if (proposal.rival) text += rival_sentence(proposal) + "\n";
  text += "\nassumed:\n";
  for (const std::string& assumption : proposal.assumptions) text += "- " + assumption + "\n";
  return text;
}

}  // namespace sidecore::split
