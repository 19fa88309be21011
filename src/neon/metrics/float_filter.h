// The separable filters of metrics/float_filter.h in NEON.
#pragma once

#include <cstddef>
#include <type_traits>

#include "metrics/float_filter.h"

namespace sidecore::neon {

/// Calls work(constant) with a filter's number of taps, 17, 9, 5 or 3.
template <class Work>
void with_float_taps(int taps, const Work& work) {
  switch (taps) {
    case 17:
      return work(std::integral_constant<std::size_t, 17>());
    case 9:
      return work(std::integral_constant<std::size_t, 9>());
    case 5:
      return work(std::integral_constant<std::size_t, 5>());
    default:
      return work(std::integral_constant<std::size_t, 3>());
  }
}

void filter_float_rows(const metrics::FloatTapRows& rows, int width,
                       const metrics::FloatFilter& filter, metrics::FloatFilterRow& to);
/// Writes some vectors beyond the end.
void filter_float_columns(const metrics::FloatFilterRow& from, int width, int step,
                          const metrics::FloatFilter& filter, float* to);

}  // namespace sidecore::neon
