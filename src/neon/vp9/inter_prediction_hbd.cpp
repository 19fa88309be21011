// Inter prediction of 10 and 12 bits: sums of 32 bits, products by lanes of one register of taps.
#include <algorithm>
#include <array>

#include "neon/neon.h"
#include "neon/vp9/dsp.h"
#include "neon/vp9/inter_prediction_window.h"
#include "vp9/inter_prediction.h"
#include "vp9/interpolation_filters.h"

namespace sidecore::neon {
namespace {

using vp9::InterpolationFilter;
using vp9::ReferenceArea;

int16x8_t load_taps(InterpolationFilter filter, int position) {
  return vld1q_s16(vp9::kInterpolationFilters[filter][position & 15]);
}

template <int bits>
struct Arithmetic {
  using Register = int16x8_t;
  using Sum = int32x4_t;
  using Taps = int16x8_t;

  template <int tap>
  static Sum product_low(Register s, Taps taps) {
    return vmull_laneq_s16(vget_low_s16(s), taps, tap);
  }
  template <int tap>
  static Sum product_high(Register s, Taps taps) {
    return vmull_high_laneq_s16(s, taps, tap);
  }
  template <int tap>
  static Sum add_low(Sum sum, Register s, Taps taps) {
    return vmlal_laneq_s16(sum, vget_low_s16(s), taps, tap);
  }
  template <int tap>
  static Sum add_high(Sum sum, Register s, Taps taps) {
    return vmlal_high_laneq_s16(sum, s, taps, tap);
  }
  static Register narrow(Sum low, Sum high) {
    const uint16x8_t values = vqrshrun_high_n_s32(vqrshrun_n_s32(low, 7), high, 7);
    return vreinterpretq_s16_u16(vminq_u16(values, vdupq_n_u16((1 << bits) - 1)));
  }
};

// Memory: 8 samples are a row of 8 or two rows of 4.

template <int columns>
uint16x8_t load_rows(const std::uint16_t* from, std::ptrdiff_t stride) {
  if constexpr (columns == 8) return vld1q_u16(from);
  return vcombine_u16(vld1_u16(from), vld1_u16(from + stride));
}

template <int columns>
void store_rows(std::uint16_t* to, std::ptrdiff_t stride, uint16x8_t samples) {
  if constexpr (columns == 8) return vst1q_u16(to, samples);
  vst1_u16(to, vget_low_u16(samples));
  vst1_u16(to + stride, vget_high_u16(samples));
}

template <int columns, bool average>
class Destination {
 public:
  Destination(std::uint16_t* to, std::ptrdiff_t stride) : to_(to), stride_(stride) {}

  void operator()(int16x8_t values) {
    uint16x8_t samples = vreinterpretq_u16_s16(values);
    if constexpr (average) samples = vrhaddq_u16(load_rows<columns>(to_, stride_), samples);
    store_rows<columns>(to_, stride_, samples);
    to_ += 8 / columns * stride_;
  }

 private:
  std::uint16_t* to_;
  std::ptrdiff_t stride_;
};

template <int columns>
class LoadedRows {
 public:
  LoadedRows(const std::uint16_t* from, std::ptrdiff_t stride) : from_(from), stride_(stride) {}

  int16x8_t first() {
    if constexpr (columns == 8) return next();
    const uint16x4_t row = vld1_u16(from_);
    from_ += stride_;
    return vreinterpretq_s16_u16(vcombine_u16(row, row));
  }
  int16x8_t next() {
    const uint16x8_t rows = load_rows<columns>(from_, stride_);
    from_ += 8 / columns * stride_;
    return vreinterpretq_s16_u16(rows);
  }

 private:
  const std::uint16_t* from_;
  std::ptrdiff_t stride_;
};

template <int columns, int bits>
class FilteredRows {
 public:
  FilteredRows(const std::uint16_t* from, std::ptrdiff_t stride, int16x8_t taps)
      : from_(from - vp9::kTapsBefore), stride_(stride), taps_(taps) {}

  int16x8_t first() {
    if constexpr (columns == 8) return next();
    const int32x4_t row = four(from_);
    from_ += stride_;
    return Arithmetic<bits>::narrow(row, row);
  }
  int16x8_t next() {
    const std::uint16_t* const top = from_;
    from_ += 8 / columns * stride_;
    if constexpr (columns == 8) return eight(top);
    return Arithmetic<bits>::narrow(four(top), four(top + stride_));
  }

