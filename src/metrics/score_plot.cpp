#include "metrics/score_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/error.h"
#include "base/markup.h"
#include "metrics/pooling.h"

namespace sidecore::metrics {
namespace {

// Okabe and Ito's colours, which colour-blind people can distinguish.
constexpr std::array kColours{"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                              "#e69f00", "#56b4e9", "#555555"};

constexpr double kWidth = 1050;
constexpr double kLeft = 78;
constexpr double kPlotWidth = 690;
constexpr double kTop = 76;
constexpr double kPanelHeight = 170;
constexpr double kPanelGap = 34;
constexpr double kBottom = 52;
/// Largest number of pictures for which the plot marks each score with a dot.
constexpr std::size_t kMaxDottedPictures = 60;
/// Largest ratio of the magnitudes of outputs that share a panel.
constexpr double kMaxPanelRatio = 4;

struct Curve {
  const std::string* name;
  std::span<const double> scores;
};
using Panel = std::vector<Curve>;

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  [[nodiscard]] bool empty() const { return low > high; }
  void add(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

double magnitude(std::span<const double> scores) {
  double largest = 0;
  for (const double score : scores) {
    if (std::isfinite(score)) largest = std::max(largest, std::abs(score));
  }
  return largest;
}

bool alike(double a, double b) {
  return a == 0 || b == 0 || std::max(a, b) <= kMaxPanelRatio * std::min(a, b);
}

void add_to_panels(std::vector<Panel>& panels, std::size_t first_of_request, const Curve& curve) {
  const double size = magnitude(curve.scores);
  for (std::size_t i = first_of_request; i < panels.size(); ++i) {
    if (panels[i].size() < kColours.size() && alike(size, magnitude(panels[i][0].scores))) {
      panels[i].push_back(curve);
      return;
    }
  }
  panels.push_back({curve});
}

std::vector<Panel> arrange(const ScoreTable& table,
                           std::span<const std::size_t> outputs_per_request) {
  std::vector<Panel> panels;
  std::size_t output = 0;
  for (const std::size_t outputs : outputs_per_request) {
    const std::size_t first = panels.size();
    for (const std::size_t end = output + outputs; output < end; ++output) {
      add_to_panels(panels, first, {&table.names()[output], table.column(output)});
    }
  }
  return panels;
}

/// Returns a round step, 1, 2 or 5 times a power of ten, that divides `span` into about `count`
/// parts.
double choose_round_step(double span, int count) {
  const double raw = span / count;
  const double power = std::pow(10.0, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (raw <= factor * power) return factor * power;
  }
  return 10 * power;
}

/// A linear axis: maps values to positions, and places its ticks.
class Axis {
 public:
  /// Rounds the ends of the range outwards to whole steps.
  Axis(Range range, int ticks) {
    if (range.empty()) range = {0, 1};
    // A range that is constant, or nearly so, is widened to at least this size.
    const double least = std::max(std::abs(range.high) * 1e-6, 1e-9);
    if (range.high - range.low < least) {
      range = {range.low - least / 2, range.high + least / 2};
    }
    step_ = choose_round_step(range.high - range.low, ticks);
    low_ = std::floor(range.low / step_) * step_;
    high_ = std::ceil(range.high / step_) * step_;
  }

  [[nodiscard]] double share(double value) const { return (value - low_) / (high_ - low_); }
  [[nodiscard]] std::vector<double> ticks() const {
    std::vector<double> values;
    const int count = static_cast<int>(std::lround((high_ - low_) / step_));
    for (int i = 0; i <= count; ++i) values.push_back(low_ + i * step_);
    return values;
  }
  /// Returns a tick's label with enough digits to distinguish neighbouring ticks.
  [[nodiscard]] std::string label(double tick) const {
    const int digits = std::clamp(static_cast<int>(std::ceil(-std::log10(step_) - 1e-9)), 0, 9);
    const std::string text = fmt::format("{:.{}f}", tick, digits);
    return text.find_first_not_of("-0.") == std::string::npos ? "0" : text;
  }

 private:
  double low_ = 0;
  double high_ = 1;
  double step_ = 1;
};

std::string escaped(const std::string& text) {
  std::string out;
  // File names may contain any bytes, but an SVG file must be UTF-8.
  const auto replace = nlohmann::json::error_handler_t::replace;
  const std::string valid =
      nlohmann::json::parse(nlohmann::json(text).dump(-1, ' ', false, replace));
  for (const char c : valid) out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  return escaped_markup(out);
}

/// Horizontal positions of the picture numbers.
class Pictures {
 public:
  explicit Pictures(const ScoreTable& table)
      : table_(table),
        first_(static_cast<double>(table.number(0))),
        last_(static_cast<double>(table.number(table.pictures() - 1))) {}

  [[nodiscard]] double x(std::size_t row) const {
    return x_of_number(static_cast<double>(table_.number(row)));
  }
  [[nodiscard]] double x_of_number(double number) const {
    return first_ == last_ ? kLeft + kPlotWidth / 2
                           : kLeft + (number - first_) / (last_ - first_) * kPlotWidth;
  }
  [[nodiscard]] std::vector<double> ticks() const {
    if (first_ == last_) return {first_};
    const double step = std::max(1.0, choose_round_step(last_ - first_, 8));
    std::vector<double> values;
    for (double tick = std::ceil(first_ / step) * step; tick <= last_; tick += step) {
      values.push_back(tick);
    }
    return values;
  }

 private:
  const ScoreTable& table_;
  double first_;
  double last_;
};

/// Returns the curve as path data. If there are more pictures than positions, the curve keeps the
/// lowest and highest score at each position, so that a single bad picture stays visible.
std::string path(const Pictures& pictures, std::span<const double> scores, const Axis& axis,
                 double top) {
  const auto y = [&](double score) { return top + (1 - axis.share(score)) * kPanelHeight; };
  const std::size_t places = static_cast<std::size_t>(kPlotWidth) * 2;
  const std::size_t bucket = std::max<std::size_t>(1, (scores.size() + places - 1) / places);
  std::string data;
  bool pen_down = false;
  for (std::size_t row = 0; row < scores.size(); row += bucket) {
    Range range;
    for (std::size_t i = row; i < std::min(row + bucket, scores.size()); ++i) range.add(scores[i]);
    if (range.empty()) {
      pen_down = false;
      continue;
    }
    data += fmt::format("{}{:.1f} {:.1f}", pen_down ? "L" : "M", pictures.x(row), y(range.high));
    if (range.low < range.high) data += fmt::format("V{:.1f}", y(range.low));
    pen_down = true;
  }
  return data;
}

std::string format_curve(const Curve& curve, const Pictures& pictures, const Axis& axis, double top,
                         const char* colour) {
  std::string out;
  out += fmt::format("<path class=\"curve\" stroke=\"{}\" d=\"{}\"/>\n", colour,
                     path(pictures, curve.scores, axis, top));
  if (curve.scores.size() > kMaxDottedPictures) return out;
  for (std::size_t row = 0; row < curve.scores.size(); ++row) {
    if (!std::isfinite(curve.scores[row])) continue;
    out += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.2\" fill=\"{}\"/>\n",
                       pictures.x(row), top + (1 - axis.share(curve.scores[row])) * kPanelHeight,
                       colour);
  }
  return out;
}

std::string short_score(double score) {
  return fmt::format("{:.4g}", score);
}

/// Returns the name, mean and lowest score of a curve, beside the panel.
std::string format_legend(const Curve& curve, const ScoreTable& table, double y,
                          const char* colour) {
  const double x = kLeft + kPlotWidth + 16;
  std::string detail;
  const auto odd = std::ranges::count_if(curve.scores, [](double v) { return !std::isfinite(v); });
  if (odd == 0) {
    const auto lowest = std::ranges::min_element(curve.scores) - curve.scores.begin();
    const auto row = static_cast<std::size_t>(lowest);
    detail = fmt::format("mean {}, min {} (frame {})", short_score(pool(curve.scores).mean),
                         short_score(curve.scores[row]), table.number(row));
  } else {
    detail = fmt::format("not finite in {} of {} frames", odd, curve.scores.size());
  }
  return fmt::format(
      "<rect x=\"{0:.0f}\" y=\"{1:.0f}\" width=\"12\" height=\"3\" fill=\"{2}\"/>"
      "<text class=\"name\" x=\"{3:.0f}\" y=\"{4:.0f}\">{5}</text>"
      "<text class=\"small\" x=\"{3:.0f}\" y=\"{6:.0f}\">{7}</text>\n",
      x, y - 5, colour, x + 18, y, escaped(*curve.name), y + 12, detail);
}

std::string format_panel(const Panel& panel, const ScoreTable& table, const Pictures& pictures,
                         double top) {
  Range range;
  for (const Curve& curve : panel) {
    for (const double score : curve.scores) range.add(score);
  }
  const Axis axis(range, 4);
  std::string out = "<g>\n";
  for (const double tick : axis.ticks()) {
    const double y = top + (1 - axis.share(tick)) * kPanelHeight;
    out += fmt::format(
        "<path class=\"grid\" d=\"M{:.1f} {:.1f}h{:.1f}\"/>"
        "<text class=\"tick\" text-anchor=\"end\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n",
        kLeft, y, kPlotWidth, kLeft - 8, y + 4, axis.label(tick));
  }
  const double spacing = std::min(32.0, kPanelHeight / static_cast<double>(panel.size()));
  for (std::size_t i = 0; i < panel.size(); ++i) {
    out += format_curve(panel[i], pictures, axis, top, kColours[i]);
    out += format_legend(panel[i], table, top + 10 + spacing * static_cast<double>(i), kColours[i]);
  }
  return out + "</g>\n";
}

std::string format_picture_axis(const Pictures& pictures, double y) {
  std::string out;
  for (const double tick : pictures.ticks()) {
    out += fmt::format(
        "<path class=\"grid\" d=\"M{0:.1f} {1:.1f}v5\"/>"
        "<text class=\"tick\" text-anchor=\"middle\" x=\"{0:.1f}\" y=\"{2:.1f}\">{3:.0f}</text>\n",
        pictures.x_of_number(tick), y, y + 18, tick);
  }
  return out + fmt::format(
                   "<text class=\"tick\" text-anchor=\"middle\" x=\"{:.1f}\" y=\"{:.1f}\">"
                   "frame</text>\n",
                   kLeft + kPlotWidth / 2, y + 36);
}

constexpr const char* kStyle =
    "<style>text{font:13px system-ui,'DejaVu Sans',sans-serif;fill:#222}"
    ".title{font-size:17px;font-weight:600}.small,.tick{font-size:11px;fill:#666}"
    ".name{font-weight:600}.grid{stroke:#ddd;fill:none}"
    ".curve{fill:none;stroke-width:1.6;stroke-linejoin:round}</style>\n";

}  // namespace

std::string format_plot(const ScoreTable& table, std::span<const std::size_t> outputs_per_request,
                        const PlotText& text) {
  if (table.pictures() == 0) throw usage_error("there are no pictures whose scores can be plotted");
  const std::vector<Panel> panels = arrange(table, outputs_per_request);
  const Pictures pictures(table);
  const double bottom =
      kTop + static_cast<double>(panels.size()) * (kPanelHeight + kPanelGap) - kPanelGap;
  const double height = bottom + kBottom;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "width=\"{0:.0f}\" height=\"{1:.0f}\" role=\"img\">\n{2}"
      "<title>{3}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
      "<text class=\"title\" x=\"{4:.0f}\" y=\"30\">{3}</text>\n"
      "<text class=\"small\" x=\"{4:.0f}\" y=\"50\">{5}</text>\n",
      kWidth, height, kStyle, escaped(text.title), kLeft, escaped(text.subtitle));
  double top = kTop;
  for (const Panel& panel : panels) {
    out += format_panel(panel, table, pictures, top);
    top += kPanelHeight + kPanelGap;
  }
  return out + format_picture_axis(pictures, bottom) + "</svg>\n";
}

}  // namespace sidecore::metrics
