// NEON implementation of metrics/vif.h.
#pragma once

#include "metrics/vif.h"

namespace sidecore::neon {

/// The integers of metrics::vif_rows().
[[nodiscard]] const metrics::VifRowFunctions& vif_rows();

}  // namespace sidecore::neon
