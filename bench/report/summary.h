// The report's results as plain sentences, for a terminal and for the top of the page.
#pragma once

#include <string>

#include "gates/run.h"
#include "report/inputs.h"

namespace sidecore::report {

/// Returns the result of one run of the gates as a sentence: device, board and conclusion.
[[nodiscard]] std::string headline(const gates::GateReport& report);

/// Returns one line per file of gates, split and metrics, a second line if a model's uncertainty
/// leaves a proposal open, and ten lines per file of verdict. Files of the shader database have no
/// line.
[[nodiscard]] std::string summary(const Inputs& inputs);

}  // namespace sidecore::report
