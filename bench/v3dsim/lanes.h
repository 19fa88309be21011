// Sixteen 32-bit lanes, the width of every QPU register.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sidecore::v3dsim {

inline constexpr std::size_t kLanes = 16;

/// Values of all lanes. A plain array, so that the compiler turns fixed-length loops into the
/// target's vectors: one AVX-512, two AVX2, four SSE2 or NEON registers.
struct alignas(64) Lanes {
  std::uint32_t lane[kLanes];
};

/// Set of lanes: bit i is lane i.
using LaneMask = std::uint32_t;
inline constexpr LaneMask kAllLanes = 0xffff;

}  // namespace sidecore::v3dsim
