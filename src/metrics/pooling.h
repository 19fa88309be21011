// Pooling: one number for a clip from one number per picture, as libvmaf computes it.
#pragma once

#include <span>

namespace sidecore::metrics {

struct Pooled {
  double min = 0;
  double max = 0;
  double mean = 0;           ///< sum in picture order, divided by the number of pictures
  double harmonic_mean = 0;  ///< n / sum(1 / (v + 1)) - 1; a score of 0 does not make it 0
};

/// Returns the pooled scores. Scores may be infinite or NaN (psnr_hvs of identical planes, SSIM in
/// dB), and arithmetic follows IEEE 754. An infinity makes the mean infinite and adds nothing to
/// the harmonic sum. A NaN makes both means NaN. min and max start at the first score and change
/// only if a comparison is true: a NaN as first score stays, and a later NaN is ignored. Throws
/// Error (usage) if there are no scores.
[[nodiscard]] Pooled pool(std::span<const double> scores);

}  // namespace sidecore::metrics
