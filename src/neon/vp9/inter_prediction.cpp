// Inter prediction of 8-bit samples. A filter works on samples less 128, signed bytes: its taps add
// up to 128, so 128 * 128 is missing in the sum and 128 in the result, and no partial sum exceeds
// 236 * 128, which 16 bits hold. Narrowing to signed bytes then clamps as the definition does.
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

/// The taps as bytes. Those of fraction 0, which do not fit, belong to no filter that is run.
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

int8x16_t centred(uint8x16_t samples) {
  return vreinterpretq_s8_u8(veorq_u8(samples, vdupq_n_u8(128)));
}
uint8x16_t samples_of(int8x16_t values) {
  return veorq_u8(vreinterpretq_u8_s8(values), vdupq_n_u8(128));
}

struct Arithmetic {
  using Register = int8x16_t;
  using Sum = int16x8_t;

  /// Each tap in all lanes.
  struct Taps {
    explicit Taps(const std::int8_t* taps)
        : low(vld4q_dup_s8(taps)), high(vld4q_dup_s8(taps + 4)) {}
    int8x16x4_t low;
    int8x16x4_t high;
    template <int tap>
    [[nodiscard]] int8x16_t at() const {
      return tap < 4 ? low.val[tap & 3] : high.val[tap & 3];
    }
  };

  template <int tap>
  static Sum product_low(Register s, const Taps& taps) {
    return vmull_s8(vget_low_s8(s), vget_low_s8(taps.template at<tap>()));
  }
  template <int tap>
  static Sum product_high(Register s, const Taps& taps) {
    return vmull_high_s8(s, taps.template at<tap>());
  }
  template <int tap>
  static Sum add_low(Sum sum, Register s, const Taps& taps) {
    return vmlal_s8(sum, vget_low_s8(s), vget_low_s8(taps.template at<tap>()));
  }
  template <int tap>
  static Sum add_high(Sum sum, Register s, const Taps& taps) {
    return vmlal_high_s8(sum, s, taps.template at<tap>());
  }
  static Register narrow(Sum low, Sum high) {
    return vqrshrn_high_n_s16(vqrshrn_n_s16(low, 7), high, 7);
  }
  static Register next_row(Register a, Register b) { return vextq_s8(a, b, 4); }
};

// Memory.

uint8x16_t load_two(const std::uint8_t* a, const std::uint8_t* b) {
  std::uint64_t high = 0;
  std::memcpy(&high, b, sizeof high);
  const uint8x16_t low = vcombine_u8(vld1_u8(a), vdup_n_u8(0));
  return vreinterpretq_u8_u64(vld1q_lane_u64(&high, vreinterpretq_u64_u8(low), 1));
}

template <int lane>
uint8x16_t load_lane(const std::uint8_t* from, uint8x16_t lanes) {
  std::uint32_t word = 0;
  std::memcpy(&word, from, sizeof word);
  return vreinterpretq_u8_u32(vld1q_lane_u32(&word, vreinterpretq_u32_u8(lanes), lane));
}

template <int lane>
void store_lane(std::uint8_t* to, uint8x16_t lanes) {
  const std::uint32_t word = vgetq_lane_u32(vreinterpretq_u32_u8(lanes), lane);
  std::memcpy(to, &word, sizeof word);
}

/// 16 samples: 1, 2 or 4 rows of 16, 8 or 4.
template <int columns>
uint8x16_t load_rows(const std::uint8_t* from, std::ptrdiff_t stride) {
  if constexpr (columns == 16) {
    return vld1q_u8(from);
  } else if constexpr (columns == 8) {
    return load_two(from, from + stride);
  } else {
    uint8x16_t lanes = vdupq_n_u8(0);
    lanes = load_lane<0>(from, lanes);
    lanes = load_lane<1>(from + stride, lanes);
    lanes = load_lane<2>(from + 2 * stride, lanes);
    return load_lane<3>(from + 3 * stride, lanes);
  }
}

template <int columns>
void store_rows(std::uint8_t* to, std::ptrdiff_t stride, uint8x16_t samples) {
  if constexpr (columns == 16) {
    vst1q_u8(to, samples);
  } else if constexpr (columns == 8) {
    vst1_u8(to, vget_low_u8(samples));
    vst1_u8(to + stride, vget_high_u8(samples));
  } else {
    store_lane<0>(to, samples);
    store_lane<1>(to + stride, samples);
    store_lane<2>(to + 2 * stride, samples);
    store_lane<3>(to + 3 * stride, samples);
  }
}

