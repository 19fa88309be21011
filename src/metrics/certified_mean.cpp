#include "metrics/certified_mean.h"

#include <algorithm>
#include <cmath>

namespace sidecore::metrics {
namespace {

constexpr double kHalfUlp = 0x1p-53;
// Factor that covers the rounding of the bounds themselves.
constexpr double kSlack = 1.0 + 0x1p-20;

}  // namespace

double serial_sum_error(std::uint64_t terms, double largest) {
  // The slack also covers the rounding errors of the computed partial sums.
  const double bound = largest * kSlack;
  double error = 0;
  auto left = static_cast<double>(terms);
  for (double power = std::exp2(std::ilogb(left * bound)); left >= 1; power /= 2) {
    const double below = std::min(left, std::floor(power / bound));
    error += (left - below) * power * kHalfUlp;
    left = below;
  }
  return error * kSlack;
}

std::optional<float> certified_mean(const BoundedSum& sum, std::uint64_t terms) {
  const double error = sum.error + serial_sum_error(terms, sum.largest);
  return certified_mean_of_serial({sum.value, error, sum.largest}, terms);
}

std::optional<float> certified_mean_of_serial(const BoundedSum& sum, std::uint64_t terms) {
  const auto n = static_cast<double>(terms);
  const double mean = sum.value / n;
  // An exact sum gives the scalar definition's mean, also if the mean is a tie.
  if (sum.error == 0) return static_cast<float>(mean);
  // The last term covers the two divisions and the two additions below.
  const double error = sum.error / n * kSlack + 4 * kHalfUlp * sum.largest;
  const auto lowest = static_cast<float>(mean - error);
  const auto highest = static_cast<float>(mean + error);
  if (lowest != highest) return std::nullopt;
  return lowest;
}

std::array<double, 4> largest_similarities(double largest_structure) {
  constexpr double kLargestRatio = 1.0 + 0x1p-20;
  const double structure = std::max(1.0, largest_structure) * kLargestRatio;
  return {kLargestRatio, kLargestRatio, structure, structure * kLargestRatio};
}

CertifiedMeans certified_means(const SimilaritySums& sums, const SsimParts& needed) {
  constexpr std::array<double WindowSimilarity::*, 4> kSums = {
      &WindowSimilarity::luminance, &WindowSimilarity::contrast, &WindowSimilarity::structure,
      &WindowSimilarity::ssim};
  const std::array largest = largest_similarities(sums.largest_structure);
  CertifiedMeans result;
  for (std::size_t part = 0; part < kSums.size(); ++part) {
    const double sum = sums.sums.*kSums[part];
    const auto certified = certified_mean(
        {sum, sums.errors.*kSums[part] * largest[part], largest[part]}, sums.windows);
    result.undecided.*kSsimParts[part] = needed.*kSsimParts[part] && !certified;
    result.means.*kSsimMeans[part] =
        certified.value_or(static_cast<float>(sum / static_cast<double>(sums.windows)));
  }
  return result;
}

}  // namespace sidecore::metrics
