#include "neon/metrics/vif.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>
#include <utility>

#include "neon/metrics/families.h"
#include "neon/metrics/filter_taps.h"
#include "neon/neon.h"

namespace sidecore::neon {
namespace {

using metrics::kCovariance;
using metrics::kVariance1;
using metrics::kVariance2;
using metrics::VifByte;
using metrics::VifFilter;
using metrics::VifRows;
using metrics::VifShifts;
using metrics::VifTapRows;

/// Rows between the vertical and the horizontal filter. An element of kMeans holds the mean of the
/// reference in its low 16 bits and that of the distorted picture in its high 16 bits.
enum NeonMoment : std::uint8_t { kMeans, kSquare1, kSquare2, kProduct };

/// Calls work(std::integral_constant) for the numbers first to last - 1, as an unrolled loop.
template <std::size_t first, std::size_t last, class Work>
[[gnu::always_inline]] inline void unrolled(const Work& work) {
  [&]<std::size_t... i>(std::index_sequence<i...>) __attribute__((always_inline)) {
    (work(std::integral_constant<std::size_t, first + i>()), ...);
  }
  (std::make_index_sequence<last - first>());
}

/// The first half of a symmetric filter and its middle tap, as operands of 16 and of 32 bits.
/// Samples with sign need taps below 2^15, as those of scales 0 and 1 are.
struct Taps {
  explicit Taps(const VifFilter& filter)
      : first16(vld1q_u16(filter.tap.data())),
        last16(vdupq_n_u16(filter.tap[8])),
        words{vmovl_u16(vget_low_u16(first16)), vmovl_high_u16(first16), vmovl_high_u16(last16)} {}

  template <std::size_t t>
  [[nodiscard]] uint32x4_t add(uint32x4_t sum, uint16x4_t value) const {
    if constexpr (t < 8) return vmlal_laneq_u16(sum, value, first16, t);
    return vmlal_laneq_u16(sum, value, last16, 0);
  }
  template <std::size_t t>
  [[nodiscard]] int32x4_t add(int32x4_t sum, int16x4_t value) const {
    if constexpr (t < 8) return vmlal_laneq_s16(sum, value, vreinterpretq_s16_u16(first16), t);
    return vmlal_laneq_s16(sum, value, vreinterpretq_s16_u16(last16), 0);
  }
  template <std::size_t t>
  [[nodiscard]] uint64x2_t add(uint64x2_t sum, uint32x2_t value) const {
    return vmlal_laneq_u32(sum, value, words[t / 4], t % 4);
  }
  template <std::size_t t>
  [[nodiscard]] int64x2_t add(int64x2_t sum, int32x2_t value) const {
    return vmlal_laneq_s32(sum, value, vreinterpretq_s32_u32(words[t / 4]), t % 4);
  }

  uint16x8_t first16, last16;
  uint32x4_t words[3];
};

/// Index of the tap that a symmetric filter of `taps` taps applies to its sample t.
template <std::size_t taps, std::size_t t>
inline constexpr std::size_t kTap = t <= taps / 2 ? t : taps - 1 - t;

uint16x4_t low_half(uint16x8_t v) {
  return vget_low_u16(v);
}
uint16x4_t high_half(uint16x8_t v) {
  return vget_high_u16(v);
}
int16x4_t low_half(int16x8_t v) {
  return vget_low_s16(v);
}
int16x4_t high_half(int16x8_t v) {
  return vget_high_s16(v);
}
uint32x2_t low_half(uint32x4_t v) {
  return vget_low_u32(v);
}
uint32x2_t high_half(uint32x4_t v) {
  return vget_high_u32(v);
}
int32x2_t low_half(int32x4_t v) {
  return vget_low_s32(v);
}
int32x2_t high_half(int32x4_t v) {
  return vget_high_s32(v);
}

/// Weighted sum of the elements of vectors, in elements twice as wide.
template <class Wide>
struct Sum {
  explicit Sum(Wide start) : low(start), high(start) {}

  template <std::size_t t, class Narrow>
  void add(Narrow value, const Taps& taps) {
    low = taps.add<t>(low, low_half(value));
    high = taps.add<t>(high, high_half(value));
  }

  Wide low, high;
};

/// Pointers to the rows of NeonMoment, which stay in registers.
template <class Word>
struct MomentRows {
  template <class Rows>
  explicit MomentRows(Rows& rows)
      : means(rows.row(kMeans)),
        square1(rows.row(kSquare1)),
        square2(rows.row(kSquare2)),
        product(rows.row(kProduct)) {}

