#include <fmt/format.h>

#include "report/figures.h"
#include "report/html.h"
#include "report/sections.h"

namespace sidecore::report {
namespace {

/// The colour of a verdict; a result without one stays grey.
const char* css_class(const gates::Verdict& verdict) {
  using enum gates::Conclusion;
  switch (verdict.conclusion) {
    case pays:
      return "good";
    case within_spread:
      return "middle";
    case does_not_pay:
    case stopped_early:
      return "poor";
    case wrong:
    case throttled:
      return "bad";
    case correctness_only:
    case incomplete:
      break;
  }
  return "open";
}

/// "Right on every byte: 2 twins, 529,408 units." in front of what M2 to M4 found.
std::string agreement_sentence(const gates::KernelReport& kernel) {
  if (!kernel.m1.report.has_value()) return "Correctness was not checked in this run.";
  std::uint64_t units = 0;
  std::size_t compared = 0;
  for (const gates::Agreement& agreement : kernel.m1.report->agreements) {
    units += agreement.units;
    compared += agreement.not_run.empty() ? 1 : 0;
  }
  if (compared == 0) return "Correctness could not be checked.";
  return fmt::format("{} on every byte of {} units.",
                     kernel.m1.report->holds() ? "Right" : "Not right", units);
}

/// Contents on which the verdict is the same are one sentence.
std::string verdict_sentences(const gates::KernelReport& kernel) {
  std::string out;
  for (std::size_t i = 0; i < kernel.verdicts.size();) {
    const gates::Verdict& verdict = kernel.verdicts[i].verdict;
    std::string contents;
    for (; i < kernel.verdicts.size() && kernel.verdicts[i].verdict.text == verdict.text; ++i) {
      contents += fmt::format("{}{}", contents.empty() ? "" : ", ",
                              gates::to_string(kernel.verdicts[i].content));
    }
    out += fmt::format("<p><b>{}</b> on {}: {}.</p>\n", escaped(to_string(verdict.conclusion)),
                       escaped(contents), escaped(verdict.text));
  }
  return out;
}

/// The card's colour: of the verdict that was paid for with M4's windows where there is one.
std::string card(const GateFile& file, const gates::KernelReport& kernel, std::size_t index) {
  const char* colour = "open";
  for (const gates::ContentVerdict& entry : kernel.verdicts) {
    const char* of_content = css_class(entry.verdict);
    if (std::string_view(of_content) != "open") colour = of_content;
  }
  if (kernel.m1.report.has_value() && !kernel.m1.report->holds()) colour = "bad";
  return fmt::format("<li class=\"{}\"><strong>{}</strong>\n<p>{}</p>\n{}{}</li>\n", colour,
                     escaped(kernel.name), escaped(agreement_sentence(kernel)),
                     verdict_sentences(kernel),
                     source_line(file.source.number, fmt::format("kernels[{}].verdicts", index)));
}

}  // namespace

std::string verdict_section(const Inputs& inputs) {
  if (inputs.gates.empty()) return {};
  std::string out =
      "<section id=\"verdicts\"><h2>Does the GPU pay?</h2>\n<p>A kernel pays when NEON and the GPU "
      "together do more than NEON alone on all cores, measured beside each other. R is the GPU's "
      "rate over that of one NEON core.</p>\n";
  for (const GateFile& file : inputs.gates) {
    const gates::GateReport& report = file.report;
    out +=
        fmt::format("<h3>{}, {}, {}</h3>\n", escaped(report.before.board),
                    escaped(report.device.has_value() ? report.device->name : "no Vulkan device"),
                    escaped(report.before.time));
    if (!report.throttled.empty()) {
      out += paragraph("Void: the board throttled, " + report.throttled, "warning");
    }
    out += "<ul class=\"verdicts\">\n";
    for (std::size_t i = 0; i < report.kernels.size(); ++i) {
      out += card(file, report.kernels[i], i);
    }
    out += "</ul>\n";
  }
  return out + "</section>\n";
}

}  // namespace sidecore::report
