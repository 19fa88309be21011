#include "base/random.h"

#include <bit>

namespace sidecore {
namespace {

// Implements splitmix64 (Steele, Lea and Flood, 2014), which makes good state words from any seed.
std::uint64_t split_mix(std::uint64_t& x) {
  std::uint64_t z = (x += 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

}  // namespace

Random::Random(std::uint64_t seed) : state_{} {
  const std::uint64_t a = split_mix(seed);
  const std::uint64_t b = split_mix(seed);
  state_[0] = static_cast<std::uint32_t>(a);
  state_[1] = static_cast<std::uint32_t>(a >> 32U);
  state_[2] = static_cast<std::uint32_t>(b);
  state_[3] = static_cast<std::uint32_t>(b >> 32U);
}

Random::result_type Random::operator()() {
  const std::uint32_t result = std::rotl(state_[0] + state_[3], 7) + state_[0];
  const std::uint32_t t = state_[1] << 9U;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = std::rotl(state_[3], 11);
  return result;
}

std::uint32_t Random::below(std::uint32_t bound) {
  return static_cast<std::uint32_t>((static_cast<std::uint64_t>((*this)()) * bound) >> 32U);
}

}  // namespace sidecore
