#include "report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/html.h"

namespace sidecore::report {
namespace {

using Json = nlohmann::ordered_json;

/// Returns JSON that an HTML parser cannot take for markup inside a script element.
std::string inside_script(const Json& json) {
  const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "\\u003c";  // escaped, because in JSON "<" occurs only inside strings
    } else {
      out += c;
    }
  }
  return out;
}

std::string figure(const Json& data, std::size_t marks) {
  return fmt::format(
      "<figure class=\"chart\" data-marks=\"{}\"><figcaption>{}</figcaption>\n"
      "<script type=\"application/json\">{}</script></figure>\n",
      marks, breakable(data.at("title").get<std::string>()), inside_script(data));
}

Json json_points(const Series& series) {
  Json points = Json::array();
  for (const auto& [x, y] : series.points) {
    points.push_back(Json::array({x, std::isfinite(y) ? Json(y) : Json()}));
  }
  return points;
}

bool has_point(const Series& series) {
  return std::ranges::any_of(series.points,
                             [](const auto& point) { return std::isfinite(point.second); });
}

}  // namespace

std::string to_html(const BarChart& chart) {
  if (chart.bars.empty()) return {};
  Json rows = Json::array();
  for (const Bar& bar : chart.bars) {
    Json& row = rows.emplace_back();
    row = {{"label", bar.label}, {"side", bar.side}, {"value", bar.value},
           {"low", bar.low},     {"high", bar.high}, {"text", bar.text}};
    if (bar.measured.has_value()) row["measured"] = *bar.measured;
  }
  Json data = {{"kind", "bars"}, {"title", chart.title}, {"unit", chart.unit}};
  data["rows"] = std::move(rows);
  if (chart.line.has_value()) {
    data["line"] = {{"value", chart.line->first}, {"label", chart.line->second}};
  }
  return figure(data, chart.bars.size());
}

std::string to_html(const LineChart& chart) {
  Json series = Json::array();
  for (const Series& each : chart.series) {
    if (!has_point(each)) continue;
    series.push_back({{"name", each.name}, {"points", json_points(each)}});
  }
  if (series.empty()) return {};
  const std::size_t marks = series.size();
  Json data = {
      {"kind", "lines"},         {"title", chart.title},        {"xLabel", chart.x_label},
      {"yLabel", chart.y_label}, {"xLog", chart.x_logarithmic}, {"fromZero", chart.from_zero},
      {"dots", chart.dots}};
  if (!chart.x_names.empty()) data["xNames"] = chart.x_names;
  data["series"] = std::move(series);
  return figure(data, marks);
}

std::string to_html(const RooflineChart& chart) {
  if (chart.points.empty()) return {};
  double compute = 0;
  double memory = 0;
  Json points = Json::array();
  for (const RooflinePoint& point : chart.points) {
    compute = std::max(compute, point.instructions_per_second);
    memory = std::max(memory, point.instructions_per_second / point.instructions_per_request);
    points.push_back({{"label", point.label},
                      {"x", point.instructions_per_request},
                      {"y", point.instructions_per_second}});
  }
  Json data = {{"kind", "roofline"},
               {"title", chart.title},
               {"xLabel", "instructions per memory request"},
               {"yLabel", "instructions per second"},
               {"compute", compute},
               {"memory", memory}};
  data["points"] = std::move(points);
  return figure(data, chart.points.size());
}

std::vector<std::pair<double, double>> thinned(std::vector<std::pair<double, double>> points,
                                               std::size_t most) {
  if (points.size() <= most || most < 2) return points;
  const std::size_t stretches = most / 2;
  std::vector<std::pair<double, double>> kept;
  for (std::size_t i = 0; i < stretches; ++i) {
    const auto begin = points.begin() + static_cast<std::ptrdiff_t>(i * points.size() / stretches);
    const auto end =
        points.begin() + static_cast<std::ptrdiff_t>((i + 1) * points.size() / stretches);
    const auto gap =
        std::find_if(begin, end, [](const auto& p) { return !std::isfinite(p.second); });
    const auto by_value = [](const auto& a, const auto& b) { return a.second < b.second; };
    auto [low, high] = std::pair(gap, gap);  // keeps a gap
    if (gap == end) std::tie(low, high) = std::minmax_element(begin, end, by_value);
    if (high < low) std::swap(low, high);
    kept.push_back(*low);
    if (high != low) kept.push_back(*high);
  }
  return kept;
}

}  // namespace sidecore::report
