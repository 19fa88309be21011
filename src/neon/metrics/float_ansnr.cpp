#include "metrics/float_ansnr.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "neon/metrics/families.h"
#include "neon/neon.h"

namespace sidecore::neon {
namespace {

// The four lanes of a vector are four rows, because a row's sums depend on the order of its
// columns. A strip of columns is computed from top to bottom, four rows at a time.

using metrics::AnsnrSums;
using metrics::kAnsnrReach;

/// Columns of a strip. What one block of rows leaves for the next one then stays in the first
/// cache.
constexpr int kStripColumns = 256;
/// Columns before a strip that are loaded with it: a vector of bytes.
constexpr int kColumnsBefore = 16;

/// Samples of four rows, minus the middle of their range: the rows of a column are neighbours.
class AnsnrColumns {
 public:
  /// Loads the strip of columns x to x + count - 1, and kAnsnrReach columns on both sides, from
  /// four rows. `bits` is the samples' depth. Reads whole vectors, which a picture's stride allows.
  template <class Sample>
  void load(const std::array<const Sample*, 4>& rows, int width, int bits, int x, int count) {
    first_ = x - kColumnsBefore;
    const int last = x + count + kAnsnrReach;
    for (int from = std::max(first_, 0); from < std::min(last, width);) {
      from += transpose(rows, from, bits);
    }
    for (int i = x - kAnsnrReach; i < 0; ++i) vst1_s16(at(i), vld1_s16(at(-i)));
    for (int i = width; i < last; ++i) {
      vst1_s16(at(i), vld1_s16(at(metrics::ansnr_mirror(i, width))));
    }
  }

  /// Returns the four samples of column x; those of later columns follow.
  [[nodiscard]] std::int16_t* at(int x) {
    return samples_.data() + std::ptrdiff_t{4} * (x - first_);
  }

 private:
  /// Writes 16 columns from column x. Returns their number.
  int transpose(const std::array<const std::uint8_t*, 4>& rows, int x, int /*bits*/) {
    std::int16_t* to = at(x);
    const uint8x16x2_t even = vzipq_u8(vld1q_u8(rows[0] + x), vld1q_u8(rows[2] + x));
    const uint8x16x2_t odd = vzipq_u8(vld1q_u8(rows[1] + x), vld1q_u8(rows[3] + x));
    const uint8x8_t middle = vdup_n_u8(128);
    for (std::size_t half = 0; half < 2; ++half) {
      const uint8x16x2_t columns = vzipq_u8(even.val[half], odd.val[half]);
      for (const uint8x16_t four : columns.val) {
        vst1q_s16(to, vreinterpretq_s16_u16(vsubl_u8(vget_low_u8(four), middle)));
        vst1q_s16(to + 8, vreinterpretq_s16_u16(vsubl_u8(vget_high_u8(four), middle)));
        to += 16;
      }
    }
    return 16;
  }
  /// Writes eight columns from column x. Returns their number.
  int transpose(const std::array<const std::uint16_t*, 4>& rows, int x, int bits) {
    std::int16_t* to = at(x);
    const uint16x8_t middle = vdupq_n_u16(static_cast<std::uint16_t>(1 << (bits - 1)));
    const uint16x8x2_t even = vzipq_u16(vld1q_u16(rows[0] + x), vld1q_u16(rows[2] + x));
    const uint16x8x2_t odd = vzipq_u16(vld1q_u16(rows[1] + x), vld1q_u16(rows[3] + x));
    for (std::size_t half = 0; half < 2; ++half) {
      const uint16x8x2_t columns = vzipq_u16(even.val[half], odd.val[half]);
      for (const uint16x8_t two : columns.val) {
        vst1q_s16(to, vreinterpretq_s16_u16(vsubq_u16(two, middle)));
        to += 8;
      }
    }
    return 8;
  }