/// Writes a strip of the block from above, a register at a time.
template <int columns, bool average>
class Destination {
 public:
  Destination(std::uint8_t* to, std::ptrdiff_t stride) : to_(to), stride_(stride) {}

  void operator()(int8x16_t values) { put(samples_of(values)); }
  void put(uint8x16_t samples) {
    if constexpr (average) samples = vrhaddq_u8(load_rows<columns>(to_, stride_), samples);
    store_rows<columns>(to_, stride_, samples);
    to_ += 16 / columns * stride_;
  }

 private:
  std::uint8_t* to_;
  std::ptrdiff_t stride_;
};

// Where a filter along columns takes its rows from: Window has the terms.

template <int columns>
class LoadedRows {
 public:
  LoadedRows(const std::uint8_t* from, std::ptrdiff_t stride) : from_(from), stride_(stride) {}

  int8x16_t first() {
    if constexpr (columns == 16) return next();
    const std::uint8_t* const top = from_;
    if constexpr (columns == 8) {
      from_ += stride_;
      const uint8x8_t row = vld1_u8(top);
      return centred(vcombine_u8(row, row));
    } else {
      from_ += 3 * stride_;
      uint8x16_t lanes = vdupq_n_u8(0);
      lanes = load_lane<1>(top, lanes);
      lanes = load_lane<2>(top + stride_, lanes);
      return centred(load_lane<3>(top + 2 * stride_, lanes));
    }
  }
  int8x16_t next() {
    const uint8x16_t rows = load_rows<columns>(from_, stride_);
    from_ += 16 / columns * stride_;
    return centred(rows);
  }

 private:
  const std::uint8_t* from_;
  std::ptrdiff_t stride_;
};

/// A filter along x. For its sums the samples at one tap lie in a register's lower half, those at
/// the next in the upper, so that one permutation serves two taps.
class RowFilter {
 public:
  explicit RowFilter(const std::int8_t* taps) {
    const int8x8x4_t low = vld4_dup_s8(taps);
    const int8x8x4_t high = vld4_dup_s8(taps + 4);
    taps_[0] = vcombine_s8(low.val[0], low.val[1]);
    taps_[1] = vcombine_s8(low.val[2], low.val[3]);
    taps_[2] = vcombine_s8(high.val[0], high.val[1]);
    taps_[3] = vcombine_s8(high.val[2], high.val[3]);
    for (std::size_t pair = 0; pair < 4; ++pair) eight_[pair] = vld1q_u8(kEight[pair].data());
    for (std::size_t pair = 0; pair < 2; ++pair) four_[pair] = vld1q_u8(kFour[pair].data());
  }

  /// 8 columns of the row whose samples from 3 on the left are given.
  [[nodiscard]] int16x8_t eight(int8x16_t s) const {
    int16x8_t sum = first_pair(vqtbl1q_s8(s, eight_[0]));
    sum = add_pair<1>(sum, vqtbl1q_s8(s, eight_[1]));
    sum = add_pair<2>(sum, vqtbl1q_s8(s, eight_[2]));
    return add_pair<3>(sum, vqtbl1q_s8(s, eight_[3]));
  }
  /// 4 columns of two rows: 8 samples of each from 3 on the left, and from 1 on the right.
  [[nodiscard]] int16x8_t four(int8x16_t left, int8x16_t right) const {
    int16x8_t sum = first_pair(vqtbl1q_s8(left, four_[0]));
    sum = add_pair<1>(sum, vqtbl1q_s8(left, four_[1]));
    sum = add_pair<2>(sum, vqtbl1q_s8(right, four_[0]));
    return add_pair<3>(sum, vqtbl1q_s8(right, four_[1]));
  }

 private:
  using Lanes = std::array<std::uint8_t, 16>;
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

  [[nodiscard]] int16x8_t first_pair(int8x16_t s) const {
    return vmlal_high_s8(vmull_s8(vget_low_s8(s), vget_low_s8(taps_[0])), s, taps_[0]);
  }
  template <std::size_t pair>
  [[nodiscard]] int16x8_t add_pair(int16x8_t sum, int8x16_t s) const {
    return vmlal_high_s8(vmlal_s8(sum, vget_low_s8(s), vget_low_s8(taps_[pair])), s, taps_[pair]);
  }

