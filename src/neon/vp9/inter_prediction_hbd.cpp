// Inter prediction of 10- and 12-bit samples: 32-bit sums; one register holds all taps as lanes.
#include <algorithm>
#include <array>

#include "neon/neon.h"
#include "neon/vp9/dsp.h"
#include "neon/vp9/inter_prediction_window.h"
#include "vp9/bit_depth.h"
#include "vp9/inter_prediction.h"
#include "vp9/interpolation_filters.h"

namespace sidecore::neon {
namespace {

using vp9::InterpolationFilter;
using vp9::ReferenceArea;

const std::int16_t* word_taps(InterpolationFilter filter, int position) {
  return vp9::kInterpolationFilters[filter][position & 15];
}

template <int bits>
uint16x4_t clamped(uint16x4_t values) {
  return vmin_u16(values, vdup_n_u16((1 << bits) - 1));
}
template <int bits>
uint16x8_t clamped(uint16x8_t values) {
  return vminq_u16(values, vdupq_n_u16((1 << bits) - 1));
}

// Arithmetic on a row of 4 columns, or of 8.
template <int columns, int bits>
struct Arithmetic;

template <int bits>
struct Arithmetic<4, bits> {
  using Register = int16x4_t;
  using Sum = int32x4_t;
  using Taps = int16x8_t;

  static void next_row(Taps& /*taps*/) {}
  static Register load(const std::uint16_t* from) { return vreinterpret_s16_u16(vld1_u16(from)); }
  template <int tap>
  static Sum product(Register s, Taps taps) {
    return vmull_laneq_s16(s, taps, tap);
  }
  template <int tap>
  static Sum add(Sum sum, Register s, Taps taps) {
    return vmlal_laneq_s16(sum, s, taps, tap);
  }
  static Register narrow(Sum sum) {
    return vreinterpret_s16_u16(clamped<bits>(vqrshrun_n_s32(sum, 7)));
  }
  template <bool average>
  static void put(Sum sum, std::uint16_t* to) {
    uint16x4_t samples = clamped<bits>(vqrshrun_n_s32(sum, 7));
    if constexpr (average) samples = vrhadd_u16(vld1_u16(to), samples);
    vst1_u16(to, samples);
  }
};

template <int bits>
struct Arithmetic<8, bits> {
  using Register = int16x8_t;
  struct Sum {
    int32x4_t low, high;
  };
  using Taps = int16x8_t;

  static void next_row(Taps& /*taps*/) {}
  static Register load(const std::uint16_t* from) { return vreinterpretq_s16_u16(vld1q_u16(from)); }
  template <int tap>
  static Sum product(Register s, Taps taps) {
    return {vmull_laneq_s16(vget_low_s16(s), taps, tap), vmull_high_laneq_s16(s, taps, tap)};
  }
  template <int tap>
  static Sum add(Sum sum, Register s, Taps taps) {
    return {vmlal_laneq_s16(sum.low, vget_low_s16(s), taps, tap),
            vmlal_high_laneq_s16(sum.high, s, taps, tap)};
  }
  static uint16x8_t samples(Sum sum) {
    return clamped<bits>(vqrshrun_high_n_s32(vqrshrun_n_s32(sum.low, 7), sum.high, 7));
  }
  static Register narrow(Sum sum) { return vreinterpretq_s16_u16(samples(sum)); }
  template <bool average>
  static void put(Sum sum, std::uint16_t* to) {
    uint16x8_t mean = samples(sum);
    if constexpr (average) mean = vrhaddq_u16(vld1q_u16(to), mean);
    vst1q_u16(to, mean);
  }
};

/// Returns sums along x; `row` points 3 samples left of the first column.
template <int columns, int bits>
typename Arithmetic<columns, bits>::Sum filter_row(const std::uint16_t* row, int16x8_t taps) {
  using A = Arithmetic<columns, bits>;
  typename A::Sum sum = A::template product<0>(A::load(row), taps);
  sum = A::template add<1>(sum, A::load(row + 1), taps);
  sum = A::template add<2>(sum, A::load(row + 2), taps);
  sum = A::template add<3>(sum, A::load(row + 3), taps);
  sum = A::template add<4>(sum, A::load(row + 4), taps);
  sum = A::template add<5>(sum, A::load(row + 5), taps);
  sum = A::template add<6>(sum, A::load(row + 6), taps);
  return A::template add<7>(sum, A::load(row + 7), taps);
}

// Parameters of inter::filter_columns(): a strip that takes sums from the top down (Destination),
// and sources of rows for a filter along columns.

template <int columns, int bits, bool average>
class Destination : public inter::FourRows<std::uint16_t> {
 public:
  using FourRows::FourRows;