  Word* means;
  Word* square1;
  Word* square2;
  Word* product;
};

/// Stores means of 16 bits.
void store_means(uint32x4_t mean1, uint32x4_t mean2, std::uint32_t* to) {
  vst1q_u32(to, vmlaq_n_u32(mean1, mean2, 1U << 16));
}

// Vertical filters of samples with 8 bits. The samples are signed, so that the squares of two
// samples that share a tap fit into 16 bits.

/// Two samples in each of eight columns, which share a tap.
struct BytePairs {
  int16x8_t sum1, sum2;
  uint16x8_t square1, square2;
  int16x8_t product;  ///< less 1, because the sum of two products may be 2^15
};

BytePairs low_pairs(int8x16_t a0, int8x16_t a1, int8x16_t b0, int8x16_t b1) {
  const auto squares = [](int8x8_t one, int8x8_t other) {
    return vreinterpretq_u16_s16(vmlal_s8(vmull_s8(one, one), other, other));
  };
  const int8x8_t first0 = vget_low_s8(a0);
  const int8x8_t first1 = vget_low_s8(a1);
  const int8x8_t second0 = vget_low_s8(b0);
  const int8x8_t second1 = vget_low_s8(b1);
  return {vaddl_s8(first0, first1), vaddl_s8(second0, second1), squares(first0, first1),
          squares(second0, second1),
          vmlal_s8(vmlal_s8(vdupq_n_s16(-1), first0, second0), first1, second1)};
}

BytePairs high_pairs(int8x16_t a0, int8x16_t a1, int8x16_t b0, int8x16_t b1) {
  const auto squares = [](int8x16_t one, int8x16_t other) {
    return vreinterpretq_u16_s16(vmlal_high_s8(vmull_high_s8(one, one), other, other));
  };
  return {vaddl_high_s8(a0, a1), vaddl_high_s8(b0, b1), squares(a0, a1), squares(b0, b1),
          vmlal_high_s8(vmlal_high_s8(vdupq_n_s16(-1), a0, b0), a1, b1)};
}

/// One sample in each of eight columns, for the middle tap.
BytePairs low_singles(int8x16_t a, int8x16_t b) {
  const int8x8_t first = vget_low_s8(a);
  const int8x8_t second = vget_low_s8(b);
  return {vmovl_s8(first), vmovl_s8(second), vreinterpretq_u16_s16(vmull_s8(first, first)),
          vreinterpretq_u16_s16(vmull_s8(second, second)), vmull_s8(first, second)};
}

BytePairs high_singles(int8x16_t a, int8x16_t b) {
  return {vmovl_high_s8(a), vmovl_high_s8(b), vreinterpretq_u16_s16(vmull_high_s8(a, a)),
          vreinterpretq_u16_s16(vmull_high_s8(b, b)), vmull_high_s8(a, b)};
}

/// Start of a sum of VifByte samples whose bits 8 to 23 become the rounded mean of the samples of
/// 0 to 255, in units of 2^-8.
constexpr int kByteMeanStart = (128 << 16) + 128;
/// Start of a sum of products. It is so far below 0 that two elements of kProduct, added, fit into
/// 32 bits with sign.
constexpr int kByteProductStart = -(1 << 17);
/// Sum of the products' -1 (BytePairs::product) over the filter of scale 0, whose taps add up to
/// 2^16.
constexpr int kPairWeight = ((1 << 16) - metrics::kVifFilters[0].tap[8]) / 2;

/// Sums of eight columns.
struct ByteMoments {
  template <std::size_t t>
  void add(const BytePairs& pairs, const Taps& taps) {
    mean1.add<t>(pairs.sum1, taps);
    mean2.add<t>(pairs.sum2, taps);
    square1.add<t>(pairs.square1, taps);
    square2.add<t>(pairs.square2, taps);
    product.add<t>(pairs.product, taps);
  }

  void store(const MomentRows<std::uint32_t>& to, int x) const {
    store_four(mean1.low, mean2.low, square1.low, square2.low, product.low, to, x);
    store_four(mean1.high, mean2.high, square1.high, square2.high, product.high, to, x + 4);
  }

  Sum<int32x4_t> mean1{vdupq_n_s32(kByteMeanStart)};
  Sum<int32x4_t> mean2{vdupq_n_s32(kByteMeanStart)};
  Sum<uint32x4_t> square1{vdupq_n_u32(0)};
  Sum<uint32x4_t> square2{vdupq_n_u32(0)};
  Sum<int32x4_t> product{vdupq_n_s32(kByteProductStart)};

