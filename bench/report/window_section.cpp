#include <fmt/format.h>

#include "report/chart.h"
#include "report/figures.h"
#include "report/html.h"
#include "report/sections.h"

namespace sidecore::report {
namespace {

using gates::WindowResult;
using gates::WindowWork;

bool is_mixed(const WindowResult& window) {
  return window.plan.work != WindowWork::same;
}

const char* side_of(const gates::WindowPlan& plan) {
  if (!plan.qpu) return "neon";
  return plan.neon_threads > 0 ? "both" : "qpu";
}

/// Makes the chart of time windows in which NEON and the QPU do the same work, or mixed work if
/// `mixed` is true. The reference line is NEON on all threads.
BarChart chart_of(const gates::ContentWindows& content, const std::string& name, bool mixed,
                  const gates::KernelReport& kernel) {
  BarChart chart;
  chart.title = mixed ? fmt::format("Mixed work on {}: {} beside {}", name, kernel.name,
                                    content.beside.value.value_or(""))
                      : fmt::format("NEON and QPU run {} on {}", kernel.name, name);
  chart.unit = mixed ? "picture jobs/s" : kernel.unit + "s/s";
  int most_threads = 0;
  for (const WindowResult& window : content.windows) {
    if (is_mixed(window) != mixed) continue;
    chart.bars.push_back({window.plan.label(), side_of(window.plan), window.rate.median,
                          window.rate.min, window.rate.max, rate_text(window.rate.median)});
    if (!window.plan.qpu && window.plan.neon_threads > most_threads) {
      most_threads = window.plan.neon_threads;
      chart.line = {window.rate.median, fmt::format("to beat: {}", window.plan.label())};
    }
  }
  return chart;
}

std::string window_table(const gates::ContentWindows& content) {
  Table table({"work", "run by", "rate", "windows, lowest to highest", "NEON pictures/s",
               "QPU pictures/s", "branches at the end"},
              2, 6);
  for (const WindowResult& window : content.windows) {
    table.add(
        {is_mixed(window) ? "mixed" : "same", window.plan.label(), rate_text(window.rate.median),
         fmt::format("{} to {}", rate_text(window.rate.min), rate_text(window.rate.max)),
         fmt::format("{:.2f}", window.neon_passes.median),
         fmt::format("{:.2f}", window.qpu_passes.median), branch_text(window.branches_at_end)});
  }
  return table.html();
}

/// Returns a paragraph with the board's state during the time windows; empty if the system does not
/// report it.
std::string board_sentence(const std::vector<gates::BoardState>& states) {
  gates::BoardState state;
  add(state, states);
  const std::string text = to_string(state);
  if (text.empty()) return {};
  const std::string throttled = gates::throttled_during(state);
  return paragraph(fmt::format("The board in these windows: {}.{}", text,
                               throttled.empty() ? "" : " Void: " + throttled + "."),
                   throttled.empty() ? "quiet" : "warning");
}

std::vector<gates::BoardState> states_in(const std::vector<WindowResult>& windows) {
  std::vector<gates::BoardState> all;
  for (const WindowResult& window : windows) {
    all.insert(all.end(), window.states.begin(), window.states.end());
  }
  return all;
}

/// Returns an HTML table of the busy shares of the GPU's queues, or the reason why they are
/// unknown.
std::string busy_html(const gates::ConcurrencyReport& report,
                      const gates::ContentWindows& content) {
  if (!report.gpu_busy_source) {
    return reason_paragraph("The GPU's busy time is not known", report.gpu_busy_source);
  }
  Table table({"work", "run by", "busy share of the GPU's queues, mean over the windows"}, 3);
  for (const WindowResult& window : content.windows) {
    const std::string busy = to_string(window.gpu_busy);
    if (!busy.empty()) {
      table.add({is_mixed(window) ? "mixed" : "same", window.plan.label(), busy});
    }
  }
  if (table.empty()) return {};
  return table.html() + paragraph("Busy time: " + *report.gpu_busy_source + ".", "quiet");
}

std::string pay_off_sentence(const char* work, const std::optional<gates::SpeedGain>& pay_off) {
  if (!pay_off.has_value()) return {};
  return paragraph(
      fmt::format("Gain with {}: {}, {} against NEON on all threads{}.", work,
                  percent(pay_off->gain), pay_off->winner,
                  pay_off->outside_spread
                      ? ""
                      : ", but the ranges of the windows overlap: no difference was shown"));
}

/// Returns the HTML table of playback at a fixed rate; empty if no rate was given.
std::string paced_html(const gates::PlaybackResult& player, bool cpu_device) {
  if (!player.paced) return {};
  const gates::PacedWindows& paced = *player.paced;
  Table table({fmt::format("at {:g} pictures/s", paced.fps), "CPU ms per picture", "against NEON",
               "mJ per picture", "missed", "latency p99, ms"},
              1);
  std::string energy;
  const auto add = [&](const std::string& plan, const gates::PacedFigures& figures) {
    const double neon = paced.neon.cpu_ns_per_picture.median;
    const bool compares = &figures != &paced.neon && neon > 0 && !cpu_device;
    table.add({plan, fmt::format("{:.2f}", figures.cpu_ns_per_picture.median / 1e6),
               compares ? percent(figures.cpu_ns_per_picture.median / neon - 1) : "-",
               figures.joules_per_picture ? fmt::format("{:.1f}", *figures.joules_per_picture * 1e3)
                                          : "-",
               fmt::format("{} of {}", figures.missed, figures.pictures),
               fmt::format("{:.2f}", figures.latency_ns.p99 / 1e6)});
    if (energy.empty())
      energy = reason_paragraph("Energy is not known", figures.joules_per_picture);
  };
  add("neon", paced.neon);
  add(mixed_plan(player), paced.mixed);
  if (player.divided && paced.divided) add(player.divided->plan, *paced.divided);
  if (energy.empty() && !paced.energy_sensor.empty()) {
    energy = paragraph("Energy: " + paced.energy_sensor + ".", "quiet");
  }
  return table.html() + energy;
}

/// Returns the HTML of the playback test. The reference line is NEON alone.
std::string player_html(const gates::ContentWindows& content, bool cpu_device) {
  if (!content.player) return reason_paragraph("The playback test did not run", content.player);
  const gates::PlaybackResult& player = *content.player;
  BarChart chart;
  chart.title = fmt::format("Playback test of {}, {} threads", player.origin, player.threads);
  chart.unit = "pictures/s";
  const auto add = [&](const std::string& label, const char* side, const SampleSet& rate) {
    chart.bars.push_back({label, side, rate.median, rate.min, rate.max, rate_text(rate.median)});
  };
  add("neon", "neon", player.neon);
  add(mixed_plan(player), "both", player.mixed);
  if (player.divided) add(player.divided->plan, "both", player.divided->rate);
  chart.line = {player.neon.median, "to beat: NEON"};
  const std::string same =
      player.agrees()
          ? fmt::format("All pictures equal the scalar decoder's: MD5 {}.", player.scalar_md5)
          : std::string("The pictures differ from the scalar decoder's.");
  return "<div class=\"charts\">\n" + to_html(chart) + "</div>\n" +
         pay_off_sentence("the playback test", content.player_pay_off) +
         paced_html(player, cpu_device) +
         reason_paragraph("The stage was not divided between NEON and QPU", player.divided) +
         paragraph(fmt::format("{} {} pictures and {} frames once through with {}: {} submissions, "
                               "{} fence waits.",
                               same, player.clip.pictures, player.clip.frames, mixed_plan(player),
                               player.clip.submissions, player.clip.fence_waits),
                   "quiet") +
         board_sentence(player.states);
}

/// Returns the HTML of the time windows of single kernels on one content.
std::string content_html(const GateFile& file, const gates::KernelReport& kernel,
                         const gates::ContentWindows& content) {
  const std::string name = content_name(file.report.options, content.content);
  std::string out = "<div class=\"charts\">\n" + to_html(chart_of(content, name, false, kernel)) +
                    to_html(chart_of(content, name, true, kernel)) + "</div>\n";
  out += pay_off_sentence("the same kernel", content.same) +
         pay_off_sentence("mixed kernels", content.mixed);
  out += reason_paragraph("Mixed work did not run", content.beside);
  out += paragraph(
      fmt::format("{} rounds of {:g} s; variant {}; {} ({}), {} {}s per picture; branches: {}",
                  file.report.options.rounds, seconds(file.report.options.window), content.variant,
                  name, content.origin, content.units, kernel.unit, branch_text(content.branches)),
      "quiet");
  out += board_sentence(states_in(content.windows));
  return out + window_table(content) + busy_html(*kernel.m4, content);
}

}  // namespace

std::string window_charts(const GateFile& file, const gates::KernelReport& kernel,
                          std::size_t kernel_index) {
  if (!kernel.m4) return {};
  const auto& contents = kernel.m4->contents;
  std::string out;
  for (std::size_t i = 0; i < contents.size(); ++i) {
    if (!contents[i].windows.empty()) out += content_html(file, kernel, contents[i]);
    out += player_html(contents[i], file.report.device && file.report.device->is_cpu());
    out += source_line(file.source.number,
                       fmt::format("kernels[{}].m4.contents[{}]", kernel_index, i));
  }
  return out;
}

}  // namespace sidecore::report
