// Loops that are fully unrolled at compile time.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace sidecore::neon {

/// Calls body(0) ... body(count - 1) with constants. An array stays in registers only if all its
/// indices are constants.
template <std::size_t count, class Body>
[[gnu::always_inline]] inline void unrolled(const Body& body) {
  [&]<std::size_t... index>(std::index_sequence<index...>) __attribute__((always_inline)) {
    (body(std::integral_constant<std::size_t, index>{}), ...);
  }
  (std::make_index_sequence<count>{});
}

}  // namespace sidecore::neon
