// The families that have shaders: one function for each, defined in the family's own file.
#pragma once

#include "qpu/metrics/feature_work.h"

namespace sidecore::qpu {

[[nodiscard]] FamilyWork float_adm_work();
[[nodiscard]] FamilyWork float_psnr_work();
[[nodiscard]] FamilyWork psnr_hvs_work();
[[nodiscard]] FamilyWork ssim_work();

}  // namespace sidecore::qpu
