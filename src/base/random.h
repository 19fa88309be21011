// The project's only random generator: small, seeded, with the same sequence on every machine.
#pragma once

#include <cstdint>

namespace sidecore {

/// xoshiro128++ 1.0 (Blackman and Vigna, "Scrambled Linear Pseudorandom Number Generators", 2021),
/// with its state filled by splitmix64 from a 64-bit seed. It satisfies UniformRandomBitGenerator.
/// Use below() for reproducible results, because standard distributions differ between libraries.
class Random {
 public:
  using result_type = std::uint32_t;

  explicit Random(std::uint64_t seed);

  result_type operator()();
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return 0xffffffffU; }

  /// Returns a uniform number in [0, bound); `bound` must be above 0. The bias is below bound /
  /// 2^32.
  std::uint32_t below(std::uint32_t bound);

 private:
  std::uint32_t state_[4];
};

}  // namespace sidecore
