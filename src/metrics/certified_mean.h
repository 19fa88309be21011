// A mean that was summed in another order than the definition's, certified to be the same number.
#pragma once

#include <cstdint>
#include <optional>

namespace sidecore::metrics {

/// A sum of terms, each at most kLargestTerm in magnitude, known to lie within `error` of `value`.
struct BoundedSum {
  double value = 0;
  double error = 0;
};

/// Similarities exceed 1 by rounding only.
inline constexpr double kLargestTerm = 1.25;

/// What adding `terms` terms one after the other in binary64 can be off by: a partial sum of k terms
/// is at most k * kLargestTerm, and an addition rounds it by at most 2^-53 of that.
[[nodiscard]] double serial_sum_error(std::uint64_t terms);

/// The definition adds the terms one after the other in binary64, divides by their number and rounds
/// to binary32. Both its sum and the one given lie near the exact sum; when every number as near
/// rounds to the same binary32, that is the definition's mean. Nothing when rounding is open: the
/// definition must then be carried out.
[[nodiscard]] std::optional<float> certified_mean(BoundedSum sum, std::uint64_t terms);

}  // namespace sidecore::metrics