 private:
  using A = Arithmetic<bits>;

  [[nodiscard]] int16x8_t eight(const std::uint16_t* row) const {
    const auto at = [row](int tap) { return vreinterpretq_s16_u16(vld1q_u16(row + tap)); };
    const int16x8_t first = at(0);
    int32x4_t low = A::template product_low<0>(first, taps_);
    int32x4_t high = A::template product_high<0>(first, taps_);
    const auto add = [&]<int tap>() {
      const int16x8_t s = at(tap);
      low = A::template add_low<tap>(low, s, taps_);
      high = A::template add_high<tap>(high, s, taps_);
    };
    add.template operator()<1>();
    add.template operator()<2>();
    add.template operator()<3>();
    add.template operator()<4>();
    add.template operator()<5>();
    add.template operator()<6>();
    add.template operator()<7>();
    return A::narrow(low, high);
  }
  [[nodiscard]] int32x4_t four(const std::uint16_t* row) const {
    const auto at = [row](int tap) { return vreinterpret_s16_u16(vld1_u16(row + tap)); };
    int32x4_t sum = vmull_laneq_s16(at(0), taps_, 0);
    sum = vmlal_laneq_s16(sum, at(1), taps_, 1);
    sum = vmlal_laneq_s16(sum, at(2), taps_, 2);
    sum = vmlal_laneq_s16(sum, at(3), taps_, 3);
    sum = vmlal_laneq_s16(sum, at(4), taps_, 4);
    sum = vmlal_laneq_s16(sum, at(5), taps_, 5);
    sum = vmlal_laneq_s16(sum, at(6), taps_, 6);
    return vmlal_laneq_s16(sum, at(7), taps_, 7);
  }

