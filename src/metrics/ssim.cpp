#include "metrics/ssim.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace sidecore::metrics {
namespace {

FloatView top_left(FloatView plane, int width, int height) {
  assert(width <= plane.width && height <= plane.height);
  return {plane.samples, width, height, plane.stride};
}

// Returns the weighted sum of a window's row or column. Products are in binary32, their sum in
// binary64, the result in binary32. `step` is the distance between the samples, in elements.
float weighted_sum(const float* first, std::ptrdiff_t step) {
  double sum = 0;
  for (std::size_t u = 0; u < kSsimWeights.size(); ++u) {
    const float product = first[static_cast<std::ptrdiff_t>(u) * step] * kSsimWeights[u];
    sum += product;
  }
  return static_cast<float>(sum);
}

// Computes the filtered values of all windows inside the plane: filters horizontally over all rows,
// then vertically.
void convolve(ConstFloatView plane, FloatView rows, FloatView moments) {
  for (int y = 0; y < plane.height; ++y) {
    for (int x = 0; x < rows.width; ++x) rows.row(y)[x] = weighted_sum(plane.row(y) + x, 1);
  }
  for (int y = 0; y < moments.height; ++y) {
    for (int x = 0; x < moments.width; ++x) {
      moments.row(y)[x] = weighted_sum(rows.row(y) + x, rows.stride);
    }
  }
}

void multiply(ConstFloatView a, ConstFloatView b, FloatView products) {
  for (int y = 0; y < a.height; ++y) {
    std::transform(a.row(y), a.row(y) + a.width, b.row(y), products.row(y),
                   [](float p, float q) { return p * q; });
  }
}

}  // namespace

WindowSimilarity window_similarity(const WindowMoments& moments) {
  const auto [mu1, mu2, s11, s22, s12] = moments;
  const float variance1 = std::max(0.0F, s11 - mu1 * mu1);
  const float variance2 = std::max(0.0F, s22 - mu2 * mu2);
  const float covariance = s12 - mu1 * mu2;
  const float deviations = std::sqrt(variance1 * variance2);

  const float luminance_divisor = mu1 * mu1 + mu2 * mu2 + kSsimC1;
  const float contrast_divisor = variance1 + variance2 + kSsimC2;
  const double luminance =
      (2.0 * mu1 * mu2 + static_cast<double>(kSsimC1)) / static_cast<double>(luminance_divisor);
  const double contrast =
      (2.0 * deviations + static_cast<double>(kSsimC2)) / static_cast<double>(contrast_divisor);
  // The covariance is clamped to 0 if one plane is flat, because a flat window has no structure
  // that could differ.
  const float clamped = covariance < 0.0F && deviations <= 0.0F ? 0.0F : covariance;
  const float structure = (clamped + kSsimC3) / (deviations + kSsimC3);
  return {luminance, contrast, structure, luminance * contrast * static_cast<double>(structure)};
}

Ssim::Ssim(int max_width, int max_height)
    : products_(max_width, max_height), rows_(max_width, max_height) {
  moments_.fill(FloatPlane(max_width, max_height));
}

WindowMoments Ssim::moments(int x, int y) const {
  const auto at = [&](std::size_t moment) { return moments_[moment].view().row(y)[x]; };
  return {at(0), at(1), at(2), at(3), at(4)};
}

SsimMeans Ssim::operator()(ConstFloatView a, ConstFloatView b) {
  assert(a.width == b.width && a.height == b.height);
  assert(a.width >= kSsimWindow && a.height >= kSsimWindow);
  const int width = a.width - kSsimWindow + 1;
  const int height = a.height - kSsimWindow + 1;
  const FloatView products = top_left(products_.view(), a.width, a.height);
  const FloatView rows = top_left(rows_.view(), width, a.height);
  std::array<FloatView, 5> moments;
  std::ranges::transform(moments_, moments.begin(),
                         [&](FloatPlane& plane) { return top_left(plane.view(), width, height); });

  convolve(a, rows, moments[0]);
  convolve(b, rows, moments[1]);
  multiply(a, a, products);
  convolve(products, rows, moments[2]);
  multiply(b, b, products);
  convolve(products, rows, moments[3]);
  multiply(a, b, products);
  convolve(products, rows, moments[4]);

  WindowSimilarity sums{};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const WindowSimilarity window =
          window_similarity({moments[0].row(y)[x], moments[1].row(y)[x], moments[2].row(y)[x],
                             moments[3].row(y)[x], moments[4].row(y)[x]});
      sums.luminance += window.luminance;
      sums.contrast += window.contrast;
      sums.structure += window.structure;
      sums.ssim += window.ssim;
    }
  }
  const double windows = static_cast<double>(width) * static_cast<double>(height);
  return {static_cast<float>(sums.luminance / windows), static_cast<float>(sums.contrast / windows),
          static_cast<float>(sums.structure / windows), static_cast<float>(sums.ssim / windows)};
}

}  // namespace sidecore::metrics
