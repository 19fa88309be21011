#include "vp9/intra_prediction.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "neon/neon.h"
#include "neon/vp9/dsp.h"
#include "neon/vp9/intra_prediction_lanes.h"
#include "vp9/bit_depth.h"

namespace sidecore::neon {
namespace {

template <class Lanes>
using SampleOf = typename Lanes::Sample;

// Number of registers for N samples, at least one.
template <class Lanes, std::size_t N>
constexpr std::size_t kRegisters = N > Lanes::kLanes ? N / Lanes::kLanes : 1;

template <class Lanes, std::size_t N>
constexpr bool kHalf = 2 * N == Lanes::kLanes;
template <class Lanes, std::size_t N>
constexpr bool kQuarter = 4 * N == Lanes::kLanes;

// Calls row() for each of N rows; row(to, r) stores row r.
template <std::size_t N, class Sample, class Row>
[[gnu::always_inline]] inline void each_row(Sample* to, std::ptrdiff_t stride, const Row& row) {
  unrolled<N>([&](auto r) __attribute__((always_inline)) {
    row(to, r);
    to += stride;
    // Hides `to` from gcc. It would otherwise make a row's address part of its first store, and
    // then could not store registers in pairs.
    if constexpr (N * sizeof(Sample) > 16) asm("" : "+r"(to));
  });
}

// Returns a line of N samples, followed by repetitions of the last one.
template <class Lanes, std::size_t N>
[[gnu::always_inline]] inline Line<Lanes, kRegisters<Lanes, N>> line_of(
    const SampleOf<Lanes>* samples) {
  Line<Lanes, kRegisters<Lanes, N>> line;
  line.at = load<Lanes, N>(samples);
  line.beyond = Lanes::template repeat_lane<(N - 1) % Lanes::kLanes>(line.at.back());
  if constexpr (kQuarter<Lanes, N>) {
    line.at[0] = Lanes::with_first_quarter(line.at[0], line.beyond);
  } else if constexpr (kHalf<Lanes, N>) {
    line.at[0] = Lanes::low_halves(line.at[0], line.beyond);
  }
  return line;
}

// Returns the row above for D45 and D63. Blocks of 4x4 use eight samples of it.
template <class Lanes, std::size_t N>
[[gnu::always_inline]] inline auto line_above(const SampleOf<Lanes>* above) {
  return line_of < Lanes, N == 4 ? 8 : N > (above);
}

// Returns the line from the lowest sample on the left up to the corner, at index N, and on along
// the row above: 2N samples. `beyond` is the last sample above.
template <class Lanes, std::size_t N>
[[gnu::always_inline]] inline Line<Lanes, kRegisters<Lanes, 2 * N>> line_around(
    const SampleOf<Lanes>* above, const SampleOf<Lanes>* left) {
  constexpr std::size_t kLanes = Lanes::kLanes;
  Line<Lanes, kRegisters<Lanes, 2 * N>> line;
  line.beyond = Lanes::all(above[N - 1]);
  if constexpr (kQuarter<Lanes, N>) {
    const auto column = Lanes::reversed_quarters(Lanes::repeat_quarter(left));
    const auto row = Lanes::with_first_quarter(Lanes::repeat_quarter(above - 1), line.beyond);
    line.at[0] = Lanes::template extract<kLanes - N>(column, row);
  } else if constexpr (kHalf<Lanes, N>) {
    const auto column = Lanes::reversed_half(Lanes::load_half(left));
    line.at[0] = Lanes::low_halves(column, Lanes::load_half(above - 1));
  } else {
    constexpr std::size_t kParts = N / kLanes;
    unrolled<kParts>([&](auto i) __attribute__((always_inline)) {
      line.at[i] = Lanes::reversed(Lanes::load(left + (kParts - 1 - i) * kLanes));
      line.at[kParts + i] = Lanes::load(above - 1 + i * kLanes);
    });
  }
  return line;
}

// Prepends samples to a line of at least N samples: the last lanes of `before`, then `line` from
// `first` on.
template <std::size_t N, std::size_t first, std::size_t parts, class Lanes, std::size_t registers>
[[gnu::always_inline]] inline auto joined(const std::array<typename Lanes::Vector, parts>& before,
                                          const Line<Lanes, registers>& line) {
  Line<Lanes, parts + kRegisters<Lanes, N>> result;
  unrolled<parts>([&](auto i) __attribute__((always_inline)) { result.at[i] = before[i]; });
  unrolled<kRegisters<Lanes, N>>([&](auto i) __attribute__((always_inline)) {
    result.at[parts + i] = line.template window<first + i * Lanes::kLanes>();
  });
  result.beyond = line.beyond;
  return result;
}

// Returns every second one of a line's first N samples: the odd or the even indices. They take as
// many registers as they need, and the last sample is in the last lane of the last register.
template <std::size_t N, bool odd, class Lanes, std::size_t registers>
[[gnu::always_inline]] inline auto every_other(const Line<Lanes, registers>& line) {
  const auto pick = [](auto a, auto b) __attribute__((always_inline)) {
    return odd ? Lanes::odd(a, b) : Lanes::even(a, b);
  };
  std::array<typename Lanes::Vector, N >= 2 * Lanes::kLanes ? N / 2 / Lanes::kLanes : 1> result;
  if constexpr (kQuarter<Lanes, N>) {
    const auto repeated = Lanes::repeat_quarter(line.at[0]);
    result[0] = pick(repeated, repeated);
  } else if constexpr (kHalf<Lanes, N>) {
    const auto repeated = Lanes::repeat_half(line.at[0]);
    result[0] = pick(repeated, repeated);
  } else if constexpr (N == Lanes::kLanes) {
    result[0] = pick(line.at[0], line.at[0]);
  } else {
    unrolled<N / 2 / Lanes::kLanes>([&](auto i) __attribute__((always_inline)) {
      result[i] = pick(line.at[2 * i], line.at[2 * i + 1]);
    });
  }
  return result;
}

template <class Lanes, std::size_t N>
void predict_d45(SampleOf<Lanes>* to, std::ptrdiff_t stride, const SampleOf<Lanes>* above,
                 const SampleOf<Lanes>* /*left*/) {
  auto means = means3(line_above<Lanes, N>(above));
  if constexpr (N == 4) {
    // The last sample of the row is above[7] itself, not a mean.
    means.at[0] = Lanes::template set_lane<6>(means.at[0], means.beyond);
  }
  each_row<N>(
      to, stride, [&](auto* row, auto r) __attribute__((always_inline)) {
        // In larger blocks, all samples of the last row are equal.
        constexpr std::size_t kFirst = N > 4 && r == N - 1 ? 2 * N : r;
        store_window<N, kFirst>(row, means);
      });
}

template <class Lanes, std::size_t N>
void predict_d63(SampleOf<Lanes>* to, std::ptrdiff_t stride, const SampleOf<Lanes>* above,
                 const SampleOf<Lanes>* /*left*/) {
  const auto line = line_above<Lanes, N>(above);
  const auto even = means2(line);
  const auto odd = means3(line);
  each_row<N>(
      to, stride, [&](auto* row, auto r) __attribute__((always_inline)) {
        store_window<N, r / 2>(row, r % 2 == 0 ? even : odd);
      });
}

// A row alternates means of two and of three samples; each row begins two samples further than the
// row above.
template <class Lanes, std::size_t N>
void predict_d207(SampleOf<Lanes>* to, std::ptrdiff_t stride, const SampleOf<Lanes>* /*above*/,
                  const SampleOf<Lanes>* left) {
  const auto line = line_of<Lanes, N>(left);
  const auto even = means2(line);
  const auto odd = means3(line);
  Line<Lanes, kRegisters<Lanes, 2 * N>> means;
  unrolled<kRegisters<Lanes, N>>([&](auto i) __attribute__((always_inline)) {
    means.at[2 * i] = Lanes::zip_low(even.at[i], odd.at[i]);
    if constexpr (N >= Lanes::kLanes) {
      means.at[2 * i + 1] = Lanes::zip_high(even.at[i], odd.at[i]);
    }
  });
  means.beyond = line.beyond;
  each_row<N>(
      to, stride, [&](auto* row, auto r) __attribute__((always_inline)) {
        // All samples of the last row are equal.
        constexpr std::size_t kFirst = r == N - 1 ? 4 * N : 2 * r;
        store_window<N, kFirst>(row, means);
      });
}

template <class Lanes, std::size_t N>
void predict_d135(SampleOf<Lanes>* to, std::ptrdiff_t stride, const SampleOf<Lanes>* above,
                  const SampleOf<Lanes>* left) {
  const auto means = means3(line_around<Lanes, N>(above, left));
  each_row<N>(
      to, stride, [&](auto* row, auto r) __attribute__((always_inline)) {
        store_window<N, N - 1 - r>(row, means);
      });
}

// Even rows are means of two samples above, odd rows means of three. Each pair of rows takes in,
// from the left, every other mean of three samples of the left column.
template <class Lanes, std::size_t N>
void predict_d117(SampleOf<Lanes>* to, std::ptrdiff_t stride, const SampleOf<Lanes>* above,
                  const SampleOf<Lanes>* left) {
  const auto line = line_around<Lanes, N>(above, left);
  const auto left_and_above = means3(line);
  const auto before_even = every_other<N, false>(left_and_above);
  const auto before_odd = every_other<N, true>(left_and_above);
  const auto even = joined<N, N>(before_even, means2(line));
  const auto odd = joined<N, N>(before_odd, left_and_above);
  constexpr std::size_t kBefore = before_even.size() * Lanes::kLanes;
  each_row<N>(
      to, stride, [&](auto* row, auto r) __attribute__((always_inline)) {
        if constexpr (r % 2 == 0) {
          store_window<N, kBefore - r / 2>(row, even);
        } else {
          store_window<N, kBefore - 1 - r / 2>(row, odd);
        }
      });
}

// Means of two and of three samples alternate along the left column up to the corner; means of
// three samples above follow. Each row begins two samples before the row above.
template <class Lanes, std::size_t N>
void predict_d153(SampleOf<Lanes>* to, std::ptrdiff_t stride, const SampleOf<Lanes>* above,
                  const SampleOf<Lanes>* left) {
  const auto line = line_around<Lanes, N>(above, left);
  const auto odd = means3(line);
  const auto even = means2(line);
  constexpr std::size_t kParts = kRegisters<Lanes, 2 * N>;
  std::array<typename Lanes::Vector, kParts> turns;
  if constexpr (kQuarter<Lanes, N>) {
    turns[0] = Lanes::low_halves(Lanes::zip_low(even.at[0], odd.at[0]), odd.template window<N>());
  } else {
    unrolled<(kParts + 1) / 2>([&](auto i) __attribute__((always_inline)) {
      turns[2 * i] = Lanes::zip_low(even.at[i], odd.at[i]);
      if constexpr (kParts > 1) turns[2 * i + 1] = Lanes::zip_high(even.at[i], odd.at[i]);
    });
  }
  const auto means = joined<N, N>(turns, odd);
  each_row<N>(
      to, stride, [&](auto* row, auto r) __attribute__((always_inline)) {
        store_window<N, 2 * (N - 1 - r)>(row, means);
      });
}

// Stores the same row N times.
template <class Lanes, std::size_t N>
[[gnu::always_inline]] inline void fill(SampleOf<Lanes>* to, std::ptrdiff_t stride,
                                        const Line<Lanes, kRegisters<Lanes, N>>& line) {
  each_row<N>(
      to, stride, [&](auto* row, auto) __attribute__((always_inline)) {
        store_window<N, 0>(row, line);
      });
}
template <class Lanes, std::size_t N>
[[gnu::always_inline]] inline void store_same(SampleOf<Lanes>* to, typename Lanes::Vector samples) {
  store_window<N, 0>(to, Line<Lanes, 0>{{}, samples});
}

template <class Lanes, std::size_t N>
void predict_vertical(SampleOf<Lanes>* to, std::ptrdiff_t stride, const SampleOf<Lanes>* above,
                      const SampleOf<Lanes>* /*left*/) {
  const Line<Lanes, kRegisters<Lanes, N>> line{load<Lanes, N>(above), {}};
  fill<Lanes, N>(to, stride, line);
}

template <class Lanes, std::size_t N>
void predict_horizontal(SampleOf<Lanes>* to, std::ptrdiff_t stride,
                        const SampleOf<Lanes>* /*above*/, const SampleOf<Lanes>* left) {
  const auto column = load<Lanes, N>(left);
  each_row<N>(
      to, stride, [&](auto* row, auto r) __attribute__((always_inline)) {
        constexpr std::size_t kLane = r % Lanes::kLanes;
        store_same<Lanes, N>(row, Lanes::template repeat_lane<kLane>(column[r / Lanes::kLanes]));
      });
}

// Functions that return sums of samples. Overloads with two pointers sum N samples above and N to
// the left; overloads with one pointer sum N samples on one side.
template <std::size_t N>
[[gnu::always_inline]] inline std::uint16_t sum_of(const std::uint8_t* above,
                                                   const std::uint8_t* left) {
  if constexpr (N == 4) {
    const uint32x2_t both =
        vset_lane_u32(ByteLanes::word_at(left), vdup_n_u32(ByteLanes::word_at(above)), 1);
    return vaddlv_u8(vreinterpret_u8_u32(both));
  } else if constexpr (N == 8) {
    return vaddlvq_u8(vcombine_u8(vld1_u8(above), vld1_u8(left)));
  } else {
    uint16x8_t sums = vpadalq_u8(vpaddlq_u8(vld1q_u8(above)), vld1q_u8(left));
    if constexpr (N == 32) {
      sums = vpadalq_u8(vpadalq_u8(sums, vld1q_u8(above + 16)), vld1q_u8(left + 16));
    }
    return vaddvq_u16(sums);
  }
}
template <std::size_t N>
[[gnu::always_inline]] inline std::uint16_t sum_of(const std::uint8_t* samples) {
  if constexpr (N == 8) {
    return vaddlv_u8(vld1_u8(samples));
  } else if constexpr (N == 16) {
    return vaddlvq_u8(vld1q_u8(samples));
  } else {
    return sum_of<16>(samples, samples + 16);
  }
}
// This sum is in 16-bit lanes, which can hold the sum of 16 samples of 12 bits.
template <std::size_t N>
[[gnu::always_inline]] inline auto sum_of(const std::uint16_t* above, const std::uint16_t* left) {
  if constexpr (N == 4) {
    return vaddvq_u16(vcombine_u16(vld1_u16(above), vld1_u16(left)));
  } else {
    uint16x8_t sums = vaddq_u16(vld1q_u16(above), vld1q_u16(left));
    unrolled<N / 8 - 1>([&](auto i) __attribute__((always_inline)) {
      constexpr std::size_t kOffset = 8 * (i + 1);
      sums = vaddq_u16(sums, vaddq_u16(vld1q_u16(above + kOffset), vld1q_u16(left + kOffset)));
    });
    if constexpr (N == 8) {
      return vaddvq_u16(sums);
    } else {
      return vaddlvq_u16(sums);
    }
  }
}
template <std::size_t N>
[[gnu::always_inline]] inline auto sum_of(const std::uint16_t* samples) {
  if constexpr (N == 4) {
    return vaddv_u16(vld1_u16(samples));
  } else if constexpr (N == 8) {
    return vaddvq_u16(vld1q_u16(samples));
  } else {
    return sum_of<N / 2>(samples, samples + N / 2);
  }
}

template <class Lanes, std::size_t N>
[[gnu::always_inline]] inline void fill_with(SampleOf<Lanes>* to, std::ptrdiff_t stride,
                                             typename Lanes::Vector samples) {
  each_row<N>(
      to, stride, [&](auto* row, auto) __attribute__((always_inline)) {
        store_same<Lanes, N>(row, samples);
      });
}

template <class Lanes, std::size_t N>
void predict_dc(SampleOf<Lanes>* to, std::ptrdiff_t stride, const SampleOf<Lanes>* above,
                const SampleOf<Lanes>* left) {
  fill_with<Lanes, N>(to, stride, Lanes::template mean<2 * N>(sum_of<N>(above, left)));
}
// Returns the mean of N samples. A word's four samples are summed twice, which does not change
// their mean.
template <class Lanes, std::size_t N>
[[gnu::always_inline]] inline typename Lanes::Vector mean_of(const SampleOf<Lanes>* samples) {
  if constexpr (kQuarter<Lanes, N>) {
    return Lanes::template mean<2 * N>(vaddlv_u8(vget_low_u8(Lanes::repeat_quarter(samples))));
  } else {
    return Lanes::template mean<N>(sum_of<N>(samples));
  }
}
template <class Lanes, std::size_t N>
void predict_dc_of_above(SampleOf<Lanes>* to, std::ptrdiff_t stride, const SampleOf<Lanes>* above,
                         const SampleOf<Lanes>* /*left*/) {
  fill_with<Lanes, N>(to, stride, mean_of<Lanes, N>(above));
}
template <class Lanes, std::size_t N>
void predict_dc_of_left(SampleOf<Lanes>* to, std::ptrdiff_t stride,
                        const SampleOf<Lanes>* /*above*/, const SampleOf<Lanes>* left) {
  fill_with<Lanes, N>(to, stride, mean_of<Lanes, N>(left));
}
template <class Lanes, std::size_t N, int bits>
void predict_dc_of_nothing(SampleOf<Lanes>* to, std::ptrdiff_t stride,
                           const SampleOf<Lanes>* /*above*/, const SampleOf<Lanes>* /*left*/) {
  fill_with<Lanes, N>(to, stride, Lanes::all(1U << (bits - 1)));
}

// Predicts 8-bit samples. The left sample is added to differences between the row above and the
// corner. These differences are signed modulo 2^16.
template <std::size_t N>
void predict_true_motion_8(std::uint8_t* to, std::ptrdiff_t stride, const std::uint8_t* above,
                           const std::uint8_t* left) {
  constexpr std::size_t kSteps = N > 8 ? N / 8 : 1;
  std::array<uint16x8_t, kSteps> steps;
  const uint8x8_t corner = vld1_dup_u8(above - 1);
  // Stores only four, because another thread may be writing the samples after them.
  if constexpr (N == 4) {
    steps[0] = vsubl_u8(vget_low_u8(ByteLanes::repeat_quarter(above)), corner);
  } else {
    unrolled<kSteps>([&](auto i) __attribute__((always_inline)) {
      steps[i] = vsubl_u8(vld1_u8(above + 8 * i), corner);
    });
  }
  const auto column = load<ByteLanes, N>(left);
  each_row<N>(
      to, stride, [&](auto* row, auto r) __attribute__((always_inline)) {
        const uint8x8_t first = vdup_laneq_u8(column[r / 16], r % 16);
        const auto samples = [&](std::size_t i) __attribute__((always_inline)) {
          return vreinterpretq_s16_u16(vaddw_u8(steps[i], first));
        };
        if constexpr (N <= 8) {
          store_same<ByteLanes, N>(row, vcombine_u8(vqmovun_s16(samples(0)), vdup_n_u8(0)));
        } else {
          unrolled<N / 16>([&](auto i) __attribute__((always_inline)) {
            vst1q_u8(row + 16 * i,
                     vcombine_u8(vqmovun_s16(samples(2 * i)), vqmovun_s16(samples(2 * i + 1))));
          });
        }
      });
}

template <std::size_t N, int bits>
void predict_true_motion_hbd(std::uint16_t* to, std::ptrdiff_t stride, const std::uint16_t* above,
                             const std::uint16_t* left) {
  constexpr std::size_t kRegistersOfRow = kRegisters<WordLanes, N>;
  const auto as_signed = [](uint16x8_t samples) { return vreinterpretq_s16_u16(samples); };
  std::array<int16x8_t, kRegistersOfRow> steps;
  const int16x8_t corner = as_signed(vld1q_dup_u16(above - 1));
  const auto row_above = load<WordLanes, N>(above);
  unrolled<kRegistersOfRow>([&](auto i) __attribute__((always_inline)) {
    steps[i] = vsubq_s16(as_signed(row_above[i]), corner);
  });
  const int16x8_t most = vdupq_n_s16((1 << bits) - 1);
  const auto column = load<WordLanes, N>(left);
  each_row<N>(
      to, stride, [&](auto* row, auto r) __attribute__((always_inline)) {
        const int16x8_t first = as_signed(vdupq_laneq_u16(column[r / 8], r % 8));
        Line<WordLanes, kRegistersOfRow> line;
        unrolled<kRegistersOfRow>([&](auto i) __attribute__((always_inline)) {
          const int16x8_t sum = vmaxq_s16(vaddq_s16(steps[i], first), vdupq_n_s16(0));
          line.at[i] = vreinterpretq_u16_s16(vminq_s16(sum, most));
        });
        store_window<N, 0>(row, line);
      });
}

template <class Lanes, std::size_t N, int bits>
void add_size(vp9::IntraPredictions<SampleOf<Lanes>>& table, vp9::TransformSize size) {
  using OneSide = std::conditional_t<N == 8 && bits == 8, EightByteLanes, Lanes>;
  table[vp9::kDcPrediction][size] = predict_dc<Lanes, N>;
  table[vp9::kVerticalPrediction][size] = predict_vertical<Lanes, N>;
  table[vp9::kHorizontalPrediction][size] = predict_horizontal<Lanes, N>;
  table[vp9::kD45Prediction][size] = predict_d45<OneSide, N>;
  table[vp9::kD135Prediction][size] = predict_d135<Lanes, N>;
  table[vp9::kD117Prediction][size] = predict_d117<Lanes, N>;
  table[vp9::kD153Prediction][size] = predict_d153<Lanes, N>;
  table[vp9::kD207Prediction][size] = predict_d207<OneSide, N>;
  table[vp9::kD63Prediction][size] = predict_d63<OneSide, N>;
  if constexpr (bits == 8) {
    table[vp9::kTrueMotionPrediction][size] = predict_true_motion_8<N>;
  } else {
    table[vp9::kTrueMotionPrediction][size] = predict_true_motion_hbd<N, bits>;
  }
  table[vp9::kDcOfAbove][size] = predict_dc_of_above<Lanes, N>;
  table[vp9::kDcOfLeft][size] = predict_dc_of_left<Lanes, N>;
  table[vp9::kDcOfNothing][size] = predict_dc_of_nothing<Lanes, N, bits>;
}

template <class Lanes, int bits>
void add_all(vp9::IntraPredictions<SampleOf<Lanes>>& table) {
  add_size<Lanes, 4, bits>(table, vp9::kTransform4x4);
  add_size<Lanes, 8, bits>(table, vp9::kTransform8x8);
  add_size<Lanes, 16, bits>(table, vp9::kTransform16x16);
  add_size<Lanes, 32, bits>(table, vp9::kTransform32x32);
}

}  // namespace

void add_intra_predictions(vp9::Dsp<std::uint8_t>& dsp) {
  add_all<ByteLanes, 8>(dsp.intra);
}
void add_intra_predictions(vp9::Dsp<std::uint16_t>& dsp) {
  vp9::for_high_bit_depth(dsp.bits, [&dsp]<int bits>() { add_all<WordLanes, bits>(dsp.intra); });
}

}  // namespace sidecore::neon