  int first_ = 0;  // column of the first element
  // Room for a whole number of vectors.
  std::vector<std::int16_t> samples_ =
      std::vector<std::int16_t>(std::size_t{4} * (kStripColumns + 2 * kColumnsBefore));
};

// The filters run on samples that are not divided by 2^(bits - 8), and the reference's result is
// not divided by the sum of its weights. All of that is powers of 2, which change no rounding: the
// sums of rows are divided in the end.

/// Sums of the rows of the distorted picture's weights, in four rows of samples. The filter is
/// symmetric: `outer` belongs to its first and last row, `inner` to the rows between.
struct AnsnrRowSums {
  float32x4_t outer, inner, middle;
};

/// Multiplies a row of samples, left to right, with the three different rows of weights of the
/// distorted picture. These contain only six different weights.
class DistortedRows {
 public:
  /// Returns the sums that end with this column, after four columns whose results are discarded.
  [[gnu::always_inline]] AnsnrRowSums add(float32x4_t column) {
    const float32x4_t product00 = vmulq_n_f32(column, weight(0, 0));
    const float32x4_t product01 = vmulq_n_f32(column, weight(0, 1));
    const float32x4_t product02 = vmulq_n_f32(column, weight(0, 2));
    const float32x4_t product11 = vmulq_n_f32(column, weight(1, 1));
    const float32x4_t product12 = vmulq_n_f32(column, weight(1, 2));
    const float32x4_t product22 = vmulq_n_f32(column, weight(2, 2));
    return {outer_.add(product00, product01, product02),
            inner_.add(product01, product11, product12),
            middle_.add(product02, product12, product22)};
  }

 private:
  static constexpr float weight(std::size_t row, std::size_t column) {
    return metrics::kAnsnrDistortedFilter.weight(row, column) *
           static_cast<float>(metrics::kAnsnrReferenceFilter.sum);
  }

  /// Sums of one to four products, for the columns that still lack the others.
  struct Begun {
    [[gnu::always_inline]] float32x4_t add(float32x4_t first, float32x4_t second,
                                           float32x4_t third) {
      const float32x4_t whole = vaddq_f32(four, first);
      four = vaddq_f32(three, second);
      three = vaddq_f32(two, third);
      two = vaddq_f32(one, second);
      one = first;
      return whole;
    }
    float32x4_t one = vdupq_n_f32(0);
    float32x4_t two = one;
    float32x4_t three = one;
    float32x4_t four = one;
  };
  Begun outer_, inner_, middle_;
};

/// Multiplies a row of samples with the weights 1, 2 and 1.
class ReferenceRows {
 public:
  /// Returns the sum that ends with this column, after two columns whose results are discarded.
  [[gnu::always_inline]] float32x4_t add(float32x4_t column) {
    const float32x4_t pair = vaddq_f32(last_, column);
    const float32x4_t whole = vaddq_f32(last_pair_, pair);
    last_ = column;
    last_pair_ = pair;
    return whole;
  }

 private:
  float32x4_t last_ = vdupq_n_f32(0);
  float32x4_t last_pair_ = last_;
};

float32x4_t to_floats(int16x4_t samples) {
  return vcvtq_f32_s32(vmovl_s16(samples));
}

/// Sums of a column that a block of four rows leaves for the next one.
using ColumnSums = std::array<float, 16>;

/// Returns the filtered reference in the last two rows of a block, whose sums are in `column`, and
/// in the first two rows of the block below it. Replaces the sums.
[[gnu::always_inline]] inline float32x4_t filter_reference(float32x4_t samples, ReferenceRows& sums,
                                                           float* column) {
  const float32x4_t before = vld1q_f32(column);
  const float32x4_t rows = sums.add(samples);
  vst1q_f32(column, rows);
  const float32x4_t middle = vextq_f32(before, rows, 2);
  const float32x4_t outer = vaddq_f32(vextq_f32(before, rows, 1), vextq_f32(before, rows, 3));
  return vaddq_f32(outer, vaddq_f32(middle, middle));
}

/// Does the same for the distorted picture. The rows are added top to bottom.
[[gnu::always_inline]] inline float32x4_t filter_distorted(float32x4_t samples, DistortedRows& sums,
                                                           float* column) {
  const AnsnrRowSums before{vld1q_f32(column), vld1q_f32(column + 4), vld1q_f32(column + 8)};
  const AnsnrRowSums rows = sums.add(samples);
  vst1q_f32(column, rows.outer);
  vst1q_f32(column + 4, rows.inner);
  vst1q_f32(column + 8, rows.middle);
  float32x4_t sum = vaddq_f32(before.outer, vextq_f32(before.inner, rows.inner, 1));
  sum = vaddq_f32(sum, vextq_f32(before.middle, rows.middle, 2));
  sum = vaddq_f32(sum, vextq_f32(before.inner, rows.inner, 3));
  return vaddq_f32(sum, rows.outer);
}

/// Adds `count` columns to the sums of four rows: the last two of a block, whose sums are in
/// `columns`, and the first two of the block below it. `reference` and `distorted` are the first
/// columns' samples of that block.
void sum_columns(const std::int16_t* reference, const std::int16_t* distorted, int count,
                 ColumnSums* columns, float* signal, float* noise) {
  const auto load = [](const std::int16_t* from, int x) {
    return to_floats(vld1_s16(from + std::ptrdiff_t{4} * x));
  };
  ReferenceRows reference_sums;
  DistortedRows distorted_sums;
  reference_sums.add(load(reference, -1));
  reference_sums.add(load(reference, 0));
  for (int x = -2; x < 2; ++x) distorted_sums.add(load(distorted, x));
  float32x4_t signals = vld1q_f32(signal);
  float32x4_t noises = vld1q_f32(noise);
  const auto add = [&](int x) __attribute__((always_inline)) {
    float* const column = columns[x].data();
    const float32x4_t a = filter_reference(load(reference, x + 1), reference_sums, column + 12);
    const float32x4_t b = filter_distorted(load(distorted, x + 2), distorted_sums, column);
    const float32x4_t difference = vsubq_f32(a, b);
    signals = vaddq_f32(signals, vmulq_f32(a, a));
    noises = vaddq_f32(noises, vmulq_f32(difference, difference));
  };
  int x = 0;
  for (; x + 2 <= count; x += 2) {
    add(x);
    add(x + 1);
  }
  if (x < count) add(x);
  vst1q_f32(signal, signals);
  vst1q_f32(noise, noises);
}

class NeonAnsnrSummer final : public metrics::AnsnrSummer {
 public:
  explicit NeonAnsnrSummer(const video::PictureFormat& format) : format_(format) {}