 private:
  /// Stores the rounded means, and the second moments of a - 128 and b - 128. What rounding takes
  /// from the means is added to these, so that the sums of a^2 and ab over the filter follow
  /// exactly: sum(a^2) = 2^16 mean(a) + square - 2^30 - 2^15, and sum(ab) = 2^15 (mean(a) +
  /// mean(b)) + product + kPairWeight - kByteProductStart - 2^30 - 2^15.
  static void store_four(int32x4_t sum1, int32x4_t sum2, uint32x4_t squares1, uint32x4_t squares2,
                         int32x4_t products, const MomentRows<std::uint32_t>& to, int x) {
    const uint32x4_t one = vreinterpretq_u32_s32(sum1);
    const uint32x4_t other = vreinterpretq_u32_s32(sum2);
    store_means(vshrq_n_u32(one, 8), vshrq_n_u32(other, 8), to.means + x);
    const uint32x4_t rest1 = vandq_u32(one, vdupq_n_u32(255));
    const uint32x4_t rest2 = vandq_u32(other, vdupq_n_u32(255));
    vst1q_u32(to.square1 + x, vmlaq_n_u32(squares1, rest1, 256));
    vst1q_u32(to.square2 + x, vmlaq_n_u32(squares2, rest2, 256));
    vst1q_u32(to.product + x,
              vmlaq_n_u32(vreinterpretq_u32_s32(products), vaddq_u32(rest1, rest2), 128));
  }
};

void filter_byte_moments(const VifTapRows<VifByte>& rows, int width, const VifFilter& filter,
                         const VifShifts& /*shifts*/, VifRows& to) {
  constexpr std::size_t kTaps = 17;
  const Taps taps(filter);
  const auto offset = rows.offset;
  const MomentRows<std::uint32_t> moments(to);
  for (int x = 0; x < width; x += 16) {
    const VifByte* const first = rows.first + x;
    const VifByte* const second = rows.second + x;
    ByteMoments low;
    ByteMoments high;
    unrolled<0, kTaps / 2>([&](auto t) {
      const std::ptrdiff_t above = offset[t];
      const std::ptrdiff_t below = offset[kTaps - 1 - t];
      const int8x16_t a0 = vld1q_s8(first + above);
      const int8x16_t a1 = vld1q_s8(first + below);
      const int8x16_t b0 = vld1q_s8(second + above);
      const int8x16_t b1 = vld1q_s8(second + below);
      low.add<t>(low_pairs(a0, a1, b0, b1), taps);
      high.add<t>(high_pairs(a0, a1, b0, b1), taps);
    });
    const int8x16_t a = vld1q_s8(first + offset[kTaps / 2]);
    const int8x16_t b = vld1q_s8(second + offset[kTaps / 2]);
    low.add<kTaps / 2>(low_singles(a, b), taps);
    high.add<kTaps / 2>(high_singles(a, b), taps);
    low.store(moments, x);
    high.store(moments, x + 8);
  }
}

/// Sums of 16 columns of one plane, filtered with the nine taps of scale 1.
[[gnu::always_inline]] inline std::array<Sum<int32x4_t>, 2> filter_bytes(
    const VifByte* from, const std::array<std::ptrdiff_t, 17>& offset, const Taps& taps) {
  constexpr std::size_t kTaps = 9;
  std::array<Sum<int32x4_t>, 2> sums{Sum(vdupq_n_s32(kByteMeanStart)),
                                     Sum(vdupq_n_s32(kByteMeanStart))};
  unrolled<0, kTaps / 2>([&](auto t) {
    const int8x16_t one = vld1q_s8(from + offset[t]);
    const int8x16_t other = vld1q_s8(from + offset[kTaps - 1 - t]);
    sums[0].template add<t>(vaddl_s8(vget_low_s8(one), vget_low_s8(other)), taps);
    sums[1].template add<t>(vaddl_high_s8(one, other), taps);
  });
  const int8x16_t middle = vld1q_s8(from + offset[kTaps / 2]);
  sums[0].add<kTaps / 2>(vmovl_s8(vget_low_s8(middle)), taps);
  sums[1].add<kTaps / 2>(vmovl_high_s8(middle), taps);
  return sums;
}

void filter_byte_planes(const VifTapRows<VifByte>& rows, int width, const VifFilter& filter,
                        int /*shift*/, VifRows& to) {
  const Taps taps(filter);
  const auto offset = rows.offset;
  std::uint32_t* const means = to.row(kMeans);
  const auto mean = [](int32x4_t sum) { return vshrq_n_u32(vreinterpretq_u32_s32(sum), 8); };
  for (int x = 0; x < width; x += 16) {
    const auto first = filter_bytes(rows.first + x, offset, taps);
    const auto second = filter_bytes(rows.second + x, offset, taps);
    for (std::size_t half = 0; half < 2; ++half) {
      std::uint32_t* const at = means + static_cast<std::size_t>(x) + 8 * half;
      store_means(mean(first[half].low), mean(second[half].low), at);
      store_means(mean(first[half].high), mean(second[half].high), at + 4);
    }
  }
}

/// Stores rounded means of eight columns.
void store_means(const Sum<uint32x4_t>& sum1, const Sum<uint32x4_t>& sum2, int shift,
                 std::uint32_t* to) {
  const int32x4_t right = vdupq_n_s32(-shift);
  store_means(vrshlq_u32(sum1.low, right), vrshlq_u32(sum2.low, right), to);
  store_means(vrshlq_u32(sum1.high, right), vrshlq_u32(sum2.high, right), to + 4);
}

// Vertical filters of samples with 16 bits

/// Sums of squares or products of eight columns.
struct WordProducts {
  template <std::size_t t>
  void add(uint16x8_t a, uint16x8_t b, const Taps& taps) {
    low.add<t>(vmull_u16(vget_low_u16(a), vget_low_u16(b)), taps);
    high.add<t>(vmull_high_u16(a, b), taps);
  }
  /// Stores the sums shifted right and rounded.
  void store(int64x2_t shift, std::uint32_t* to) const {
    const auto shifted = [&](const Sum<uint64x2_t>& sum) {
      return vuzp1q_u32(vreinterpretq_u32_u64(vrshlq_u64(sum.low, shift)),
                        vreinterpretq_u32_u64(vrshlq_u64(sum.high, shift)));
    };
    vst1q_u32(to, shifted(low));
    vst1q_u32(to + 4, shifted(high));
  }

