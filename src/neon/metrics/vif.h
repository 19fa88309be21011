// NEON implementation of metrics/vif.h.
#pragma once

#include "metrics/vif.h"

namespace sidecore::neon {

/// Returns functions that compute the same integers as metrics::vif_rows().
[[nodiscard]] const metrics::VifRowFunctions& vif_rows();

}  // namespace sidecore::neon