  const std::uint16_t* from_;
  std::ptrdiff_t stride_;
  int16x8_t taps_;
};

/// Calls strip<columns>(x) for each strip of a block.
template <class Strip>
[[gnu::always_inline]] inline void for_each_strip(int width, Strip strip) {
  if (width == 4) return strip.template operator()<4>(0);
  int x = 0;
  do {
    strip.template operator()<8>(x);
    x += 8;
  } while (x < width);
}

// The table's functions.

template <bool average>
void predict_copy(const std::uint16_t* from, std::ptrdiff_t from_stride, const ReferenceArea& area,
                  InterpolationFilter /*filter*/, std::uint16_t* to, std::ptrdiff_t stride) {
  if (area.width == 4) {
    LoadedRows<4> rows(from, from_stride);
    Destination<4, average> destination(to, stride);
    for (int y = 0; y < area.height; y += 2) destination(rows.next());
    return;
  }
  for (int y = 0; y < area.height; ++y, from += from_stride, to += stride) {
    int x = 0;
    do {
      uint16x8_t samples = vld1q_u16(from + x);
      if constexpr (average) samples = vrhaddq_u16(vld1q_u16(to + x), samples);
      vst1q_u16(to + x, samples);
      x += 8;
    } while (x < area.width);
  }
}

template <int bits, bool average>
void predict_horizontal(const std::uint16_t* from, std::ptrdiff_t from_stride,
                        const ReferenceArea& area, InterpolationFilter filter, std::uint16_t* to,
                        std::ptrdiff_t stride) {
  const int16x8_t taps = load_taps(filter, area.x);
  for_each_strip(
      area.width, [&]<int columns>(int x) __attribute__((always_inline)) {
        FilteredRows<columns, bits> rows(from + x, from_stride, taps);
        Destination<columns, average> destination(to + x, stride);
        int left = area.height;
        do {
          destination(rows.next());
          destination(rows.next());
          left -= 16 / columns;
        } while (left != 0);
      });
}

template <int bits, bool average>
void predict_vertical(const std::uint16_t* from, std::ptrdiff_t from_stride,
                      const ReferenceArea& area, InterpolationFilter filter, std::uint16_t* to,
                      std::ptrdiff_t stride) {
  const int16x8_t taps = load_taps(filter, area.y);
  from -= vp9::kTapsBefore * from_stride;
  for_each_strip(
      area.width, [&]<int columns>(int x) __attribute__((always_inline)) {
        inter::filter_columns<Arithmetic<bits>, 8 / columns>(
            LoadedRows<columns>(from + x, from_stride), taps, area.height,
            Destination<columns, average>(to + x, stride));
      });
}

template <int bits, bool average>
void predict_both(const std::uint16_t* from, std::ptrdiff_t from_stride, const ReferenceArea& area,
                  InterpolationFilter filter, std::uint16_t* to, std::ptrdiff_t stride) {
  const int16x8_t row_taps = load_taps(filter, area.x);
  const int16x8_t taps = load_taps(filter, area.y);
  from -= vp9::kTapsBefore * from_stride;
  for_each_strip(
      area.width, [&]<int columns>(int x) __attribute__((always_inline)) {
        inter::filter_columns<Arithmetic<bits>, 8 / columns>(
            FilteredRows<columns, bits>(from + x, from_stride, row_taps), taps, area.height,
            Destination<columns, average>(to + x, stride));
      });
}

// References of another size.

constexpr int kLargest = 64;
constexpr int kLargestRows = ((kLargest - 1) * 32 + 15) / 16 + vp9::kTaps;

/// Filters `rows` rows along x into rows of kLargest samples. Columns have taps of their own: four
/// columns at a time keep theirs while they go down.
template <int bits>
void filter_scaled_rows(const std::uint16_t* from, std::ptrdiff_t from_stride,
                        const ReferenceArea& area, InterpolationFilter filter, int rows,
                        std::uint16_t* to) {
  for (int x = 0; x < area.width; x += 4) {
    int16x8_t taps[4];
    const std::uint16_t* column[4];
    for (int k = 0; k < 4; ++k) {
      const int position = (area.x & 15) + (x + k) * area.step_x;
      taps[k] = load_taps(filter, position);
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
      vst1_u16(to + y * kLargest + x,
               vmin_u16(vqrshrun_n_s32(sums, 7), vdup_n_u16((1 << bits) - 1)));
    }
  }
}

template <int bits, bool average>
void predict_scaled(const std::uint16_t* from, std::ptrdiff_t from_stride,
                    const ReferenceArea& area, InterpolationFilter filter, std::uint16_t* to,
                    std::ptrdiff_t stride) {
  std::array<std::uint16_t, kLargest * kLargestRows> between;
  const int rows = (((area.height - 1) * area.step_y + (area.y & 15)) >> 4) + vp9::kTaps;
  filter_scaled_rows<bits>(from - vp9::kTapsBefore * from_stride, from_stride, area, filter, rows,
                           between.data());
  for (int y = 0; y < area.height; ++y, to += stride) {
    const int position = (area.y & 15) + y * area.step_y;
    const std::uint16_t* const row = between.data() + (position >> 4) * kLargest;
    const int16x8_t taps = load_taps(filter, position);
    for (int x = 0; x < area.width; x += 4) {
      const auto at = [&](int tap) {
        return vreinterpret_s16_u16(vld1_u16(row + tap * kLargest + x));
      };
      int32x4_t sum = vmull_laneq_s16(at(0), taps, 0);
      sum = vmlal_laneq_s16(sum, at(1), taps, 1);
      sum = vmlal_laneq_s16(sum, at(2), taps, 2);
      sum = vmlal_laneq_s16(sum, at(3), taps, 3);
      sum = vmlal_laneq_s16(sum, at(4), taps, 4);
      sum = vmlal_laneq_s16(sum, at(5), taps, 5);
      sum = vmlal_laneq_s16(sum, at(6), taps, 6);
      sum = vmlal_laneq_s16(sum, at(7), taps, 7);
      uint16x4_t samples = vmin_u16(vqrshrun_n_s32(sum, 7), vdup_n_u16((1 << bits) - 1));
      if constexpr (average) samples = vrhadd_u16(vld1_u16(to + x), samples);
      vst1_u16(to + x, samples);
    }
  }
}

template <int bits, bool average>
void add_kernels(vp9::Dsp<std::uint16_t>& dsp) {
  dsp.inter[average] = {predict_copy<average>, predict_horizontal<bits, average>,
                        predict_vertical<bits, average>, predict_both<bits, average>,
                        predict_scaled<bits, average>};
}

template <int bits>
void add_kernels_of(vp9::Dsp<std::uint16_t>& dsp) {
  add_kernels<bits, false>(dsp);
  add_kernels<bits, true>(dsp);
}

}  // namespace

void add_inter_prediction(vp9::Dsp<std::uint16_t>& dsp) {
  dsp.bits == 10 ? add_kernels_of<10>(dsp) : add_kernels_of<12>(dsp);
}

}  // namespace sidecore::neon
