// Structural similarity, which float_ssim and float_ms_ssim share (Wang, Bovik, Sheikh and
// Simoncelli, "Image quality assessment: from error visibility to structural similarity", 2004).
// The arithmetic equals libvmaf's to the last bit.
#pragma once

#include <array>
#include <cstdint>

#include "metrics/float_plane.h"

namespace sidecore::metrics {

/// Means over all sample windows of two planes.
struct SsimMeans {
  float luminance = 0;
  float contrast = 0;
  float structure = 0;
  float ssim = 0;  ///< mean of the product of luminance, contrast and structure
  bool operator==(const SsimMeans&) const = default;
};

/// Set of the means that a caller needs.
struct SsimParts {
  bool luminance = false;
  bool contrast = false;
  bool structure = false;
  bool ssim = false;
  bool operator==(const SsimParts&) const = default;
};

/// Names of the means.
enum class SsimPart : std::uint8_t { luminance, contrast, structure, ssim };

/// Members of SsimMeans in the order of SsimPart.
inline constexpr std::array<float SsimMeans::*, 4> kSsimMeans = {
    &SsimMeans::luminance, &SsimMeans::contrast, &SsimMeans::structure, &SsimMeans::ssim};
inline constexpr std::array<bool SsimParts::*, 4> kSsimParts = {
    &SsimParts::luminance, &SsimParts::contrast, &SsimParts::structure, &SsimParts::ssim};

/// Side of a sample window: 11 x 11 samples. Only windows inside the plane count.
inline constexpr int kSsimWindow = 11;

/// Weights of a window's rows and columns: a Gaussian with sigma 1.5, rounded to six decimals.
/// Their sum is 1.000002.
inline constexpr std::array<float, kSsimWindow> kSsimWeights = {
    .001028F, .007599F, .036001F, .109361F, .213006F, .266012F,
    .213006F, .109361F, .036001F, .007599F, .001028F};

/// Stabilisers (k * 255)^2 in binary32 for k = 0.01 and 0.03, and half of the constant for 0.03.
inline constexpr float kSsimC1 = (0.01F * 255.0F) * (0.01F * 255.0F);
inline constexpr float kSsimC2 = (0.03F * 255.0F) * (0.03F * 255.0F);
inline constexpr float kSsimC3 = kSsimC2 / 2.0F;

/// Weighted moments of a sample window: means, and means of the squares and of the product.
struct WindowMoments {
  float mean_a, mean_b, square_a, square_b, product;
};

/// Terms that a sample window adds to the four sums, in binary64.
struct WindowSimilarity {
  double luminance, contrast, structure, ssim;
};

/// Returns the similarities of a window. Moments are rounded to binary32, and variances are
/// differences of nearly equal moments. Scores therefore depend on the clamps at 0; the textbook
/// form without them differs by up to 1e-3.
[[nodiscard]] WindowSimilarity window_similarity(const WindowMoments& moments);

/// Scalar definition of the means. Owns its working memory.
class Ssim {
 public:
  /// Allocates memory for planes of up to this size.
  Ssim(int max_width, int max_height);

  /// Returns the means of two planes of one size, at least 11 x 11 (asserted). Sums run over
  /// windows in raster order in binary64; means are rounded to binary32.
  [[nodiscard]] SsimMeans operator()(ConstFloatView a, ConstFloatView b);

  /// Returns the moments of the window whose first sample is (x, y), in the planes that were
  /// compared last.
  [[nodiscard]] WindowMoments moments(int x, int y) const;

 private:
  FloatPlane products_;                // a*a, b*b or a*b
  FloatPlane rows_;                    // values after the horizontal pass
  std::array<FloatPlane, 5> moments_;  // values after both passes, in WindowMoments' order
};

}  // namespace sidecore::metrics
