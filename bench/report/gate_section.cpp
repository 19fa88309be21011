#include <fmt/format.h>

#include <algorithm>

#include "base/markup.h"
#include "report/chart.h"
#include "report/figures.h"
#include "report/html.h"
#include "report/sections.h"

namespace sidecore::report {
namespace {

/// Largest number of kernels that the page shows unfolded.
constexpr std::size_t kMaxUnfolded = 3;

/// One kernel of one result file.
struct Occurrence {
  const GateFile* file = nullptr;
  std::size_t index = 0;

  [[nodiscard]] const gates::KernelReport& kernel() const { return file->report.kernels[index]; }
  [[nodiscard]] std::string number() const { return std::to_string(file->source.number); }
  [[nodiscard]] std::string source(const char* gate) const {
    return source_line(file->source.number, fmt::format("kernels[{}].{}", index, gate));
  }
};

template <class Report>
std::string not_run(const char* gate, const Occurrence& at, const Outcome<Report>& outcome) {
  return reason_paragraph(fmt::format("{} did not run in file {}", gate, at.number()), outcome);
}

// --- M1 ----------------------------------------------------------------------------------------

void add_rows(const Occurrence& at, Table& table) {
  for (const gates::Agreement& agreement : at.kernel().m1->agreements) {
    const std::string content = content_name(at.file->report.options, agreement.content);
    if (!agreement.compared) {
      table.add({at.number(), content, agreement.implementation, "-", "-", "-",
                 "not run: " + agreement.compared.reason});
      continue;
    }
    const gates::ComparedUnits& compared = *agreement.compared;
    std::string outcome = "ok";
    if (!compared.holds()) outcome = "differs";
    if (compared.first.has_value()) {
      const gates::FirstDifference& first = *compared.first;
      outcome = fmt::format("first in {}: {}, expected {}, found {}", first.origin, first.where,
                            first.expected, first.found);
    }
    table.add({at.number(), content, agreement.implementation, std::to_string(compared.units),
               format_share(compared.agreeing, compared.units) + " %",
               std::to_string(compared.stray_bytes), outcome},
              !compared.holds());
  }
}

std::string m1_html(const std::vector<Occurrence>& all) {
  Table table({"file", "content", "implementation", "units", "agree", "stray bytes", "outcome"}, 3,
              6);
  std::string sources;
  for (const Occurrence& at : all) {
    sources += not_run("M1", at, at.kernel().m1);
    if (!at.kernel().m1) continue;
    add_rows(at, table);
    sources += at.source("m1");
  }
  if (table.empty()) return sources;
  return "<h3>M1: is it right?</h3>\n<p>Compares every byte of each implementation, including "
         "guard bytes, with the scalar definition.</p>\n" +
         table.html() + sources;
}

// --- M2 and M3 ---------------------------------------------------------------------------------

std::string spread(const SampleSet& set) {
  return fmt::format("{} to {}", microseconds(set.p10), microseconds(set.p90));
}

std::vector<std::string> time_row(const Occurrence& at, gates::Content content, std::string who,
                                  const SampleSet& elapsed, std::size_t units, std::string beside) {
  const double rate = elapsed.median > 0 ? static_cast<double>(units) * 1e9 / elapsed.median : 0;
  return {
      at.number(),
      content_name(at.file->report.options, content),
      std::move(who),
      microseconds(elapsed.median),
      spread(elapsed),
      fmt::format("{:.2f}", elapsed.median / static_cast<double>(std::max<std::size_t>(units, 1))),
      rate_text(rate),
      std::move(beside)};
}

std::string cpu_label(const gates::CpuRun& run) {
  return fmt::format("{} x{}, {} memory",
                     run.implementation == gates::CpuImplementation::neon ? "NEON" : "scalar",
                     run.threads, to_string(run.memory));
}

std::string qpu_note(const gates::QpuRun& run, double empty_dispatch) {
  const std::string gpu = run.gpu.has_value()
                              ? fmt::format("GPU clock {}, ", microseconds(run.gpu->median))
                              : std::string();
  return fmt::format("{}minus an empty dispatch {}; dispatches {}, barriers {}", gpu,
                     microseconds(run.submit_to_fence.median - empty_dispatch), run.dispatches,
                     run.barriers);
}

std::string cpu_note(const gates::CpuRun& run, std::size_t units) {
  const std::optional<double> ipc = instructions_per_cycle(run.counts);
  if (!ipc.has_value() || units == 0) return {};
  return fmt::format("{:.2f} instructions per cycle, {:.1f} per unit", *ipc,
                     static_cast<double>(*run.counts.instructions) / static_cast<double>(units));
}

const gates::QpuContentRuns* qpu_runs(const gates::KernelReport& kernel, gates::Content content) {
  if (!kernel.m2) return nullptr;
  const auto& contents = kernel.m2->contents;
  const auto found = std::ranges::find(contents, content, &gates::QpuContentRuns::content);
  return found == contents.end() ? nullptr : &*found;
}

const gates::CpuContentRuns* cpu_runs(const gates::KernelReport& kernel, gates::Content content) {
  if (!kernel.m3) return nullptr;
  const auto& contents = kernel.m3->contents;
  const auto found = std::ranges::find(contents, content, &gates::CpuContentRuns::content);
  return found == contents.end() ? nullptr : &*found;
}

/// Returns a chart of the rates on one content of each implementation alone. NEON on all threads is
/// the reference line.
std::string rate_chart(const Occurrence& at, gates::Content content, bool name_file) {
  const gates::KernelReport& kernel = at.kernel();
  BarChart chart;
  chart.title = fmt::format("Alone, on {}{}", content_name(at.file->report.options, content),
                            name_file ? fmt::format(", file {}", at.number()) : std::string());
  chart.unit = kernel.unit + "s/s";
  if (const gates::CpuContentRuns* runs = cpu_runs(kernel, content)) {
    for (const gates::CpuRun& run : runs->runs) {
      const bool neon = run.implementation == gates::CpuImplementation::neon;
      chart.bars.push_back(
          rate_bar(cpu_label(run), neon ? "neon" : "scalar", run.elapsed, runs->units));
    }
    if (const gates::CpuRun* all = runs->fastest_neon(at.file->report.options.threads)) {
      chart.line = {rate_bar("", "", all->elapsed, runs->units).value,
                    fmt::format("to beat: NEON x{}", all->threads)};
    }
  }
  if (const gates::QpuContentRuns* runs = qpu_runs(kernel, content)) {
    for (const gates::QpuRun& run : runs->runs) {
      chart.bars.push_back(rate_bar("QPU " + run.variant, "qpu", run.submit_to_fence, runs->units));
    }
  }
  return to_html(chart);
}

void add_rows(const Occurrence& at, gates::Content content, Table& table) {
  if (const gates::CpuContentRuns* runs = cpu_runs(at.kernel(), content)) {
    for (const gates::CpuRun& run : runs->runs) {
      table.add(time_row(at, content, cpu_label(run), run.elapsed, runs->units,
                         cpu_note(run, runs->units)));
    }
  }
  if (const gates::QpuContentRuns* runs = qpu_runs(at.kernel(), content)) {
    for (const gates::QpuRun& run : runs->runs) {
      table.add(time_row(at, content, "QPU " + run.variant, run.submit_to_fence, runs->units,
                         qpu_note(run, at.kernel().m2->empty_dispatch)));
    }
  }
}

std::string speed_html(const std::vector<Occurrence>& all) {
  Table table({"file", "content", "run by", "µs per picture", "p10 to p90", "ns per unit",
               "units/s", "notes"},
              3, 7);
  std::string charts;
  std::string notes;
  for (const Occurrence& at : all) {
    notes += not_run("M2", at, at.kernel().m2) + not_run("M3", at, at.kernel().m3);
    for (const gates::Content content : gates::contents_of(at.file->report.options)) {
      charts += rate_chart(at, content, all.size() > 1);
      add_rows(at, content, table);
    }
    if (at.kernel().m2) {
      notes += counter_table(*at.file, at.kernel()) + at.source("m2");
    }
    if (at.kernel().m3) {
      notes += at.source("m3");
      const std::string& counters = at.kernel().m3->counters_refusal;
      if (!counters.empty()) notes += paragraph("Hardware counters: " + counters, "quiet");
    }
  }
  if (table.empty()) return notes;
  return "<h3>M2 and M3: how fast is each alone?</h3>\n<p>Times of one picture. The QPU: from "
         "submit to fence. NEON: on pinned threads, in ordinary memory (heap) and in the memory "
         "that it shares with the QPU (device). Whiskers and spread are from the 10th to the 90th "
         "percentile.</p>\n"
         "<div class=\"charts\">\n" +
         charts + "</div>\n" + table.html() + notes;
}

// --- branch rates ------------------------------------------------------------------------------

std::string branch_html(const std::vector<Occurrence>& all) {
  Table table({"file", "content", "from", "branches"}, 4);
  for (const Occurrence& at : all) {
    if (!at.kernel().m1) continue;
    for (const gates::ContentRecord& record : at.kernel().m1->contents) {
      if (record.branches.empty()) continue;
      table.add({at.number(), content_name(at.file->report.options, record.content),
                 record.first_origin, branch_text(record.branches)});
    }
  }
  if (table.empty()) return {};
  return "<h3>Which branches the content takes</h3>\n" + table.html();
}

/// Returns a warning if the device is a CPU, because its bars show no gain of a GPU.
std::string cpu_device_warning(const std::vector<Occurrence>& all) {
  for (const Occurrence& at : all) {
    const Outcome<qpu::DeviceInfo>& device = at.file->report.device;
    if (!device || !device->is_cpu()) continue;
    return paragraph(
        fmt::format("{} computes on the CPU's own cores: differences between these bars "
                    "show how the system divides the cores, not what a GPU gains.",
                    device->name),
        "warning");
  }
  return {};
}

std::string window_html(const std::vector<Occurrence>& all) {
  std::string out;
  std::string notes;
  for (const Occurrence& at : all) {
    notes += not_run("M4", at, at.kernel().m4);
    const std::string charts = window_charts(*at.file, at.kernel(), at.index);
    if (charts.empty()) continue;
    if (all.size() > 1) out += paragraph("File " + at.number());
    out += charts;
  }
  if (out.empty()) return notes;
  return "<h3>M4: do both together do more?</h3>\n<p>Alternating time windows of steady work; "
         "whiskers are from the lowest window to the highest. In mixed work every picture needs "
         "this kernel and its companion, so the slower processor sets the rate.</p>\n" +
         cpu_device_warning(all) + out + notes;
}

std::string kernel_html(const std::vector<Occurrence>& all, bool open) {
  const gates::KernelReport& kernel = all.front().kernel();
  return fmt::format(
             "<details{} id=\"kernel-{}\"><summary>{} <span class=\"quiet\">{}</span></summary>\n",
             open ? " open" : "", escaped_markup(kernel.name), escaped_markup(kernel.name),
             escaped_markup(kernel.description)) +
         window_html(all) + speed_html(all) + branch_html(all) + m1_html(all) + "</details>\n";
}

}  // namespace

std::string gate_section(const Inputs& inputs) {
  // Kernels in the order of their first appearance.
  std::vector<std::vector<Occurrence>> kernels;
  for (const GateFile& file : inputs.gates) {
    for (std::size_t i = 0; i < file.report.kernels.size(); ++i) {
      const Occurrence at{&file, i};
      const auto same = std::ranges::find_if(kernels, [&](const std::vector<Occurrence>& known) {
        return known.front().kernel().name == at.kernel().name;
      });
      if (same == kernels.end()) {
        kernels.push_back({at});
      } else {
        same->push_back(at);
      }
    }
  }
  if (kernels.empty()) return {};
  std::string out = "<section id=\"kernels\"><h2>Kernel by kernel</h2>\n";
  for (const std::vector<Occurrence>& all : kernels) {
    out += kernel_html(all, kernels.size() <= kMaxUnfolded);
  }
  return out + "</section>\n";
}

}  // namespace sidecore::report
