// Registers of samples of both depths under one set of names, and lines of samples. Intra
// prediction along a direction is a sliding window over a line of means.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "neon/neon.h"
#include "neon/vp9/unrolled.h"

namespace sidecore::neon {

/// 8-bit samples, 16 in a register.
struct ByteLanes {
  using Sample = std::uint8_t;
  using Vector = uint8x16_t;
  static constexpr std::size_t kLanes = 16;

  static Vector load(const Sample* from) { return vld1q_u8(from); }
  /// Loads 8 samples into the lower half; the upper half is undefined.
  static Vector load_half(const Sample* from) { return vcombine_u8(vld1_u8(from), vdup_n_u8(0)); }
  template <int lane>
  static Vector repeat_lane(Vector samples) {
    return vdupq_laneq_u8(samples, lane);
  }
  static Vector all(Sample value) { return vdupq_n_u8(value); }
  static void store(Sample* to, Vector samples) { vst1q_u8(to, samples); }
  static void store_half(Sample* to, Vector samples) { vst1_u8(to, vget_low_u8(samples)); }
  static void store_quarter(Sample* to, Vector samples) {
    const std::uint32_t word = vgetq_lane_u32(vreinterpretq_u32_u8(samples), 0);
    std::memcpy(to, &word, sizeof word);
  }
  static Vector halving_add(Vector a, Vector b) { return vhaddq_u8(a, b); }
  static Vector rounding_halving_add(Vector a, Vector b) { return vrhaddq_u8(a, b); }
  template <int lanes>
  static Vector extract(Vector a, Vector b) {
    return vextq_u8(a, b, lanes);
  }
  static Vector zip_low(Vector a, Vector b) { return vzip1q_u8(a, b); }
  static Vector zip_high(Vector a, Vector b) { return vzip2q_u8(a, b); }
  static Vector even(Vector a, Vector b) { return vuzp1q_u8(a, b); }
  static Vector odd(Vector a, Vector b) { return vuzp2q_u8(a, b); }
  static Vector low_halves(Vector a, Vector b) {
    return vcombine_u8(vget_low_u8(a), vget_low_u8(b));
  }
  static Vector reversed(Vector a) {
    const Vector halves = vrev64q_u8(a);
    return vextq_u8(halves, halves, 8);
  }
  static Vector reversed_half(Vector a) { return vrev64q_u8(a); }

  /// Returns the mean of `count` samples, a power of two, in all lanes.
  template <std::size_t count>
  static Vector mean(std::uint16_t sum) {
    const uint8x8_t half = vrshrn_n_u16(vdupq_n_u16(sum), std::countr_zero(count));
    return vcombine_u8(half, half);
  }

  // Loads four samples as one word.
  static std::uint32_t word_at(const Sample* from) {
    std::uint32_t word = 0;
    std::memcpy(&word, from, sizeof word);
    return word;
  }
  static Vector repeat_quarter(const Sample* from) {
    return vreinterpretq_u8_u32(vdupq_n_u32(word_at(from)));
  }
  static Vector repeat_quarter(Vector a) {
    return vreinterpretq_u8_u32(vdupq_laneq_u32(vreinterpretq_u32_u8(a), 0));
  }
  static Vector reversed_quarters(Vector a) { return vrev32q_u8(a); }
  /// Returns `first` in the first quarter and `rest` in the other lanes.
  static Vector with_first_quarter(Vector first, Vector rest) {
    const std::uint32_t word = vgetq_lane_u32(vreinterpretq_u32_u8(first), 0);
    return vreinterpretq_u8_u32(vsetq_lane_u32(word, vreinterpretq_u32_u8(rest), 0));
  }
  static Vector repeat_half(Vector a) { return vcombine_u8(vget_low_u8(a), vget_low_u8(a)); }
  template <int lane>
  static Vector set_lane(Vector a, Vector repeated) {
    return vsetq_lane_u8(vgetq_lane_u8(repeated, 0), a, lane);
  }
};

/// 8-bit samples, 8 in a register. Lines of 8 samples or fewer use this type, so that the upper
/// half of a larger register need not be filled.
struct EightByteLanes {
  using Sample = std::uint8_t;
  using Vector = uint8x8_t;
  static constexpr std::size_t kLanes = 8;

