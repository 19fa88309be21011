#include <fmt/format.h>

#include <limits>

#include "metrics/pooling.h"
#include "metrics/result_file.h"
#include "report/chart.h"
#include "report/html.h"
#include "report/sections.h"

namespace sidecore::report {
namespace {

/// Points of one curve in the page; longer clips are thinned.
constexpr std::size_t kMostPoints = 2000;

Series curve(const std::string& name, const metrics::LoggedScores& scores) {
  Series series{name, {}};
  for (const auto& [number, score] : scores) {
    series.points.emplace_back(static_cast<double>(number), score);
  }
  series.points = thinned(std::move(series.points), kMostPoints);
  return series;
}

std::string score_text(double score) {
  return metrics::format_score(score, 6);
}

/// Names of outputs in all files, sorted.
std::map<std::string, std::vector<const MetricsFile*>> outputs_of(const Inputs& inputs) {
  std::map<std::string, std::vector<const MetricsFile*>> outputs;
  for (const MetricsFile& file : inputs.metrics) {
    for (const auto& [name, scores] : file.log.outputs) {
      if (!scores.empty()) outputs[name].push_back(&file);
    }
  }
  return outputs;
}

void add_row(const MetricsFile& file, const std::string& name, Table& table) {
  const metrics::LoggedScores& scores = file.log.outputs.at(name);
  std::vector<double> values;
  values.reserve(scores.size());
  for (const auto& [number, score] : scores) values.push_back(score);
  const metrics::Pooled pooled = metrics::pool(values);
  table.add({std::to_string(file.source.number), name, std::to_string(values.size()),
             score_text(pooled.mean), score_text(pooled.harmonic_mean), score_text(pooled.min),
             score_text(pooled.max)});
}

}  // namespace

std::string metrics_section(const Inputs& inputs) {
  const auto outputs = outputs_of(inputs);
  if (outputs.empty()) return {};
  Table table({"file", "score", "frames", "mean", "harmonic mean", "min", "max"}, 2);
  std::string charts;
  bool was_thinned = false;
  for (const auto& [name, files] : outputs) {
    LineChart chart;
    chart.title = name;
    chart.x_label = "frame";
    for (const MetricsFile* file : files) {
      add_row(*file, name, table);
      const metrics::LoggedScores& scores = file->log.outputs.at(name);
      was_thinned = was_thinned || scores.size() > kMostPoints;
      chart.series.push_back(curve(fmt::format("file {}", file->source.number), scores));
    }
    charts += to_html(chart);
  }
  std::string out = "<section id=\"metrics\"><h2>Picture quality, frame by frame</h2>\n" +
                    table.html() + "<div class=\"charts\">\n" + charts + "</div>\n";
  if (was_thinned) {
    out +=
        paragraph(fmt::format("Curves of more than {} frames show the lowest and the highest score "
                              "of each stretch; the table counts every frame.",
                              kMostPoints),
                  "quiet");
  }
  for (const MetricsFile& file : inputs.metrics) {
    out += source_line(file.source.number, "frames[*].metrics");
  }
  return out + "</section>\n";
}

}  // namespace sidecore::report
