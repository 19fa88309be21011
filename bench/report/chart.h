// Charts: what page/charts.js draws, as data in the page.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/statistics.h"

namespace sidecore::report {

/// A bar with its spread, all in the chart's unit.
struct Bar {
  std::string label;
  std::string side;  ///< its colour: "neon", "qpu", "both" or "scalar"
  double value = 0;
  double low = 0;
  double high = 0;
  std::string text;                               ///< the value as the page prints it
  std::optional<double> measured = std::nullopt;  ///< beside a value that was foretold
};

struct BarChart {
  std::string title;
  std::string unit;
  std::vector<Bar> bars;
  std::optional<std::pair<double, std::string>> line;  ///< the one to beat, and its name
};

struct Series {
  std::string name;
  std::vector<std::pair<double, double>> points;  ///< ascending x; a y that is not finite is a gap
};

struct LineChart {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<Series> series;
  std::vector<std::string> x_names;  ///< instead of numbers: x counts them from 0
  bool x_logarithmic = false;
  bool from_zero = false;
  bool dots = false;  ///< at every point
};

struct RooflinePoint {
  std::string label;
  double instructions_per_request = 0;
  double instructions_per_second = 0;
};

struct RooflineChart {
  std::string title;
  std::vector<RooflinePoint> points;
};

/// A figure element that holds the data and says how many marks it must have when drawn. Empty when
/// there is nothing to draw.
[[nodiscard]] std::string to_html(const BarChart& chart);
[[nodiscard]] std::string to_html(const LineChart& chart);
/// The roofs are the highest rates of the points themselves.
[[nodiscard]] std::string to_html(const RooflineChart& chart);

/// At most about `most` points that still show every peak: of each stretch of points the lowest and
/// the highest.
[[nodiscard]] std::vector<std::pair<double, double>> thinned(
    std::vector<std::pair<double, double>> points, std::size_t most);

}  // namespace sidecore::report
