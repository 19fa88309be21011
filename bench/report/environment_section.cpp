#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/markup.h"
#include "gates/driver_warnings.h"
#include "report/figures.h"
#include "report/html.h"
#include "report/sections.h"

namespace sidecore::report {
namespace {

/// A CPU counts as slowed if its clock falls below this share of the highest clock.
constexpr double kFullClock = 0.97;

std::string entry(const char* name, const std::string& text) {
  return fmt::format("<dt>{}</dt><dd>{}</dd>\n", name, escaped_markup(text));
}

/// Returns the command with quotes where a shell needs them.
std::string shell_words(const std::vector<std::string>& words) {
  static constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

std::string state_text(const gates::EnvironmentRecord& record) {
  std::vector<std::string> parts;
  std::string clocks;
  for (const gates::CpuState& cpu : record.cpus) {
    if (cpu.mhz.has_value()) clocks += fmt::format("{}{:.0f}", clocks.empty() ? "" : " ", *cpu.mhz);
  }
  parts.push_back(clocks.empty() ? "frequencies unknown" : clocks + " MHz");
  if (!record.cpus.empty() && !record.cpus.front().governor.empty()) {
    parts.push_back("governor " + record.cpus.front().governor);
  }
  for (const gates::Temperature& zone : record.temperatures) {
    parts.push_back(fmt::format("{} {:.1f} °C", zone.zone, zone.celsius));
  }
  if (record.throttle.firmware_flags.has_value()) {
    parts.push_back(fmt::format("get_throttled 0x{:x}", *record.throttle.firmware_flags));
  } else if (!record.throttle.core_events.has_value()) {
    parts.emplace_back("throttling unknown");
  }
  if (record.load_average.has_value()) {
    parts.push_back(fmt::format("load {}", fmt::join(*record.load_average, " ")));
  }
  return fmt::format("{}: {}", record.time, fmt::join(parts, ", "));
}

/// Returns a warning about CPU clocks that fell while M4 ran; empty: none is known to have fallen.
std::string slowed_clock(const gates::GateReport& report) {
  std::optional<double> full;
  for (const gates::CpuState& cpu : report.before.cpus) {
    if (cpu.maximum_mhz.has_value())
      full = std::min(full.value_or(*cpu.maximum_mhz), *cpu.maximum_mhz);
  }
  const gates::BoardState during = report.during_windows();
  if (!full.has_value() || !during.lowest_mhz.has_value()) return {};
  if (*during.lowest_mhz >= kFullClock * *full) return {};
  return fmt::format("A CPU's clock was down to {:.0f} of {:.0f} MHz while M4 ran",
                     *during.lowest_mhz, *full);
}

/// Returns the warnings about a run's conditions that make its times less reliable.
std::vector<std::string> warnings(const gates::RunRecord& run) {
  std::vector<std::string> all;
  if (!run.throttled.empty()) {
    all.push_back("The board throttled, the figures are void: " + run.throttled);
  }
  if (!run.build.neon_is_native) all.push_back("NEON here is " + run.build.neon);
  if (run.build.type != "Release" && run.build.type != "RelWithDebInfo") {
    all.push_back(fmt::format("The build is {}, not optimised",
                              run.build.type.empty() ? "of no type" : run.build.type));
  }
  for (const gates::DriverWarning& warning : gates::driver_warnings(run.before)) {
    all.push_back(fmt::format("Linux {}: {}", warning.affects, warning.text));
  }
  for (const gates::CpuState& cpu : run.before.cpus) {
    if (cpu.governor.empty() || cpu.governor == "performance") continue;
    all.push_back("The frequency governor is " + cpu.governor + ", not performance");
    break;
  }
  if (run.before.load_average.has_value() && run.before.load_average->front() > gates::kBusyLoad) {
    all.push_back(fmt::format("Load {:.2f} before the run: other processes used this machine",
                              run.before.load_average->front()));
  }
  return all;
}

/// Returns the warnings about a run's Vulkan device.
std::vector<std::string> device_warnings(const gates::GateReport& report) {
  std::vector<std::string> all;
  if (!report.device) {
    all.push_back("No Vulkan device: " + report.device.reason);
  } else if (report.device->is_cpu()) {
    all.push_back(
        report.device->name +
        " is a CPU instead of a GPU: the run shows correctness and says nothing about speed");
  }
  if (const std::string slow = slowed_clock(report); !slow.empty()) all.push_back(slow);
  return all;
}

std::string heading(const Source& source, const char* kind) {
  return fmt::format("<h3 id=\"file-{0}\">File {0}: <code>{1}</code></h3>\n<dl>\n{2}",
                     source.number, escaped_markup(source.file), entry("kind", kind));
}

std::string command_entry(const gates::RunRecord& run) {
  return fmt::format("<dt>command</dt><dd><code>{}</code></dd>\n",
                     escaped_markup(shell_words(run.command_line)));
}

std::string board_entries(const gates::EnvironmentRecord& before) {
  return entry("board", fmt::format("{}, {} CPUs ({}, {})", before.board, before.cpus.size(),
                                    before.cpu_model, before.machine)) +
         entry("system", fmt::format("{}, {}", before.kernel, before.os));
}

std::string state_entries(const gates::RunRecord& run) {
  return entry("build", fmt::format("{}, {}; NEON: {}", run.build.type, run.build.compiler,
                                    run.build.neon)) +
         entry("before", state_text(run.before)) + entry("after", state_text(run.after));
}

std::string paragraphs(const std::vector<std::string>& warnings) {
  std::string out;
  for (const std::string& warning : warnings) out += paragraph(warning, "warning");
  return out;
}

std::string gate_file(const GateFile& file) {
  const gates::GateReport& report = file.report;
  std::string out = heading(file.source, "result of sidecore gate");
  out += command_entry(report);
  out += entry("seed", fmt::format("{} (--seed repeats the run)", report.options.seed));
  out += board_entries(report.before);
  if (report.device) {
    const qpu::DeviceInfo& device = *report.device;
    out += entry("GPU", fmt::format("{} ({}, {}), Vulkan {}, {} memory{}", device.name,
                                    qpu::to_string(device.type), device.driver, device.api_version,
                                    device.unified_memory ? "unified" : "separate",
                                    device.cached_memory ? "" : ", uncached for the CPU"));
  }
  out += state_entries(report);
  const std::string during = to_string(report.during_windows());
  if (!during.empty()) out += entry("in M4", during);
  return out + "</dl>\n" + paragraphs(device_warnings(report)) + paragraphs(warnings(report));
}

std::string model_file(const ModelFile& file) {
  std::string out = heading(file.source, "result of sidecore gate --model");
  out += fmt::format("<dt>command</dt><dd><code>{}</code></dd>\n",
                     escaped_markup(shell_words(file.report.command_line)));
  for (const model::ModelledGates& gates : file.report.kernels) {
    out += entry("model", fmt::format("{} on a {}: V3D {}, {}; not measured", gates.kernel,
                                      gates.board, gates.v3d, gates.driver));
  }
  return out + "</dl>\n";
}

std::string split_file(const SplitFile& file) {
  const split::Proposal& proposal = file.proposal;
  std::string out = heading(file.source, "proposal of sidecore split");
  out += command_entry(proposal.run);
  // The machine's state is left out if the CPU is modelled, because this machine then timed
  // nothing.
  const std::string qpu = proposal.qpu ? entry("QPU", *proposal.qpu) : "";
  if (!proposal.cpu.empty()) return out + entry("CPU", proposal.cpu) + qpu + "</dl>\n";
  out += board_entries(proposal.run.before) + qpu;
  return out + state_entries(proposal.run) + "</dl>\n" + paragraphs(warnings(proposal.run));
}

std::string board_file(const BoardInput& input) {
  const boards::BoardFile& file = input.file;
  std::string out = heading(input.source, "result of sidecore verdict");
  out += entry("figures", to_string(file.basis)) + board_entries(file.environment);
  out += entry("GPU", file.device.name.empty()
                          ? "none"
                          : fmt::format("{}, {}", file.device.name, file.device.driver));
  out += entry("build", fmt::format("sidecore {}, {}, {}; NEON: {}", file.sidecore, file.build.type,
                                    file.build.compiler, file.build.neon));
  out += entry("first step", state_text(file.environment));
  return out + "</dl>\n";
}

std::string shaderdb_file(const ShaderdbFile& file) {
  std::string out =
      heading(file.source, "table of sidecore shaderdb; its files do not record the command");
  for (const auto& [v3d, table] : file.tables) {
    out += entry("V3D", fmt::format("{}, {}; work: {} {}x{}, seed {}", v3d, table.driver,
                                    table.workload.content, table.workload.width,
                                    table.workload.height, table.workload.seed));
  }
  return out + "</dl>\n";
}

std::string metrics_file(const MetricsFile& file) {
  std::string out = heading(
      file.source, file.facts.empty() ? "log in libvmaf's format" : "scores of sidecore metrics");
  if (!file.log.version.empty()) out += entry("version", file.log.version);
  for (const auto& [name, value] : file.facts) {
    out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", escaped_markup(name), escaped_markup(value));
  }
  return out + "</dl>\n";
}

}  // namespace

std::string environment_section(const Inputs& inputs) {
  std::string out = "<section id=\"files\"><h2>Where the figures come from</h2>\n";
  for (const GateFile& file : inputs.gates) out += gate_file(file);
  for (const ModelFile& file : inputs.models) out += model_file(file);
  for (const SplitFile& file : inputs.split) out += split_file(file);
  for (const BoardInput& input : inputs.boards) out += board_file(input);
  for (const ShaderdbFile& file : inputs.shaderdb) out += shaderdb_file(file);
  for (const MetricsFile& file : inputs.metrics) out += metrics_file(file);
  return out + "</section>\n";
}

}  // namespace sidecore::report
