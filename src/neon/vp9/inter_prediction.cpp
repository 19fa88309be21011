// Inter prediction of 8-bit samples. A filter works on samples minus 128, which are signed bytes.
// Its taps add up to 128, so the sum lacks 128 * 128 and the result lacks 128. No partial sum
// exceeds 236 * 128, so 16 bits suffice. Narrowing to signed bytes then clamps as the scalar
// definition does.
#include "vp9/inter_prediction.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "neon/neon.h"
#include "neon/vp9/dsp.h"
#include "neon/vp9/inter_prediction_window.h"
#include "vp9/interpolation_filters.h"

namespace sidecore::neon {
namespace {

using vp9::InterpolationFilter;
using vp9::ReferenceArea;

/// Filter taps as bytes. Taps of fraction 0 do not fit, but no filter with fraction 0 is run.
constexpr auto kByteTaps = [] {
  std::array<std::array<std::array<std::int8_t, vp9::kTaps>, 16>, 4> taps{};
  for (std::size_t filter = 0; filter < 4; ++filter) {
    for (std::size_t fraction = 1; fraction < 16; ++fraction) {
      for (std::size_t tap = 0; tap < vp9::kTaps; ++tap) {
        taps[filter][fraction][tap] =
            static_cast<std::int8_t>(vp9::kInterpolationFilters[filter][fraction][tap]);
      }
    }
  }
  return taps;
}();

const std::int8_t* byte_taps(InterpolationFilter filter, int position) {
  return kByteTaps[filter][static_cast<std::size_t>(position & 15)].data();
}

int8x8_t centred(uint8x8_t samples) {
  return vreinterpret_s8_u8(veor_u8(samples, vdup_n_u8(128)));
}
int8x16_t centred(uint8x16_t samples) {
  return vreinterpretq_s8_u8(veorq_u8(samples, vdupq_n_u8(128)));
}
uint8x8_t samples_of(int8x8_t values) {
  return veor_u8(vreinterpret_u8_s8(values), vdup_n_u8(128));
}
uint8x16_t samples_of(int8x16_t values) {
  return veorq_u8(vreinterpretq_u8_s8(values), vdupq_n_u8(128));
}
int8x8_t rounded(int16x8_t sum) {
  return vqrshrn_n_s16(sum, 7);
}
int8x16_t rounded(int16x8_t low, int16x8_t high) {
  return vqrshrn_high_n_s16(rounded(low), high, 7);
}

// Arithmetic on registers of eight samples: a row of 8 columns, or two rows of 4.
template <int columns>
struct Arithmetic {
  using Register = int8x8_t;
  using Sum = int16x8_t;

  /// Taps of a filter, each in all lanes of a register.
  struct Taps {
    explicit Taps(const std::int8_t* taps) {
      const int8x8_t all = vld1_s8(taps);
      tap[0] = vdup_lane_s8(all, 0);
      tap[1] = vdup_lane_s8(all, 1);
      tap[2] = vdup_lane_s8(all, 2);
      tap[3] = vdup_lane_s8(all, 3);
      tap[4] = vdup_lane_s8(all, 4);
      tap[5] = vdup_lane_s8(all, 5);
      tap[6] = vdup_lane_s8(all, 6);
      tap[7] = vdup_lane_s8(all, 7);
    }
    int8x8_t tap[vp9::kTaps];
  };

  static void next_row(Taps& /*taps*/) {}
  template <int tap>
  static Sum product(Register s, const Taps& taps) {
    return vmull_s8(s, taps.tap[tap]);
  }
  template <int tap>
  static Sum add(Sum sum, Register s, const Taps& taps) {
    return vmlal_s8(sum, s, taps.tap[tap]);
  }
  static Register next_row(Register a, Register b) { return vext_s8(a, b, 4); }
};

// Arithmetic on a row of 16 columns.
template <>
struct Arithmetic<16> {
  using Register = int8x16_t;
  struct Sum {
    int16x8_t low, high;
  };

