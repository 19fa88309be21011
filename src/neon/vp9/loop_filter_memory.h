// Loads lines of samples from a plane into registers, and stores them, for both directions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "neon/vp9/loop_filter_lines.h"

namespace sidecore::neon {

/// Addresses of q0 of two edges' first lines; `b` is used only if a second edge is filtered.
struct EdgePair {
  std::uint8_t* a;
  std::uint8_t* b;
};

using Rows = std::array<uint8x16_t, 8>;

/// Transposes two 8x8 blocks at once, one in each half. rows[k] is row k; the registers of the
/// result are columns.
[[gnu::always_inline]] inline Rows transpose(const Rows& rows) {
  const auto trn1_u16 = [](uint8x16_t a, uint8x16_t b) {
    return vreinterpretq_u8_u16(vtrn1q_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b)));
  };
  const auto trn2_u16 = [](uint8x16_t a, uint8x16_t b) {
    return vreinterpretq_u8_u16(vtrn2q_u16(vreinterpretq_u16_u8(a), vreinterpretq_u16_u8(b)));
  };
  const auto trn1_u32 = [](uint8x16_t a, uint8x16_t b) {
    return vreinterpretq_u8_u32(vtrn1q_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)));
  };
  const auto trn2_u32 = [](uint8x16_t a, uint8x16_t b) {
    return vreinterpretq_u8_u32(vtrn2q_u32(vreinterpretq_u32_u8(a), vreinterpretq_u32_u8(b)));
  };
  // Three steps of the transposition interleave columns c and c+1 of two rows, then c and c+2 of
  // four rows, then c and c+4 of eight rows.
  const uint8x16_t a0 = vtrn1q_u8(rows[0], rows[1]);
  const uint8x16_t a1 = vtrn2q_u8(rows[0], rows[1]);
  const uint8x16_t a2 = vtrn1q_u8(rows[2], rows[3]);
  const uint8x16_t a3 = vtrn2q_u8(rows[2], rows[3]);
  const uint8x16_t a4 = vtrn1q_u8(rows[4], rows[5]);
  const uint8x16_t a5 = vtrn2q_u8(rows[4], rows[5]);
  const uint8x16_t a6 = vtrn1q_u8(rows[6], rows[7]);
  const uint8x16_t a7 = vtrn2q_u8(rows[6], rows[7]);

  const uint8x16_t b0 = trn1_u16(a0, a2);
  const uint8x16_t b1 = trn1_u16(a1, a3);
  const uint8x16_t b2 = trn2_u16(a0, a2);
  const uint8x16_t b3 = trn2_u16(a1, a3);
  const uint8x16_t b4 = trn1_u16(a4, a6);
  const uint8x16_t b5 = trn1_u16(a5, a7);
  const uint8x16_t b6 = trn2_u16(a4, a6);
  const uint8x16_t b7 = trn2_u16(a5, a7);

  return {trn1_u32(b0, b4), trn1_u32(b1, b5), trn1_u32(b2, b6), trn1_u32(b3, b7),
          trn2_u32(b0, b4), trn2_u32(b1, b5), trn2_u32(b2, b6), trn2_u32(b3, b7)};
}

inline uint8x16_t low_halves(uint8x16_t a, uint8x16_t b) {
  return vreinterpretq_u8_u64(vzip1q_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b)));
}
inline uint8x16_t high_halves(uint8x16_t a, uint8x16_t b) {
  return vreinterpretq_u8_u64(vzip2q_u64(vreinterpretq_u64_u8(a), vreinterpretq_u64_u8(b)));
}

/// Loads 8 bytes from each of two addresses.
inline uint8x16_t load_halves(const std::uint8_t* a, const std::uint8_t* b) {
  const uint8x16_t low = vcombine_u8(vld1_u8(a), vdup_n_u8(0));
  std::uint64_t high = 0;
  std::memcpy(&high, b, sizeof high);
  return vreinterpretq_u8_u64(vld1q_lane_u64(&high, vreinterpretq_u64_u8(low), 1));
}
/// Loads 8 bytes of each edge; uses zeros if there is no second edge.
template <bool pair>
uint8x16_t load_8(const std::uint8_t* a, const std::uint8_t* b) {
  return pair ? load_halves(a, b) : vcombine_u8(vld1_u8(a), vdup_n_u8(0));
}
template <bool pair>
void store_8(std::uint8_t* a, std::uint8_t* b, uint8x16_t value) {
  vst1_u8(a, vget_low_u8(value));
  if constexpr (pair) vst1_u8(b, vget_high_u8(value));
}