  Sum<uint64x2_t> low{vdupq_n_u64(0)};
  Sum<uint64x2_t> high{vdupq_n_u64(0)};
};

template <std::size_t taps>
void filter_word_moments(const VifTapRows<std::uint16_t>& rows, int width, const VifFilter& filter,
                         const VifShifts& shifts, VifRows& to) {
  const Taps weights(filter);
  const int64x2_t shift = vdupq_n_s64(-shifts.square);
  const auto offset = rows.offset;
  const MomentRows<std::uint32_t> moments(to);
  for (int x = 0; x < width; x += 8) {
    const std::uint16_t* const first = rows.first + x;
    const std::uint16_t* const second = rows.second + x;
    Sum<uint32x4_t> mean1{vdupq_n_u32(0)};
    Sum<uint32x4_t> mean2{vdupq_n_u32(0)};
    WordProducts square1;
    WordProducts square2;
    WordProducts product;
    unrolled<0, taps>([&](auto t) {
      constexpr std::size_t kShared = kTap<taps, t>;
      const uint16x8_t a = vld1q_u16(first + offset[t]);
      const uint16x8_t b = vld1q_u16(second + offset[t]);
      mean1.add<kShared>(a, weights);
      mean2.add<kShared>(b, weights);
      square1.add<kShared>(a, a, weights);
      square2.add<kShared>(b, b, weights);
      product.add<kShared>(a, b, weights);
    });
    store_means(mean1, mean2, shifts.mean, moments.means + x);
    square1.store(shift, moments.square1 + x);
    square2.store(shift, moments.square2 + x);
    product.store(shift, moments.product + x);
  }
}

void filter_moments(const VifTapRows<std::uint16_t>& rows, int width, const VifFilter& filter,
                    const VifShifts& shifts, VifRows& to) {
  with_taps(filter.taps,
            [&](auto taps) { filter_word_moments<taps>(rows, width, filter, shifts, to); });
}

void filter_planes(const VifTapRows<std::uint16_t>& rows, int width, const VifFilter& filter,
                   int shift, VifRows& to) {
  with_taps(filter.taps, [&](auto taps) {
    const Taps weights(filter);
    const auto offset = rows.offset;
    std::uint32_t* const means = to.row(kMeans);
    for (int x = 0; x < width; x += 8) {
      Sum<uint32x4_t> mean1{vdupq_n_u32(0)};
      Sum<uint32x4_t> mean2{vdupq_n_u32(0)};
      unrolled<0, taps>([&](auto t) {
        constexpr std::size_t kShared = kTap<taps, t>;
        mean1.add<kShared>(vld1q_u16(rows.first + offset[t] + x), weights);
        mean2.add<kShared>(vld1q_u16(rows.second + offset[t] + x), weights);
      });
      store_means(mean1, mean2, shift, means + x);
    }
  });
}

// Horizontal filters

/// Rows of the horizontal filter's results, as pointers that stay in registers.
struct StatisticRows {
  explicit StatisticRows(VifRows& rows)
      : variance1(rows.row(kVariance1)),
        variance2(rows.row(kVariance2)),
        covariance(rows.row(kCovariance)) {}

  std::uint32_t* variance1;
  std::uint32_t* variance2;
  std::uint32_t* covariance;
};

/// Elements of a row that a filter reads for eight windows. Few instructions load them: vectors
/// that follow each other in memory are loaded together.
template <std::size_t taps>
class RowPart {
 public:
  /// Loads elements from `at`, the first one of the first window.
  explicit RowPart(const std::uint32_t* at) {
    unrolled<0, 4>([&](auto i) {
      const uint32x4x4_t four = vld1q_u32_x4(at + i);
      unrolled<0, 4>([&](auto k) { from_[i + 4 * k] = four.val[k]; });
    });
    if constexpr (taps == 17) {
      unrolled<16, kCount>([&](auto i) { from_[i] = vld1q_u32(at + i); });
    }
  }

