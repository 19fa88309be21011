// Charts as JSON data in the page; page/charts.js draws them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/statistics.h"

namespace sidecore::report {

/// A bar with its spread. All values are in the chart's unit.
struct Bar {
  std::string label;
  /// Processor, which selects the bar's colour: "neon", "qpu", "both" or "scalar".
  std::string side;
  double value = 0;
  double low = 0;
  double high = 0;
  std::string text;                               ///< text of the value as the page prints it
  std::optional<double> measured = std::nullopt;  ///< measurement, if `value` is a prediction
};

struct BarChart {
  std::string title;
  std::string unit;
  std::vector<Bar> bars;
  std::optional<std::pair<double, std::string>> line;  ///< position and label of a reference line
};

struct Series {
  std::string name;
  /// Points (x, y) in ascending x; a non-finite y is a gap.
  std::vector<std::pair<double, double>> points;
};

struct LineChart {
  std::string title;
  std::string x_label;
  std::string y_label;
  std::vector<Series> series;
  std::vector<std::string> x_names;  ///< labels of x instead of numbers; x is the index
  bool x_logarithmic = false;
  bool from_zero = false;
  bool dots = false;  ///< true: draw a dot at every point
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

/// Returns a figure element with the chart's data and its number of marks, which a test compares
/// with the drawn ones. Returns "" if there is nothing to draw.
[[nodiscard]] std::string to_html(const BarChart& chart);
[[nodiscard]] std::string to_html(const LineChart& chart);
/// Returns the figure element of a roofline chart. The roofs are the highest rates of its points.
[[nodiscard]] std::string to_html(const RooflineChart& chart);

/// Reduces a curve to at most about `most` points, and keeps every peak: takes the lowest and the
/// highest point of each group of neighbouring points.
[[nodiscard]] std::vector<std::pair<double, double>> thinned(
    std::vector<std::pair<double, double>> points, std::size_t most);

}  // namespace sidecore::report
