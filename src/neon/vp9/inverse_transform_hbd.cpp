#include "neon/vp9/dsp.h"
#include "neon/vp9/inverse_transform_blocks.h"
#include "vp9/bit_depth.h"

namespace sidecore::neon {
namespace {

using vp9::TransformBlock;
using namespace inverse_transform;

[[gnu::always_inline]] inline std::array<int32x4_t, 4> transposed(
    const std::array<int32x4_t, 4>& rows) {
  const auto s64 = [](int32x4_t a) { return vreinterpretq_s64_s32(a); };
  const auto s32 = [](int64x2_t a) { return vreinterpretq_s32_s64(a); };
  const int64x2_t a = s64(vtrn1q_s32(rows[0], rows[1]));
  const int64x2_t b = s64(vtrn2q_s32(rows[0], rows[1]));
  const int64x2_t c = s64(vtrn1q_s32(rows[2], rows[3]));
  const int64x2_t d = s64(vtrn2q_s32(rows[2], rows[3]));
  return {s32(vtrn1q_s64(a, c)), s32(vtrn1q_s64(b, d)), s32(vtrn2q_s64(a, c)),
          s32(vtrn2q_s64(b, d))};
}

[[gnu::always_inline]] inline std::array<int32x4_t, 4> load_rows(const std::int32_t* from,
                                                                 int step) {
  return {vld1q_s32(from), vld1q_s32(from + step), vld1q_s32(from + 2 * step),
          vld1q_s32(from + 3 * step)};
}

/// Adds a residual, already shifted, to four samples of a row.
[[gnu::always_inline]] inline void add_four(std::uint16_t* samples, int32x4_t residual,
                                            int largest) {
  const int32x4_t of = vreinterpretq_s32_u32(vmovl_u16(vld1_u16(samples)));
  const int32x4_t sum = vmaxq_s32(vqaddq_s32(of, residual), vdupq_n_s32(0));
  vst1_u16(samples, vreinterpret_u16_s16(vmovn_s32(vminq_s32(sum, vdupq_n_s32(largest)))));
}

// Functions for large coefficients: 32-bit lanes and 64-bit sums, for all columns of every row that
// has coefficients.

template <int N, bool sine>
[[gnu::noinline]] void transform_wide_rows(const std::int32_t* coefficients, int rows,
                                           std::int32_t* between) {
  for (int row = 0; row < N; row += 4) {
    if (row >= rows) {
      std::fill_n(between + row * N, 4 * N, 0);
      continue;
    }
    std::array<int32x4_t, N> in;
    unrolled<N / 4>([&](auto group) __attribute__((always_inline)) {
      const auto columns = transposed(load_rows(coefficients + row * N + 4 * group, N));
      unrolled<4>([&](auto k) __attribute__((always_inline)) { in[4 * group + k] = columns[k]; });
    });
    std::array<int32x4_t, N> t;
    transform<Lanes32, N, sine, N>(in, t.data());
    unrolled<N / 4>([&](auto group) __attribute__((always_inline)) {
      const auto lines =
          transposed({t[4 * group], t[4 * group + 1], t[4 * group + 2], t[4 * group + 3]});
      unrolled<4>([&](auto k) __attribute__((always_inline)) {
        vst1q_s32(between + (row + static_cast<int>(k)) * N + 4 * group, lines[k]);
      });
    });
  }
}

template <int N, bool sine>
[[gnu::noinline]] void transform_wide_columns(const std::int32_t* between, std::uint16_t* samples,
                                              std::ptrdiff_t stride, int largest) {
  for (int column = 0; column < N; column += 4) {
    std::array<int32x4_t, N> in;
    unrolled<N>([&](auto row) __attribute__((always_inline)) {
      in[row] = vld1q_s32(between + row * N + column);
    });
    std::array<int32x4_t, N> t;
    transform<Lanes32, N, sine, N>(in, t.data());
    std::uint16_t* to = samples + column;
    unrolled<N>([&](auto row) __attribute__((always_inline)) {
      add_four(to, vrshrq_n_s32(t[row], log2_of_gain(N)), largest);
      to += stride;
    });
  }
}

template <int bits, int N, bool sine_rows, bool sine_columns>
void add_residual(const TransformBlock& block, const std::int32_t* coefficients,
                  std::uint16_t* samples, std::ptrdiff_t stride) {
  constexpr int kLargest = (1 << bits) - 1;
  if (!sine_rows && !sine_columns && block.end == 1) {
    return add_dc<bits, N>(coefficients, samples, stride);
  }
  if (block.narrow) {
    return add_on_16_bits<bits, true, N, sine_rows, sine_columns>(block, coefficients, samples,
                                                                  stride);
  }
  alignas(16) std::array<std::int32_t, N * N> between;
  transform_wide_rows<N, sine_rows>(coefficients, block.rows, between.data());
  transform_wide_columns<N, sine_columns>(between.data(), samples, stride, kLargest);
}

template <int bits>
void add_walsh_hadamard(const TransformBlock& block, const std::int32_t* coefficients,
                        std::uint16_t* samples, std::ptrdiff_t stride) {
  constexpr int kLargest = (1 << bits) - 1;
  if (block.narrow) {
    return add_walsh_hadamard_16<bits, true>(coefficients, samples, stride);
  }
  std::array<int32x4_t, 4> t = transposed(load_rows(coefficients, 4));
  for (int32x4_t& value : t) value = vshrq_n_s32(value, 2);
  walsh_hadamard<Lanes32, true>(t.data());  // `fits` is true: sums fit, because values are quarters
  t = transposed(t);
  walsh_hadamard<Lanes32, false>(t.data());
  for (const int32x4_t& row : t) {
    add_four(samples, row, kLargest);
    samples += stride;
  }
}

template <int bits>
void add_all(vp9::Dsp<std::uint16_t>& dsp) {
  for_each_transform([&dsp]<vp9::TransformSize size, bool sine_rows, bool sine_columns>(
                         vp9::TransformType type) {
    dsp.inverse_transforms[size][type] = add_residual<bits, (4 << size), sine_rows, sine_columns>;
  });
  dsp.inverse_transforms[vp9::kTransform4x4][vp9::kWalshHadamard] = add_walsh_hadamard<bits>;
}

}  // namespace

void add_inverse_transforms(vp9::Dsp<std::uint16_t>& dsp) {
  vp9::for_high_bit_depth(dsp.bits, [&dsp]<int bits>() { add_all<bits>(dsp); });
}

}  // namespace sidecore::neon
