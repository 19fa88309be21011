#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/markup.h"
#include "report/figures.h"
#include "report/html.h"
#include "report/sections.h"

namespace sidecore::report {
namespace {

/// Up to this number of kernels, each has a card of its own. With more, the overview shows M1.
constexpr std::size_t kMaxSeparateCards = 3;

/// Returns the CSS class with the verdict's colour; "open" (grey) without a verdict.
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

/// Returns M1's result: "Right on every byte of 529408 units."
std::string agreement_sentence(const gates::KernelReport& kernel) {
  if (!kernel.m1) return "Correctness was not checked in this run.";
  std::uint64_t units = 0;
  std::size_t compared = 0;
  for (const gates::Agreement& agreement : kernel.m1->agreements) {
    if (!agreement.compared) continue;
    units += agreement.compared->units;
    ++compared;
  }
  if (compared == 0) return "Correctness could not be checked.";
  return fmt::format("{} on every byte of {} units.", kernel.m1->holds() ? "Right" : "Not right",
                     units);
}

/// Returns the verdicts, one sentence per group of contents with the same verdict.
std::string verdict_sentences(const gates::KernelReport& kernel) {
  std::string out;
  for (std::size_t i = 0; i < kernel.verdicts.size();) {
    const gates::Verdict& verdict = kernel.verdicts[i].verdict;
    std::string contents;
    for (; i < kernel.verdicts.size() && kernel.verdicts[i].verdict.text == verdict.text; ++i) {
      contents += fmt::format("{}{}", contents.empty() ? "" : ", ",
                              gates::to_string(kernel.verdicts[i].content));
    }
    out +=
        fmt::format("<p><b>{}</b> on {}: {}.</p>\n", escaped_markup(to_string(verdict.conclusion)),
                    escaped_markup(contents), escaped_markup(verdict.text));
  }
  return out;
}

/// Returns the card's colour: that of the last content with a verdict; "bad" if M1 failed.
const char* colour_of(const gates::KernelReport& kernel) {
  const char* colour = "open";
  for (const gates::ContentVerdict& entry : kernel.verdicts) {
    const char* of_content = css_class(entry.verdict);
    if (std::string_view(of_content) != "open") colour = of_content;
  }
  if (kernel.m1 && !kernel.m1->holds()) colour = "bad";
  return colour;
}

std::string card(const GateFile& file, const std::vector<std::size_t>& kernels) {
  const gates::KernelReport& first = file.report.kernels[kernels.front()];
  std::string names;
  std::string agreement;
  std::string places;
  for (const std::size_t index : kernels) {
    const gates::KernelReport& kernel = file.report.kernels[index];
    names += fmt::format("{}<strong>{}</strong>", names.empty() ? "" : ", ",
                         escaped_markup(kernel.name));
    places += fmt::format("{}kernels[{}].verdicts", places.empty() ? "" : ", ", index);
  }
  if (kernels.size() == 1) agreement = paragraph(agreement_sentence(first));
  return fmt::format("<li class=\"{}\">{}\n{}{}{}</li>\n", colour_of(first), names, agreement,
                     verdict_sentences(first), source_line(file.source.number, places));
}

/// Groups the kernels (by index) that have the same verdicts. Up to kMaxSeparateCards kernels stay
/// separate.
std::vector<std::vector<std::size_t>> group_by_verdict(
    const std::vector<gates::KernelReport>& kernels) {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const auto same = std::ranges::find_if(groups, [&](const std::vector<std::size_t>& group) {
      const gates::KernelReport& other = kernels[group.front()];
      return std::string_view(colour_of(other)) == colour_of(kernels[i]) &&
             verdict_sentences(other) == verdict_sentences(kernels[i]);
    });
    if (same == groups.end() || kernels.size() <= kMaxSeparateCards) {
      groups.push_back({i});
    } else {
      same->push_back(i);
    }
  }
  return groups;
}

}  // namespace

std::string verdict_section(const Inputs& inputs) {
  if (inputs.gates.empty()) return {};
  std::string out =
      "<section id=\"verdicts\"><h2>Does the GPU pay?</h2>\n<p>A kernel pays if NEON and the GPU "
      "together are faster than NEON alone on all cores, in alternating time windows. R is the "
      "GPU's rate divided by one NEON core's.</p>\n";
  for (const GateFile& file : inputs.gates) {
    const gates::GateReport& report = file.report;
    out += fmt::format("<h3>{}, {}, {}</h3>\n", escaped_markup(report.before.board),
                       escaped_markup(report.device ? report.device->name : "no Vulkan device"),
                       escaped_markup(report.before.time));
    if (!report.throttled.empty()) {
      out += paragraph("Void: the board throttled, " + report.throttled, "warning");
    }
    out += "<ul class=\"verdicts\">\n";
    for (const std::vector<std::size_t>& group : group_by_verdict(report.kernels))
      out += card(file, group);
    out += "</ul>\n";
  }
  return out + "</section>\n";
}

}  // namespace sidecore::report