  /// Returns elements i to i + 3.
  template <std::size_t i>
  [[nodiscard]] uint32x4_t from() const {
    return from_[i];
  }

 private:
  static constexpr std::size_t kCount = taps == 17 ? 21 : 16;
  uint32x4_t from_[kCount];
};

/// Sums of eight windows of squares or products, with 64 bits, or of means of both planes.
template <class Wide>
using WindowSums8 = std::array<Sum<Wide>, 2>;

/// Filters eight windows whose first elements are at `at`. `convert` makes the operand's type.
template <std::size_t taps, class Wide, class Convert>
[[gnu::always_inline]] inline WindowSums8<Wide> filter_windows(const std::uint32_t* at,
                                                               const Taps& weights,
                                                               const Convert& convert) {
  const RowPart<taps> part(at);
  WindowSums8<Wide> sums{Sum(Wide{}), Sum(Wide{})};
  unrolled<0, taps>([&](auto t) {
    constexpr std::size_t kShared = kTap<taps, t>;
    sums[0].template add<kShared>(convert(part.template from<t>()), weights);
    sums[1].template add<kShared>(convert(part.template from<t + 4>()), weights);
  });
  return sums;
}

/// Does the same as filter_windows() for elements whose sum of two fits into 32 bits.
template <class Wide, class Convert>
[[gnu::always_inline]] inline WindowSums8<Wide> filter_pairs(const std::uint32_t* at,
                                                             const Taps& weights,
                                                             const Convert& convert) {
  constexpr std::size_t kTaps = 17;
  const RowPart<kTaps> part(at);
  WindowSums8<Wide> sums{Sum(Wide{}), Sum(Wide{})};
  unrolled<0, kTaps / 2>([&](auto t) {
    const auto pairs = [&](auto first) {
      constexpr std::size_t kOther = 2 * first + kTaps - 1 - (t + first);
      return vaddq_u32(part.template from<t + first>(), part.template from<kOther>());
    };
    sums[0].template add<t>(convert(pairs(std::integral_constant<std::size_t, 0>())), weights);
    sums[1].template add<t>(convert(pairs(std::integral_constant<std::size_t, 4>())), weights);
  });
  sums[0].template add<kTaps / 2>(convert(part.template from<kTaps / 2>()), weights);
  sums[1].template add<kTaps / 2>(convert(part.template from<kTaps / 2 + 4>()), weights);
  return sums;
}

/// Sums of the means of eight windows in both planes.
struct WindowMeans {
  explicit WindowMeans(const WindowSums8<uint32x4_t>& sums)
      : first{vuzp1q_u32(sums[0].low, sums[0].high), vuzp1q_u32(sums[1].low, sums[1].high)},
        second{vuzp2q_u32(sums[0].low, sums[0].high), vuzp2q_u32(sums[1].low, sums[1].high)} {}

