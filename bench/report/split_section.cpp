#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/markup.h"
#include "model/candidate.h"
#include "report/chart.h"
#include "report/html.h"
#include "report/sections.h"

namespace sidecore::report {
namespace {

using split::PlanResult;
using split::Proposal;

/// Returns the colour of a plan's bar: "scalar", "neon", "qpu" if the QPU runs all stages, or
/// "both".
const char* side_of(const vp9::Plan& plan) {
  if (plan == model::scalar_plan()) return "scalar";
  if (!plan.uses_qpu()) return "neon";
  const bool whole = plan == vp9::kBackEndOnQpu ||
                     (!plan.reconstructs_on_qpu() && !plan.is_divided(vp9::Stage::loop_filter));
  return whole ? "qpu" : "both";
}

/// Returns the bar's label. It only says "model", because a phone has no room for more; the table
/// explains it.
std::string bar_label(const PlanResult& plan) {
  return plan.candidate.label() + (plan.modelled ? " (model)" : "");
}

std::string rate(const Proposal& proposal, double seconds) {
  return fmt::format("{:.1f}", split::frame_rate(proposal, seconds));
}

/// Makes the chart of all plans. The reference line is the fastest plan without the GPU.
BarChart chart_of(const Proposal& proposal) {
  BarChart chart;
  chart.title = fmt::format("Plans for {}, predicted{}", proposal.stream,
                            was_run(proposal) ? " and measured" : "");
  chart.unit = "pictures/s";
  for (const PlanResult& plan : proposal.plans) {
    const double expected = split::frame_rate(proposal, plan.predicted.expected);
    Bar& bar = chart.bars.emplace_back();
    bar = {.label = bar_label(plan),
           .side = side_of(plan.candidate.plan),
           .value = expected,
           .low = split::frame_rate(proposal, plan.predicted.high),
           .high = split::frame_rate(proposal, plan.predicted.low),
           .text = rate(proposal, plan.predicted.expected)};
    if (plan.measured) bar.measured = split::frame_rate(proposal, *plan.measured);
    if (!plan.candidate.plan.uses_qpu() && (!chart.line || expected > chart.line->first)) {
      chart.line = {expected, "to beat: no QPU"};
    }
  }
  return chart;
}

std::string html_of(const split::TableRows& rows) {
  Table table(rows.front(), 1);
  std::for_each(rows.begin() + 1, rows.end(), [&](const auto& row) { table.add(row); });
  return table.html();
}

/// Makes the chart of the CPU time of the plans that keep the aim's rate. The reference line is the
/// least CPU time without the GPU. The chart is empty if the aim is speed.
BarChart cpu_chart_of(const Proposal& proposal) {
  BarChart chart;
  chart.title =
      fmt::format("CPU time per picture at {:g} pictures/s: less is better", proposal.fps);
  chart.unit = "ms";
  if (proposal.aim == split::Aim::speed) return chart;
  const double milliseconds =
      // Factor from the seconds of the predicted packets to milliseconds per picture.
      1e3 / proposal.pictures;
  for (const PlanResult& plan : proposal.plans) {
    if (!plan.played && !keeps_rate(proposal, plan)) continue;
    const double expected = milliseconds * plan.cpu.expected;
    Bar& bar = chart.bars.emplace_back();
    bar = {.label = bar_label(plan),
           .side = side_of(plan.candidate.plan),
           .value = expected,
           .low = milliseconds * plan.cpu.low,
           .high = milliseconds * plan.cpu.high,
           .text = fmt::format("{:.2f}", expected)};
    if (plan.played) bar.measured = 1e3 * plan.played->cpu_seconds;
    if (!plan.candidate.plan.uses_qpu() && (!chart.line || expected < chart.line->first)) {
      chart.line = {expected, "to beat: no QPU"};
    }
  }
  return chart;
}

/// Returns the HTML table of the aim; empty if the aim is speed. It has no columns of playback if
/// no plan was played.
std::string aim_html(const Proposal& proposal) {
  if (proposal.aim == split::Aim::speed) return {};
  const bool any_played = std::ranges::any_of(
      proposal.plans, [](const PlanResult& plan) { return plan.played.has_value(); });
  split::TableRows rows = aim_rows(
      proposal, {fmt::format("at {:g} pictures/s", proposal.fps), "CPU ms per picture, predicted",
                 "from", "to", "played", "mJ per picture", "missed", "latency p99, ms"});
  for (std::vector<std::string>& row : rows) {
    if (!any_played) row.resize(4);
  }
  std::string energy;
  if (!proposal.energy_sensor.empty()) energy = "Energy: " + proposal.energy_sensor + ".";
  if (const std::string why = why_no_energy(proposal); !why.empty()) {
    energy = "Energy is not known: " + why + ".";
  }
  return html_of(rows) + (energy.empty() ? "" : paragraph(energy, "quiet"));
}

std::string assumptions(const Proposal& proposal) {
  std::string items;
  for (const std::string& one : proposal.assumptions)
    items += "<li>" + escaped_markup(one) + "</li>\n";
  if (items.empty()) return {};
  return "<details><summary>Assumptions</summary><ul class=\"quiet\">\n" + items +
         "</ul></details>\n";
}

std::string html_of(const SplitFile& file) {
  const Proposal& proposal = file.proposal;
  std::string out =
      paragraph(fmt::format("File {}: {}.", file.source.number, best_sentence(proposal)));
  if (proposal.streams) {
    out += paragraph("Several streams at once: " + streams_sentence(*proposal.streams) + ".");
    out += html_of(stream_table(*proposal.streams));
  }
  if (proposal.rival) out += paragraph(rival_sentence(proposal) + ".", "warning");
  out += paragraph(
      fmt::format("Costs were {} the first {} of {} packets; rates are those of the other "
                  "packets. {}{}",
                  proposal.cpu.empty() ? "measured on" : "modelled of", proposal.sample,
                  proposal.packets,
                  proposal.cpu.empty() ? "" : fmt::format("CPU: {}. ", proposal.cpu),
                  proposal.qpu ? fmt::format("QPU: {}.", *proposal.qpu)
                               : fmt::format("No plan with a QPU: {}.", proposal.qpu.reason)),
      "quiet");
  out += "<div class=\"charts\">\n" + to_html(chart_of(proposal)) +
         to_html(cpu_chart_of(proposal)) + "</div>\n";
  out += paragraph(
      was_run(proposal)
          ? "A bar is the prediction, its whisker the interval, a diamond the measurement."
          : "A bar is the prediction, its whisker the interval.",
      "quiet");
  out += aim_html(proposal) +
         html_of(plan_rows(proposal, {"plan", "predicted pictures/s", "from", "to",
                                      "measured pictures/s", "measured vs predicted"}));
  if (const std::string why = why_not_run(proposal); !why.empty()) {
    out += paragraph(
        fmt::format("{} run: {}.", was_run(proposal) ? "Not all were" : "None was", why), "quiet");
  }
  out += html_of(stage_rows(proposal));
  if (proposal.picture_copy) out += html_of(gpu_memory_rows(proposal));
  return out + assumptions(proposal) + source_line(file.source.number, "plans, stages");
}

}  // namespace

std::string split_section(const Inputs& inputs) {
  if (inputs.split.empty()) return {};
  std::string out = "<section id=\"split\"><h2>Which stage runs where?</h2>\n";
  for (const SplitFile& file : inputs.split) out += html_of(file);
  return out + "</section>\n";
}

}  // namespace sidecore::report
