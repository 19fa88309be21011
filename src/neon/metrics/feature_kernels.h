// NEON implementations of the families of metrics/feature_family.h.
#pragma once

#include "metrics/feature_family.h"

namespace sidecore::neon {

/// Returns the maker of the family's NEON implementation, whose scores equal the scalar
/// definition's bit for bit. Throws Error (usage) if the family has none.
[[nodiscard]] metrics::KernelMaker kernels(const metrics::FeatureFamily& family);

}  // namespace sidecore::neon
