// Means that were summed in another order than the scalar definition's, with a proof that they are
// equal.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "metrics/ssim.h"

namespace sidecore::metrics {

/// A sum of terms, each at most `largest` in magnitude. The exact sum lies within `error` of
/// `value`.
struct BoundedSum {
  double value = 0;
  double error = 0;
  double largest = 0;
};

/// Returns a bound for the rounding error of adding `terms` terms in sequence in binary64. A
/// partial sum of k terms is at most k * largest. One addition rounds a sum between 2^e and 2^(e+1)
/// by at most 2^(e-53).
[[nodiscard]] double serial_sum_error(std::uint64_t terms, double largest);

/// Returns the scalar definition's mean, or nothing if its rounding is undecided. The scalar
/// definition adds the terms in sequence in binary64, divides by their number and rounds to
/// binary32. Its sum and `sum` both lie near the exact sum. If every number that near rounds to one
/// binary32, that number is the scalar definition's mean. Otherwise the caller must compute the
/// scalar definition.
[[nodiscard]] std::optional<float> certified_mean(const BoundedSum& sum, std::uint64_t terms);

/// Returns the mean like certified_mean(), for a sum within `error` of the scalar definition's own
/// sum. With error 0 it is that sum, and a mean half way between two binary32 numbers is decided
/// too.
[[nodiscard]] std::optional<float> certified_mean_of_serial(const BoundedSum& sum,
                                                            std::uint64_t terms);

/// Sums of the similarities over all windows.
struct SimilaritySums {
  WindowSimilarity sums{};
  /// Largest magnitude of a structure term; luminance and contrast exceed 1 only by rounding.
  double largest_structure = 0;
  /// Error of each sum if all terms are at most 1 in magnitude.
  WindowSimilarity errors{};
  std::uint64_t windows = 0;
};

/// Returns bounds of a window's similarities in SsimPart's order. Luminance and contrast exceed 1
/// only by rounding.
[[nodiscard]] std::array<double, 4> largest_similarities(double largest_structure);

struct CertifiedMeans {
  SsimMeans means;
  SsimParts undecided;  ///< the means that are needed but undecided
};

/// Returns the scalar definition's means. An undecided mean, or one that is not needed, may differ
/// by a rounding.
[[nodiscard]] CertifiedMeans certified_means(const SimilaritySums& sums, const SsimParts& needed);

}  // namespace sidecore::metrics
