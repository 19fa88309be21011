// Stateless pseudo-random bits: the same key always gives the same bits. Therefore poisoned runs do
// not depend on the schedule or on the number of host threads.
#pragma once

#include <cstdint>

#include "v3dsim/lanes.h"

namespace sidecore::v3dsim {

/// Computes the finaliser of splitmix64 (Steele, Lea and Flood, "Fast Splittable Pseudorandom
/// Number Generators", 2014).
[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15U;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

/// Fills the lanes with bits from a key, which the call advances.
inline void fill_with_noise(Lanes& lanes, std::uint64_t& key) {
  for (std::uint32_t& lane : lanes.lane) lane = static_cast<std::uint32_t>(mix(key++));
}

}  // namespace sidecore::v3dsim