  struct Taps {
    explicit Taps(const std::int8_t* taps) {
      const int8x8_t all = vld1_s8(taps);
      tap[0] = vdupq_lane_s8(all, 0);
      tap[1] = vdupq_lane_s8(all, 1);
      tap[2] = vdupq_lane_s8(all, 2);
      tap[3] = vdupq_lane_s8(all, 3);
      tap[4] = vdupq_lane_s8(all, 4);
      tap[5] = vdupq_lane_s8(all, 5);
      tap[6] = vdupq_lane_s8(all, 6);
      tap[7] = vdupq_lane_s8(all, 7);
    }
    int8x16_t tap[vp9::kTaps];
  };

  static void next_row(Taps& taps) {
    for (int8x16_t& tap : taps.tap) inter::make_opaque(tap);
  }
  template <int tap>
  static Sum product(Register s, const Taps& taps) {
    return {vmull_s8(vget_low_s8(s), vget_low_s8(taps.tap[tap])), vmull_high_s8(s, taps.tap[tap])};
  }
  template <int tap>
  static Sum add(Sum sum, Register s, const Taps& taps) {
    return {vmlal_s8(sum.low, vget_low_s8(s), vget_low_s8(taps.tap[tap])),
            vmlal_high_s8(sum.high, s, taps.tap[tap])};
  }
};

// Loads and stores

template <int lane>
uint8x8_t load_lane(const std::uint8_t* from, uint8x8_t lanes) {
  std::uint32_t word = 0;
  std::memcpy(&word, from, sizeof word);
  return vreinterpret_u8_u32(vld1_lane_u32(&word, vreinterpret_u32_u8(lanes), lane));
}

template <int lane>
void store_lane(std::uint8_t* to, uint8x8_t lanes) {
  const std::uint32_t word = vget_lane_u32(vreinterpret_u32_u8(lanes), lane);
  std::memcpy(to, &word, sizeof word);
}

/// Loads a row of 16 or 8 samples, or a row of 4 and the row below it.
template <int columns, int row, class Sample>
auto load_rows(const inter::FourRows<Sample>& rows) {
  if constexpr (columns == 16) {
    return vld1q_u8(rows.template at<row>());
  } else if constexpr (columns == 8) {
    return vld1_u8(rows.template at<row>());
  } else {
    const uint8x8_t upper = load_lane<0>(rows.template at<row>(), vdup_n_u8(0));
    return load_lane<1>(rows.template at<row + 1>(), upper);
  }
}

template <int columns, int row>
void store_rows(const inter::FourRows<std::uint8_t>& rows, uint8x8_t samples) {
  if constexpr (columns == 8) {
    vst1_u8(rows.at<row>(), samples);
  } else {
    store_lane<0>(rows.at<row>(), samples);
    store_lane<1>(rows.at<row + 1>(), samples);
  }
}

uint8x16_t load_two(const std::uint8_t* a, const std::uint8_t* b) {
  std::uint64_t high = 0;
  std::memcpy(&high, b, sizeof high);
  const uint8x16_t low = vcombine_u8(vld1_u8(a), vdup_n_u8(0));
  return vreinterpretq_u8_u64(vld1q_lane_u64(&high, vreinterpretq_u64_u8(low), 1));
}

// Parameters of inter::filter_columns(): a strip that takes sums from the top down (Destination),
// and sources of rows for a filter along columns.

template <int columns, bool average>
class Destination : public inter::FourRows<std::uint8_t> {
 public:
  using FourRows::FourRows;