  template <int row>
  void put(typename Arithmetic<columns, bits>::Sum sum) {
    Arithmetic<columns, bits>::template put<average>(sum, at<row>());
  }
};

template <int columns, int bits>
class LoadedRows : public inter::FourRows<const std::uint16_t> {
 public:
  using FourRows::FourRows;

  template <int row>
  auto get() {
    return Arithmetic<columns, bits>::load(at<row>());
  }
};

template <int columns, int bits>
class FilteredRows : public inter::FourRows<const std::uint16_t> {
 public:
  FilteredRows(const std::uint16_t* first, std::ptrdiff_t stride, int16x8_t taps)
      : FourRows(first - vp9::kTapsBefore, stride), taps_(taps) {}

  template <int row>
  auto get() {
    return Arithmetic<columns, bits>::narrow(sum<row>());
  }
  template <int row>
  auto sum() {
    return filter_row<columns, bits>(at<row>(), taps_);
  }

 private:
  int16x8_t taps_;
};

// Functions for the table. Each width has a function of its own with the table's parameters. The
// table's function can therefore tail-call it, and a narrow block does not save registers that only
// a wide block needs.

template <int columns, int bits, bool average>
[[gnu::noinline]] void filter_rows(const std::uint16_t* from, std::ptrdiff_t from_stride,
                                   const ReferenceArea& area, InterpolationFilter filter,
                                   std::uint16_t* to, std::ptrdiff_t stride) {
  FilteredRows<columns, bits> rows(from, from_stride, vld1q_s16(word_taps(filter, area.x)));
  Destination<columns, bits, average> destination(to, stride);
  int columns_left = columns == 4 ? columns : area.width;
  do {
    int left = area.height;
    do {
      destination.template put<0>(rows.template sum<0>());
      destination.template put<1>(rows.template sum<1>());
      destination.template put<2>(rows.template sum<2>());
      destination.template put<3>(rows.template sum<3>());
      rows.template go_down<4>();
      destination.template go_down<4>();
      left -= 4;
    } while (left != 0);
    rows.template next_strip<columns>();
    destination.template next_strip<columns>();
    columns_left -= columns;
  } while (columns_left != 0);
}

template <int columns, int bits, bool average>
[[gnu::noinline]] void filter_columns(const std::uint16_t* from, std::ptrdiff_t from_stride,
                                      const ReferenceArea& area, InterpolationFilter filter,
                                      std::uint16_t* to, std::ptrdiff_t stride) {
  int16x8_t taps = vld1q_s16(word_taps(filter, area.y));
  LoadedRows<columns, bits> rows(from - vp9::kTapsBefore * from_stride, from_stride);
  Destination<columns, bits, average> destination(to, stride);
  int left = columns == 4 ? columns : area.width;
  do {
    inter::filter_columns<Arithmetic<columns, bits>, 1>(rows, taps, area.height, destination);
    rows.template next_strip<columns>();
    destination.template next_strip<columns>();
    left -= columns;
  } while (left != 0);
}

template <int columns, int bits, bool average>
[[gnu::noinline]] void filter_both(const std::uint16_t* from, std::ptrdiff_t from_stride,
                                   const ReferenceArea& area, InterpolationFilter filter,
                                   std::uint16_t* to, std::ptrdiff_t stride) {
  int16x8_t taps = vld1q_s16(word_taps(filter, area.y));
  FilteredRows<columns, bits> rows(from - vp9::kTapsBefore * from_stride, from_stride,
                                   vld1q_s16(word_taps(filter, area.x)));
  Destination<columns, bits, average> destination(to, stride);
  int left = columns == 4 ? columns : area.width;
  do {
    inter::filter_columns<Arithmetic<columns, bits>, 1>(rows, taps, area.height, destination);
    rows.template next_strip<columns>();
    destination.template next_strip<columns>();
    left -= columns;
  } while (left != 0);
}

template <int bits, bool average>
void predict_horizontal(const std::uint16_t* from, std::ptrdiff_t from_stride,
                        const ReferenceArea& area, InterpolationFilter filter, std::uint16_t* to,
                        std::ptrdiff_t stride) {
  if (area.width == 4) {
    return filter_rows<4, bits, average>(from, from_stride, area, filter, to, stride);
  }
  filter_rows<8, bits, average>(from, from_stride, area, filter, to, stride);
}

template <int bits, bool average>
void predict_vertical(const std::uint16_t* from, std::ptrdiff_t from_stride,
                      const ReferenceArea& area, InterpolationFilter filter, std::uint16_t* to,
                      std::ptrdiff_t stride) {
  if (area.width == 4) {
    return filter_columns<4, bits, average>(from, from_stride, area, filter, to, stride);
  }
  filter_columns<8, bits, average>(from, from_stride, area, filter, to, stride);
}

template <int bits, bool average>
void predict_both(const std::uint16_t* from, std::ptrdiff_t from_stride, const ReferenceArea& area,
                  InterpolationFilter filter, std::uint16_t* to, std::ptrdiff_t stride) {
  if (area.width == 4) {
    return filter_both<4, bits, average>(from, from_stride, area, filter, to, stride);
  }
  filter_both<8, bits, average>(from, from_stride, area, filter, to, stride);
}

// Prediction from references of another size than the frame

constexpr int kLargest = 64;
constexpr int kLargestRows = ((kLargest - 1) * 32 + 15) / 16 + vp9::kTaps;

/// Filters `rows` rows along x into rows of kLargest samples. Each column has its own taps, so four
/// columns are filtered from top to bottom with their taps in registers.
template <int bits>
void filter_scaled_rows(const std::uint16_t* from, std::ptrdiff_t from_stride,
                        const ReferenceArea& area, InterpolationFilter filter, int rows,
                        std::uint16_t* to) {
  for (int x = 0; x < area.width; x += 4) {
    int16x8_t taps[4];
    const std::uint16_t* column[4];
    for (int k = 0; k < 4; ++k) {
      const int position = (area.x & 15) + (x + k) * area.step_x;
      taps[k] = vld1q_s16(word_taps(filter, position));
      column[k] = from + (position >> 4) - vp9::kTapsBefore;
    }
    std::ptrdiff_t offset = 0;
    for (int y = 0; y < rows; ++y, offset += from_stride) {
      int32x4_t products[4];
      for (int k = 0; k < 4; ++k) {
        const int16x8_t samples = vreinterpretq_s16_u16(vld1q_u16(column[k] + offset));
        products[k] = vmlal_high_s16(vmull_s16(vget_low_s16(samples), vget_low_s16(taps[k])),
                                     samples, taps[k]);
      }
      const int32x4_t sums =
          vpaddq_s32(vpaddq_s32(products[0], products[1]), vpaddq_s32(products[2], products[3]));
      Arithmetic<4, bits>::template put<false>(sums, to + y * kLargest + x);
    }
  }
}

template <int bits, bool average>
void predict_scaled(const std::uint16_t* from, std::ptrdiff_t from_stride,
                    const ReferenceArea& area, InterpolationFilter filter, std::uint16_t* to,
                    std::ptrdiff_t stride) {
  using A = Arithmetic<4, bits>;
  std::array<std::uint16_t, kLargest * kLargestRows> between;
  const int rows = (((area.height - 1) * area.step_y + (area.y & 15)) >> 4) + vp9::kTaps;
  filter_scaled_rows<bits>(from - vp9::kTapsBefore * from_stride, from_stride, area, filter, rows,
                           between.data());
  for (int y = 0; y < area.height; ++y, to += stride) {
    const int position = (area.y & 15) + y * area.step_y;
    const std::uint16_t* const row = between.data() + (position >> 4) * kLargest;
    const int16x8_t taps = vld1q_s16(word_taps(filter, position));
    for (int x = 0; x < area.width; x += 4) {
      const auto at = [&](int tap) { return A::load(row + tap * kLargest + x); };
      int32x4_t sum = A::template product<0>(at(0), taps);
      sum = A::template add<1>(sum, at(1), taps);
      sum = A::template add<2>(sum, at(2), taps);
      sum = A::template add<3>(sum, at(3), taps);
      sum = A::template add<4>(sum, at(4), taps);
      sum = A::template add<5>(sum, at(5), taps);
      sum = A::template add<6>(sum, at(6), taps);
      sum = A::template add<7>(sum, at(7), taps);
      A::template put<average>(sum, to + x);
    }
  }
}

template <int bits, bool average>
void add_kernels(vp9::Dsp<std::uint16_t>& dsp) {
  auto& kernels = dsp.inter[average];
  kernels = {kernels.front(), predict_horizontal<bits, average>, predict_vertical<bits, average>,
             predict_both<bits, average>, predict_scaled<bits, average>};
}

}  // namespace

void add_inter_prediction(vp9::Dsp<std::uint16_t>& dsp) {
  vp9::for_high_bit_depth(dsp.bits, [&]<int bits>() {
    add_kernels<bits, false>(dsp);
    add_kernels<bits, true>(dsp);
  });
}

}  // namespace sidecore::neon
