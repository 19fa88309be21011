#include <fmt/format.h>

#include "report/html.h"
#include "report/sections.h"

namespace sidecore::report {

std::string counter_table(const GateFile& file, const gates::KernelReport& kernel) {
  if (!kernel.m2) return {};
  const gates::QpuThroughputReport& report = *kernel.m2;
  if (!report.counter_passes) {
    return reason_paragraph(
        fmt::format("The GPU's own counters in file {}: none", file.source.number),
        report.counter_passes);
  }
  Table table({"file", "content", "variant", "counter", "per picture", "per dispatch",
               "per " + kernel.unit, "unit"},
              4, 7);
  for (const gates::QpuContentRuns& content : report.contents) {
    for (const gates::QpuRun& run : content.runs) {
      for (const gates::GpuCount& count : run.counts) {
        table.add({std::to_string(file.source.number),
                   content_name(file.report.options, content.content), run.variant, count.name,
                   value_text(count), value_text_over(count, run.dispatches),
                   value_text_over(count, static_cast<double>(content.units)), unit_text(count)});
      }
    }
  }
  if (table.empty()) return {};
  const bool simulated = file.report.device && file.report.device->simulated;
  return paragraph(
             simulated
                 ? "The simulator's counters, from a separate, untimed run. None of them is a "
                   "counter of the hardware:"
                 : "The GPU's own counters, from a separate, untimed run:") +
         table.html();
}

}  // namespace sidecore::report
