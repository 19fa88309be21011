#include "metrics/certified_mean.h"

#include <algorithm>

namespace sidecore::metrics {
namespace {

constexpr double kHalfUlp = 0x1p-53;
// Makes up for the rounding of the bounds themselves.
constexpr double kSlack = 1.0 + 0x1p-20;

}  // namespace

double serial_sum_error(std::uint64_t terms, double largest) {
  const auto n = static_cast<double>(terms);
  return kHalfUlp * largest * (n * (n + 1) / 2) * kSlack;
}

std::optional<float> certified_mean(const BoundedSum& sum, std::uint64_t terms) {
  const auto n = static_cast<double>(terms);
  const double mean = sum.value / n;
  // The last term is for the two divisions and the two additions below.
  const double error =
      (serial_sum_error(terms, sum.largest) + sum.error) / n * kSlack + 4 * kHalfUlp * sum.largest;
  const auto lowest = static_cast<float>(mean - error);
  const auto highest = static_cast<float>(mean + error);
  if (lowest != highest) return std::nullopt;
  return lowest;
}

std::optional<SsimMeans> certified_means(const SimilaritySums& sums, const SsimParts& needed) {
  constexpr double kLargestRatio = 1.0 + 0x1p-20;  // of luminance and of contrast
  const double largest_structure = std::max(1.0, sums.largest_structure) * kLargestRatio;
  bool open = false;
  const auto mean = [&](double sum, double largest, bool is_needed) {
    const auto certified = certified_mean({sum, sums.error * largest, largest}, sums.windows);
    open |= is_needed && !certified;
    return certified.value_or(static_cast<float>(sum / static_cast<double>(sums.windows)));
  };
  const SsimMeans means{mean(sums.sums.luminance, kLargestRatio, needed.luminance),
                        mean(sums.sums.contrast, kLargestRatio, needed.contrast),
                        mean(sums.sums.structure, largest_structure, needed.structure),
                        mean(sums.sums.ssim, largest_structure * kLargestRatio, needed.ssim)};
  if (open) return std::nullopt;
  return means;
}

}  // namespace sidecore::metrics
