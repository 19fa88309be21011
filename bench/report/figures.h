// Figures as the page prints them.
#pragma once

#include <string>
#include <vector>

#include "gates/figure_text.h"
#include "gates/run.h"
#include "report/chart.h"

namespace sidecore::report {

using gates::branch_text;
using gates::microseconds;

/// Four significant digits with an SI prefix: "12.34 M".
[[nodiscard]] std::string rate_text(double a_second);
/// 0.0612 as "+6.1 %".
[[nodiscard]] std::string percent(double share);

/// Units a second from the nanoseconds that `units` take; p10 to p90 are the spread.
[[nodiscard]] Bar rate_bar(std::string label, std::string side, const SampleSet& nanoseconds,
                           std::size_t units);

}  // namespace sidecore::report