  uint32x4_t first[2];
  uint32x4_t second[2];
};

template <std::size_t taps>
[[gnu::always_inline]] inline WindowMeans filter_means(const std::uint32_t* at,
                                                       const Taps& weights) {
  return WindowMeans(filter_windows<taps, uint32x4_t>(
      at, weights, [](uint32x4_t value) { return vreinterpretq_u16_u32(value); }));
}

void store_eight(uint32x4_t low, uint32x4_t high, std::uint32_t* to) {
  vst1q_u32(to, low);
  vst1q_u32(to + 4, high);
}

/// Divides by 2^shift and rounds. Keeps the low 32 bits.
template <int shift>
uint32x4_t rounded(uint64x2_t low, uint64x2_t high) {
  return vcombine_u32(vrshrn_n_u64(low, shift), vrshrn_n_u64(high, shift));
}

/// Returns E[ab] - E[a] E[b] of four windows.
uint32x4_t covariance(const Sum<uint64x2_t>& product, uint32x4_t mean1, uint32x4_t mean2) {
  return vsubq_u32(rounded<16>(product.low, product.high),
                   rounded<32>(vmull_u32(vget_low_u32(mean1), vget_low_u32(mean2)),
                               vmull_high_u32(mean1, mean2)));
}

// A covariance does not change if the middle of the range is subtracted from both planes. With the
// means minus 2^31, the parts of the moments that ByteMoments leaves out cancel, except for
// constants.

uint32x4_t byte_variance(const Sum<uint64x2_t>& square, int32x4_t mean) {
  const uint64x2_t low = vreinterpretq_u64_s64(vmull_s32(vget_low_s32(mean), vget_low_s32(mean)));
  const uint64x2_t high = vreinterpretq_u64_s64(vmull_high_s32(mean, mean));
  const uint32x4_t difference =
      vsubq_u32(rounded<16>(square.low, square.high), rounded<32>(low, high));
  return vsubq_u32(difference, vdupq_n_u32(1U << 15));
}

uint32x4_t byte_covariance(const Sum<int64x2_t>& product, int32x4_t mean1, int32x4_t mean2) {
  // The products and the product of the means both lack half of mean1 + mean2, which cancels in
  // their difference. If mean1 + mean2 is odd, the missing half of a unit must be added to each
  // before it is rounded.
  const uint32x4_t odd = vandq_u32(vreinterpretq_u32_s32(veorq_s32(mean1, mean2)), vdupq_n_u32(1));
  const auto plus_halves = [](int64x2_t sum, uint32x2_t odd_of_two, std::uint32_t half) {
    return vmlal_n_u32(vreinterpretq_u64_s64(sum), odd_of_two, half);
  };
  const uint32x2_t odd_low = vget_low_u32(odd);
  const uint32x2_t odd_high = vget_high_u32(odd);
  const uint32x4_t products = rounded<16>(plus_halves(product.low, odd_low, 1U << 15),
                                          plus_halves(product.high, odd_high, 1U << 15));
  const int64x2_t low = vmull_s32(vget_low_s32(mean1), vget_low_s32(mean2));
  const int64x2_t high = vmull_high_s32(mean1, mean2);
  const uint32x4_t means =
      rounded<32>(plus_halves(low, odd_low, 1U << 31), plus_halves(high, odd_high, 1U << 31));
  constexpr int kMissing = kPairWeight - kByteProductStart - (1 << 15);
  return vaddq_u32(vsubq_u32(products, means), vdupq_n_u32(kMissing));
}

void filter_byte_columns(const VifRows& from, int width, const VifFilter& filter, VifRows& to) {
  constexpr int kTaps = 17;
  const Taps weights(filter);
  const MomentRows<const std::uint32_t> moments(from);
  const StatisticRows statistics(to);
  const auto with_sign = [](uint32x4_t value) { return vreinterpretq_s32_u32(value); };
  const auto centred = [&](uint32x4_t mean) {
    return with_sign(veorq_u32(mean, vdupq_n_u32(1U << 31)));
  };
  for (int x = 0; x < width; x += 8) {
    const std::ptrdiff_t at = x - kTaps / 2;
    const WindowMeans means = filter_means<kTaps>(moments.means + at, weights);
    const auto square1 = filter_pairs<uint64x2_t>(moments.square1 + at, weights, std::identity());
    const auto square2 = filter_pairs<uint64x2_t>(moments.square2 + at, weights, std::identity());
    const auto product = filter_pairs<int64x2_t>(moments.product + at, weights, with_sign);
    for (std::size_t i = 0; i < 2; ++i) {
      const std::size_t column = static_cast<std::size_t>(x) + 4 * i;
      const int32x4_t mean1 = centred(means.first[i]);
      const int32x4_t mean2 = centred(means.second[i]);
      vst1q_u32(statistics.variance1 + column, byte_variance(square1[i], mean1));
      vst1q_u32(statistics.variance2 + column, byte_variance(square2[i], mean2));
      vst1q_u32(statistics.covariance + column, byte_covariance(product[i], mean1, mean2));
    }
  }
}

void filter_columns(const VifRows& from, int width, const VifFilter& filter,
                    const VifShifts& shifts, VifRows& to) {
  if (shifts.square == 0) {
    filter_byte_columns(from, width, filter, to);
    return;
  }
  with_taps(filter.taps, [&](auto taps) {
    const Taps weights(filter);
    const MomentRows<const std::uint32_t> moments(from);
    const StatisticRows statistics(to);
    for (int x = 0; x < width; x += 8) {
      const std::ptrdiff_t at = x - static_cast<int>(taps / 2);
      const auto [mean1, mean2] = filter_means<taps>(moments.means + at, weights);
      const auto filter_product = [&](const std::uint32_t* row, const auto& one, const auto& other,
                                      std::uint32_t* statistic) __attribute__((always_inline)) {
        const auto sums = filter_windows<taps, uint64x2_t>(row + at, weights, std::identity());
        store_eight(covariance(sums[0], one[0], other[0]), covariance(sums[1], one[1], other[1]),
                    statistic + x);
      };
      filter_product(moments.square1, mean1, mean1, statistics.variance1);
      filter_product(moments.square2, mean2, mean2, statistics.variance2);
      filter_product(moments.product, mean1, mean2, statistics.covariance);
    }
  });
}

void decimate(const VifRows& from, int width, const VifFilter& filter, std::uint16_t* first,
              std::uint16_t* second) {
  with_taps(filter.taps, [&](auto taps) {
    const Taps weights(filter);
    for (int x = 0; x < width; x += 4) {
      const std::uint32_t* const at =
          from.row(kMeans) + std::ptrdiff_t{2} * x - static_cast<int>(taps / 2);
      Sum<uint32x4_t> sum{vdupq_n_u32(0)};
      unrolled<0, taps / 2 + 1>([&](auto i) {
        constexpr std::size_t kEven = 2 * i;
        const uint32x4x2_t means = vld2q_u32(at + kEven);
        sum.add<kTap<taps, kEven>>(vreinterpretq_u16_u32(means.val[0]), weights);
        if constexpr (kEven + 1 < taps) {
          sum.add<kTap<taps, kEven + 1>>(vreinterpretq_u16_u32(means.val[1]), weights);
        }
      });
      const uint16x8_t both = vcombine_u16(vrshrn_n_u32(sum.low, 16), vrshrn_n_u32(sum.high, 16));
      const uint16x8_t separate = vuzp1q_u16(both, both);
      vst1_u16(first + x, vget_low_u16(separate));
      vst1_u16(second + x, vget_low_u16(vuzp2q_u16(both, both)));
    }
  });
}

// Sums over windows

float64x2_t to_doubles(int32x2_t values) {
  return vcvtq_f64_s64(vmovl_s32(values));
}

/// Information of two windows, in units of 2^-16 of a squared 8-bit level: the part of the
/// distorted variance that the reference does not explain, and the part that it explains.
struct Signals {
  int64x2_t unexplained, explained;
};

Signals signals(int32x2_t variance1, int32x2_t variance2, int32x2_t covariance,
                float64x2_t gain_limit) {
  const float64x2_t first = to_doubles(variance1);
  const float64x2_t both = to_doubles(covariance);
  const float64x2_t gain = vdivq_f64(both, vaddq_f64(first, vdupq_n_f64(metrics::kVifEpsilon)));
  const float64x2_t rest = vsubq_f64(to_doubles(variance2), vmulq_f64(gain, both));
  const float64x2_t limited = vminq_f64(gain, gain_limit);
  const float64x2_t explained = vmulq_f64(vmulq_f64(limited, limited), first);
  return {vcvtq_s64_f64(rest), vcvtq_s64_f64(explained)};
}

/// Sum of logarithms, four at a time, from metrics::VifLog2Table.
class LogarithmSum {
 public:
  /// Adds the logarithms of numbers that have at least 16 bits.
  void add(uint32x4_t numbers, const metrics::VifLog2Table& table) {
    const uint32x4_t zeros = vclzq_u32(numbers);
    const uint32x4_t aligned = vshlq_u32(numbers, vreinterpretq_s32_u32(zeros));
    exponents_ = vsubq_u32(exponents_, zeros);
    std::array<std::uint32_t, 4> leading;
    vst1q_u32(leading.data(), vshrq_n_u32(aligned, 16));
    for (const std::uint32_t bits : leading) sum_ += table.of_leading_bits(bits);
  }
  /// Adds the logarithms of numbers from 2^15 to 2^53 - 1, taken from the exponent and first bits
  /// of a binary64.
  void add(uint64x2_t low, uint64x2_t high, const metrics::VifLog2Table& table) {
    const uint32x4_t top = vuzp2q_u32(vreinterpretq_u32_f64(vcvtq_f64_u64(low)),
                                      vreinterpretq_u32_f64(vcvtq_f64_u64(high)));
    exponents_ = vsraq_n_u32(exponents_, top, 20);
    std::array<std::uint32_t, 4> fractions;
    vst1q_u32(fractions.data(), vandq_u32(vshrq_n_u32(top, 5), vdupq_n_u32(0x7fff)));
    for (const std::uint32_t fraction : fractions) sum_ += table.of_fraction(fraction);
  }
  /// Returns the sum of `count` logarithms. `bias` was added to each exponent above 15.
  [[nodiscard]] std::int64_t total(std::int64_t count, int bias) const {
    const std::int64_t exponents = vaddlvq_s32(vreinterpretq_s32_u32(exponents_));
    return sum_ + 2048 * (exponents - count * bias);
  }

