// Means that were summed in another order than the definition's, certified to be the same numbers.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "metrics/ssim.h"

namespace sidecore::metrics {

/// A sum of terms, each at most `largest` in magnitude, known to lie within `error` of `value`.
struct BoundedSum {
  double value = 0;
  double error = 0;
  double largest = 0;
};

/// What adding `terms` terms one after the other in binary64 can be off by: a partial sum of k
/// terms is at most k * largest, and an addition rounds it by at most 2^(e-53) when that lies
/// between 2^e and 2^(e+1).
[[nodiscard]] double serial_sum_error(std::uint64_t terms, double largest);

/// The definition adds the terms one after the other in binary64, divides by their number and
/// rounds to binary32. Both its sum and the one given lie near the exact sum; when every number as
/// near rounds to the same binary32, that is the definition's mean. Nothing when rounding is open:
/// the definition must then be carried out.
[[nodiscard]] std::optional<float> certified_mean(const BoundedSum& sum, std::uint64_t terms);

/// The same of a sum that lies within `error` of the definition's sum itself, or is that sum when
/// `error` is 0: then a mean half way between two binary32 is settled too.
[[nodiscard]] std::optional<float> certified_mean_of_serial(const BoundedSum& sum,
                                                            std::uint64_t terms);

/// Sums over windows.
struct SimilaritySums {
  WindowSimilarity sums{};
  double largest_structure = 0;  ///< magnitude; luminance and contrast exceed 1 by rounding only
  /// Of each sum, for terms of up to 1 in magnitude.
  WindowSimilarity errors{};
  std::uint64_t windows = 0;
};

/// Bounds of a window's similarities, in SsimPart's order: luminance and contrast exceed 1 by
/// rounding only.
[[nodiscard]] std::array<double, 4> largest_similarities(double largest_structure);

struct CertifiedMeans {
  SsimMeans means;
  SsimParts open;  ///< which of those that are needed are not settled
};

/// The definition's means. Those that are open, or not needed, may be off by a rounding.
[[nodiscard]] CertifiedMeans certified_means(const SimilaritySums& sums, const SsimParts& needed);

}  // namespace sidecore::metrics
