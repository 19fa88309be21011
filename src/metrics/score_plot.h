// Plot of scores over a clip.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "metrics/score_table.h"

namespace sidecore::metrics {

/// Text above the curves of a plot.
struct PlotText {
  std::string title;
  std::string subtitle;
};

/// Returns an SVG file with one curve per output over the picture numbers. Outputs of one request,
/// `outputs_per_request` of them in the table's order, share a panel if their magnitudes are
/// similar. A score that is not finite leaves a gap in its curve; their number is written beside
/// it. Throws Error (usage) if the table has no pictures.
[[nodiscard]] std::string format_plot(const ScoreTable& table,
                                      std::span<const std::size_t> outputs_per_request,
                                      const PlotText& text);

}  // namespace sidecore::metrics
