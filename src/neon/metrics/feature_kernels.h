// NEON implementations of the families of metrics/feature_family.h.
#pragma once

#include "metrics/feature_family.h"

namespace sidecore::neon {

/// Makes the implementation of the family's definition: the same scores, bit for bit. Throws Error
/// (usage) when the family has none.
[[nodiscard]] metrics::KernelMaker kernels(const metrics::FeatureFamily& family);

}  // namespace sidecore::neon
