// The report for people.
#pragma once

#include <string>

#include "gates/run.h"

namespace sidecore::gates {

/// Each gate under its question, with a line on what its figures mean.
[[nodiscard]] std::string to_text(const GateReport& report);

}  // namespace sidecore::gates
