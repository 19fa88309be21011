// Formats of figures that the gates' text and the report's page share.
#pragma once

#include <string>
#include <vector>

#include "gates/kernel.h"

namespace sidecore::gates {

/// Load average above which other processes disturb the measurement.
inline constexpr double kBusyLoad = 0.5;

/// Returns nanoseconds as microseconds with one decimal.
[[nodiscard]] std::string microseconds(double nanoseconds);
/// Returns "mask 99.1 % of lines, hev 3.0 % of masked lines", or "none" without branches.
[[nodiscard]] std::string branch_text(const std::vector<BranchRate>& branches);

}  // namespace sidecore::gates
