// float_ssim and float_ms_ssim as plans: which planes they compare, and how scores come of the
// means. What computes the means (scalar, NEON, QPU) computes those that several features need
// once.
#pragma once

#include <span>

#include "metrics/ssim.h"
#include "video/picture.h"

namespace sidecore::metrics {

/// Scores in dB: -10*log10(1 - score).
struct DecibelOptions {
  bool enable_db = false;
  /// Caps what identical pictures get at a value that depends on the picture's size and depth;
  /// without it they get infinity.
  bool clip_db = false;
};

struct FloatSsimOptions {
  bool enable_lcs = false;  ///< also the three means
  DecibelOptions decibel = {};
  int scale = 0;  ///< decimation 1..10; 0 chooses, so that the shorter side is about 256
};

struct FloatMsSsimOptions {
  bool enable_lcs = false;  ///< also the three means of every level
  DecibelOptions decibel = {};
};

inline constexpr int kMaxSsimScale = 10;
inline constexpr int kMsSsimLevels = 5;

/// What option scale=0 comes to.
[[nodiscard]] int automatic_ssim_scale(int width, int height);

/// `scale`, or what 0 comes to. Throws Error (usage) unless the scale is 0..10, the depth is 8, 10,
/// 12 or 16, and the decimated planes are at least 11 x 11.
[[nodiscard]] int float_ssim_scale(int scale, const video::PictureFormat& format);

/// Throws Error (usage) unless the depth is 8, 10, 12 or 16 and both sides are at least 176: the
/// window must fit into the smallest of five levels.
void check_float_ms_ssim(const video::PictureFormat& format);

/// Writes float_ssim, and with enable_lcs float_ssim_l, _c and _s.
void score_float_ssim(const SsimMeans& means, const FloatSsimOptions& options,
                      const video::PictureFormat& format, std::span<double> scores);

/// Writes float_ms_ssim: Wang, Simoncelli and Bovik, "Multiscale structural similarity for image
/// quality assessment", 2003. With enable_lcs also float_ms_ssim_l_scale0..4, _c_scale0..4 and
/// _s_scale0..4. NaN when a level's mean structure is negative, as libvmaf's.
void score_float_ms_ssim(std::span<const SsimMeans, kMsSsimLevels> levels,
                         const FloatMsSsimOptions& options, const video::PictureFormat& format,
                         std::span<double> scores);

}  // namespace sidecore::metrics