  int8x16_t taps_[4];
  uint8x16_t eight_[4];
  uint8x16_t four_[2];
};

template <int columns>
class FilteredRows {
 public:
  FilteredRows(const std::uint8_t* from, std::ptrdiff_t stride, const RowFilter& filter)
      : from_(from - vp9::kTapsBefore), stride_(stride), filter_(filter) {}

  int8x16_t first() {
    if constexpr (columns == 16) return next();
    const std::uint8_t* const top = from_;
    if constexpr (columns == 8) {
      from_ += stride_;
      const int8x8_t row = vqrshrn_n_s16(eight(top), 7);
      return vcombine_s8(row, row);
    } else {
      from_ += 3 * stride_;
      return Arithmetic::narrow(four(top, top), four(top + stride_, top + 2 * stride_));
    }
  }
  int8x16_t next() {
    const std::uint8_t* const top = from_;
    from_ += 16 / columns * stride_;
    if constexpr (columns == 16) {
      return Arithmetic::narrow(eight(top), eight(top + 8));
    } else if constexpr (columns == 8) {
      return Arithmetic::narrow(eight(top), eight(top + stride_));
    } else {
      return Arithmetic::narrow(four(top, top + stride_),
                                four(top + 2 * stride_, top + 3 * stride_));
    }
  }

 private:
  [[nodiscard]] int16x8_t eight(const std::uint8_t* row) const {
    return filter_.eight(centred(vld1q_u8(row)));
  }
  [[nodiscard]] int16x8_t four(const std::uint8_t* a, const std::uint8_t* b) const {
    return filter_.four(centred(load_two(a, b)), centred(load_two(a + 4, b + 4)));
  }

  const std::uint8_t* from_;
  std::ptrdiff_t stride_;
  RowFilter filter_;
};

/// Calls strip<columns>(x) for each strip of a block.
template <class Strip>
[[gnu::always_inline]] inline void for_each_strip(int width, Strip strip) {
  if (width == 4) return strip.template operator()<4>(0);
  if (width == 8) return strip.template operator()<8>(0);
  int x = 0;
  do {
    strip.template operator()<16>(x);
    x += 16;
  } while (x < width);
}

// The table's functions.

template <int width, bool average>
void copy_rows(const std::uint8_t* from, std::ptrdiff_t from_stride, int height, std::uint8_t* to,
               std::ptrdiff_t stride) {
  constexpr int kColumns = std::min(width, 16);
  do {
    uint8x16_t samples[width / kColumns];
    for (int x = 0; x < width; x += kColumns) {
      samples[x / kColumns] = load_rows<kColumns>(from + x, from_stride);
    }
    if constexpr (average) {
      for (int x = 0; x < width; x += kColumns) {
        samples[x / kColumns] =
            vrhaddq_u8(load_rows<kColumns>(to + x, stride), samples[x / kColumns]);
      }
    }
    for (int x = 0; x < width; x += kColumns) {
      store_rows<kColumns>(to + x, stride, samples[x / kColumns]);
    }
    from += 16 / kColumns * from_stride;
    to += 16 / kColumns * stride;
    height -= 16 / kColumns;
  } while (height != 0);
}

template <bool average>
void predict_copy(const std::uint8_t* from, std::ptrdiff_t from_stride, const ReferenceArea& area,
                  InterpolationFilter /*filter*/, std::uint8_t* to, std::ptrdiff_t stride) {
  switch (area.width) {
    case 4:
      return copy_rows<4, average>(from, from_stride, area.height, to, stride);
    case 8:
      return copy_rows<8, average>(from, from_stride, area.height, to, stride);
    case 16:
      return copy_rows<16, average>(from, from_stride, area.height, to, stride);
    case 32:
      return copy_rows<32, average>(from, from_stride, area.height, to, stride);
    default:
      return copy_rows<64, average>(from, from_stride, area.height, to, stride);
  }
}

template <bool average>
void predict_horizontal(const std::uint8_t* from, std::ptrdiff_t from_stride,
                        const ReferenceArea& area, InterpolationFilter filter, std::uint8_t* to,
                        std::ptrdiff_t stride) {
  const RowFilter row_filter(byte_taps(filter, area.x));
  for_each_strip(
      area.width, [&]<int columns>(int x) __attribute__((always_inline)) {
        FilteredRows<columns> rows(from + x, from_stride, row_filter);
        Destination<columns, average> destination(to + x, stride);
        int left = area.height;
        do {
          destination(rows.next());
          if constexpr (columns > 4) destination(rows.next());
          left -= columns == 16 ? 2 : 4;
        } while (left != 0);
      });
}

