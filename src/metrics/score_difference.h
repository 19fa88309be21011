// Differences between two lists of scores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace sidecore::metrics {

struct ScoreDifference {
  std::size_t frames = 0;
  double max = 0;                      ///< largest absolute difference
  double mean = 0;                     ///< mean absolute difference
  std::optional<std::uint64_t> first;  ///< number of the first frame whose scores differ

  [[nodiscard]] bool identical() const { return !first; }
  /// Returns true if every difference, rounded to `places` digits after the point, is 0. libvmaf's
  /// own tests use this criterion.
  [[nodiscard]] bool within(int places) const;
  /// Returns the largest `places`, at most 17, for which within() is true; -1 if there is none.
  [[nodiscard]] int places() const;
};

/// Compares scores of the same frames, which `numbers` numbers. All spans must have the same length
/// (asserted). Infinities of one sign are equal, and two NaNs are equal. Any other pair with an
/// infinity or a NaN has an infinite difference.
[[nodiscard]] ScoreDifference difference(std::span<const std::uint64_t> numbers,
                                         std::span<const double> expected,
                                         std::span<const double> found);

}  // namespace sidecore::metrics
