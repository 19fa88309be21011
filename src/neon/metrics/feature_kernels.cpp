#include "neon/metrics/feature_kernels.h"

#include "base/error.h"
#include "metrics/families.h"
#include "neon/metrics/families.h"

namespace sidecore::neon {
namespace {

struct Entry {
  const metrics::FeatureFamily* family;
  metrics::KernelMaker make;
};

std::span<const Entry> entries() {
  static const Entry kAll[] = {
      // Sample differences
      {&metrics::float_psnr_family(), make_float_psnr},
      // Structural similarity
      {&metrics::ssim_family(), make_ssim},
      // Discrete cosine transform
      {&metrics::psnr_hvs_family(), make_psnr_hvs},
      // Wavelets
      {&metrics::float_adm_family(), make_float_adm},
  };
  return kAll;
}

}  // namespace

metrics::KernelMaker kernels(const metrics::FeatureFamily& family) {
  for (const Entry& entry : entries()) {
    if (entry.family == &family) return entry.make;
  }
  throw usage_error("{} has no NEON implementation", family.name);
}

}  // namespace sidecore::neon
