#include "libvmaf/psnr_total.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "metrics/psnr.h"

namespace sidecore::libvmaf {

void PsnrTotal::add(std::span<const double> errors) {
  for (std::size_t plane = 0; plane < errors.size(); ++plane) {
    const double samples = metrics::psnr_plane(format_, static_cast<int>(plane)).samples();
    // The product is the exact sum, because a sum below 2^51 survives the division and this.
    planes_[plane].error += static_cast<std::uint64_t>(std::llround(errors[plane] * samples));
    planes_[plane].samples += static_cast<std::uint64_t>(samples);
  }
}

void PsnrTotal::finish(ScoreStore& scores) const {
  constexpr std::array kNames{"apsnr_y", "apsnr_cb", "apsnr_cr"};
  const double peak = metrics::squared_peak(format_, options_);
  for (std::size_t plane = 0; plane < kNames.size(); ++plane) {
    const auto error = static_cast<double>(planes_[plane].error);
    const auto samples = static_cast<double>(planes_[plane].samples);
    const double score = 10 * (std::log10(peak) + std::log10(samples) - std::log10(error));
    const double highest = std::ceil(10 * std::log10(peak * samples * 2));
    scores.add_of_clip(kNames[plane], score < highest ? score : highest);
  }
}

}  // namespace sidecore::libvmaf