  static constexpr int kBias32 = -16;
  static constexpr int kBias64 = 1023 + 15;

 private:
  std::int64_t sum_ = 0;
  uint32x4_t exponents_ = vdupq_n_u32(0);
};

/// Sums over the windows of a row.
class WindowSums {
 public:
  explicit WindowSums(double gain_limit) : gain_limit_(vdupq_n_f64(gain_limit)) {}

  /// Adds four windows. Flat ones add 0 to the sums of logarithms: `there_` gets the logarithm of
  /// the noise, which total() subtracts, and `signal_` and `noise_` get equal ones.
  [[gnu::always_inline]] void add(int32x4_t variance1, int32x4_t any_variance2,
                                  int32x4_t covariance) {
    const int32x4_t zero = vdupq_n_s32(0);
    const int32x4_t noise = vdupq_n_s32(metrics::kVifNoise);
    const int32x4_t variance2 = vmaxq_s32(any_variance2, zero);
    const uint32x4_t flat = vcltq_s32(variance1, noise);
    flat_variance_ = vpadalq_s32(flat_variance_, vandq_s32(variance2, vreinterpretq_s32_u32(flat)));
    flat_ = vsubq_u32(flat_, flat);
    if (vminvq_u32(flat) != 0) return;

    count_ += 4;
    const uint32x4_t above = vbicq_u32(vreinterpretq_u32_s32(variance1), flat);
    there_.add(vaddq_u32(above, vreinterpretq_u32_s32(noise)), table_);
    const uint32x4_t positive = vandq_u32(vcgtq_s32(covariance, zero), vcgtq_s32(variance2, zero));
    const int32x4_t kept = vreinterpretq_s32_u32(vbicq_u32(positive, flat));
    const int32x4_t kept_variance = vandq_s32(variance2, kept);
    const int32x4_t kept_covariance = vandq_s32(covariance, kept);
    const Signals low = signals(vget_low_s32(variance1), vget_low_s32(kept_variance),
                                vget_low_s32(kept_covariance), gain_limit_);
    const Signals high = signals(vget_high_s32(variance1), vget_high_s32(kept_variance),
                                 vget_high_s32(kept_covariance), gain_limit_);
    const int32x4_t unexplained =
        vuzp1q_s32(vreinterpretq_s32_s64(low.unexplained), vreinterpretq_s32_s64(high.unexplained));
    // The sum is unsigned, because it may have 32 bits.
    const uint32x4_t rest = vreinterpretq_u32_s32(vaddq_s32(vmaxq_s32(unexplained, zero), noise));
    noise_.add(rest, table_);
    signal_.add(vaddw_u32(vreinterpretq_u64_s64(low.explained), vget_low_u32(rest)),
                vaddw_u32(vreinterpretq_u64_s64(high.explained), vget_high_u32(rest)), table_);
  }

