// The families of features: one function for each, defined in the family's own file.
#pragma once

#include "metrics/feature_family.h"

namespace sidecore::metrics {

[[nodiscard]] const FeatureFamily& float_adm_family();
[[nodiscard]] const FeatureFamily& float_psnr_family();
[[nodiscard]] const FeatureFamily& psnr_hvs_family();
[[nodiscard]] const FeatureFamily& ssim_family();

}  // namespace sidecore::metrics
