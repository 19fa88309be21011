// The families of features: one function for each line of families.inc, defined in the family's own
// file.
#pragma once

#include "metrics/feature_family.h"

namespace sidecore::metrics {

#define SIDECORE_FAMILY(name, neon, qpu) [[nodiscard]] const FeatureFamily& name##_family();
#include "metrics/families.inc"
#undef SIDECORE_FAMILY

}  // namespace sidecore::metrics