  /// Adds the sums to `sums`. `flat` is the number of windows that were added as flat ones to fill
  /// four lanes.
  void add_to(metrics::VifSums& sums, int flat) const {
    sums.kept +=
        signal_.total(count_, LogarithmSum::kBias64) - noise_.total(count_, LogarithmSum::kBias32);
    sums.there += there_.total(count_, LogarithmSum::kBias32) - std::int64_t{2048 * 17} * count_;
    sums.flat_variance += vaddvq_s64(flat_variance_);
    sums.flat += static_cast<std::int64_t>(vaddlvq_u32(flat_)) - flat;
  }

 private:
  const metrics::VifLog2Table& table_ = metrics::VifLog2Table::instance();
  float64x2_t gain_limit_;
  int64x2_t flat_variance_ = vdupq_n_s64(0);
  uint32x4_t flat_ = vdupq_n_u32(0);
  LogarithmSum there_;
  LogarithmSum signal_;
  LogarithmSum noise_;
  std::int64_t count_ = 0;  // windows whose logarithms were added
};

void add_windows(const VifRows& row, int first, int last, double gain_limit,
                 metrics::VifSums& sums) {
  WindowSums of_row(gain_limit);
  const std::uint32_t* const variance1 = row.row(kVariance1);
  const std::uint32_t* const variance2 = row.row(kVariance2);
  const std::uint32_t* const covariance = row.row(kCovariance);
  const auto load = [](const std::uint32_t* from) {
    return vreinterpretq_s32_u32(vld1q_u32(from));
  };
  int x = first;
  for (; x + 4 <= last; x += 4) {
    of_row.add(load(variance1 + x), load(variance2 + x), load(covariance + x));
  }
  if (x < last) {
    static constexpr std::array<std::int32_t, 8> kMask{-1, -1, -1, -1};
    const int32x4_t inside = vld1q_s32(kMask.data() + 4 - (last - x));
    of_row.add(vandq_s32(load(variance1 + x), inside), vandq_s32(load(variance2 + x), inside),
               vandq_s32(load(covariance + x), inside));
  }
  of_row.add_to(sums, x < last ? 4 - (last - x) : 0);
}

}  // namespace

const metrics::VifRowFunctions& vif_rows() {
  static constexpr metrics::VifRowFunctions kRows{
      filter_byte_moments, filter_moments, filter_columns, filter_byte_planes,
      filter_planes,       decimate,       add_windows};
  return kRows;
}

std::unique_ptr<metrics::PairKernel> make_vif(const video::PictureFormat& format,
                                              std::span<const metrics::FeatureRequest> requests,
                                              std::size_t threads) {
  return metrics::make_vif_kernel(format, requests, threads, vif_rows());
}

}  // namespace sidecore::neon