template <bool average>
void predict_vertical(const std::uint8_t* from, std::ptrdiff_t from_stride,
                      const ReferenceArea& area, InterpolationFilter filter, std::uint8_t* to,
                      std::ptrdiff_t stride) {
  const Arithmetic::Taps taps(byte_taps(filter, area.y));
  from -= vp9::kTapsBefore * from_stride;
  for_each_strip(
      area.width, [&]<int columns>(int x) __attribute__((always_inline)) {
        inter::filter_columns<Arithmetic, 16 / columns>(
            LoadedRows<columns>(from + x, from_stride), taps, area.height,
            Destination<columns, average>(to + x, stride));
      });
}

template <bool average>
void predict_both(const std::uint8_t* from, std::ptrdiff_t from_stride, const ReferenceArea& area,
                  InterpolationFilter filter, std::uint8_t* to, std::ptrdiff_t stride) {
  const RowFilter row_filter(byte_taps(filter, area.x));
  const Arithmetic::Taps taps(byte_taps(filter, area.y));
  from -= vp9::kTapsBefore * from_stride;
  for_each_strip(
      area.width, [&]<int columns>(int x) __attribute__((always_inline)) {
        inter::filter_columns<Arithmetic, 16 / columns>(
            FilteredRows<columns>(from + x, from_stride, row_filter), taps, area.height,
            Destination<columns, average>(to + x, stride));
      });
}

// References of another size.

constexpr int kLargest = 64;
constexpr int kLargestRows = ((kLargest - 1) * 32 + 15) / 16 + vp9::kTaps;

/// Filters `rows` rows along x into rows of kLargest signed bytes. Columns have taps of their own:
/// eight columns at a time keep theirs while they go down.
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

/// A row of 16 columns from those of filter_scaled_rows(), from 3 above on.
int8x16_t filter_scaled_column(const std::int8_t* from, const Arithmetic::Taps& taps) {
  const auto row = [from](int k) { return vld1q_s8(from + k * kLargest); };
  int16x8_t low = Arithmetic::product_low<0>(row(0), taps);
  int16x8_t high = Arithmetic::product_high<0>(row(0), taps);
  const auto add = [&]<int tap>() {
    low = Arithmetic::add_low<tap>(low, row(tap), taps);
    high = Arithmetic::add_high<tap>(high, row(tap), taps);
  };
  add.operator()<1>();
  add.operator()<2>();
  add.operator()<3>();
  add.operator()<4>();
  add.operator()<5>();
  add.operator()<6>();
  add.operator()<7>();
  return Arithmetic::narrow(low, high);
}

/// Writes the first `width` of 16 columns, or all.
template <bool average>
void put_columns(int8x16_t values, int width, std::uint8_t* to) {
  uint8x16_t samples = samples_of(values);
  if (width >= 16) {
    if constexpr (average) samples = vrhaddq_u8(vld1q_u8(to), samples);
    return vst1q_u8(to, samples);
  }
  std::array<std::uint8_t, 16> line{};
  std::memcpy(line.data(), to, static_cast<std::size_t>(width));
  if constexpr (average) samples = vrhaddq_u8(vld1q_u8(line.data()), samples);
  vst1q_u8(line.data(), samples);
  std::memcpy(to, line.data(), static_cast<std::size_t>(width));
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
    const Arithmetic::Taps taps(byte_taps(filter, position));
    for (int x = 0; x < area.width; x += 16) {
      const int8x16_t values = whole ? vld1q_s8(row + vp9::kTapsBefore * kLargest + x)
                                     : filter_scaled_column(row + x, taps);
      put_columns<average>(values, area.width, to + x);
    }
  }
}

template <bool average>
void add_kernels(vp9::Dsp<std::uint8_t>& dsp) {
  dsp.inter[average] = {predict_copy<average>, predict_horizontal<average>,
                        predict_vertical<average>, predict_both<average>, predict_scaled<average>};
}

}  // namespace

void add_inter_prediction(vp9::Dsp<std::uint8_t>& dsp) {
  add_kernels<false>(dsp);
  add_kernels<true>(dsp);
}

}  // namespace sidecore::neon