  void sum(const video::Picture& reference, const video::Picture& distorted, const RowRange& rows,
           const AnsnrSums& sums) override {
    std::fill_n(sums.signal, metrics::kAnsnrRowsPerPiece, 0.0F);
    std::fill_n(sums.noise, metrics::kAnsnrRowsPerPiece, 0.0F);
    for (int x = 0; x < format_.width; x += kStripColumns) {
      if (format_.pixel.bits == 8) {
        sum_strip<std::uint8_t>(reference, distorted, rows, x, sums);
      } else {
        sum_strip<std::uint16_t>(reference, distorted, rows, x, sums);
      }
    }
    const auto units =
        static_cast<float>(metrics::kAnsnrReferenceFilter.sum << (format_.pixel.bits - 8));
    const float unit = 1 / (units * units);
    for (int i = 0; i < rows.last - rows.first; ++i) {
      sums.signal[i] *= unit;
      sums.noise[i] *= unit;
    }
  }

 private:
  template <class Sample>
  void sum_strip(const video::Picture& reference, const video::Picture& distorted,
                 const RowRange& rows, int x, const AnsnrSums& sums) {
    const int count = std::min(kStripColumns, format_.width - x);
    const auto load = [&](const video::Picture& picture, int y, AnsnrColumns& to) {
      std::array<const Sample*, 4> four{};
      for (int i = 0; i < 4; ++i) {
        // Rows further outside the plane take part in no result that is kept.
        const int row = std::max(metrics::ansnr_mirror(y + i, format_.height), 0);
        four[static_cast<std::size_t>(i)] = picture.plane<Sample>(0).row(row);
      }
      to.load(four, format_.width, format_.pixel.bits, x, count);
    };
    for (int y = rows.first - kAnsnrReach; y < rows.last + kAnsnrReach; y += 4) {
      load(reference, y, reference_);
      load(distorted, y, distorted_);
      const int row = y - kAnsnrReach - rows.first;  // first row of the results
      std::array<float, 8> unused{};                 // results of the block that only begins
      sum_columns(reference_.at(x), distorted_.at(x), count, columns_.data(),
                  row < 0 ? unused.data() : sums.signal + row,
                  row < 0 ? unused.data() + 4 : sums.noise + row);
    }
  }

  video::PictureFormat format_;
  AnsnrColumns reference_;
  AnsnrColumns distorted_;
  std::vector<ColumnSums> columns_ = std::vector<ColumnSums>(kStripColumns);
};

std::unique_ptr<metrics::AnsnrSummer> make_neon_ansnr_summer(const video::PictureFormat& format) {
  return std::make_unique<NeonAnsnrSummer>(format);
}

}  // namespace

std::unique_ptr<metrics::PairKernel> make_float_ansnr(
    const video::PictureFormat& format, std::span<const metrics::FeatureRequest> /*the one*/,
    std::size_t threads) {
  return metrics::make_float_ansnr_kernel(format, threads, make_neon_ansnr_summer);
}

}  // namespace sidecore::neon
