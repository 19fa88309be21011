// How coefficients come into lanes and residuals reach samples.
#pragma once

#include <array>
#include <cstring>

#include "neon/neon.h"
#include "neon/vp9/unrolled.h"

namespace sidecore::neon::inverse_transform {

using Tile = std::array<int16x8_t, 8>;

/// Low halves: of values that fit into them.
[[gnu::always_inline]] inline int16x8_t narrowed(int32x4_t a, int32x4_t b) {
  return vuzp1q_s16(vreinterpretq_s16_s32(a), vreinterpretq_s16_s32(b));
}

/// Eight coefficients.
[[gnu::always_inline]] inline int16x8_t load(const std::int16_t* from) {
  return vld1q_s16(from);
}
[[gnu::always_inline]] inline int16x8_t load(const std::int32_t* from) {
  return narrowed(vld1q_s32(from), vld1q_s32(from + 4));
}

/// Of 32 coefficients that lie together the k-th, (k + 4)-th, (k + 8)-th...
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

/// The first `count` columns (4, or a multiple of 8) of 8 rows of N coefficients. Of 4 columns of
/// an 8x8 block only the first 4 rows count, and the lanes from 4 on are anything.
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

/// Writes 8 columns of 8 values, or of the first `rows` (4), as rows of 8.
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

/// Adds residuals, rounded and shifted, to eight samples of at most `largest`.
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

/// Four samples each of two rows.
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
  const uint32x2_t words = vreinterpret_u32_u8(rows);
  const std::uint32_t first = vget_lane_u32(words, 0);
  const std::uint32_t second = vget_lane_u32(words, 1);
  std::memcpy(a, &first, sizeof first);
  std::memcpy(b, &second, sizeof second);
}

/// Adds residuals as they are to a block of 4x4, two rows a vector.
[[gnu::always_inline]] inline void add_4x4(std::uint8_t* samples, std::ptrdiff_t stride,
                                           int16x8_t upper, int16x8_t lower, int /*largest*/) {
  std::uint8_t* const below = samples + 2 * stride;
  const auto sum = [](int16x8_t residual, uint8x8_t rows) {
    return vqmovun_s16(vqaddq_s16(residual, vreinterpretq_s16_u16(vmovl_u8(rows))));
  };
  const uint8x8_t upper_sum = sum(upper, load_two_rows(samples, samples + stride));
  const uint8x8_t lower_sum = sum(lower, load_two_rows(below, below + stride));
  store_two_rows(samples, samples + stride, upper_sum);
  store_two_rows(below, below + stride, lower_sum);
}
[[gnu::always_inline]] inline void add_4x4(std::uint16_t* samples, std::ptrdiff_t stride,
                                           int16x8_t upper, int16x8_t lower, int largest) {
  const int16x4_t top = vdup_n_s16(static_cast<std::int16_t>(largest));
  unrolled<4>([&](auto row) __attribute__((always_inline)) {
    const int16x8_t of = row < 2 ? upper : lower;
    const int16x4_t residual = row % 2 == 0 ? vget_low_s16(of) : vget_high_s16(of);
    const int16x4_t sum = vqadd_s16(vreinterpret_s16_u16(vld1_u16(samples)), residual);
    vst1_u16(samples, vreinterpret_u16_s16(vmin_s16(vmax_s16(sum, vdup_n_s16(0)), top)));
    samples += stride;
  });
}

/// Adds a residual of -largest to largest to a square of samples.
template <int N>
[[gnu::always_inline]] inline void add_everywhere(std::uint8_t* samples, std::ptrdiff_t stride,
                                                  int residual, int largest) {
  if constexpr (N == 4) {
    const int16x8_t all = vdupq_n_s16(static_cast<std::int16_t>(residual));
    return add_4x4(samples, stride, all, all, largest);
  }
  // Saturating arithmetic is the clamping, so that samples need not be widened.
  const auto each = [&](auto change) __attribute__((always_inline)) {
    for (int row = 0; row < N; ++row, samples += stride) {
      if constexpr (N == 8) {
        vst1_u8(samples, vget_low_u8(change(vcombine_u8(vld1_u8(samples), vdup_n_u8(0)))));
      } else {
        unrolled<N / 16>([&](auto k) __attribute__((always_inline)) {
          vst1q_u8(samples + 16 * k, change(vld1q_u8(samples + 16 * k)));
        });
      }
    }
  };
  const uint8x16_t magnitude =
      vdupq_n_u8(static_cast<std::uint8_t>(residual < 0 ? -residual : residual));
  if (residual < 0) {
    each([&](uint8x16_t of) { return vqsubq_u8(of, magnitude); });
  } else {
    each([&](uint8x16_t of) { return vqaddq_u8(of, magnitude); });
  }
}
template <int N>
[[gnu::always_inline]] inline void add_everywhere(std::uint16_t* samples, std::ptrdiff_t stride,
                                                  int residual, int largest) {
  if constexpr (N == 4) {
    const int16x8_t all = vdupq_n_s16(static_cast<std::int16_t>(residual));
    return add_4x4(samples, stride, all, all, largest);
  }
  const auto each = [&](auto change) __attribute__((always_inline)) {
    for (int row = 0; row < N; ++row, samples += stride) {
      unrolled<N / 8>([&](auto k) __attribute__((always_inline)) {
        vst1q_u16(samples + 8 * k, change(vld1q_u16(samples + 8 * k)));
      });
    }
  };
  const uint16x8_t magnitude =
      vdupq_n_u16(static_cast<std::uint16_t>(residual < 0 ? -residual : residual));
  if (residual < 0) {
    each([&](uint16x8_t of) { return vqsubq_u16(of, magnitude); });
  } else {
    const uint16x8_t top = vdupq_n_u16(static_cast<std::uint16_t>(largest));
    each([&](uint16x8_t of) { return vminq_u16(vaddq_u16(of, magnitude), top); });
  }
}

}  // namespace sidecore::neon::inverse_transform
