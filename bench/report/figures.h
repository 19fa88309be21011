// Formats of figures on the page.
#pragma once

#include <string>
#include <vector>

#include "gates/figure_text.h"
#include "gates/run.h"
#include "report/chart.h"

namespace sidecore::report {

using gates::branch_text;
using gates::microseconds;

/// Returns a rate per second with four significant digits and an SI prefix: "12.34 M".
[[nodiscard]] std::string rate_text(double a_second);
/// Returns for example "+6.1 %" for 0.0612.
[[nodiscard]] std::string percent(double share);

/// Returns a bar of units per second, from the nanoseconds that `units` take. The spread is p10 to
/// p90.
[[nodiscard]] Bar rate_bar(std::string label, std::string side, const SampleSet& nanoseconds,
                           std::size_t units);

}  // namespace sidecore::report
