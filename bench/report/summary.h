// The report's answers as plain sentences, for a terminal and for the page's first lines.
#pragma once

#include <string>

#include "gates/run.h"
#include "report/inputs.h"

namespace sidecore::report {

/// The answer of one run of the gates, after its device and board.
[[nodiscard]] std::string headline(const gates::GateReport& report);

/// A line for each file of gates, split and metrics, and one more where a model leaves a proposal
/// in doubt; no line for shader statistics.
[[nodiscard]] std::string summary(const Inputs& inputs);

}  // namespace sidecore::report
