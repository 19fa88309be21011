#include "qpu/metrics/feature_work.h"

#include "qpu/metrics/families.h"

namespace sidecore::qpu {

std::span<const FamilyWork> family_works() {
  static const FamilyWork kAll[] = {
      // Sample differences
      float_psnr_work(),
      // Structural similarity
      ssim_work(),
      // Discrete cosine transform
      psnr_hvs_work(),
      // Wavelets
      float_adm_work(),
  };
  return kAll;
}

}  // namespace sidecore::qpu
