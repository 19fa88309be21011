// What makes the NEON kernel of each family: one metrics::KernelMaker each, defined in the kernel's
// own file.
#pragma once

#include "metrics/pair_kernel.h"

namespace sidecore::neon {

[[nodiscard]] std::unique_ptr<metrics::PairKernel> make_float_adm(
    const video::PictureFormat& format, std::span<const metrics::FeatureRequest> requests,
    std::size_t threads);
[[nodiscard]] std::unique_ptr<metrics::PairKernel> make_float_psnr(
    const video::PictureFormat& format, std::span<const metrics::FeatureRequest> requests,
    std::size_t threads);
[[nodiscard]] std::unique_ptr<metrics::PairKernel> make_psnr_hvs(
    const video::PictureFormat& format, std::span<const metrics::FeatureRequest> requests,
    std::size_t threads);

[[nodiscard]] std::unique_ptr<metrics::PairKernel> make_ssim(
    const video::PictureFormat& format, std::span<const metrics::FeatureRequest> requests,
    std::size_t threads);

}  // namespace sidecore::neon