/// Loads the columns of an 8x8 block, each twice, in both halves of a register.
[[gnu::always_inline]] inline Rows columns_of_8x8(const std::uint8_t* first,
                                                  std::ptrdiff_t stride) {
  // Registers hold two rows, k and k+4, so only half as many registers are transposed.
  std::array<uint8x16_t, 4> rows;
  unrolled<4>([&](auto k) __attribute__((always_inline)) {
    const std::uint8_t* const row = first + static_cast<std::ptrdiff_t>(k) * stride;
    rows[k] = load_halves(row, row + 4 * stride);
  });
  const auto u16 = [](uint8x16_t a) { return vreinterpretq_u16_u8(a); };
  const uint16x8_t even_a = u16(vtrn1q_u8(rows[0], rows[1]));
  const uint16x8_t odd_a = u16(vtrn2q_u8(rows[0], rows[1]));
  const uint16x8_t even_b = u16(vtrn1q_u8(rows[2], rows[3]));
  const uint16x8_t odd_b = u16(vtrn2q_u8(rows[2], rows[3]));
  // Each register has columns c and c+4: four rows of each, then the other four rows.
  const std::array<uint32x4_t, 4> columns = {vreinterpretq_u32_u16(vtrn1q_u16(even_a, even_b)),
                                             vreinterpretq_u32_u16(vtrn1q_u16(odd_a, odd_b)),
                                             vreinterpretq_u32_u16(vtrn2q_u16(even_a, even_b)),
                                             vreinterpretq_u32_u16(vtrn2q_u16(odd_a, odd_b))};
  Rows result;
  unrolled<4>([&](auto c) __attribute__((always_inline)) {
    result[c] = vreinterpretq_u8_u32(vuzp1q_u32(columns[c], columns[c]));
    result[c + 4] = vreinterpretq_u8_u32(vuzp2q_u32(columns[c], columns[c]));
  });
  return result;
}

/// Access to lines that are rows, across a vertical boundary.
template <int width, bool pair>
[[gnu::always_inline]] inline Lines<width> load_rows(EdgePair q0, std::ptrdiff_t stride) {
  Rows rows;
  if constexpr (width < 16 && !pair) {
    return {columns_of_8x8(q0.a - 4, stride)};
  } else if constexpr (width < 16) {
    const EdgePair first{q0.a - 4, q0.b - 4};
    unrolled<8>([&](auto k) __attribute__((always_inline)) {
      const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(k) * stride;
      rows[k] = load_halves(first.a + at, first.b + at);
    });
    return {transpose(rows)};
  } else {
    // Each transposition returns p7 to p0 of an edge's 8 lines in the lower halves, and q0 to q7 in
    // the upper halves.
    const auto columns = [stride](const std::uint8_t* first) {
      Rows of_edge;
      unrolled<8>([&](auto k) __attribute__((always_inline)) {
        of_edge[k] = vld1q_u8(first + static_cast<std::ptrdiff_t>(k) * stride - 8);
      });
      return transpose(of_edge);
    };
    const Rows a = columns(q0.a);
    const Rows b = pair ? columns(q0.b) : a;
    Lines<width> lines;
    unrolled<8>([&](auto k) __attribute__((always_inline)) {
      lines.at[k] = low_halves(a[k], b[k]);
      lines.at[k + 8] = high_halves(a[k], b[k]);
    });
    return lines;
  }
}

template <int lane>
void store_word(std::uint8_t* to, uint8x16_t words) {
  const std::uint32_t word = vgetq_lane_u32(vreinterpretq_u32_u8(words), lane);
  std::memcpy(to, &word, sizeof word);
}

// Stores p1 p0 q0 q1 of four lines; `p1` points at the first of them.
inline void store_four_lines(std::uint8_t* p1, std::ptrdiff_t stride, uint8x16_t words) {
  store_word<0>(p1, words);
  store_word<1>(p1 + stride, words);
  store_word<2>(p1 + 2 * stride, words);
  store_word<3>(p1 + 3 * stride, words);
}

