// How far two lists of scores lie apart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace sidecore::metrics {

struct ScoreDifference {
  std::size_t frames = 0;
  double max = 0;                      ///< of the absolute differences
  double mean = 0;                     ///< likewise
  std::optional<std::uint64_t> first;  ///< number of the first frame whose scores differ at all

  [[nodiscard]] bool identical() const { return !first; }
  /// Whether every difference, rounded to `places` digits behind the point, is 0: the criterion of
  /// libvmaf's own tests.
  [[nodiscard]] bool within(int places) const;
  /// The largest `places` that within() grants, at most 17; -1 when it grants none.
  [[nodiscard]] int places() const;
};

/// Compares scores of the same frames (asserted: same lengths), numbered by `numbers`. Infinities
/// of one sign are equal, and so are two NaNs; any other pair with one of these in it is infinitely
/// far apart.
[[nodiscard]] ScoreDifference difference(std::span<const std::uint64_t> numbers,
                                         std::span<const double> expected,
                                         std::span<const double> found);

}  // namespace sidecore::metrics
