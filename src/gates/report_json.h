// The report for machines.
#pragma once

#include <string>

#include "gates/run.h"

namespace sidecore::gates {

/// One JSON document: "schema": "sidecore-gate", "version": 1. Times are nanoseconds and rates are
/// units a second unless a name says otherwise; every sample is there.
[[nodiscard]] std::string to_json(const GateReport& report);

}  // namespace sidecore::gates
