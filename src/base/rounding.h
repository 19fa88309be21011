// Rounds numbers to multiples.
#pragma once

#include <concepts>
#include <type_traits>

namespace sidecore {

/// Returns the smallest multiple of `multiple` that is at least `value`, which must not be
/// negative.
template <std::integral Integer>
[[nodiscard]] constexpr Integer round_up(Integer value, std::type_identity_t<Integer> multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace sidecore
