#include "metrics/certified_mean.h"

namespace sidecore::metrics {
namespace {

constexpr double kHalfUlp = 0x1p-53;
// Makes up for the rounding of the bounds themselves.
constexpr double kSlack = 1.0 + 0x1p-20;

}  // namespace

double serial_sum_error(std::uint64_t terms) {
  const auto n = static_cast<double>(terms);
  return kHalfUlp * kLargestTerm * (n * (n + 1) / 2) * kSlack;
}

std::optional<float> certified_mean(BoundedSum sum, std::uint64_t terms) {
  const auto n = static_cast<double>(terms);
  const double mean = sum.value / n;
  // The last term is for the two divisions and the two additions below.
  const double error =
      (serial_sum_error(terms) + sum.error) / n * kSlack + 4 * kHalfUlp * kLargestTerm;
  const auto lowest = static_cast<float>(mean - error);
  const auto highest = static_cast<float>(mean + error);
  if (lowest != highest) return std::nullopt;
  return lowest;
}

}  // namespace sidecore::metrics
