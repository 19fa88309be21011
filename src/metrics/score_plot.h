// Scores over a clip, drawn.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "metrics/score_table.h"

namespace sidecore::metrics {

/// Words above the curves.
struct PlotText {
  std::string title;
  std::string subtitle;
};

/// An SVG file with a curve for each output over the pictures' numbers. Outputs of one request,
/// `outputs_per_request` of them in the table's order, share a panel where their sizes are alike.
/// A score that is not finite is a gap in its curve, and is counted beside it.
/// Throws Error (usage) when the table has no pictures.
[[nodiscard]] std::string format_plot(const ScoreTable& table,
                                      std::span<const std::size_t> outputs_per_request,
                                      const PlotText& text);

}  // namespace sidecore::metrics
