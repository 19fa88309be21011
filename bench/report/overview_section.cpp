#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/markup.h"
#include "report/figures.h"
#include "report/html.h"
#include "report/sections.h"
#include "report/summary.h"

namespace sidecore::report {
namespace {

constexpr const char* kNothing = "–";

std::string link_to(const std::string& kernel) {
  return fmt::format("<a href=\"#kernel-{0}\">{0}</a>", escaped_markup(kernel));
}

bool wrong(const gates::KernelReport& kernel) {
  return kernel.m1 && !kernel.m1->holds();
}

const char* m1_text(const gates::KernelReport& kernel) {
  if (!kernel.m1) return "not checked";
  return wrong(kernel) ? "wrong" : "right";
}

/// Returns the lowest R over all contents, and its band.
std::string ratio_text(const gates::KernelReport& kernel) {
  const gates::Verdict* lowest = nullptr;
  for (const gates::ContentVerdict& entry : kernel.verdicts) {
    const gates::Verdict& verdict = entry.verdict;
    if (verdict.ratio.has_value() && (lowest == nullptr || *verdict.ratio < *lowest->ratio)) {
      lowest = &verdict;
    }
  }
  if (lowest == nullptr) return kNothing;
  return fmt::format("{:.2f}{}", *lowest->ratio,
                     lowest->band.has_value() ? fmt::format(" {}", to_string(*lowest->band)) : "");
}

/// Returns the lowest gain over all contents, because a higher gain would not hold for all of them.
std::string pay_off_text(const gates::KernelReport& kernel,
                         std::optional<gates::SpeedGain> gates::ContentWindows::*which) {
  const gates::SpeedGain* lowest = nullptr;
  if (kernel.m4) {
    for (const gates::ContentWindows& content : kernel.m4->contents) {
      const std::optional<gates::SpeedGain>& found = content.*which;
      if (found.has_value() && (lowest == nullptr || found->gain < lowest->gain)) lowest = &*found;
    }
  }
  return lowest == nullptr ? kNothing : percent(lowest->gain);
}

/// Returns the conclusion of all contents. If they differ, returns each conclusion with its
/// contents: "pays on smooth; does not pay on random".
std::string conclusion_text(const gates::KernelReport& kernel) {
  std::map<std::string, std::string> contents;
  for (const gates::ContentVerdict& entry : kernel.verdicts) {
    std::string& of = contents[to_string(entry.verdict.conclusion)];
    of += fmt::format("{}{}", of.empty() ? "" : ", ", gates::to_string(entry.content));
  }
  if (contents.empty()) return kNothing;
  if (contents.size() == 1) return contents.begin()->first;
  std::string text;
  for (const auto& [conclusion, names] : contents) {
    text += fmt::format("{}{} on {}", text.empty() ? "" : "; ", conclusion, names);
  }
  return text;
}

/// A column of the table. Columns without any content are left out.
struct Column {
  const char* title;
  bool text;
  std::vector<std::string> cells;
};

std::vector<Column> columns_of(const Inputs& inputs) {
  std::vector<Column> columns{
      {"kernel", true, {}},          {"verdict", true, {}},     {"M1", true, {}},
      {"lowest R", false, {}},       {"gain, same", false, {}}, {"gain, mixed", false, {}},
      {"gain, playback", false, {}}, {"file", false, {}}};
  for (const GateFile& file : inputs.gates) {
    for (const gates::KernelReport& kernel : file.report.kernels) {
      columns[0].cells.push_back(link_to(kernel.name));
      columns[1].cells.push_back(escaped_markup(conclusion_text(kernel)));
      columns[2].cells.emplace_back(m1_text(kernel));
      columns[3].cells.push_back(escaped_markup(ratio_text(kernel)));
      columns[4].cells.push_back(pay_off_text(kernel, &gates::ContentWindows::same));
      columns[5].cells.push_back(pay_off_text(kernel, &gates::ContentWindows::mixed));
      columns[6].cells.push_back(pay_off_text(kernel, &gates::ContentWindows::player_pay_off));
      columns[7].cells.push_back(inputs.gates.size() > 1 ? std::to_string(file.source.number)
                                                         : kNothing);
    }
  }
  std::erase_if(columns, [](const Column& column) {
    return std::ranges::all_of(column.cells,
                               [](const std::string& cell) { return cell == kNothing; });
  });
  return columns;
}

std::string cell(const Column& column, const char* tag, const std::string& content) {
  return fmt::format("<{0}{1}>{2}</{0}>", tag, column.text ? " class=\"left\"" : "", content);
}

std::string table_of(const Inputs& inputs) {
  const std::vector<Column> columns = columns_of(inputs);
  if (columns.empty()) return {};
  std::string out = "<div class=\"scroll\" tabindex=\"0\"><table>\n<thead><tr>";
  for (const Column& column : columns) out += cell(column, "th", column.title);
  out += "</tr></thead>\n<tbody>\n";
  std::size_t line = 0;
  for (const GateFile& file : inputs.gates) {
    for (const gates::KernelReport& kernel : file.report.kernels) {
      out += wrong(kernel) ? "<tr class=\"failed\">" : "<tr>";
      for (const Column& column : columns) out += cell(column, "td", column.cells[line]);
      out += "</tr>\n";
      ++line;
    }
  }
  return out + "</tbody></table></div>\n";
}

/// Text that explains the terms of the page.
constexpr const char* kWords =
    "<details class=\"words\"><summary>Words and gates</summary>\n<dl>\n"
    "<dt>QPU</dt><dd>the cores of the board's GPU; NEON is the vector unit of its CPU cores</dd>\n"
    "<dt>kernel</dt><dd>one function, such as a loop filter, in three implementations: scalar (the "
    "definition), NEON, and a shader for the QPU in one or more variants</dd>\n"
    "<dt>content</dt><dd>samples that the kernel runs on: random, smooth, flat, high_variance "
    "(steps around the filter's limits), or the pictures of a clip (input)</dd>\n"
    "<dt>unit</dt><dd>work unit that rates count, for example an edge or a block</dd>\n"
    "<dt>M1</dt><dd>is it right? Compares every byte with the scalar definition; less than "
    "100.0000 % fails</dd>\n"
    "<dt>M2, M3</dt><dd>how fast are the QPU and NEON, each alone?</dd>\n"
    "<dt>R</dt><dd>M2's rate divided by M3's on one core: GREEN from 1, YELLOW from 0.5, ORANGE "
    "from 0.25, RED below</dd>\n"
    "<dt>M4</dt><dd>does it pay? Alternates time windows of steady work with and without the "
    "QPU</dd>\n"
    "<dt>gain</dt><dd>rate with the QPU divided by the rate of all NEON cores, minus 1. same: all "
    "run this kernel; mixed: the QPU runs it while NEON runs another kernel; playback: a whole "
    "decoder whose stage the QPU runs</dd>\n"
    "<dt>M5</dt><dd>what does a submission to the GPU cost?</dd>\n"
    "<dt>correctness only</dt><dd>the device is a CPU, so the run says nothing about "
    "speed</dd>\n</dl></details>\n";

}  // namespace

std::string overview_section(const Inputs& inputs) {
  if (inputs.gates.empty()) return {};
  std::string headlines;
  for (const GateFile& file : inputs.gates) {
    headlines += paragraph(fmt::format("File {}, {}", file.source.number, headline(file.report)));
  }
  return "<section id=\"overview\"><h2>At a glance</h2>\n<p>Is this board's GPU worth using beside "
         "its NEON cores? Each kernel was run on both, alone and together.</p>\n" +
         headlines + table_of(inputs) + kWords + "</section>\n";
}

}  // namespace sidecore::report
