#include "neon/feature_kernels.h"

#include "base/error.h"
#include "neon/float_psnr.h"

namespace sidecore::neon {
namespace {

void score_float_psnr(const video::Picture& reference, const video::Picture& distorted,
                      std::span<double> scores) {
  const video::PictureFormat& format = reference.format();
  const int bits = format.pixel.bits;
  const metrics::SquaredErrorSum sum =
      bits == 8
          ? squared_error_sum(reference.plane<std::uint8_t>(0), distorted.plane<std::uint8_t>(0))
          : squared_error_sum(reference.plane<std::uint16_t>(0), distorted.plane<std::uint16_t>(0),
                              bits);
  scores[0] = metrics::float_psnr(sum, format.width, format.height, bits);
}

}  // namespace

metrics::FeatureKernel feature_kernel(std::string_view feature) {
  if (metrics::find_feature(feature).name == "float_psnr") return score_float_psnr;
  throw usage_error("feature '{}' has no NEON implementation", feature);
}

}  // namespace sidecore::neon
