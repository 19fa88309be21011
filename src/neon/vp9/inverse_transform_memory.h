// Loads coefficients into lanes and adds residuals to samples.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "neon/neon.h"
#include "neon/vp9/unrolled.h"

namespace sidecore::neon::inverse_transform {

using Tile = std::array<int16x8_t, 8>;

/// Returns the low halves of values that fit into 16 bits.
[[gnu::always_inline]] inline int16x8_t narrowed(int32x4_t a, int32x4_t b) {
  return vuzp1q_s16(vreinterpretq_s16_s32(a), vreinterpretq_s16_s32(b));
}

/// Loads eight coefficients.
[[gnu::always_inline]] inline int16x8_t load(const std::int16_t* from) {
  return vld1q_s16(from);
}
[[gnu::always_inline]] inline int16x8_t load(const std::int32_t* from) {
  return narrowed(vld1q_s32(from), vld1q_s32(from + 4));
}

/// Loads 32 contiguous coefficients. Vector k of the result has coefficients k, k + 4, k + 8, ...
[[gnu::always_inline]] inline std::array<int16x8_t, 4> load_by_four(const std::int16_t* from) {
  const int16x8x4_t of = vld4q_s16(from);
  return {of.val[0], of.val[1], of.val[2], of.val[3]};
}
[[gnu::always_inline]] inline std::array<int16x8_t, 4> load_by_four(const std::int32_t* from) {
  const int32x4x4_t a = vld4q_s32(from);
  const int32x4x4_t b = vld4q_s32(from + 16);
  return {narrowed(a.val[0], b.val[0]), narrowed(a.val[1], b.val[1]), narrowed(a.val[2], b.val[2]),
          narrowed(a.val[3], b.val[3])};
}

[[gnu::always_inline]] inline Tile transposed(const Tile& rows) {
  const auto s32 = [](int16x8_t a) { return vreinterpretq_s32_s16(a); };
  const auto s64 = [](int32x4_t a) { return vreinterpretq_s64_s32(a); };
  const auto s16 = [](int64x2_t a) { return vreinterpretq_s16_s64(a); };
  std::array<int32x4_t, 8> a;  // columns k, k + 2... of rows 2 i and 2 i + 1
  unrolled<4>([&](auto i) __attribute__((always_inline)) {
    a[2 * i] = s32(vtrn1q_s16(rows[2 * i], rows[2 * i + 1]));
    a[2 * i + 1] = s32(vtrn2q_s16(rows[2 * i], rows[2 * i + 1]));
  });
  std::array<int64x2_t, 8> b;  // columns k, k + 4 of four rows
  unrolled<2>([&](auto i) __attribute__((always_inline)) {
    unrolled<2>([&](auto k) __attribute__((always_inline)) {
      b[4 * i + k] = s64(vtrn1q_s32(a[4 * i + k], a[4 * i + 2 + k]));
      b[4 * i + 2 + k] = s64(vtrn2q_s32(a[4 * i + k], a[4 * i + 2 + k]));
    });
  });
  Tile columns;
  unrolled<4>([&](auto k) __attribute__((always_inline)) {
    columns[k] = s16(vtrn1q_s64(b[k], b[4 + k]));
    columns[4 + k] = s16(vtrn2q_s64(b[k], b[4 + k]));
  });
  return columns;
}

/// Loads the first `count` columns (4, or a multiple of 8) of 8 rows of N coefficients. For 4
/// columns of an 8x8 block only the first 4 rows are loaded, and lanes from 4 on are undefined.
template <int N, int count, class Coefficient>
[[gnu::always_inline]] inline std::array<int16x8_t, count> load_columns(const Coefficient* from) {
  std::array<int16x8_t, count> columns;
  if constexpr (N == 8) {
    const auto a = load_by_four(from);
    const auto b = count == 8 ? load_by_four(from + 32) : a;
    unrolled<4>([&](auto k) __attribute__((always_inline)) {
      columns[k] = vuzp1q_s16(a[k], b[k]);
      if constexpr (count == 8) columns[k + 4] = vuzp2q_s16(a[k], b[k]);
    });
  } else if constexpr (N == 16) {
    const auto a = load_by_four(from);
    const auto b = load_by_four(from + 32);
    const auto c = load_by_four(from + 64);
    const auto d = load_by_four(from + 96);
    unrolled<4>([&](auto k) __attribute__((always_inline)) {
      const int16x8_t even_ab = vuzp1q_s16(a[k], b[k]);
      const int16x8_t even_cd = vuzp1q_s16(c[k], d[k]);
      columns[k] = vuzp1q_s16(even_ab, even_cd);
      if constexpr (count == 16) columns[k + 8] = vuzp2q_s16(even_ab, even_cd);
      if constexpr (count >= 8) {
        const int16x8_t odd_ab = vuzp2q_s16(a[k], b[k]);
        const int16x8_t odd_cd = vuzp2q_s16(c[k], d[k]);
        columns[k + 4] = vuzp1q_s16(odd_ab, odd_cd);
        if constexpr (count == 16) columns[k + 12] = vuzp2q_s16(odd_ab, odd_cd);
      }
    });
  } else {
    unrolled<count / 8>([&](auto group) __attribute__((always_inline)) {
      Tile rows;
      unrolled<8>([&](auto row) __attribute__((always_inline)) {
        rows[row] = load(from + row * N + 8 * group);
      });
      rows = transposed(rows);
      unrolled<8>([&](auto k) __attribute__((always_inline)) { columns[8 * group + k] = rows[k]; });
    });
  }
  return columns;
}

/// Writes 8 columns of 8 values, or only their first `rows` (4) values, as rows of 8.
template <int rows = 8>
[[gnu::always_inline]] inline void store_transposed(std::int16_t* to, const int16x8_t* columns) {
  const auto by_four = [ to, columns ](auto half) __attribute__((always_inline)) {
    int16x8x4_t lines;
    unrolled<4>([&](auto k) __attribute__((always_inline)) {
      lines.val[k] = half == 0 ? vzip1q_s16(columns[k], columns[k + 4])
                               : vzip2q_s16(columns[k], columns[k + 4]);
    });
    vst4q_s16(to + 32 * half, lines);
  };
  unrolled<rows / 4>(by_four);
}

/// Rounds, shifts and adds residuals to eight samples of at most `largest`.
template <int shift>
[[gnu::always_inline]] inline void add_to(std::uint8_t* samples, int16x8_t residual,
                                          int /*largest*/) {
  const uint16x8_t rounded = vreinterpretq_u16_s16(vrshrq_n_s16(residual, shift));
  vst1_u8(samples, vqmovun_s16(vreinterpretq_s16_u16(vaddw_u8(rounded, vld1_u8(samples)))));
}
template <int shift>
[[gnu::always_inline]] inline void add_to(std::uint16_t* samples, int16x8_t residual, int largest) {
  const int16x8_t sum = vrsraq_n_s16(vreinterpretq_s16_u16(vld1q_u16(samples)), residual, shift);
  const int16x8_t top = vdupq_n_s16(static_cast<std::int16_t>(largest));
  vst1q_u16(samples, vreinterpretq_u16_s16(vminq_s16(vmaxq_s16(sum, vdupq_n_s16(0)), top)));
}

/// Loads four samples from each of two rows.
[[gnu::always_inline]] inline uint8x8_t load_two_rows(const std::uint8_t* a,
                                                      const std::uint8_t* b) {
  std::uint32_t first;
  std::uint32_t second;
  std::memcpy(&first, a, sizeof first);
  std::memcpy(&second, b, sizeof second);
  return vreinterpret_u8_u32(vset_lane_u32(second, vdup_n_u32(first), 1));
}
[[gnu::always_inline]] inline void store_two_rows(std::uint8_t* a, std::uint8_t* b,
                                                  uint8x8_t rows) {
  // The vectors have the type float, so that compilers do not move words through general registers.
  const float32x2_t words = vreinterpret_f32_u8(rows);
  const float first = vget_lane_f32(words, 0);
  const float second = vget_lane_f32(words, 1);
  std::memcpy(a, &first, sizeof first);
  std::memcpy(b, &second, sizeof second);
}

/// Adds unshifted residuals to a block of 4x4, two rows per vector. The last two rows may be
/// swapped. If the sums do not fit into 16 bits, they saturate.
template <int bits, bool swapped, bool fits>
[[gnu::always_inline]] inline void add_4x4(std::uint8_t* samples, std::ptrdiff_t stride,
                                           int16x8_t upper, int16x8_t lower) {
  std::uint8_t* const second = samples + stride;
  std::uint8_t* const third = second + stride;
  std::uint8_t* const fourth = third + stride;
  const auto add =
      [](std::uint8_t * a, std::uint8_t * b, int16x8_t residual) __attribute__((always_inline)) {
    const uint8x8_t rows = load_two_rows(a, b);
    const int16x8_t sum =
        fits ? vreinterpretq_s16_u16(vaddw_u8(vreinterpretq_u16_s16(residual), rows))
             : vqaddq_s16(residual, vreinterpretq_s16_u16(vmovl_u8(rows)));
    store_two_rows(a, b, vqmovun_s16(sum));
  };
  add(samples, second, upper);
  swapped ? add(fourth, third, lower) : add(third, fourth, lower);
}
template <int bits, bool swapped, bool fits>
[[gnu::always_inline]] inline void add_4x4(std::uint16_t* samples, std::ptrdiff_t stride,
                                           int16x8_t upper, int16x8_t lower) {
  std::uint16_t* const second = samples + stride;
  std::uint16_t* const third = second + stride;
  std::uint16_t* const fourth = third + stride;
  const auto add =
      [](std::uint16_t * a, std::uint16_t * b, int16x8_t residual) __attribute__((always_inline)) {
    const int16x8_t rows = vreinterpretq_s16_u16(vcombine_u16(vld1_u16(a), vld1_u16(b)));
    const int16x8_t sum = fits ? vaddq_s16(rows, residual) : vqaddq_s16(rows, residual);
    // Clamps to `bits` bits: a saturating left shift, then a right shift.
    const uint16x8_t clamped = vshrq_n_u16(vqshluq_n_s16(sum, 16 - bits), 16 - bits);
    vst1_u16(a, vget_low_u16(clamped));
    vst1_u16(b, vget_high_u16(clamped));
  };
  add(samples, second, upper);
  swapped ? add(fourth, third, lower) : add(third, fourth, lower);
}

/// Replaces every vector of a square of samples by change(vector).
template <int N>
[[gnu::always_inline]] inline void change_all(std::uint8_t* samples, std::ptrdiff_t stride,
                                              const auto& change) {
#pragma GCC unroll 8
  for (int row = 0; row < N; ++row, samples += stride) {
    std::array<uint8x16_t, N / 16> vectors;
    unrolled<N / 16>([&](auto k) __attribute__((always_inline)) {
      vectors[k] = vld1q_u8(samples + 16 * k);
    });
    unrolled<N / 16>([&](auto k)
                         __attribute__((always_inline)) { vectors[k] = change(vectors[k]); });
    unrolled<N / 16>([&](auto k) __attribute__((always_inline)) {
      vst1q_u8(samples + 16 * k, vectors[k]);
    });
  }
}
[[gnu::always_inline]] inline void change_8x8(std::uint8_t* samples, std::ptrdiff_t stride,
                                              const auto& change) {
  unrolled<8>([&](auto /*row*/) __attribute__((always_inline)) {
    vst1_u8(samples, change(vld1_u8(samples)));
    samples += stride;
  });
}
template <int N>
[[gnu::always_inline]] inline void change_all(std::uint16_t* samples, std::ptrdiff_t stride,
                                              const auto& change) {
#pragma GCC unroll 4
  for (int row = 0; row < N; ++row, samples += stride) {
    std::array<uint16x8_t, N / 8> vectors;
    unrolled<N / 8>([&](auto k) __attribute__((always_inline)) {
      vectors[k] = vld1q_u16(samples + 8 * k);
    });
    unrolled<N / 8>([&](auto k)
                        __attribute__((always_inline)) { vectors[k] = change(vectors[k]); });
    unrolled<N / 8>([&](auto k)
                        __attribute__((always_inline)) { vst1q_u16(samples + 8 * k, vectors[k]); });
  }
}

/// Adds one residual, of any size, to all samples of a square. Saturating arithmetic clamps.
template <int bits, int N>
[[gnu::always_inline]] inline void add_to_all_samples(std::uint8_t* samples, std::ptrdiff_t stride,
                                                      int residual) {
  if constexpr (N == 4) {
    // The residual fits into 16 bits, because it has at most 12 bits.
    const int16x8_t all = vdupq_n_s16(static_cast<std::int16_t>(residual));
    add_4x4<bits, false, true>(samples, stride, all, all);
  } else if (residual < 0) {
    const auto less = static_cast<std::uint8_t>(std::min(-residual, 255));
    if constexpr (N == 8) {
      change_8x8(samples, stride, [less](uint8x8_t of) { return vqsub_u8(of, vdup_n_u8(less)); });
    } else {
      change_all<N>(samples, stride,
                    [less](uint8x16_t of) { return vqsubq_u8(of, vdupq_n_u8(less)); });
    }
  } else {
    const auto more = static_cast<std::uint8_t>(std::min(residual, 255));
    if constexpr (N == 8) {
      change_8x8(samples, stride, [more](uint8x8_t of) { return vqadd_u8(of, vdup_n_u8(more)); });
    } else {
      change_all<N>(samples, stride,
                    [more](uint8x16_t of) { return vqaddq_u8(of, vdupq_n_u8(more)); });
    }
  }
}
template <int bits, int N>
[[gnu::always_inline]] inline void add_to_all_samples(std::uint16_t* samples, std::ptrdiff_t stride,
                                                      int residual) {
  constexpr int kLargest = (1 << bits) - 1;
  if constexpr (N == 4) {
    const int16x8_t all =
        vdupq_n_s16(static_cast<std::int16_t>(std::clamp(residual, -kLargest, kLargest)));
    add_4x4<bits, false, true>(samples, stride, all, all);
  } else if (residual < 0) {
    const uint16x8_t less = vdupq_n_u16(static_cast<std::uint16_t>(std::min(-residual, kLargest)));
    change_all<N>(samples, stride, [less](uint16x8_t of) { return vqsubq_u16(of, less); });
  } else {
    const uint16x8_t more = vdupq_n_u16(static_cast<std::uint16_t>(std::min(residual, kLargest)));
    const uint16x8_t top = vdupq_n_u16(kLargest);
    change_all<N>(samples, stride,
                  [more, top](uint16x8_t of) { return vminq_u16(vaddq_u16(of, more), top); });
  }
}

}  // namespace sidecore::neon::inverse_transform
