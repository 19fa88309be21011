// Medians and spreads of repeated measurements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sidecore {

/// Returns the value at `quantile` (0..1) of ascending samples, linearly interpolated. `sorted`
/// must not be empty (asserted).
[[nodiscard]] double quantile_of_sorted(std::span<const double> sorted, double quantile);

/// Repeated measurements of one quantity in the order of measurement, and their statistics. All
/// statistics are 0 if there are no samples.
struct SampleSet {
  SampleSet() = default;
  explicit SampleSet(std::vector<double> samples);

  std::vector<double> raw;
  double median = 0;
  double min = 0;
  double max = 0;
  double p10 = 0;
  double p90 = 0;
  double p99 = 0;
};

/// Least-squares line y = intercept + slope * x. fit_line() needs at least two different x
/// (asserted).
struct Line {
  double intercept = 0;
  double slope = 0;
};
[[nodiscard]] Line fit_line(std::span<const double> x, std::span<const double> y);

/// Returns part / whole in percent with four decimals, rounded down, so that "100.0000" means all.
/// `part` must not exceed `whole`. If `whole` is 0, the result is "0.0000".
[[nodiscard]] std::string format_share(std::uint64_t part, std::uint64_t whole);

}  // namespace sidecore
