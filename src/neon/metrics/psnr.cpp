#include "metrics/psnr.h"

#include "neon/metrics/families.h"
#include "neon/metrics/float_psnr.h"

namespace sidecore::neon {

std::unique_ptr<metrics::PairKernel> make_psnr(const video::PictureFormat& format,
                                               std::span<const metrics::FeatureRequest> requests,
                                               std::size_t /*threads*/) {
  return metrics::make_psnr_kernel(format, requests,
                                   {squared_error_sum, squared_error_sum, exact_squared_error_sum});
}

}  // namespace sidecore::neon
