// The families that have shaders (metrics/families.inc). Each has one function here, which the
// family's own file defines.
#pragma once

#include "qpu/metrics/feature_work.h"

namespace sidecore::qpu {

#define NO_QPU(name)
#define HAS_QPU(name) [[nodiscard]] FamilyWork name##_work();
#define SIDECORE_FAMILY(name, neon, qpu) qpu(name)
#include "metrics/families.inc"
#undef SIDECORE_FAMILY
#undef HAS_QPU
#undef NO_QPU

}  // namespace sidecore::qpu