  static Vector load(const Sample* from) { return vld1_u8(from); }
  static void store(Sample* to, Vector samples) { vst1_u8(to, samples); }
  template <int lane>
  static Vector repeat_lane(Vector samples) {
    return vdup_lane_u8(samples, lane);
  }
  static Vector halving_add(Vector a, Vector b) { return vhadd_u8(a, b); }
  static Vector rounding_halving_add(Vector a, Vector b) { return vrhadd_u8(a, b); }
  template <int lanes>
  static Vector extract(Vector a, Vector b) {
    return vext_u8(a, b, lanes);
  }
  static Vector zip_low(Vector a, Vector b) { return vzip1_u8(a, b); }
  static Vector zip_high(Vector a, Vector b) { return vzip2_u8(a, b); }
};

/// Samples of high bit depth, 8 in a register; a block of 4x4 fills half of a register.
struct WordLanes {
  using Sample = std::uint16_t;
  using Vector = uint16x8_t;
  static constexpr std::size_t kLanes = 8;

  static Vector load(const Sample* from) { return vld1q_u16(from); }
  static Vector load_half(const Sample* from) {
    return vcombine_u16(vld1_u16(from), vdup_n_u16(0));
  }
  template <int lane>
  static Vector repeat_lane(Vector samples) {
    return vdupq_laneq_u16(samples, lane);
  }
  static Vector all(Sample value) { return vdupq_n_u16(value); }
  static void store(Sample* to, Vector samples) { vst1q_u16(to, samples); }
  static void store_half(Sample* to, Vector samples) { vst1_u16(to, vget_low_u16(samples)); }
  static Vector halving_add(Vector a, Vector b) { return vhaddq_u16(a, b); }
  static Vector rounding_halving_add(Vector a, Vector b) { return vrhaddq_u16(a, b); }
  template <int lanes>
  static Vector extract(Vector a, Vector b) {
    return vextq_u16(a, b, lanes);
  }
  static Vector zip_low(Vector a, Vector b) { return vzip1q_u16(a, b); }
  static Vector zip_high(Vector a, Vector b) { return vzip2q_u16(a, b); }
  static Vector even(Vector a, Vector b) { return vuzp1q_u16(a, b); }
  static Vector odd(Vector a, Vector b) { return vuzp2q_u16(a, b); }
  static Vector low_halves(Vector a, Vector b) {
    return vcombine_u16(vget_low_u16(a), vget_low_u16(b));
  }
  static Vector reversed(Vector a) {
    const Vector halves = vrev64q_u16(a);
    return vextq_u16(halves, halves, 4);
  }
  static Vector reversed_half(Vector a) { return vrev64q_u16(a); }
  static Vector repeat_half(Vector a) { return vcombine_u16(vget_low_u16(a), vget_low_u16(a)); }
  /// Returns the mean of `count` samples, a power of two, in all lanes.
  template <std::size_t count>
  static Vector mean(std::uint16_t sum) {
    return vrshrq_n_u16(vdupq_n_u16(sum), std::countr_zero(count));
  }
  template <std::size_t count>
  static Vector mean(std::uint32_t sum) {
    const uint16x4_t half = vrshrn_n_u32(vdupq_n_u32(sum), std::countr_zero(count));
    return vcombine_u16(half, half);
  }

