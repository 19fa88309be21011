// NEON implementation of metrics/cambi.h.
#pragma once

#include "metrics/cambi.h"

namespace sidecore::neon {

/// Returns the arithmetic on rows, with the same bits as the scalar definition.
[[nodiscard]] const metrics::CambiRowFunctions& cambi_rows();

}  // namespace sidecore::neon
