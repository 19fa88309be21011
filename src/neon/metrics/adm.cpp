#include "metrics/adm.h"

#include "neon/metrics/families.h"

namespace sidecore::neon {

std::unique_ptr<metrics::PairKernel> make_adm(const video::PictureFormat& format,
                                              std::span<const metrics::FeatureRequest> requests,
                                              std::size_t threads) {
  return metrics::make_adm_kernel(format, requests, threads, metrics::adm_rows());
}

}  // namespace sidecore::neon
