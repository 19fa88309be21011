#include "metrics/float_moment.h"

#include "neon/metrics/families.h"
#include "neon/metrics/float_psnr.h"

namespace sidecore::neon {

std::unique_ptr<metrics::PairKernel> make_float_moment(
    const video::PictureFormat& format, std::span<const metrics::FeatureRequest> /*the one*/,
    std::size_t /*threads*/) {
  return metrics::make_float_moment_kernel(
      format, {squared_error_sum, squared_error_sum, exact_squared_error_sum});
}

}  // namespace sidecore::neon
