#include <fmt/format.h>

#include "report/chart.h"
#include "report/figures.h"
#include "report/html.h"
#include "report/sections.h"

namespace sidecore::report {
namespace {

std::string name_of(const GateFile& file) {
  return fmt::format("file {}, {}", file.source.number,
                     file.report.device ? file.report.device->name : "no device");
}

void add_rows(const GateFile& file, Table& table) {
  for (const gates::EmptySubmission& submission : file.report.m5->submissions) {
    const SampleSet& set = submission.submit_to_fence;
    table.add({std::to_string(file.source.number), std::to_string(submission.dispatches),
               microseconds(set.median), microseconds(set.p99), microseconds(set.min),
               submission.gpu.has_value() ? microseconds(submission.gpu->median) : "none"});
  }
}

Series curve(const GateFile& file) {
  Series series{name_of(file), {}};
  for (const gates::EmptySubmission& submission : file.report.m5->submissions) {
    series.points.emplace_back(submission.dispatches, submission.submit_to_fence.median / 1e3);
  }
  return series;
}

std::string sentence(const GateFile& file) {
  const Line& line = file.report.m5->line;
  return paragraph(
      fmt::format("{}: a submission costs {} µs, and each of its dispatches {:.2f} µs more.",
                  name_of(file), microseconds(line.intercept), line.slope / 1e3));
}

}  // namespace

std::string dispatch_section(const Inputs& inputs) {
  Table table({"file", "dispatches", "median µs", "p99 µs", "min µs", "GPU clock, median µs"}, 0);
  LineChart chart;
  chart.title = "Empty dispatches in one submission, submit to fence";
  chart.x_label = "dispatches";
  chart.y_label = "µs";
  chart.x_logarithmic = true;
  chart.from_zero = true;
  chart.dots = true;
  std::string sentences;
  std::string sources;
  for (const GateFile& file : inputs.gates) {
    sources += reason_paragraph(fmt::format("M5 did not run in file {}", file.source.number),
                                file.report.m5);
    if (!file.report.m5) continue;
    add_rows(file, table);
    chart.series.push_back(curve(file));
    sentences += sentence(file);
    sources += source_line(file.source.number, "m5");
  }
  if (table.empty()) return {};
  return "<section id=\"dispatch\"><h2>M5: what does a dispatch cost?</h2>\n<p>A submission is "
         "only worthwhile if its work takes far longer than this.</p>\n" +
         sentences + to_html(chart) + table.html() + sources + "</section>\n";
}

}  // namespace sidecore::report
