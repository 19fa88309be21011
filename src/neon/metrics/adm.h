// NEON implementation of metrics/adm.h.
#pragma once

#include "metrics/adm.h"

namespace sidecore::neon {

/// Returns functions that compute the same integers as metrics::adm_rows().
[[nodiscard]] const metrics::AdmRowFunctions& adm_rows();

}  // namespace sidecore::neon
