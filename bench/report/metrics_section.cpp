#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "metrics/pooling.h"
#include "metrics/result_file.h"
#include "report/chart.h"
#include "report/html.h"
#include "report/sections.h"

namespace sidecore::report {
namespace {

/// Upper limit of points per curve; curves of longer clips are thinned.
constexpr std::size_t kMaxPoints = 2000;

Series curve(const std::string& name, const metrics::LoggedScores& scores) {
  Series series{name, {}};
  for (const auto& [number, score] : scores) {
    series.points.emplace_back(static_cast<double>(number), score);
  }
  series.points = thinned(std::move(series.points), kMaxPoints);
  return series;
}

std::string score_text(double score) {
  return metrics::format_score(score, 6);
}

/// For each output's name, the files of scores that contain it.
using Outputs = std::map<std::string, std::vector<const MetricsFile*>>;

/// Returns the outputs of all files: scores of models if `of_models` is true, otherwise scores of
/// features.
Outputs outputs_of(const Inputs& inputs, bool of_models) {
  Outputs outputs;
  for (const MetricsFile& file : inputs.metrics) {
    for (const auto& [name, scores] : file.log.outputs) {
      if (scores.empty() || file.model_scores.contains(name) != of_models) continue;
      outputs[name].push_back(&file);
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

/// Adds the outputs to the table and returns one chart per output.
std::string add_rows_and_make_charts(const Outputs& outputs, Table& table) {
  std::string charts;
  for (const auto& [name, files] : outputs) {
    LineChart chart;
    chart.title = name;
    chart.x_label = "frame";
    for (const MetricsFile* file : files) {
      add_row(*file, name, table);
      chart.series.push_back(
          curve(fmt::format("file {}", file->source.number), file->log.outputs.at(name)));
    }
    charts += to_html(chart);
  }
  return charts;
}

bool is_thinned(const Outputs& outputs) {
  for (const auto& [name, files] : outputs) {
    for (const MetricsFile* file : files) {
      if (file->log.outputs.at(name).size() > kMaxPoints) return true;
    }
  }
  return false;
}

}  // namespace

std::string metrics_section(const Inputs& inputs) {
  const Outputs scores = outputs_of(inputs, true);
  const Outputs features = outputs_of(inputs, false);
  if (scores.empty() && features.empty()) return {};
  Table table({"file", "score", "frames", "mean", "harmonic mean", "min", "max"}, 2);
  const std::string score_charts = add_rows_and_make_charts(scores, table);
  const std::string feature_charts = add_rows_and_make_charts(features, table);
  std::string out = "<section id=\"metrics\"><h2>Picture quality, frame by frame</h2>\n";
  if (!scores.empty()) out += "<div class=\"charts scores\">\n" + score_charts + "</div>\n";
  out += table.html();
  if (!scores.empty() && !features.empty()) out += "<h3>The features beneath</h3>\n";
  if (!features.empty()) out += "<div class=\"charts\">\n" + feature_charts + "</div>\n";
  if (is_thinned(scores) || is_thinned(features)) {
    out +=
        paragraph(fmt::format("Curves of more than {} frames show the lowest and the highest score "
                              "of each group of frames; the table includes every frame.",
                              kMaxPoints),
                  "quiet");
  }
  for (const MetricsFile& file : inputs.metrics) {
    out += source_line(file.source.number, "frames[*].metrics");
  }
  return out + "</section>\n";
}

}  // namespace sidecore::report
