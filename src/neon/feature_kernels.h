// NEON twins of the features of metrics/feature.h.
#pragma once

#include <string_view>

#include "metrics/feature.h"

namespace sidecore::neon {

/// The same scores as metrics::scalar_kernel(), bit for bit. Throws Error (usage) when there is no
/// such feature or it has no NEON twin.
[[nodiscard]] metrics::FeatureKernel feature_kernel(std::string_view feature);

}  // namespace sidecore::neon