// Stores the 8 lines in the lower halves of `p` (pairs p1 p0) and `q` (pairs q0 q1).
inline void store_inner(std::uint8_t* q0, std::ptrdiff_t stride, uint8x16_t p, uint8x16_t q) {
  const uint16x8_t pairs_p = vreinterpretq_u16_u8(p);
  const uint16x8_t pairs_q = vreinterpretq_u16_u8(q);
  store_four_lines(q0 - 2, stride, vreinterpretq_u8_u16(vzip1q_u16(pairs_p, pairs_q)));
  store_four_lines(q0 - 2 + 4 * stride, stride, vreinterpretq_u8_u16(vzip2q_u16(pairs_p, pairs_q)));
}

/// Stores `reach` positions (2, 3 or 7) of each side. May also store further positions, whose
/// samples are unchanged.
template <int reach, bool pair, int width>
[[gnu::always_inline]] inline void store_rows(EdgePair q0, std::ptrdiff_t stride,
                                              const Lines<width>& lines) {
  if constexpr (reach == 2) {
    store_inner(q0.a, stride, vzip1q_u8(lines.p(1), lines.p(0)), vzip1q_u8(lines.q(0), lines.q(1)));
    if constexpr (pair) {
      store_inner(q0.b, stride, vzip2q_u8(lines.p(1), lines.p(0)),
                  vzip2q_u8(lines.q(0), lines.q(1)));
    }
  } else if constexpr (reach == 3) {
    const Rows rows = transpose({lines.p(3), lines.p(2), lines.p(1), lines.p(0), lines.q(0),
                                 lines.q(1), lines.q(2), lines.q(3)});
    const EdgePair first{q0.a - 4, q0.b - 4};
    unrolled<8>([&](auto k) __attribute__((always_inline)) {
      const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(k) * stride;
      store_8<pair>(first.a + at, first.b + at, rows[k]);
    });
  } else {
    Rows a;
    Rows b;
    unrolled<8>([&](auto k) __attribute__((always_inline)) {
      a[k] = low_halves(lines.at[k], lines.at[k + 8]);
      b[k] = high_halves(lines.at[k], lines.at[k + 8]);
    });
    const auto store = [stride](std::uint8_t* first, const Rows& columns) {
      const Rows rows = transpose(columns);
      unrolled<8>([&](auto k) __attribute__((always_inline)) {
        vst1q_u8(first + static_cast<std::ptrdiff_t>(k) * stride - 8, rows[k]);
      });
    };
    store(q0.a, a);
    if constexpr (pair) store(q0.b, b);
  }
}

/// Loads lines that are columns, across a horizontal boundary: positions `from` to `to` of each
/// side, counted from p0 and q0. With `adjoining`, b is 8 samples right of a.
template <std::size_t from, std::size_t to, bool pair, bool adjoining, int width>
[[gnu::always_inline]] inline void load_columns(EdgePair q0, std::ptrdiff_t stride,
                                                Lines<width>& lines) {
  const auto load = [q0, stride](std::ptrdiff_t row) {
    const std::ptrdiff_t at = row * stride;
    return adjoining ? vld1q_u8(q0.a + at) : load_8<pair>(q0.a + at, q0.b + at);
  };
  unrolled<to - from + 1>([&](auto index) __attribute__((always_inline)) {
    constexpr auto position = static_cast<std::ptrdiff_t>(from + index);
    lines.p(from + index) = load(-1 - position);
    lines.q(from + index) = load(position);
  });
}

/// Stores `reach` positions of each side of the boundary.
template <int reach, bool pair, bool adjoining, int width>
[[gnu::always_inline]] inline void store_columns(EdgePair q0, std::ptrdiff_t stride,
                                                 const Lines<width>& lines) {
  unrolled<2 * reach>([&](auto index) __attribute__((always_inline)) {
    const std::ptrdiff_t at = (static_cast<std::ptrdiff_t>(index) - reach) * stride;
    const uint8x16_t line = lines.at[Lines<width>::kReadReach - reach + index];
    if constexpr (adjoining) {
      vst1q_u8(q0.a + at, line);
    } else {
      store_8<pair>(q0.a + at, q0.b + at, line);
    }
  });
}

}  // namespace sidecore::neon
