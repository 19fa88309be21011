// The families of features. Each line of families.inc has one function here, which the family's own
// file defines.
#pragma once

#include "metrics/feature_family.h"

namespace sidecore::metrics {

#define SIDECORE_FAMILY(name, neon, qpu) [[nodiscard]] const FeatureFamily& name##_family();
#include "metrics/families.inc"
#undef SIDECORE_FAMILY

}  // namespace sidecore::metrics
