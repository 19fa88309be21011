// The structural similarity that float_ssim and float_ms_ssim share: Wang, Bovik, Sheikh and
// Simoncelli, "Image quality assessment: from error visibility to structural similarity", 2004, in
// libvmaf's arithmetic, to the last bit.
#pragma once

#include <array>
#include <cstdint>

#include "metrics/float_plane.h"

namespace sidecore::metrics {

/// Means over all windows of two planes.
struct SsimMeans {
  float luminance = 0;
  float contrast = 0;
  float structure = 0;
  float ssim = 0;  ///< mean of the product of the three
  bool operator==(const SsimMeans&) const = default;
};

/// Which of the means are asked for.
struct SsimParts {
  bool luminance = false;
  bool contrast = false;
  bool structure = false;
  bool ssim = false;
  bool operator==(const SsimParts&) const = default;
};

/// One of the means.
enum class SsimPart : std::uint8_t { luminance, contrast, structure, ssim };

/// The parts' members, in the enumeration's order.
inline constexpr std::array<float SsimMeans::*, 4> kSsimMeans = {
    &SsimMeans::luminance, &SsimMeans::contrast, &SsimMeans::structure, &SsimMeans::ssim};
inline constexpr std::array<bool SsimParts::*, 4> kSsimParts = {
    &SsimParts::luminance, &SsimParts::contrast, &SsimParts::structure, &SsimParts::ssim};

/// A window is 11 x 11 samples; only those inside the plane count.
inline constexpr int kSsimWindow = 11;

/// Weights of a window's rows and columns: a Gaussian of sigma 1.5 in six decimals. Their sum is
/// 1.000002.
inline constexpr std::array<float, kSsimWindow> kSsimWeights = {
    .001028F, .007599F, .036001F, .109361F, .213006F, .266012F,
    .213006F, .109361F, .036001F, .007599F, .001028F};

/// Stabilisers: (k * 255)^2 in binary32 for k = 0.01 and 0.03, and half of the second.
inline constexpr float kSsimC1 = (0.01F * 255.0F) * (0.01F * 255.0F);
inline constexpr float kSsimC2 = (0.03F * 255.0F) * (0.03F * 255.0F);
inline constexpr float kSsimC3 = kSsimC2 / 2.0F;

/// Weighted moments of a window: means, and means of squares and of the product.
struct WindowMoments {
  float mean_a, mean_b, square_a, square_b, product;
};

/// What a window adds to the four sums, each in binary64.
struct WindowSimilarity {
  double luminance, contrast, structure, ssim;
};

/// Moments are rounded to binary32 and so are the variances made of them, which are differences of
/// nearly equal numbers: the clamps at 0 show in the scores, and the textbook form without them is
/// up to 1e-3 away.
[[nodiscard]] WindowSimilarity window_similarity(const WindowMoments& moments);

/// Scalar definition. Owns its workspace.
class Ssim {
 public:
  /// For planes of up to this size.
  Ssim(int max_width, int max_height);

  /// Planes have one size, at least 11 x 11 (asserted). Sums run over windows in raster order in
  /// binary64; means are rounded to binary32.
  [[nodiscard]] SsimMeans operator()(ConstFloatView a, ConstFloatView b);

  /// Of the window whose first sample is (x, y), in the planes that were compared last.
  [[nodiscard]] WindowMoments moments(int x, int y) const;

 private:
  FloatPlane products_;                // a*a, b*b or a*b
  FloatPlane rows_;                    // after the horizontal pass
  std::array<FloatPlane, 5> moments_;  // after both, in WindowMoments' order
};

}  // namespace sidecore::metrics
