// Makers of the NEON kernels, one for each family that has one (metrics/families.inc). Each is a
// metrics::KernelMaker, defined in the kernel's own file.
#pragma once

#include "metrics/pair_kernel.h"

namespace sidecore::neon {

#define NO_NEON(name)
#define HAS_NEON(name)                                                                       \
  [[nodiscard]] std::unique_ptr<metrics::PairKernel> make_##name(                            \
      const video::PictureFormat& format, std::span<const metrics::FeatureRequest> requests, \
      std::size_t threads);
#define SIDECORE_FAMILY(name, neon, qpu) neon(name)
#include "metrics/families.inc"
#undef SIDECORE_FAMILY
#undef HAS_NEON
#undef NO_NEON

}  // namespace sidecore::neon
