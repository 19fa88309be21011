// Scores of float_ssim and float_ms_ssim from means, and the planes that both features compare. The
// implementations (scalar, NEON, QPU) compute each mean once, even if several features need it.
#pragma once

#include <span>

#include "metrics/ssim.h"
#include "video/picture.h"

namespace sidecore::metrics {

/// Options for scores in dB: -10*log10(1 - score).
struct DecibelOptions {
  bool enable_db = false;
  /// Limits the score to a value that depends on the picture's size and depth. If false, identical
  /// pictures get infinity.
  bool clip_db = false;
};

struct FloatSsimOptions {
  bool enable_lcs = false;  ///< adds the means of luminance, contrast and structure to the outputs
  DecibelOptions decibel = {};
  int scale = 0;  ///< decimation 1..10; 0 selects one that makes the shorter side about 256
};

struct FloatMsSsimOptions {
  /// Adds the means of luminance, contrast and structure of every level to the outputs.
  bool enable_lcs = false;
  DecibelOptions decibel = {};
};

inline constexpr int kMaxSsimScale = 10;
inline constexpr int kMsSsimLevels = 5;

/// Returns the decimation that option scale=0 selects.
[[nodiscard]] int automatic_ssim_scale(int width, int height);

/// Returns `scale`, or the automatic scale for 0. Throws Error (usage) unless the scale is 0..10,
/// the depth is 8, 10, 12 or 16, and the decimated planes are at least 11 x 11.
[[nodiscard]] int float_ssim_scale(int scale, const video::PictureFormat& format);

/// Throws Error (usage) unless the depth is 8, 10, 12 or 16 and both sides are at least 176
/// samples, so that the sample window fits into the smallest of the five levels.
void check_float_ms_ssim(const video::PictureFormat& format);

/// Writes the score float_ssim; with enable_lcs also float_ssim_l, float_ssim_c and float_ssim_s.
void score_float_ssim(const SsimMeans& means, const FloatSsimOptions& options,
                      const video::PictureFormat& format, std::span<double> scores);

/// Writes the score float_ms_ssim (Wang, Simoncelli and Bovik, "Multiscale structural similarity
/// for image quality assessment", 2003). With enable_lcs also writes float_ms_ssim_l_scale0..4,
/// _c_scale0..4 and _s_scale0..4. The score is NaN if a level's mean structure is negative, as in
/// libvmaf.
void score_float_ms_ssim(std::span<const SsimMeans, kMsSsimLevels> levels,
                         const FloatMsSsimOptions& options, const video::PictureFormat& format,
                         std::span<double> scores);

}  // namespace sidecore::metrics
