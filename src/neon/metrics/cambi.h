// NEON implementation of metrics/cambi.h.
#pragma once

#include "metrics/cambi.h"

namespace sidecore::neon {

/// The arithmetic of a row, with the definition's bits.
[[nodiscard]] const metrics::CambiRowFunctions& cambi_rows();

}  // namespace sidecore::neon
