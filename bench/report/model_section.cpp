#include <fmt/format.h>

#include "report/figures.h"
#include "report/html.h"
#include "report/sections.h"

namespace sidecore::report {
namespace {

using model::ModelledContent;
using model::ModelledGates;
using model::ModelledRun;

std::string range_text(double low, double high, double scale) {
  return fmt::format("{:.2f} .. {:.2f}", low * scale, high * scale);
}

std::string neon_text(const ModelledContent& content, model::Estimate model::ModelledNeon::*which) {
  if (!content.neon) return "-";
  const model::Estimate& rate = (*content.neon).*which;
  return range_text(rate.low, rate.high, 1e-6);
}

void add_model_rows(const Source& source, const ModelledGates& gates, Table& table) {
  for (const ModelledContent& content : gates.contents) {
    for (const ModelledRun& run : content.runs) {
      const auto units = static_cast<double>(content.units);
      table.add({std::to_string(source.number), gates.kernel, gates.board,
                 gates::to_string(content.content), run.variant,
                 range_text(run.seconds.low, run.seconds.high, 1e3),
                 range_text(units / run.seconds.high, units / run.seconds.low, 1e-6),
                 neon_text(content, &model::ModelledNeon::one_core),
                 neon_text(content, &model::ModelledNeon::all_cores),
                 run.gain ? fmt::format("{} .. {}", percent(run.gain->low), percent(run.gain->high))
                          : "-",
                 run.gain ? fmt::format("{} (modelled)", model::sign_of(*run.gain)) : "-"});
    }
  }
}

}  // namespace

std::string model_section(const Inputs& inputs) {
  if (inputs.models.empty()) return {};
  Table table(
      {"file", "kernel", "board", "content", "variant", "QPU, ms per picture",
       "QPU, million units/s", "NEON, 1 core", "NEON, all cores", "M4: gain with the QPU", "sign"},
      5, 10);
  std::string sources;
  for (const ModelFile& file : inputs.models) {
    for (const ModelledGates& gates : file.report.kernels) {
      add_model_rows(file.source, gates, table);
    }
    sources += source_line(file.source.number, "kernels[].contents");
  }
  return "<section id=\"models\"><h2>Modelled, not measured</h2>\n" +
         paragraph(
             "Intervals for M2, M3 and M4 on a Raspberry Pi, from timing models of its QPU, its "
             "CPU and their shared memory. No figure in this table was measured, and no verdict "
             "follows from it. Open: the interval includes a gain and a loss. A dash: the kernel's "
             "work on the CPU is not modelled.",
             "warning") +
         table.html() + sources + "</section>\n";
}

}  // namespace sidecore::report
