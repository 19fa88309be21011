// Inverse transforms of blocks of every size on 16-bit lanes. They serve 8-bit samples, whose
// coefficients and intermediate values have 16 bits by definition, and longer samples if the
// block's coefficients are so small that all values fit into 16 bits.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "neon/vp9/inverse_transform_memory.h"
#include "neon/vp9/inverse_transform_network.h"
#include "vp9/dsp.h"

namespace sidecore::neon::inverse_transform {

template <class Sample>
using CoefficientOf = typename vp9::Dsp<Sample>::Coefficient;

inline constexpr int log2_of_gain(int size) {
  return size == 4 ? 4 : size == 8 ? 5 : 6;
}

/// Applies a one-dimensional transform of N values; inputs and outputs are in natural order. `in`
/// has only the first `inputs` values; the others are zero.
template <class Lanes, int N, bool sine, int inputs>
[[gnu::always_inline]] inline void transform(
    const std::array<typename Lanes::Value, static_cast<std::size_t>(inputs)>& in,
    typename Lanes::Value* t) {
  if constexpr (sine) {
    unrolled<inputs>([&](auto k) __attribute__((always_inline)) { t[k] = in[k]; });
    if constexpr (N == 4) {
      std::array<typename Lanes::Sum, 4> sums;
      adst4_sums<Lanes>(in.data(), sums.data());
      unrolled<4>([&](auto k) __attribute__((always_inline)) { t[k] = Lanes::rounded(sums[k]); });
    }
    if constexpr (N == 8) adst8<Lanes, inputs>(t);
    if constexpr (N == 16) adst16<Lanes, inputs>(t);
  } else {
    unrolled<inputs>([&](auto k) __attribute__((always_inline)) {
      t[vp9::bit_reversed(static_cast<int>(k), N)] = in[k];
    });
    dct<Lanes, N, inputs>(t);
  }
}

// Values between the two passes, in rows of 8: groups of 8 columns, one group after the other.
template <int N>
using Between = std::array<std::int16_t, N * N>;

/// Transforms `rows` rows, rounded up to a multiple of 8. In each row, coefficients from index
/// `inputs` on count as zero.
template <class Coefficient, bool fits, int N, bool sine, int inputs>
[[gnu::noinline]] void transform_rows(const Coefficient* coefficients, int rows,
                                      std::int16_t* between) {
  using Lanes = Lanes16<fits>;
  for (int row = 0; row < rows; row += 8) {
    std::array<int16x8_t, N> t;
    transform<Lanes, N, sine, inputs>(load_columns<N, inputs>(coefficients + row * N), t.data());
    unrolled<N / 8>([&](auto group) __attribute__((always_inline)) {
      constexpr int kFirst = N * static_cast<int>(group);
      store_transposed(between + (kFirst + row) * 8, &t[8 * group]);
    });
  }
}

/// Transforms the columns and adds the residual. Rows from `inputs` on count as zero.
template <class Sample, bool fits, int N, bool sine, int inputs>
[[gnu::noinline]] void transform_columns(const std::int16_t* between, Sample* samples,
                                         std::ptrdiff_t stride, int largest) {
  using Lanes = Lanes16<fits>;
  constexpr int kShift = log2_of_gain(N);
  for (int column = 0; column < N; column += 8, between += 8 * N, samples += 8) {
    std::array<int16x8_t, inputs> in;
    unrolled<inputs>([&](auto k)
                         __attribute__((always_inline)) { in[k] = vld1q_s16(between + 8 * k); });
    std::array<int16x8_t, N> t;
    if constexpr (N == 32) {
      // The last butterflies are stored to samples row by row, because there are more values than
      // registers.
      std::array<int16x8_t, N> reversed;
      unrolled<inputs>([&](auto k) __attribute__((always_inline)) {
        reversed[vp9::bit_reversed(static_cast<int>(k), N)] = in[k];
      });
      dct_halves<Lanes, N, inputs>(reversed.data());
      Sample* above = samples;
      Sample* below = samples + (N - 1) * stride;
      unrolled<N / 2>([&](auto k) __attribute__((always_inline)) {
        add_to<kShift>(above, Lanes::add(reversed[k], reversed[N - 1 - k]), largest);
        add_to<kShift>(below, Lanes::subtract(reversed[k], reversed[N - 1 - k]), largest);
        above += stride;
        below -= stride;
      });
    } else {
      transform<Lanes, N, sine, inputs>(in, t.data());
      Sample* to = samples;
      unrolled<N>([&](auto row) __attribute__((always_inline)) {
        add_to<kShift>(to, t[row], largest);
        to += stride;
      });
    }
  }
}

/// Adds a block of 16x16 or 32x32 to the samples. If sums fit into lanes, special passes process
/// blocks whose coefficients lie in the first 4, 8 or 16 rows or columns; other limits are rare.
template <class Sample, bool fits, int N, bool sine_rows, bool sine_columns>
[[gnu::always_inline]] inline void add_large(const vp9::TransformBlock& block,
                                             const CoefficientOf<Sample>* coefficients,
                                             Sample* samples, std::ptrdiff_t stride, int largest) {
  using Coefficient = CoefficientOf<Sample>;
  alignas(16) Between<N> between;
  const auto rows = [&]<int inputs>() __attribute__((always_inline)) {
    transform_rows<Coefficient, fits, N, sine_rows, inputs>(coefficients, block.rows,
                                                            between.data());
  };
  const auto columns = [&]<int inputs>() __attribute__((always_inline)) {
    // Clears the rows that the first pass has left out.
    for (int row = (block.rows + 7) / 8 * 8; row < inputs; row += 8) {
      for (int group = 0; group < N / 8; ++group) {
        std::fill_n(between.data() + (N * group + row) * 8, 64, std::int16_t{0});
      }
    }
    transform_columns<Sample, fits, N, sine_columns, inputs>(between.data(), samples, stride,
                                                             largest);
  };
  if constexpr (!fits) {
    rows.template operator()<N>();
    columns.template operator()<N>();
  } else {
    if (N == 16 && !sine_rows && block.columns <= 4) {
      rows.template operator()<4>();
    } else if (block.columns <= 8) {
      rows.template operator()<8>();
    } else if (block.columns <= 16) {
      rows.template operator()<16>();
    } else if constexpr (N == 32) {
      rows.template operator()<32>();
    }
    if (N == 16 && !sine_columns && block.rows <= 4) {
      columns.template operator()<4>();
    } else if (block.rows <= 8) {
      columns.template operator()<8>();
    } else if (block.rows <= 16) {
      columns.template operator()<16>();
    } else if constexpr (N == 32) {
      columns.template operator()<32>();
    }
  }
}

/// Adds a block of 8x8 with coefficients only in the first `inputs` (4 or 8) rows and columns to
/// the samples.
template <class Sample, bool fits, bool sine_rows, bool sine_columns, int inputs>
[[gnu::always_inline]] inline void add_8x8(const CoefficientOf<Sample>* coefficients,
                                           Sample* samples, std::ptrdiff_t stride, int largest) {
  using Lanes = Lanes16<fits>;
  std::array<int16x8_t, 8> t;
  transform<Lanes, 8, sine_rows, inputs>(load_columns<8, inputs>(coefficients), t.data());
  alignas(16) std::int16_t between[8 * inputs];
  store_transposed<inputs>(between, t.data());
  std::array<int16x8_t, inputs> in;
  unrolled<inputs>([&](auto k)
                       __attribute__((always_inline)) { in[k] = vld1q_s16(between + 8 * k); });
  transform<Lanes, 8, sine_columns, inputs>(in, t.data());
  unrolled<8>([&](auto row) __attribute__((always_inline)) {
    add_to<5>(samples, t[row], largest);
    samples += stride;
  });
}

/// A 4x4 block in two registers, each with two columns or two rows.
struct Halves {
  int16x8_t first, second;
};
/// Outputs of a transform of 4. The second register holds outputs 2 and 3, or 3 and 2 if `swapped`.
template <bool swapped>
struct HalvesOf : Halves {};

[[gnu::always_inline]] inline std::array<int16x4_t, 4> load_4x4_columns(const std::int16_t* from) {
  const int16x4x4_t of = vld4_s16(from);
  return {of.val[0], of.val[1], of.val[2], of.val[3]};
}
[[gnu::always_inline]] inline std::array<int16x4_t, 4> load_4x4_columns(const std::int32_t* from) {
  const int32x4x4_t of = vld4q_s32(from);
  return {vmovn_s32(of.val[0]), vmovn_s32(of.val[1]), vmovn_s32(of.val[2]), vmovn_s32(of.val[3])};
}

template <bool swapped>
[[gnu::always_inline]] inline std::array<int16x4_t, 4> transposed(
    const HalvesOf<swapped>& columns) {
  const int16x8_t last = swapped ? vextq_s16(columns.second, columns.second, 4) : columns.second;
  const int16x8_t even = vzip1q_s16(columns.first, last);  // holds columns 0 and 2
  const int16x8_t odd = vzip2q_s16(columns.first, last);
  const int16x8_t upper = vzip1q_s16(even, odd);
  const int16x8_t lower = vzip2q_s16(even, odd);
  return {vget_low_s16(upper), vget_high_s16(upper), vget_low_s16(lower), vget_high_s16(lower)};
}

[[gnu::always_inline]] inline int16x8_t rounded_halves(int32x4_t a, int32x4_t b) {
  return vrshrn_high_n_s32(vrshrn_n_s32(a, 14), b, 14);
}

/// Applies the DCT of 4; one instruction computes a butterfly of both halves.
[[gnu::always_inline]] inline HalvesOf<true> dct4(const std::array<int16x4_t, 4>& in) {
  using Lanes = HalfLanes16;
  constexpr int kCos16 = vp9::cosine(16);
  constexpr int kCos24 = vp9::cosine(24);
  constexpr int kSin24 = vp9::sine(24);
  const int16x8_t even = rounded_halves(combined<Lanes, kCos16, kCos16>(in[0], in[2]),
                                        combined<Lanes, kCos16, -kCos16>(in[0], in[2]));
  const int16x8_t odd = rounded_halves(combined<Lanes, kSin24, kCos24>(in[1], in[3]),
                                       combined<Lanes, kCos24, -kSin24>(in[1], in[3]));
  return {{vaddq_s16(even, odd), vsubq_s16(even, odd)}};
}

[[gnu::always_inline]] inline HalvesOf<false> adst4(const std::array<int16x4_t, 4>& in) {
  std::array<int32x4_t, 4> sums;
  adst4_sums<HalfLanes16>(in.data(), sums.data());
  return {{rounded_halves(sums[0], sums[1]), rounded_halves(sums[2], sums[3])}};
}

template <bool sine>
[[gnu::always_inline]] inline auto transform_4(const std::array<int16x4_t, 4>& in) {
  if constexpr (sine) {
    return adst4(in);
  } else {
    return dct4(in);
  }
}

template <int bits, bool sine_rows, bool sine_columns, class Sample>
[[gnu::always_inline]] inline void add_4x4_transform(const CoefficientOf<Sample>* coefficients,
                                                     Sample* samples, std::ptrdiff_t stride) {
  const auto columns = transform_4<sine_rows>(load_4x4_columns(coefficients));
  const auto rows = transform_4<sine_columns>(transposed(columns));
  add_4x4<bits, !sine_columns, true>(samples, stride, vrshrq_n_s16(rows.first, 4),
                                     vrshrq_n_s16(rows.second, 4));
}

/// Adds the Walsh-Hadamard transform of 4x4 to the samples. If sums do not fit into 16 bits, they
/// wrap and saturate.
template <int bits, bool fits, class Sample>
[[gnu::always_inline]] inline void add_walsh_hadamard_16(const CoefficientOf<Sample>* coefficients,
                                                         Sample* samples, std::ptrdiff_t stride) {
  std::array<int16x4_t, 4> t = load_4x4_columns(coefficients);
  for (int16x4_t& value : t) value = vshr_n_s16(value, 2);
  // `fits` is true: sums fit, because values are quarters.
  walsh_hadamard<HalfLanes16, true>(t.data());
  t = transposed(HalvesOf<false>{{vcombine_s16(t[0], t[1]), vcombine_s16(t[2], t[3])}});
  walsh_hadamard<HalfLanes16, fits>(t.data());
  add_4x4<bits, false, fits>(samples, stride, vcombine_s16(t[0], t[1]), vcombine_s16(t[2], t[3]));
}

/// Adds a DCT block with only a DC coefficient to the samples.
template <int bits, int N, class Sample>
[[gnu::always_inline]] inline void add_dc(const CoefficientOf<Sample>* coefficients,
                                          Sample* samples, std::ptrdiff_t stride) {
  using Product = std::conditional_t<sizeof(Sample) == 1, std::int32_t, std::int64_t>;
  constexpr int kShift = log2_of_gain(N);
  const auto scaled = [](Product value) { return (value * vp9::cosine(16) + (1 << 13)) >> 14; };
  const Product residual = (scaled(scaled(coefficients[0])) + (1 << (kShift - 1))) >> kShift;
  add_to_all_samples<bits, N>(samples, stride, static_cast<int>(residual));
}

/// Adds any block to the samples, on 16-bit lanes.
template <int bits, bool fits, int N, bool sine_rows, bool sine_columns, class Sample>
[[gnu::always_inline]] inline void add_on_16_bits(const vp9::TransformBlock& block,
                                                  const CoefficientOf<Sample>* coefficients,
                                                  Sample* samples, std::ptrdiff_t stride) {
  constexpr int kLargest = (1 << bits) - 1;
  if constexpr (N == 4) {
    add_4x4_transform<bits, sine_rows, sine_columns>(coefficients, samples, stride);
  } else if constexpr (N == 8) {
    if (fits && block.columns <= 4 && block.rows <= 4) {
      add_8x8<Sample, fits, sine_rows, sine_columns, 4>(coefficients, samples, stride, kLargest);
    } else {
      add_8x8<Sample, fits, sine_rows, sine_columns, 8>(coefficients, samples, stride, kLargest);
    }
  } else {
    add_large<Sample, fits, N, sine_rows, sine_columns>(block, coefficients, samples, stride,
                                                        kLargest);
  }
}

/// Calls apply<size, sine_rows, sine_columns>(type) for every transform except Walsh-Hadamard.
inline void for_each_transform(const auto& apply) {
  const auto all_types = [&]<vp9::TransformSize size>() {
    apply.template operator()<size, false, false>(vp9::kDctDct);
    if constexpr (size != vp9::kTransform32x32) {
      apply.template operator()<size, false, true>(vp9::kAdstDct);
      apply.template operator()<size, true, false>(vp9::kDctAdst);
      apply.template operator()<size, true, true>(vp9::kAdstAdst);
    }
  };
  all_types.template operator()<vp9::kTransform4x4>();
  all_types.template operator()<vp9::kTransform8x8>();
  all_types.template operator()<vp9::kTransform16x16>();
  all_types.template operator()<vp9::kTransform32x32>();
}

}  // namespace sidecore::neon::inverse_transform
