// One number for a clip out of one number for each picture, as libvmaf pools.
#pragma once

#include <span>

namespace sidecore::metrics {

struct Pooled {
  double min = 0;
  double max = 0;
  double mean = 0;           ///< sum in picture order, divided by the count
  double harmonic_mean = 0;  ///< n / sum(1 / (v + 1)) - 1: a score of 0 does not make it 0
};

/// Scores may be infinite or NaN (psnr_hvs of identical planes, SSIM in dB). Arithmetic follows
/// IEEE 754: an infinity makes the mean infinite and adds nothing to the harmonic sum; a NaN makes
/// both means NaN. min and max start at the first score and move only on a true comparison, so a
/// NaN there stays and a later one is passed over. Throws Error (usage) when there are no scores.
[[nodiscard]] Pooled pool(std::span<const double> scores);

}  // namespace sidecore::metrics