  template <int row>
  void put(typename Arithmetic<columns>::Sum sum) {
    if constexpr (columns == 16) {
      uint8x16_t samples = samples_of(rounded(sum.low, sum.high));
      if constexpr (average) samples = vrhaddq_u8(vld1q_u8(at<row>()), samples);
      vst1q_u8(at<row>(), samples);
    } else {
      uint8x8_t samples = samples_of(rounded(sum));
      if constexpr (average) {
        const uint8x8_t there = load_rows<columns, row>(*this);
        samples = vrhadd_u8(there, samples);
      }
      store_rows<columns, row>(*this, samples);
    }
  }
};

template <int columns>
class LoadedRows : public inter::FourRows<const std::uint8_t> {
 public:
  using FourRows::FourRows;

  int8x8_t first() { return centred(load_lane<1>(at<0>(), vdup_n_u8(0))); }
  template <int row>
  auto get() {
    return centred(load_rows<columns, row>(*this));
  }
};

/// Filter along x. In its sums a register's lower half has the samples at one tap, its upper half
/// those at the next tap, so one permutation serves two taps.
class RowFilter {
 public:
  explicit RowFilter(const std::int8_t* taps) {
    const int8x8_t half = vld1_s8(taps);
    const int8x16_t all = vcombine_s8(half, half);
    taps01_ = vqtbl1q_s8(all, lanes(kTwoTaps[0]));
    taps23_ = vqtbl1q_s8(all, lanes(kTwoTaps[1]));
    taps45_ = vqtbl1q_s8(all, lanes(kTwoTaps[2]));
    taps67_ = vqtbl1q_s8(all, lanes(kTwoTaps[3]));
  }
  void next_row() { inter::make_opaque(taps01_, taps23_, taps45_, taps67_); }
  /// Returns the sums of 8 columns of a row; `row` points 3 samples left of the first column.
  [[nodiscard]] int16x8_t eight(const std::uint8_t* row) const {
    const int8x16_t s = centred(vld1q_u8(row));
    int16x8_t sum = product(vqtbl1q_s8(s, eight01_), taps01_);
    sum = add(sum, vqtbl1q_s8(s, eight23_), taps23_);
    sum = add(sum, vqtbl1q_s8(s, eight45_), taps45_);
    return add(sum, vqtbl1q_s8(s, eight67_), taps67_);
  }
  /// Returns the sums of 4 columns of each of two rows.
  [[nodiscard]] int16x8_t four(const std::uint8_t* a, const std::uint8_t* b) const {
    const int8x16_t left = centred(load_two(a, b));
    const int8x16_t right = centred(load_two(a + 4, b + 4));
    int16x8_t sum = product(vqtbl1q_s8(left, four01_), taps01_);
    sum = add(sum, vqtbl1q_s8(left, four23_), taps23_);
    sum = add(sum, vqtbl1q_s8(right, four01_), taps45_);
    return add(sum, vqtbl1q_s8(right, four23_), taps67_);
  }

 private:
  using Lanes = std::array<std::uint8_t, 16>;
  static constexpr std::array<Lanes, 4> kTwoTaps = {{
      {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1},
      {2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3},
      {4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5, 5, 5},
      {6, 6, 6, 6, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7, 7},
  }};
  static constexpr std::array<Lanes, 4> kEight = {{
      {0, 1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7, 8},
      {2, 3, 4, 5, 6, 7, 8, 9, 3, 4, 5, 6, 7, 8, 9, 10},
      {4, 5, 6, 7, 8, 9, 10, 11, 5, 6, 7, 8, 9, 10, 11, 12},
      {6, 7, 8, 9, 10, 11, 12, 13, 7, 8, 9, 10, 11, 12, 13, 14},
  }};
  static constexpr std::array<Lanes, 2> kFour = {{
      {0, 1, 2, 3, 8, 9, 10, 11, 1, 2, 3, 4, 9, 10, 11, 12},
      {2, 3, 4, 5, 10, 11, 12, 13, 3, 4, 5, 6, 11, 12, 13, 14},
  }};

