#include "split/proposal.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text_table.h"

namespace sidecore::split {
namespace {

std::string rate_text(const Proposal& proposal, double seconds) {
  return fmt::format("{:.1f}", frame_rate(proposal, seconds));
}

std::string error_text(const PlanResult& plan) {
  const std::optional<double> error = prediction_error(plan);
  return error ? fmt::format("{:+.1f} %", 100 * *error) : "-";
}

std::string label_of(const model::Candidate& candidate, bool modelled) {
  return candidate.label() + (modelled ? " (model, not measured)" : "");
}

std::string milliseconds(const Proposal& proposal, double seconds_of_rest) {
  return fmt::format("{:.2f}", 1e3 * seconds_of_rest / proposal.pictures);
}

/// Returns the clock rows in which any plan takes time.
std::vector<vp9::ClockRow> stage_columns(const Proposal& proposal) {
  std::vector<vp9::ClockRow> columns;
  for (const vp9::ClockRow row : vp9::kClockRows) {
    const bool takes_time = std::ranges::any_of(proposal.stages, [&](const StageCosts& costs) {
      return costs.seconds[static_cast<std::size_t>(row)] > 0;
    });
    if (takes_time) columns.push_back(row);
  }
  return columns;
}

std::string text_of(const TableRows& rows) {
  TextTable table(rows.front(), 1);
  std::for_each(rows.begin() + 1, rows.end(), [&](const auto& row) { table.add(row); });
  return table.text();
}

std::string aim_text(const Proposal& proposal) {
  std::string text = text_of(aim_rows(
      proposal,
      {fmt::format("at {:g} pictures/s", proposal.fps), "CPU ms/picture, predicted", "from", "to",
       "CPU ms/picture, played", "mJ/picture", "missed deadlines", "latency p99, ms"}));
  if (const std::string why = why_no_energy(proposal); !why.empty()) {
    text += "energy is unknown: " + why + "\n";
  } else if (!proposal.energy_sensor.empty()) {
    text += fmt::format("energy: {}; it includes all other work on the machine\n",
                        proposal.energy_sensor);
  }
  return text;
}

/// Returns the plan's cost for the aim: CPU seconds or joules per picture. None if it is unknown.
std::optional<double> cost_for_aim(const Proposal& proposal, const PlanResult& plan) {
  if (proposal.aim == Aim::energy) {
    return plan.played ? plan.played->joules.value : std::nullopt;
  }
  return plan.played ? plan.played->cpu_seconds : plan.cpu.expected / proposal.pictures;
}

}  // namespace

const char* to_string(Aim aim) {
  switch (aim) {
    case Aim::speed:
      return "speed";
    case Aim::cpu:
      return "cpu";
    default:
      return "energy";
  }
}

bool keeps_rate(const Proposal& proposal, const PlanResult& plan) {
  if (plan.played) {
    return static_cast<double>(plan.played->missed) <=
           kMaxMissed * static_cast<double>(plan.played->pictures);
  }
  const double seconds = plan.measured.value.value_or(plan.predicted.expected);
  return frame_rate(proposal, seconds) >= proposal.fps;
}

void choose_for_aim(Proposal& proposal) {
  if (proposal.aim == Aim::speed) return;
  const bool any_played = std::ranges::any_of(
      proposal.plans, [](const PlanResult& plan) { return plan.played.has_value(); });
  std::optional<double> least;
  for (std::size_t index = 0; index < proposal.plans.size(); ++index) {
    const PlanResult& plan = proposal.plans[index];
    // Figures of plans that played are compared only with each other, not with predictions.
    if (any_played && !plan.played) continue;
    if (!keeps_rate(proposal, plan)) continue;
    const std::optional<double> cost = cost_for_aim(proposal, plan);
    if (!cost || (least && *cost >= *least)) continue;
    least = cost;
    proposal.best = index;
  }
  proposal.rival.reset();
  if (least) return;
  proposal.off_aim =
      std::ranges::any_of(proposal.plans,
                          [&](const PlanResult& plan) { return keeps_rate(proposal, plan); })
          ? why_no_energy(proposal)
          : fmt::format("no plan keeps {:g} pictures/s", proposal.fps);
}

std::optional<std::size_t> find_best_for_players(const Proposal& proposal) {
  const auto cost = [&](const PlanResult& plan) -> std::optional<double> {
    if (proposal.aim == Aim::speed) return plan.measured.value;
    return plan.played && keeps_rate(proposal, plan) ? cost_for_aim(proposal, plan) : std::nullopt;
  };
  std::optional<std::size_t> best;
  for (std::size_t index = 0; index < proposal.plans.size(); ++index) {
    const PlanResult& plan = proposal.plans[index];
    const std::optional<double> of_plan = cost(plan);
    if (!of_plan || plan.candidate.plan.has_filter_options()) continue;
    if (!best || *of_plan < *cost(proposal.plans[*best])) best = index;
  }
  return best;
}

bool was_run(const Proposal& proposal) {
  return std::ranges::any_of(
      proposal.plans, [](const PlanResult& plan) { return plan.measured.value.has_value(); });
}

std::string why_not_run(const Proposal& proposal) {
  const auto found = std::ranges::find_if(
      proposal.plans, [](const PlanResult& plan) { return !plan.measured.reason.empty(); });
  return found == proposal.plans.end() ? "" : found->measured.reason;
}

std::string why_no_energy(const Proposal& proposal) {
  std::string reason;
  for (const PlanResult& plan : proposal.plans) {
    if (plan.played && !plan.played->joules) reason = plan.played->joules.reason;
  }
  return reason;
}

std::optional<double> prediction_error(const PlanResult& plan) {
  if (!plan.measured || *plan.measured <= 0) return std::nullopt;
  return plan.predicted.expected / *plan.measured - 1;
}

double frame_rate(const Proposal& proposal, double seconds) {
  return seconds > 0 ? proposal.pictures / seconds : 0;
}

TableRows plan_rows(const Proposal& proposal, std::vector<std::string> header) {
  const bool run = was_run(proposal);
  if (!run) header.resize(4);
  TableRows rows{std::move(header)};
  for (const PlanResult& plan : proposal.plans) {
    std::vector<std::string>& row = rows.emplace_back(std::vector{
        label_of(plan), rate_text(proposal, plan.predicted.expected),
        rate_text(proposal, plan.predicted.high), rate_text(proposal, plan.predicted.low)});
    if (!run) continue;
    row.push_back(plan.measured ? rate_text(proposal, *plan.measured) : "-");
    row.push_back(error_text(plan));
  }
  return rows;
}

TableRows aim_rows(const Proposal& proposal, std::vector<std::string> header) {
  TableRows rows{std::move(header)};
  for (const PlanResult& plan : proposal.plans) {
    if (!plan.played && !keeps_rate(proposal, plan)) continue;
    std::vector<std::string>& row = rows.emplace_back(
        std::vector{label_of(plan), milliseconds(proposal, plan.cpu.expected),
                    milliseconds(proposal, plan.cpu.low), milliseconds(proposal, plan.cpu.high)});
    if (!plan.played) {
      row.insert(row.end(), 4, "-");
      continue;
    }
    const PlayedPlan& played = *plan.played;
    row.push_back(fmt::format("{:.2f}", 1e3 * played.cpu_seconds));
    row.push_back(played.joules ? fmt::format("{:.1f}", 1e3 * *played.joules) : "-");
    row.push_back(fmt::format("{} of {}", played.missed, played.pictures));
    row.push_back(fmt::format("{:.2f}", 1e3 * played.latency_p99));
  }
  return rows;
}

TableRows stage_rows(const Proposal& proposal) {
  const std::vector<vp9::ClockRow> columns = stage_columns(proposal);
  TableRows rows{{"predicted, ms per picture"}};
  for (const vp9::ClockRow column : columns) rows.front().emplace_back(to_string(column));
  for (const StageCosts& costs : proposal.stages) {
    std::vector<std::string>& row = rows.emplace_back(std::vector{label_of(costs)});
    for (const vp9::ClockRow column : columns) {
      const double seconds = costs.seconds[static_cast<std::size_t>(column)];
      row.push_back(fmt::format("{:.3f}", 1e3 * seconds));
    }
  }
  return rows;
}

TableRows gpu_memory_rows(const Proposal& proposal) {
  if (!proposal.picture_copy) return {};
  TableRows rows{{"CPU in the GPU's memory, per frame", "MB read", "loads, thousands", "MB written",
                  "CPU ms", "from", "to"}};
  const auto add = [&](std::string label, const GpuMemoryUse& use) {
    const auto& [reads, written] = use.traffic;
    rows.push_back({std::move(label), fmt::format("{:.2f}", reads.bytes / 1e6),
                    fmt::format("{:.1f}", reads.loads / 1e3), fmt::format("{:.2f}", written / 1e6),
                    fmt::format("{:.2f}", 1e3 * use.seconds.expected),
                    fmt::format("{:.2f}", 1e3 * use.seconds.low),
                    fmt::format("{:.2f}", 1e3 * use.seconds.high)});
  };
  for (const StageCosts& costs : proposal.stages) {
    if (costs.gpu_memory && costs.candidate.threads == 1) add(label_of(costs), *costs.gpu_memory);
  }
  add("copying one picture out of it", *proposal.picture_copy);
  return rows;
}

std::string label_of(const PlanResult& plan) {
  return label_of(plan.candidate, plan.modelled);
}

std::string label_of(const StageCosts& costs) {
  return label_of(costs.candidate, costs.modelled);
}

namespace {

/// Returns the board of a model, "4 Cortex-A76 at 2.4 GHz of a pi5"; empty if the CPU was measured.
std::string modelled_board(const Proposal& proposal) {
  return proposal.cpu.substr(0, proposal.cpu.find(':'));
}

/// Returns the least predicted seconds of CPU time of a plan without the QPU that keeps the rate;
/// nothing if there is none.
std::optional<double> least_cpu_without_qpu(const Proposal& proposal) {
  std::optional<double> least;
  for (const PlanResult& plan : proposal.plans) {
    if (plan.candidate.plan.uses_qpu() || !keeps_rate(proposal, plan)) continue;
    least = std::min(least.value_or(plan.cpu.expected), plan.cpu.expected);
  }
  return least;
}

}  // namespace

std::string best_sentence(const Proposal& proposal) {
  const PlanResult& best = proposal.plans[proposal.best];
  const std::string board = modelled_board(proposal);
  std::string text = fmt::format(
      "proposal{}: {}: {} pictures/s predicted ({} to {})", board.empty() ? "" : " for " + board,
      label_of(best), rate_text(proposal, best.predicted.expected),
      rate_text(proposal, best.predicted.high), rate_text(proposal, best.predicted.low));
  if (best.measured) {
    text +=
        fmt::format(", {} measured ({})", rate_text(proposal, *best.measured), error_text(best));
  }
  if (proposal.aim == Aim::speed) return text;
  if (!proposal.off_aim.empty())
    return text + "; this is only the fastest plan: " + proposal.off_aim;
  text += fmt::format("; the least {} at {:g} pictures/s: ",
                      proposal.aim == Aim::cpu ? "CPU time" : "energy", proposal.fps);
  if (best.played && proposal.aim == Aim::energy) {
    return text + fmt::format("{:.1f} mJ per picture", 1e3 * best.played->joules.value.value_or(0));
  }
  if (best.played)
    return text + fmt::format("{:.2f} ms per picture", 1e3 * best.played->cpu_seconds);
  text += fmt::format("{} ms per picture predicted ({} to {})",
                      milliseconds(proposal, best.cpu.expected),
                      milliseconds(proposal, best.cpu.low), milliseconds(proposal, best.cpu.high));
  const std::optional<double> neon = least_cpu_without_qpu(proposal);
  if (!best.candidate.plan.uses_qpu() || !neon) return text;
  return text + fmt::format(", without the QPU {}", milliseconds(proposal, *neon));
}

std::string rival_sentence(const Proposal& proposal) {
  if (!proposal.rival) return {};
  const PlanResult& rival = proposal.plans[*proposal.rival];
  return fmt::format("model, not measured: {} may be faster: {} pictures/s predicted ({} to {})",
                     label_of(rival), rate_text(proposal, rival.predicted.expected),
                     rate_text(proposal, rival.predicted.high),
                     rate_text(proposal, rival.predicted.low));
}

std::string to_text(const Proposal& proposal) {
  std::string text = fmt::format(
      "{}: {} packets; costs {} the first {}, pictures/s predicted for the other {}\n",
      proposal.stream, proposal.packets, proposal.cpu.empty() ? "measured on" : "modelled for",
      proposal.sample, proposal.packets - proposal.sample);
  if (!proposal.cpu.empty()) text += fmt::format("CPU: {}\n", proposal.cpu);
  text += proposal.qpu ? fmt::format("QPU: {}\n", *proposal.qpu)
                       : fmt::format("no plan with a QPU: {}\n", proposal.qpu.reason);
  text += "\n" + text_of(stage_rows(proposal)) + "\n";
  if (proposal.picture_copy) text += text_of(gpu_memory_rows(proposal)) + "\n";
  text += text_of(plan_rows(proposal, {"pictures/s by plan", "predicted", "from", "to", "measured",
                                       "measured vs predicted"}));
  if (const std::string why = why_not_run(proposal); !why.empty())
    text +=
        fmt::format("{} run: {}\n", was_run(proposal) ? "some plans were not" : "no plan was", why);
  if (proposal.aim != Aim::speed) text += "\n" + aim_text(proposal);
  text += "\n" + best_sentence(proposal) + "\n";
  if (proposal.streams) text += "\n" + to_text(*proposal.streams);
  if (proposal.rival) text += rival_sentence(proposal) + "\n";
  text += "\nassumed:\n";
  for (const std::string& assumption : proposal.assumptions) text += "- " + assumption + "\n";
  return text;
}

}  // namespace sidecore::split
