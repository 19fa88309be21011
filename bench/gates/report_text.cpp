#include "gates/run.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text_table.h"
#include "gates/driver_warnings.h"
#include "gates/figure_text.h"

namespace sidecore::gates {
namespace {

constexpr const char* kCpuDeviceNote =
    "the device is a CPU: the run shows correctness, and says nothing about the gain on a GPU";

std::string spread(const SampleSet& set) {
  return fmt::format("{} .. {}", microseconds(set.p10), microseconds(set.p90));
}

/// Returns a rate in millions with four significant digits, because the rates of different kernels
/// differ by orders of magnitude.
std::string millions(double rate) {
  return fmt::format("{:#.4g}", rate / 1e6);
}

std::string heading(Gate gate, const char* question, const char* meaning) {
  return fmt::format("\n{}  {}\n    {}\n", to_string(gate), question, meaning);
}

/// Returns the line "  WHAT: REASON" if the outcome has a reason, otherwise "".
template <class T>
std::string reason_line(const char* what, const Outcome<T>& outcome) {
  return outcome.reason.empty() ? "" : fmt::format("  {}: {}\n", what, outcome.reason);
}

/// Returns the line that describes the workload of a gate's runs on one content.
template <class ContentRuns>
std::string content_line(const GateReport& report, const KernelReport& kernel,
                         const ContentRuns& runs) {
  return fmt::format("  {} ({}), {} {}s per picture; branches: {}\n",
                     content_name(report.options, runs.content), runs.origin, runs.units,
                     kernel.unit, branch_text(runs.branches));
}

// --- environment -------------------------------------------------------------------------------

std::string frequencies(const EnvironmentRecord& record) {
  std::string text;
  for (const CpuState& cpu : record.cpus) {
    if (!cpu.mhz.has_value()) continue;
    text += fmt::format("{}{:.0f}", text.empty() ? "" : " ", *cpu.mhz);
  }
  if (text.empty()) return "frequencies unknown";
  const std::string& governor = record.cpus.front().governor;
  return fmt::format("{} MHz, governor {}", text, governor.empty() ? "unknown" : governor);
}

std::string state_line(const char* when, const EnvironmentRecord& record) {
  std::string text = fmt::format("  {:<9} {}; ", when, frequencies(record));
  if (record.temperatures.empty()) text += "temperature unknown";
  for (const Temperature& temperature : record.temperatures) {
    text += fmt::format("{} {:.1f} C ", temperature.zone, temperature.celsius);
  }
  if (record.throttle.firmware_flags.has_value()) {
    text += fmt::format("; get_throttled 0x{:x}", *record.throttle.firmware_flags);
  } else if (!record.throttle.core_events.has_value()) {
    text += "; throttling unknown";
  }
  if (record.load_average.has_value()) {
    text += fmt::format("; load {}", fmt::join(*record.load_average, " "));
  }
  return text + "\n";
}

std::string environment_text(const GateReport& report) {
  const EnvironmentRecord& before = report.before;
  std::string text = fmt::format("  board     {}, {} CPUs ({})\n", before.board, before.cpus.size(),
                                 before.cpu_model);
  text += fmt::format("  system    {}, {}\n", before.kernel, before.os);
  text += fmt::format("  build     {}, {}\n", report.build.type, report.build.compiler);
  text += fmt::format("  NEON      {}\n", report.build.neon);
  if (report.device) {
    const qpu::DeviceInfo& device = *report.device;
    text += fmt::format("  QPU       {} ({}, {}), Vulkan {}\n", device.name,
                        qpu::to_string(device.type), device.driver, device.api_version);
    if (device.is_cpu()) text += fmt::format("            {}\n", kCpuDeviceNote);
  } else {
    text += reason_line("QPU       none", report.device);
  }
  text += state_line("before", before) + state_line("after", report.after);
  const std::string during = to_string(report.during_windows());
  if (!during.empty()) text += fmt::format("  in M4     {}\n", during);
  if (!report.throttled.empty()) {
    text += fmt::format("  VOID: the board throttled during the run: {}\n", report.throttled);
  }
  for (const DriverWarning& warning : driver_warnings(before)) {
    text += fmt::format("  WARNING   {}: {}\n", warning.affects, warning.text);
  }
  if (before.load_average.has_value() && before.load_average->front() > kBusyLoad) {
    text += fmt::format("  NOTE: load {:.1f} before the run: other processes use this machine\n",
                        before.load_average->front());
  }
  return text + fmt::format("  seed      {} (--seed {} repeats this run)\n", report.options.seed,
                            report.options.seed);
}

// --- gates -------------------------------------------------------------------------------------

std::string m1_text(const KernelReport& kernel, const GateReport& gates) {
  std::string text = heading(Gate::m1, "Is it right?",
                             "Compares every byte of the block, including guard bytes, with the "
                             "scalar definition; less than 100.0000 % fails.");
  if (!kernel.m1) return text + reason_line("the gate did not run", kernel.m1);
  const AgreementReport& report = *kernel.m1;
  TextTable table(
      {"content", "implementation", kernel.unit + "s", "agree", "share %", "stray bytes", ""}, 2);
  std::string remarks;
  for (const Agreement& agreement : report.agreements) {
    const std::string content = content_name(gates.options, agreement.content);
    if (!agreement.compared) {
      table.add({content, agreement.implementation, "-", "-", "-", "-", "not run"});
      remarks +=
          fmt::format("  {} not run: {}\n", agreement.implementation, agreement.compared.reason);
      continue;
    }
    const ComparedUnits& compared = *agreement.compared;
    table.add({content, agreement.implementation, std::to_string(compared.units),
               std::to_string(compared.agreeing), format_share(compared.agreeing, compared.units),
               std::to_string(compared.stray_bytes), compared.holds() ? "ok" : "FAILED"});
    if (compared.first.has_value()) {
      const FirstDifference& first = *compared.first;
      remarks += fmt::format("  {} on {}: first difference in {}: {}: expected {}, found {}\n",
                             agreement.implementation, content, first.origin, first.where,
                             first.expected, first.found);
    }
  }
  text += table.text();
  for (const ContentRecord& record : report.contents) {
    text +=
        fmt::format("  {} from {}{}; branches: {}\n", content_name(gates.options, record.content),
                    record.first_origin, record.content == Content::input ? " on" : "",
                    branch_text(record.branches));
  }
  return text + remarks;
}

/// Returns one table of counters per variant.
std::string counters_text(const QpuContentRuns& content, const std::string& unit) {
  std::string text;
  for (const QpuRun& run : content.runs) {
    if (run.counts.empty()) continue;
    TextTable table(
        {run.variant + ", counter", "per picture", "per dispatch", "per " + unit, "unit"}, 1);
    for (const GpuCount& count : run.counts) {
      table.add({count.name, value_text(count), value_text_over(count, run.dispatches),
                 value_text_over(count, static_cast<double>(content.units)), unit_text(count)});
    }
    text += table.text();
  }
  return text;
}

std::string counters_note(const QpuThroughputReport& report, const GateReport& gates) {
  if (!report.counter_passes) return reason_line("GPU counters: none", report.counter_passes);
  const bool simulated = gates.device && gates.device->simulated;
  const std::string distrust =
      report.counters_distrust.empty()
          ? ""
          : fmt::format("  counters are NOT TRUSTED: {}\n", report.counters_distrust);
  return distrust +
         fmt::format("  counters are from a separate, untimed run ({} of the same work){}\n",
                     *report.counter_passes == 1 ? "one pass"
                                                 : fmt::format("{} passes", *report.counter_passes),
                     simulated ? "; they count the simulator's work, not the hardware's" : "");
}

std::string m2_text(const KernelReport& kernel, const GateReport& gates) {
  std::string text =
      heading(Gate::m2, "How fast is the QPU alone?",
              "One picture per submission, times in microseconds; s-f is submit to "
              "fence, net is s-f minus an empty dispatch, gpu is by GPU timestamps.");
  if (!kernel.m2) return text + reason_line("the gate did not run", kernel.m2);
  const QpuThroughputReport& report = *kernel.m2;
  if (report.staged)
    text += "  memory is staged: times include the copies to and from the device\n";
  for (const QpuContentRuns& content : report.contents) {
    text += content_line(gates, kernel, content);
    TextTable table({"variant", "s-f median", "p10 .. p90", "min", "max", "net", "gpu",
                     "dispatches", "s-f M " + kernel.unit + "s/s", "s-f ns/" + kernel.unit},
                    1);
    for (const QpuRun& run : content.runs) {
      const SampleSet& wall = run.submit_to_fence;
      const auto units = static_cast<double>(content.units);
      table.add({run.variant, microseconds(wall.median), spread(wall), microseconds(wall.min),
                 microseconds(wall.max), microseconds(wall.median - report.empty_dispatch),
                 run.gpu.has_value() ? microseconds(run.gpu->median) : "none",
                 std::to_string(run.dispatches), millions(units * 1e9 / wall.median),
                 fmt::format("{:.2f}", wall.median / units)});
    }
    text += table.text() + counters_text(content, kernel.unit);
  }
  return text + counters_note(report, gates);
}

std::string per_unit(const std::optional<std::uint64_t>& count, std::size_t units) {
  if (!count.has_value()) return "-";
  return fmt::format("{:.2f}", static_cast<double>(*count) / static_cast<double>(units));
}

std::string m3_content_text(const KernelReport& kernel, const CpuContentRuns& content,
                            bool counted) {
  std::vector<std::string> header{"implementation",   "memory",     "threads",
                                  "median",           "p10 .. p90", "M " + kernel.unit + "s/s",
                                  "ns/" + kernel.unit};
  if (counted) {
    for (const char* name : {"IPC", "cycles", "instr", "cache miss", "stalled"}) {
      header.emplace_back(name);
    }
  }
  TextTable table(header, 2);
  for (const CpuRun& run : content.runs) {
    const auto units = static_cast<double>(content.units);
    std::vector<std::string> row{to_string(run.implementation),
                                 to_string(run.memory),
                                 std::to_string(run.threads),
                                 microseconds(run.elapsed.median),
                                 spread(run.elapsed),
                                 millions(units * 1e9 / run.elapsed.median),
                                 fmt::format("{:.2f}", run.elapsed.median / units)};
    if (counted) {
      const std::optional<double> ipc = instructions_per_cycle(run.counts);
      row.push_back(ipc.has_value() ? fmt::format("{:.2f}", *ipc) : "-");
      for (const auto& count : {run.counts.cycles, run.counts.instructions, run.counts.cache_misses,
                                run.counts.stalled_cycles_backend}) {
        row.push_back(per_unit(count, content.units));
      }
    }
    table.add(std::move(row));
  }
  return table.text();
}

std::string m3_text(const KernelReport& kernel, const GateReport& gates) {
  std::string text = heading(Gate::m3, "How fast is NEON?",
                             "One picture on pinned threads, microseconds from the first start to "
                             "the last end; device memory is the memory that the QPU uses.");
  if (!kernel.m3) return text + reason_line("the gate did not run", kernel.m3);
  const CpuThroughputReport& report = *kernel.m3;
  const bool counted = report.counters_refusal.empty();
  for (const CpuContentRuns& content : report.contents) {
    text += content_line(gates, kernel, content);
    text += m3_content_text(kernel, content, counted);
  }
  if (!report.device_memory_refusal.empty()) {
    text += fmt::format("  device memory was not measured: {}\n", report.device_memory_refusal);
  }
  text += counted ? fmt::format("  counters are per {}, user space, all threads\n", kernel.unit)
                  : fmt::format("  hardware counters: {}\n", report.counters_refusal);
  return text;
}

std::string window_work(WindowWork work, const KernelReport& kernel, const std::string& beside) {
  switch (work) {
    case WindowWork::same:
      return "same: all run " + kernel.name;
    case WindowWork::mixed_neon:
      return fmt::format("mixed: NEON runs {} and {}", kernel.name, beside);
    case WindowWork::mixed_qpu:
      return fmt::format("mixed: NEON runs {}, QPU {}", beside, kernel.name);
  }
  return {};
}

std::string window_rate(const WindowResult& window, const std::string& unit) {
  const SampleSet& rate = window.rate;
  if (window.plan.work == WindowWork::same) {
    return fmt::format("{} M {}s/s", millions(rate.median), unit);
  }
  return fmt::format("{:.2f} jobs/s", rate.median);
}

std::string window_spread(const SampleSet& rate) {
  if (rate.median <= 0) return "-";
  return fmt::format("{:+.1f} .. {:+.1f} %", 100 * (rate.min / rate.median - 1),
                     100 * (rate.max / rate.median - 1));
}

std::string pay_off_line(const char* work, const std::optional<SpeedGain>& pay_off) {
  if (!pay_off.has_value()) return {};
  return fmt::format("  gain, {}: {:+.1f} % ({} against NEON on all threads{})\n", work,
                     100 * pay_off->gain, pay_off->winner,
                     pay_off->outside_spread ? "" : "; the ranges of the windows overlap");
}

/// Returns the change of CPU time against NEON alone: "-38.2 %"; "-" if the device is a CPU.
std::string against_neon(const PacedFigures& figures, const PacedFigures& neon, bool cpu_device) {
  if (cpu_device || neon.cpu_ns_per_picture.median <= 0) return "-";
  return fmt::format(
      "{:+.1f} %", 100 * (figures.cpu_ns_per_picture.median / neon.cpu_ns_per_picture.median - 1));
}

std::string paced_text(const PlaybackResult& player, bool cpu_device) {
  if (!player.paced.has_value()) return {};
  const PacedWindows& paced = *player.paced;
  TextTable table({"plan", "CPU ms/picture", "against NEON", "mJ/picture", "pictures", "missed",
                   "latency p99, ms"},
                  1);
  std::string energy;
  const auto add = [&](const std::string& plan, const PacedFigures& figures) {
    table.add({plan, fmt::format("{:.2f}", figures.cpu_ns_per_picture.median / 1e6),
               &figures == &paced.neon ? "" : against_neon(figures, paced.neon, cpu_device),
               figures.joules_per_picture ? fmt::format("{:.1f}", *figures.joules_per_picture * 1e3)
                                          : "-",
               std::to_string(figures.pictures), std::to_string(figures.missed),
               fmt::format("{:.2f}", figures.latency_ns.p99 / 1e6)});
    if (energy.empty()) energy = reason_line("the energy is not known", figures.joules_per_picture);
  };
  add("neon", paced.neon);
  add(mixed_plan(player), paced.mixed);
  if (player.divided && paced.divided) add(player.divided->plan, *paced.divided);
  if (energy.empty() && !paced.energy_sensor.empty()) {
    energy = fmt::format("  energy: {}, including everything else that runs on it\n",
                         paced.energy_sensor);
  }
  return fmt::format(
             "  at {:g} pictures/s, CPU time of all threads of the process{}:\n", paced.fps,
             cpu_device ? "; the device is a CPU, so its work is included: no verdict" : "") +
         table.text() + energy;
}

std::string md5_text(const PlaybackResult& player) {
  if (player.agrees()) {
    return fmt::format("  all pictures equal the scalar decoder's: MD5 {}\n", player.scalar_md5);
  }
  std::string text = fmt::format(
      "  FAILED: MD5 of the pictures: {} by scalar, {} by NEON, {} by {}, {} after the windows",
      player.scalar_md5, player.neon_md5, player.mixed_md5, mixed_plan(player),
      player.mixed_md5_after);
  if (player.divided) {
    text += fmt::format("; {} by {}, {} after the windows", player.divided->md5,
                        player.divided->plan, player.divided->md5_after);
  }
  return text + "\n";
}

std::string player_text(const ContentWindows& content, bool cpu_device) {
  if (!content.player) return reason_line("the playback test did not run", content.player);
  const PlaybackResult& player = *content.player;
  std::string text = fmt::format(
      "  playback test: {}, {} pictures and {} frames, decoded on {} threads; {}: {} submissions, "
      "{} fence waits\n",
      player.origin, player.clip.pictures, player.clip.frames, player.threads, mixed_plan(player),
      player.clip.submissions, player.clip.fence_waits);
  if (player.divided) {
    text += fmt::format("  {}: {} submissions, {} fence waits\n", player.divided->plan,
                        player.divided->clip.submissions, player.divided->clip.fence_waits);
  }
  TextTable table({"plan", "pictures/s", "spread"}, 1);
  const auto add = [&](const std::string& plan, const SampleSet& rate) {
    table.add({plan, fmt::format("{:.2f}", rate.median), window_spread(rate)});
  };
  add("neon", player.neon);
  add(mixed_plan(player), player.mixed);
  if (player.divided) add(player.divided->plan, player.divided->rate);
  text +=
      table.text() + reason_line("the stage was not divided between NEON and QPU", player.divided);
  return text + paced_text(player, cpu_device) + md5_text(player);
}

/// Returns the busy shares of the GPU's queues in the time windows with the QPU.
std::string gpu_busy_text(const ContentWindows& content) {
  std::string text;
  for (const WindowResult& window : content.windows) {
    const std::string busy = to_string(window.gpu_busy);
    if (busy.empty()) continue;
    text += fmt::format("    {}, {}: {}\n", window.plan.work == WindowWork::same ? "same" : "mixed",
                        window.plan.label(), busy);
  }
  return text.empty() ? text : "  busy share of the GPU's queues, mean over the windows:\n" + text;
}

/// Returns the table of the time windows of single kernels.
std::string windows_text(const KernelReport& kernel, const ContentWindows& content,
                         const GateReport& gates) {
  std::string text = content_line(gates, kernel, content);
  text += fmt::format(
      "  QPU variant {}; {} rounds of {:g} s; samples are restored before each window, not during "
      "it\n",
      content.variant, gates.options.rounds, seconds(gates.options.window));
  TextTable table({"work", "run by", "rate", "spread", "NEON pictures/s", "QPU pictures/s"}, 2);
  std::string worn;
  for (const WindowResult& window : content.windows) {
    table.add({window_work(window.plan.work, kernel, content.beside.value.value_or("")),
               window.plan.label(), window_rate(window, kernel.unit), window_spread(window.rate),
               fmt::format("{:.2f}", window.neon_passes.median),
               fmt::format("{:.2f}", window.qpu_passes.median)});
    worn += fmt::format("    {}, {}: {}\n", window.plan.work == WindowWork::same ? "same" : "mixed",
                        window.plan.label(), branch_text(window.branches_at_end));
  }
  text += table.text() + "  branches at the end of the windows:\n" + worn + gpu_busy_text(content);
  return text + reason_line("mixed kernels did not run", content.beside);
}

std::string m4_text(const KernelReport& kernel, const GateReport& gates) {
  std::string text =
      heading(Gate::m4, "Does it pay?",
              "Alternating time windows of steady work; a picture job needs both kernels, so the "
              "slower processor sets the rate. Spread is over the windows.");
  text += reason_line("the gate did not run", kernel.m4);
  if (!kernel.m4) return text;
  for (const ContentWindows& content : kernel.m4->contents) {
    if (!content.windows.empty()) text += windows_text(kernel, content, gates);
    text += player_text(content, gates.device && gates.device->is_cpu());
    text += pay_off_line("same kernel", content.same) +
            pay_off_line("mixed kernels", content.mixed) +
            pay_off_line("playback test", content.player_pay_off);
    if (gates.device && gates.device->is_cpu()) text += fmt::format("  {}\n", kCpuDeviceNote);
  }
  const ConcurrencyReport& report = *kernel.m4;
  if (report.gpu_busy_source) {
    return text + fmt::format("  GPU's busy time: {}\n", *report.gpu_busy_source);
  }
  return text + reason_line("the GPU's busy time is not known", report.gpu_busy_source);
}

std::string m5_text(const GateReport& report) {
  std::string text =
      heading(Gate::m5, "What does a dispatch cost?",
              "Empty dispatches, microseconds: a submission is only worthwhile if its "
              "work takes far longer than this.");
  if (!report.m5) return text + reason_line("the gate did not run", report.m5);
  const DispatchCostReport& cost = *report.m5;
  TextTable table({"dispatches", "submit-to-fence median", "p99", "min", "gpu timestamps median"},
                  0);
  for (const EmptySubmission& submission : cost.submissions) {
    table.add(
        {std::to_string(submission.dispatches), microseconds(submission.submit_to_fence.median),
         microseconds(submission.submit_to_fence.p99), microseconds(submission.submit_to_fence.min),
         submission.gpu.has_value() ? microseconds(submission.gpu->median) : "none"});
  }
  text += table.text();
  return text + fmt::format(
                    "  one more dispatch in a submission costs {:.2f} us, the submission itself "
                    "{:.1f} us (line through the submit-to-fence medians)\n",
                    cost.line.slope / 1e3, cost.line.intercept / 1e3);
}

std::string verdict_text(const KernelReport& kernel, const GateReport& gates) {
  if (kernel.verdicts.empty()) return {};
  std::string text =
      "\nVerdict\n    R = rate of the fastest QPU variant without baselines (M2, submit to fence)\n"
      "    / rate of one NEON core (M3, in the faster memory). GREEN >= 1, YELLOW >= 0.5,\n"
      "    ORANGE >= 0.25, RED below; M4 decides.\n";
  for (const ContentVerdict& entry : kernel.verdicts) {
    text += fmt::format("  {:<14} {:<18} {}\n", content_name(gates.options, entry.content),
                        to_string(entry.verdict.conclusion), entry.verdict.text);
  }
  return text;
}

}  // namespace

std::string to_text(const GateReport& report) {
  const auto wanted = [&](Gate gate) { return report.options.gates.contains(gate); };
  std::string text = "sidecore gate\n" + environment_text(report);
  if (wanted(Gate::m5)) text += m5_text(report);
  for (const KernelReport& kernel : report.kernels) {
    text += fmt::format("\n=== {}: {} ===\n", kernel.name, kernel.description);
    if (wanted(Gate::m1)) text += m1_text(kernel, report);
    if (wanted(Gate::m2)) text += m2_text(kernel, report);
    if (wanted(Gate::m3)) text += m3_text(kernel, report);
    if (wanted(Gate::m4)) text += m4_text(kernel, report);
    text += verdict_text(kernel, report);
  }
  return text;
}

}  // namespace sidecore::gates