  static uint8x16_t lanes(const Lanes& table) { return vld1q_u8(table.data()); }
  static int16x8_t product(int8x16_t s, int8x16_t taps) {
    return vmlal_high_s8(vmull_s8(vget_low_s8(s), vget_low_s8(taps)), s, taps);
  }
  static int16x8_t add(int16x8_t sum, int8x16_t s, int8x16_t taps) {
    return vmlal_high_s8(vmlal_s8(sum, vget_low_s8(s), vget_low_s8(taps)), s, taps);
  }

  int8x16_t taps01_, taps23_, taps45_, taps67_;
  uint8x16_t eight01_ = lanes(kEight[0]), eight23_ = lanes(kEight[1]), eight45_ = lanes(kEight[2]),
             eight67_ = lanes(kEight[3]);
  uint8x16_t four01_ = lanes(kFour[0]), four23_ = lanes(kFour[1]);
};

template <int columns>
class FilteredRows : public inter::FourRows<const std::uint8_t> {
 public:
  FilteredRows(const std::uint8_t* first, std::ptrdiff_t stride, const std::int8_t* taps)
      : FourRows(first - vp9::kTapsBefore, stride), filter_(taps) {}

  int8x8_t first() { return rounded(filter_.four(at<0>(), at<0>())); }
  template <int row>
  auto get() {
    filter_.next_row();
    if constexpr (columns == 16) {
      return rounded(filter_.eight(at<row>()), filter_.eight(at<row>() + 8));
    } else {
      return rounded(sum<row>());
    }
  }
  template <int row>
  int16x8_t sum() {
    if constexpr (columns == 8) {
      return filter_.eight(at<row>());
    } else {
      return filter_.four(at<row>(), at<row + 1>());
    }
  }

