// NEON implementation of the long sums of metrics/speed_chroma.h.
#pragma once

#include "metrics/speed_chroma.h"

namespace sidecore::neon {

[[nodiscard]] const metrics::SpeedChromaSums& speed_chroma_sums();

}  // namespace sidecore::neon
