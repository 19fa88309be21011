// psnr: peak signal-to-noise ratio of each plane, as libvmaf's feature psnr computes it.
#pragma once

#include <memory>
#include <span>

#include "metrics/feature.h"
#include "metrics/float_psnr.h"
#include "metrics/pair_kernel.h"
#include "video/picture.h"

namespace sidecore::metrics {

/// Size of a plane in samples. Subsampled sizes of odd pictures round down, as in libvmaf.
struct PsnrPlane {
  int width = 0;
  int height = 0;

  [[nodiscard]] double samples() const { return static_cast<double>(width) * height; }
};
[[nodiscard]] PsnrPlane psnr_plane(const video::PictureFormat& format, int plane);

/// Returns the square of the largest sample. With reduced_hbd_peak, that sample is a scaled 255.
[[nodiscard]] double squared_peak(const video::PictureFormat& format,
                                  const FeatureOptions& options);

/// Makes a kernel of psnr from functions that sum the squared errors.
[[nodiscard]] std::unique_ptr<PairKernel> make_psnr_kernel(const video::PictureFormat& format,
                                                           std::span<const FeatureRequest> requests,
                                                           SquaredErrorSummer summer);

}  // namespace sidecore::metrics