  template <int lane>
  static Vector set_lane(Vector a, Vector repeated) {
    return vsetq_lane_u16(vgetq_lane_u16(repeated, 0), a, lane);
  }
};

/// Rounded means: of two samples, and of three with double weight in the middle. For three samples
/// a, b and c, a + c is halved first. The dropped bit does not affect the rounded result.
template <class Lanes>
typename Lanes::Vector mean2(typename Lanes::Vector a, typename Lanes::Vector b) {
  return Lanes::rounding_halving_add(a, b);
}
template <class Lanes>
typename Lanes::Vector mean3(typename Lanes::Vector a, typename Lanes::Vector b,
                             typename Lanes::Vector c) {
  return Lanes::rounding_halving_add(Lanes::halving_add(a, c), b);
}

/// Loads N samples into the first lanes of a register or of several. If N is less than a register,
/// the remaining lanes are undefined.
template <class Lanes, std::size_t N>
[[gnu::always_inline]] inline auto load(const typename Lanes::Sample* samples) {
  std::array<typename Lanes::Vector, (N > Lanes::kLanes ? N / Lanes::kLanes : 1)> registers;
  if constexpr (4 * N == Lanes::kLanes) {
    registers[0] = Lanes::repeat_quarter(samples);
  } else if constexpr (2 * N == Lanes::kLanes) {
    registers[0] = Lanes::load_half(samples);
  } else {
    unrolled<N / Lanes::kLanes>([&](auto i) __attribute__((always_inline)) {
      registers[i] = Lanes::load(samples + i * Lanes::kLanes);
    });
  }
  return registers;
}

/// Consecutive samples in `registers` registers, followed by `beyond`, which repeats one sample.
template <class Lanes, std::size_t registers>
struct Line {
  using Vector = typename Lanes::Vector;

  [[nodiscard]] Vector part(std::size_t index) const {
    return index < registers ? at[index] : beyond;
  }
  /// Returns a register with the line's samples from `first` on.
  template <std::size_t first>
  [[nodiscard]] Vector window() const {
    constexpr std::size_t kIndex = first / Lanes::kLanes;
    constexpr std::size_t kShift = first % Lanes::kLanes;
    if constexpr (kShift == 0 || kIndex >= registers) {
      return part(kIndex);
    } else {
      return Lanes::template extract<kShift>(part(kIndex), part(kIndex + 1));
    }
  }

  std::array<Vector, registers> at;
  Vector beyond;
};

/// Returns the line whose elements are the means of each sample and the next one.
template <class Lanes, std::size_t registers>
[[gnu::always_inline]] inline Line<Lanes, registers> means2(const Line<Lanes, registers>& line) {
  Line<Lanes, registers> means;
  unrolled<registers>([&](auto i) __attribute__((always_inline)) {
    constexpr std::size_t kFirst = i * Lanes::kLanes;
    means.at[i] = mean2<Lanes>(line.at[i], line.template window<kFirst + 1>());
  });
  means.beyond = line.beyond;
  return means;
}
/// Returns the line whose elements are the means of each sample and the next two.
template <class Lanes, std::size_t registers>
[[gnu::always_inline]] inline Line<Lanes, registers> means3(const Line<Lanes, registers>& line) {
  Line<Lanes, registers> means;
  unrolled<registers>([&](auto i) __attribute__((always_inline)) {
    constexpr std::size_t kFirst = i * Lanes::kLanes;
    means.at[i] = mean3<Lanes>(line.at[i], line.template window<kFirst + 1>(),
                               line.template window<kFirst + 2>());
  });
  means.beyond = line.beyond;
  return means;
}

/// Stores N samples of the line, from `first` on.
template <std::size_t N, std::size_t first, class Lanes, std::size_t registers>
[[gnu::always_inline]] inline void store_window(typename Lanes::Sample* to,
                                                const Line<Lanes, registers>& line) {
  constexpr std::size_t kLanes = Lanes::kLanes;
  if constexpr (4 * N == kLanes) {
    Lanes::store_quarter(to, line.template window<first>());
  } else if constexpr (2 * N == kLanes) {
    Lanes::store_half(to, line.template window<first>());
  } else {
    unrolled<N / kLanes>([&](auto i) __attribute__((always_inline)) {
      Lanes::store(to + i * kLanes, line.template window<first + i * kLanes>());
    });
  }
}

}  // namespace sidecore::neon
