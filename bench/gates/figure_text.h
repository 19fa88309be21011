// Figures as the gates' text and the report's page both print them.
#pragma once

#include <string>
#include <vector>

#include "gates/kernel.h"

namespace sidecore::gates {

/// Load average above which somebody else takes time that the figures would need.
inline constexpr double kBusyLoad = 0.5;

/// Nanoseconds as microseconds, one decimal.
[[nodiscard]] std::string microseconds(double nanoseconds);
/// "mask 99.1 % of lines, hev 3.0 % of masked lines"; "none".
[[nodiscard]] std::string branch_text(const std::vector<BranchRate>& branches);

}  // namespace sidecore::gates
