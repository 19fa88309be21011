#include "metrics/ssim_scores.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "metrics/decimation.h"

namespace sidecore::metrics {
namespace {

// Weights of the levels, as exponents of the means. Luminance counts only on the last level.
constexpr std::array<float, kMsSsimLevels> kAlpha = {0.0F, 0.0F, 0.0F, 0.0F, 0.1333F};
constexpr std::array<float, kMsSsimLevels> kBeta = {0.0448F, 0.2856F, 0.3001F, 0.2363F, 0.1333F};
constexpr const auto& kGamma = kBeta;

// Returns the highest score in dB with the option clip_db: the PSNR, rounded up, of a squared error
// of one half over the picture.
double highest_decibels(const video::PictureFormat& format) {
  const double peak = format.pixel.max_value();
  const double pixels = static_cast<double>(format.width) * static_cast<double>(format.height);
  return std::ceil(10.0 * std::log10(peak * peak / (0.5 / pixels)));
}

double to_decibels_if_enabled(const DecibelOptions& options, double score,
                              const video::PictureFormat& format) {
  if (!options.enable_db) return score;
  const double highest =
      options.clip_db ? highest_decibels(format) : std::numeric_limits<double>::infinity();
  return std::min(-10.0 * std::log10(1.0 - score), highest);
}

}  // namespace

int automatic_ssim_scale(int width, int height) {
  const float sides = static_cast<float>(std::min(width, height)) / 256.0F;
  const int whole = static_cast<int>(sides);
  const int rounded = sides - static_cast<float>(whole) >= 0.5F ? whole + 1 : whole;
  return std::max(1, rounded);
}

int float_ssim_scale(int scale, const video::PictureFormat& format) {
  check_float_depth("float_ssim", format.pixel.bits);
  if (scale < 0 || scale > kMaxSsimScale) {
    throw usage_error("float_ssim: scale is 0 (automatic) to {}, not {}", kMaxSsimScale, scale);
  }
  const int factor = scale > 0 ? scale : automatic_ssim_scale(format.width, format.height);
  const int shorter = std::min(format.width, format.height);
  // The plane must be larger than the factor, because a tap beyond a border can be mirrored only
  // once.
  const bool decimable = factor == 1 || shorter > factor;
  if (!decimable || std::min(decimated_size(format.width, factor),
                             decimated_size(format.height, factor)) < kSsimWindow) {
    throw usage_error("float_ssim: {}x{} at scale {} is smaller than its window of {}x{} samples",
                      format.width, format.height, factor, kSsimWindow, kSsimWindow);
  }
  return factor;
}

void check_float_ms_ssim(const video::PictureFormat& format) {
  check_float_depth("float_ms_ssim", format.pixel.bits);
  constexpr int kSmallest = kSsimWindow << (kMsSsimLevels - 1);
  if (std::min(format.width, format.height) < kSmallest) {
    throw usage_error("float_ms_ssim needs pictures of at least {}x{}, not {}x{}", kSmallest,
                      kSmallest, format.width, format.height);
  }
}

void score_float_ssim(const SsimMeans& means, const FloatSsimOptions& options,
                      const video::PictureFormat& format, std::span<double> scores) {
  scores[0] = to_decibels_if_enabled(options.decibel, means.ssim, format);
  if (!options.enable_lcs) return;
  scores[1] = means.luminance;
  scores[2] = means.contrast;
  scores[3] = means.structure;
}

void score_float_ms_ssim(std::span<const SsimMeans, kMsSsimLevels> levels,
                         const FloatMsSsimOptions& options, const video::PictureFormat& format,
                         std::span<double> scores) {
  double score = 1;
  for (std::size_t k = 0; k < levels.size(); ++k) {
    const double l = levels[k].luminance;
    const double c = levels[k].contrast;
    const double s = levels[k].structure;
    score *= std::pow(l, static_cast<double>(kAlpha[k])) *
             std::pow(c, static_cast<double>(kBeta[k])) *
             std::pow(s, static_cast<double>(kGamma[k]));
    if (options.enable_lcs) {
      scores[1 + k] = l;
      scores[1 + levels.size() + k] = c;
      scores[1 + 2 * levels.size() + k] = s;
    }
  }
  scores[0] = to_decibels_if_enabled(options.decibel, score, format);
}

}  // namespace sidecore::metrics