 private:
  RowFilter filter_;
};

// Functions for the table. Each width has a function of its own with the table's parameters. The
// table's function can therefore tail-call it, and a narrow block does not save registers that only
// a wide block needs.

template <int columns, bool average>
[[gnu::noinline]] void filter_rows(const std::uint8_t* from, std::ptrdiff_t from_stride,
                                   const ReferenceArea& area, InterpolationFilter filter,
                                   std::uint8_t* to, std::ptrdiff_t stride) {
  FilteredRows<columns> rows(from, from_stride, byte_taps(filter, area.x));
  Destination<columns, average> destination(to, stride);
  for (int left = area.height; left != 0; left -= 4) {
    destination.template put<0>(rows.template sum<0>());
    if constexpr (columns == 8) destination.template put<1>(rows.template sum<1>());
    destination.template put<2>(rows.template sum<2>());
    if constexpr (columns == 8) destination.template put<3>(rows.template sum<3>());
    rows.template go_down<4>();
    destination.template go_down<4>();
  }
}

template <bool average>
[[gnu::noinline]] void filter_wide_rows(const std::uint8_t* from, std::ptrdiff_t from_stride,
                                        const ReferenceArea& area, InterpolationFilter filter,
                                        std::uint8_t* to, std::ptrdiff_t stride) {
  RowFilter row_filter(byte_taps(filter, area.x));
  from -= vp9::kTapsBefore;
  int columns_left = area.width;
  do {
    const std::uint8_t* row = from;
    std::uint8_t* out = to;
    const auto filter_row = [&] {
      uint8x16_t samples = samples_of(rounded(row_filter.eight(row), row_filter.eight(row + 8)));
      if constexpr (average) samples = vrhaddq_u8(vld1q_u8(out), samples);
      vst1q_u8(out, samples);
      row += from_stride;
      out += stride;
    };
    for (int left = area.height; left != 0; left -= 2) {
      filter_row();
      filter_row();
    }
    from += 16;
    to += 16;
    columns_left -= 16;
  } while (columns_left != 0);
}

template <int columns, bool average>
[[gnu::noinline]] void filter_columns(const std::uint8_t* from, std::ptrdiff_t from_stride,
                                      const ReferenceArea& area, InterpolationFilter filter,
                                      std::uint8_t* to, std::ptrdiff_t stride) {
  typename Arithmetic<columns>::Taps taps(byte_taps(filter, area.y));
  LoadedRows<columns> rows(from - vp9::kTapsBefore * from_stride, from_stride);
  Destination<columns, average> destination(to, stride);
  int left = columns == 4 ? columns : area.width;
  do {
    inter::filter_columns<Arithmetic<columns>, columns == 4 ? 2 : 1>(rows, taps, area.height,
                                                                     destination);
    rows.template next_strip<columns>();
    destination.template next_strip<columns>();
    left -= columns;
  } while (left != 0);
}

template <int columns, bool average>
[[gnu::noinline]] void filter_both(const std::uint8_t* from, std::ptrdiff_t from_stride,
                                   const ReferenceArea& area, InterpolationFilter filter,
                                   std::uint8_t* to, std::ptrdiff_t stride) {
  typename Arithmetic<columns>::Taps taps(byte_taps(filter, area.y));
  FilteredRows<columns> rows(from - vp9::kTapsBefore * from_stride, from_stride,
                             byte_taps(filter, area.x));
  Destination<columns, average> destination(to, stride);
  int left = columns == 4 ? columns : area.width;
  do {
    inter::filter_columns<Arithmetic<columns>, columns == 4 ? 2 : 1>(rows, taps, area.height,
                                                                     destination);
    rows.template next_strip<columns>();
    destination.template next_strip<columns>();
    left -= columns;
  } while (left != 0);
}

template <bool average>
void predict_horizontal(const std::uint8_t* from, std::ptrdiff_t from_stride,
                        const ReferenceArea& area, InterpolationFilter filter, std::uint8_t* to,
                        std::ptrdiff_t stride) {
  const int width = area.width;
  if (width == 8) return filter_rows<8, average>(from, from_stride, area, filter, to, stride);
  if (width == 4) return filter_rows<4, average>(from, from_stride, area, filter, to, stride);
  filter_wide_rows<average>(from, from_stride, area, filter, to, stride);
}

template <bool average>
void predict_vertical(const std::uint8_t* from, std::ptrdiff_t from_stride,
                      const ReferenceArea& area, InterpolationFilter filter, std::uint8_t* to,
                      std::ptrdiff_t stride) {
  const int width = area.width;
  if (width == 8) return filter_columns<8, average>(from, from_stride, area, filter, to, stride);
  if (width == 4) return filter_columns<4, average>(from, from_stride, area, filter, to, stride);
  filter_columns<16, average>(from, from_stride, area, filter, to, stride);
}

template <bool average>
void predict_both(const std::uint8_t* from, std::ptrdiff_t from_stride, const ReferenceArea& area,
                  InterpolationFilter filter, std::uint8_t* to, std::ptrdiff_t stride) {
  const int width = area.width;
  if (width == 8) return filter_both<8, average>(from, from_stride, area, filter, to, stride);
  if (width == 4) return filter_both<4, average>(from, from_stride, area, filter, to, stride);
  filter_both<16, average>(from, from_stride, area, filter, to, stride);
}

// Prediction from references of another size than the frame

constexpr int kLargest = 64;
constexpr int kLargestRows = ((kLargest - 1) * 32 + 15) / 16 + vp9::kTaps;

/// Filters `rows` rows along x into rows of kLargest signed bytes. Each column has its own taps, so
/// eight columns are filtered from top to bottom with their taps in registers.
void filter_scaled_rows(const std::uint8_t* from, std::ptrdiff_t from_stride,
                        const ReferenceArea& area, InterpolationFilter filter, int rows,
                        std::int8_t* to) {
  for (int x = 0; x < area.width; x += 8) {
    int16x8_t taps[8];
    const std::uint8_t* column[8];
    for (int k = 0; k < 8; ++k) {
      const int position = (area.x & 15) + std::min(x + k, area.width - 1) * area.step_x;
      taps[k] = vld1q_s16(vp9::kInterpolationFilters[filter][position & 15]);
      column[k] = from + (position >> 4) - vp9::kTapsBefore;
    }
    std::ptrdiff_t offset = 0;
    for (int y = 0; y < rows; ++y, offset += from_stride) {
      int16x8_t products[8];
      for (int k = 0; k < 8; ++k) {
        const uint16x8_t samples = vsubl_u8(vld1_u8(column[k] + offset), vdup_n_u8(128));
        products[k] = vmulq_s16(vreinterpretq_s16_u16(samples), taps[k]);
      }
      const int16x8_t sums = vpaddq_s16(
          vpaddq_s16(vpaddq_s16(products[0], products[1]), vpaddq_s16(products[2], products[3])),
          vpaddq_s16(vpaddq_s16(products[4], products[5]), vpaddq_s16(products[6], products[7])));
      vst1_s8(to + y * kLargest + x, vqrshrn_n_s16(sums, 7));
    }
  }
}

/// Writes the first `width` columns of the block; `width` is 4 or 8.
template <bool average>
void put_columns(int8x8_t values, int width, std::uint8_t* to) {
  uint8x8_t samples = samples_of(values);
  if (width == 4) {
    if constexpr (average) samples = vrhadd_u8(load_lane<0>(to, vdup_n_u8(0)), samples);
    return store_lane<0>(to, samples);
  }
  if constexpr (average) samples = vrhadd_u8(vld1_u8(to), samples);
  vst1_u8(to, samples);
}

template <bool average>
void predict_scaled(const std::uint8_t* from, std::ptrdiff_t from_stride, const ReferenceArea& area,
                    InterpolationFilter filter, std::uint8_t* to, std::ptrdiff_t stride) {
  std::array<std::int8_t, kLargest * kLargestRows> between;
  const int rows = (((area.height - 1) * area.step_y + (area.y & 15)) >> 4) + vp9::kTaps;
  filter_scaled_rows(from - vp9::kTapsBefore * from_stride, from_stride, area, filter, rows,
                     between.data());
  for (int y = 0; y < area.height; ++y, to += stride) {
    const int position = (area.y & 15) + y * area.step_y;
    const std::int8_t* const row = between.data() + (position >> 4) * kLargest;
    const bool whole = (position & 15) == 0;
    const Arithmetic<8>::Taps taps(byte_taps(filter, position));
    for (int x = 0; x < area.width; x += 8) {
      const auto at = [&](int tap) { return vld1_s8(row + tap * kLargest + x); };
      if (whole) {
        put_columns<average>(at(vp9::kTapsBefore), area.width, to + x);
        continue;
      }
      int16x8_t sum = Arithmetic<8>::product<0>(at(0), taps);
      sum = Arithmetic<8>::add<1>(sum, at(1), taps);
      sum = Arithmetic<8>::add<2>(sum, at(2), taps);
      sum = Arithmetic<8>::add<3>(sum, at(3), taps);
      sum = Arithmetic<8>::add<4>(sum, at(4), taps);
      sum = Arithmetic<8>::add<5>(sum, at(5), taps);
      sum = Arithmetic<8>::add<6>(sum, at(6), taps);
      sum = Arithmetic<8>::add<7>(sum, at(7), taps);
      put_columns<average>(rounded(sum), area.width, to + x);
    }
  }
}

template <bool average>
void add_kernels(vp9::Dsp<std::uint8_t>& dsp) {
  auto& kernels = dsp.inter[average];
  kernels = {kernels.front(), predict_horizontal<average>, predict_vertical<average>,
             predict_both<average>, predict_scaled<average>};
}

}  // namespace

void add_inter_prediction(vp9::Dsp<std::uint8_t>& dsp) {
  add_kernels<false>(dsp);
  add_kernels<true>(dsp);
}

}  // namespace sidecore::neon
