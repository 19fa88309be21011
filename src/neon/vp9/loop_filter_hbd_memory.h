// Loads lines of 16-bit samples from a plane into registers, and stores them, for both directions.
// `q0` is the first line's sample right of or below the boundary; strides are in samples.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "neon/vp9/loop_filter_hbd_lines.h"

namespace sidecore::neon::hbd {

using Rows = std::array<uint16x8_t, 8>;

/// Transposes the rows of an 8x8 block to columns, or back.
[[gnu::always_inline]] inline Rows transpose(const Rows& rows) {
  const auto trn1_u32 = [](uint16x8_t a, uint16x8_t b) {
    return vreinterpretq_u16_u32(vtrn1q_u32(vreinterpretq_u32_u16(a), vreinterpretq_u32_u16(b)));
  };
  const auto trn2_u32 = [](uint16x8_t a, uint16x8_t b) {
    return vreinterpretq_u16_u32(vtrn2q_u32(vreinterpretq_u32_u16(a), vreinterpretq_u32_u16(b)));
  };
  const auto low_halves = [](uint16x8_t a, uint16x8_t b) {
    return vreinterpretq_u16_u64(vtrn1q_u64(vreinterpretq_u64_u16(a), vreinterpretq_u64_u16(b)));
  };
  const auto high_halves = [](uint16x8_t a, uint16x8_t b) {
    return vreinterpretq_u16_u64(vtrn2q_u64(vreinterpretq_u64_u16(a), vreinterpretq_u64_u16(b)));
  };
  // Three steps of the transposition interleave columns c and c+1 of two rows, then c and c+2 of
  // four rows, then c and c+4 of eight rows.
  Rows of_two;
  for (std::size_t k = 0; k < 8; k += 2) {
    of_two[k] = vtrn1q_u16(rows[k], rows[k + 1]);
    of_two[k + 1] = vtrn2q_u16(rows[k], rows[k + 1]);
  }
  Rows of_four;
  for (const std::size_t k : {0U, 1U, 4U, 5U}) {
    of_four[k] = trn1_u32(of_two[k], of_two[k + 2]);
    of_four[k + 2] = trn2_u32(of_two[k], of_two[k + 2]);
  }
  Rows columns;
  for (std::size_t k = 0; k < 4; ++k) {
    columns[k] = low_halves(of_four[k], of_four[k + 4]);
    columns[k + 4] = high_halves(of_four[k], of_four[k + 4]);
  }
  return columns;
}

/// Loads 8 rows of 8 samples; the stride is in samples.
[[gnu::always_inline]] inline Rows load_block(const std::uint16_t* from, std::ptrdiff_t stride) {
  Rows rows;
  for (std::size_t k = 0; k < 8; ++k) {
    rows[k] = vld1q_u16(from + static_cast<std::ptrdiff_t>(k) * stride);
  }
  return rows;
}
[[gnu::always_inline]] inline void store_block(std::uint16_t* to, std::ptrdiff_t stride,
                                               const Rows& rows) {
  for (std::size_t k = 0; k < 8; ++k) {
    vst1q_u16(to + static_cast<std::ptrdiff_t>(k) * stride, rows[k]);
  }
}

/// Access to lines that are rows, across a vertical boundary.
template <int width>
[[gnu::always_inline]] inline Lines<width> load_rows(const std::uint16_t* q0,
                                                     std::ptrdiff_t stride) {
  if constexpr (width < 16) {
    return {transpose(load_block(q0 - 4, stride))};
  } else {
    const Rows p = transpose(load_block(q0 - 8, stride));
    const Rows q = transpose(load_block(q0, stride));
    Lines<width> lines;
    for (std::size_t k = 0; k < 8; ++k) {
      lines.at[k] = p[k];
      lines.at[k + 8] = q[k];
    }
    return lines;
  }
}

template <int width>
[[gnu::always_inline]] inline void store_rows(std::uint16_t* q0, std::ptrdiff_t stride,
                                              const Lines<width>& lines) {
  if constexpr (width == 4) {
    // Each register has p1 p0 q0 q1 of two lines.
    const auto store = [q0, stride](std::ptrdiff_t line, uint16x8_t p, uint16x8_t q) {
      const uint32x4_t pairs_p = vreinterpretq_u32_u16(p);
      const uint32x4_t pairs_q = vreinterpretq_u32_u16(q);
      const uint16x8_t first = vreinterpretq_u16_u32(vzip1q_u32(pairs_p, pairs_q));
      const uint16x8_t second = vreinterpretq_u16_u32(vzip2q_u32(pairs_p, pairs_q));
      std::uint16_t* const p1 = q0 - 2 + line * stride;
      vst1_u16(p1, vget_low_u16(first));
      vst1_u16(p1 + stride, vget_high_u16(first));
      vst1_u16(p1 + 2 * stride, vget_low_u16(second));
      vst1_u16(p1 + 3 * stride, vget_high_u16(second));
    };
    store(0, vzip1q_u16(lines.p(1), lines.p(0)), vzip1q_u16(lines.q(0), lines.q(1)));
    store(4, vzip2q_u16(lines.p(1), lines.p(0)), vzip2q_u16(lines.q(0), lines.q(1)));
  } else if constexpr (width == 8) {
    store_block(q0 - 4, stride, transpose(lines.at));
  } else {
    Rows p;
    Rows q;
    for (std::size_t k = 0; k < 8; ++k) {
      p[k] = lines.at[k];
      q[k] = lines.at[k + 8];
    }
    store_block(q0 - 8, stride, transpose(p));
    store_block(q0, stride, transpose(q));
  }
}

/// Access to lines that are columns, across a horizontal boundary.
template <int width>
[[gnu::always_inline]] inline Lines<width> load_columns(const std::uint16_t* q0,
                                                        std::ptrdiff_t stride) {
  constexpr auto kReadReach = static_cast<std::ptrdiff_t>(Lines<width>::kReadReach);
  Lines<width> lines;
  for (std::size_t k = 0; k < lines.at.size(); ++k) {
    lines.at[k] = vld1q_u16(q0 + (static_cast<std::ptrdiff_t>(k) - kReadReach) * stride);
  }
  return lines;
}

template <int width>
[[gnu::always_inline]] inline void store_columns(std::uint16_t* q0, std::ptrdiff_t stride,
                                                 const Lines<width>& lines) {
  constexpr std::size_t kReadReach = Lines<width>::kReadReach;
  constexpr std::size_t kWritten = vp9::write_reach(width);
  for (std::size_t k = kReadReach - kWritten; k < kReadReach + kWritten; ++k) {
    const auto row = static_cast<std::ptrdiff_t>(k) - static_cast<std::ptrdiff_t>(kReadReach);
    vst1q_u16(q0 + row * stride, lines.at[k]);
  }
}

}  // namespace sidecore::neon::hbd
