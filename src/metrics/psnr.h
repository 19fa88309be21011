// psnr: peak signal-to-noise ratio of each plane, as libvmaf's feature psnr computes it.
#pragma once

#include <memory>
#include <span>

#include "metrics/feature.h"
#include "metrics/float_psnr.h"
#include "metrics/pair_kernel.h"
#include "video/picture.h"

namespace sidecore::metrics {

/// Makes a kernel of psnr from functions that sum the squared errors.
[[nodiscard]] std::unique_ptr<PairKernel> make_psnr_kernel(const video::PictureFormat& format,
                                                           std::span<const FeatureRequest> requests,
                                                           SquaredErrorSummer summer);

}  // namespace sidecore::metrics
