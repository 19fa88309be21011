// Filters whose number of taps the compiler knows.
#pragma once

#include <cstddef>
#include <type_traits>

namespace sidecore::neon {

/// Calls work(constant) with the filter's number of taps, 17, 9, 5 or 3, as a constant, so that
/// loops over the taps are unrolled.
template <class Work>
void with_taps(int taps, const Work& work) {
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

}  // namespace sidecore::neon
