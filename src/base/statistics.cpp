#include "base/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

namespace sidecore {

double quantile_of_sorted(std::span<const double> sorted, double quantile) {
  assert(!sorted.empty() && quantile >= 0 && quantile <= 1);
  const double position = quantile * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(position));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double fraction = position - static_cast<double>(below);
  return sorted[below] + fraction * (sorted[above] - sorted[below]);
}

SampleSet::SampleSet(std::vector<double> samples) : raw(std::move(samples)) {
  if (raw.empty()) return;
  std::vector<double> sorted = raw;
  std::sort(sorted.begin(), sorted.end());
  min = sorted.front();
  max = sorted.back();
  p10 = quantile_of_sorted(sorted, 0.10);
  median = quantile_of_sorted(sorted, 0.50);
  p90 = quantile_of_sorted(sorted, 0.90);
  p99 = quantile_of_sorted(sorted, 0.99);
}

Line fit_line(std::span<const double> x, std::span<const double> y) {
  assert(x.size() == y.size() && x.size() >= 2);
  const auto count = static_cast<double>(x.size());
  double mean_x = 0;
  double mean_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    mean_x += x[i] / count;
    mean_y += y[i] / count;
  }
  double covariance = 0;
  double variance = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    covariance += (x[i] - mean_x) * (y[i] - mean_y);
    variance += (x[i] - mean_x) * (x[i] - mean_x);
  }
  assert(variance > 0);
  const double slope = covariance / variance;
  return {mean_y - slope * mean_x, slope};
}

std::string format_share(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "0.0000";
  // The division is done digit by digit, because part * 10^6 could overflow and a double could
  // round up.
  std::uint64_t quotient = part / whole;
  std::uint64_t remainder = part % whole;
  for (int digit = 0; digit < 6; ++digit) {
    std::uint64_t next = 0;
    std::uint64_t carried = 0;
    for (int ten = 0; ten < 10; ++ten) {  // sets (next, carried) to divmod(10 * remainder, whole)
      if (carried >= whole - remainder) {
        carried -= whole - remainder;
        ++next;
      } else {
        carried += remainder;
      }
    }
    quotient = quotient * 10 + next;
    remainder = carried;
  }
  return fmt::format("{}.{:04}", quotient / 10000, quotient % 10000);
}

}  // namespace sidecore
