#include "neon/metrics/vif.h"

#include <array>

#include "neon/metrics/families.h"
#include "neon/metrics/filter_taps.h"
#include "neon/neon.h"

namespace sidecore::neon {
namespace {

using metrics::kMean1;
using metrics::kMean2;
using metrics::kProduct;
using metrics::kSquare1;
using metrics::kSquare2;
using metrics::VifFilter;
using metrics::VifRows;
using metrics::VifShifts;
using metrics::VifTapRows;

struct Sums32 {
  uint32x4_t low = vdupq_n_u32(0);
  uint32x4_t high = vdupq_n_u32(0);

  void add(uint16x8_t value, std::uint16_t tap) {
    low = vmlal_n_u16(low, vget_low_u16(value), tap);
    high = vmlal_n_u16(high, vget_high_u16(value), tap);
  }
  void store(std::uint32_t* to) const {
    vst1q_u32(to, low);
    vst1q_u32(to + 4, high);
  }
};

/// Sums of four squares or products of 32 bits.
struct Sums64 {
  uint64x2_t low = vdupq_n_u64(0);
  uint64x2_t high = vdupq_n_u64(0);

  void add(uint32x4_t value, std::uint16_t tap) {
    low = vmlal_n_u32(low, vget_low_u32(value), tap);
    high = vmlal_n_u32(high, vget_high_u32(value), tap);
  }
  /// Returns the sums shifted right and rounded.
  [[nodiscard]] uint32x4_t shifted(int64x2_t shift) const {
    return vcombine_u32(vmovn_u64(vrshlq_u64(low, shift)), vmovn_u64(vrshlq_u64(high, shift)));
  }
};

/// Returns rounded means of 16 bits. Sums and rounding wrap.
uint32x4_t mean(uint32x4_t sum, int shift) {
  const uint32x4_t rounded = vaddq_u32(sum, vdupq_n_u32(1U << (shift - 1)));
  return vandq_u32(vshlq_u32(rounded, vdupq_n_s32(-shift)), vdupq_n_u32(0xffff));
}

void store_mean(const Sums32& sums, int shift, std::uint32_t* to) {
  vst1q_u32(to, mean(sums.low, shift));
  vst1q_u32(to + 4, mean(sums.high, shift));
}

/// Filters samples of 8 bits, whose squares have 16 bits and are not shifted.
template <std::size_t taps>
void filter_byte_moments(const VifTapRows& first, const VifTapRows& second, int width,
                         const VifFilter& filter, VifRows& to) {
  for (int x = 0; x < width; x += 8) {
    Sums32 mean1;
    Sums32 mean2;
    Sums32 square1;
    Sums32 square2;
    Sums32 product;
    const auto add_squares = [&](uint16x8_t a, uint16x8_t b, std::uint16_t tap) {
      square1.add(vmulq_u16(a, a), tap);
      square2.add(vmulq_u16(b, b), tap);
      product.add(vmulq_u16(a, b), tap);
    };
    // The filter is symmetric, so two samples share a tap.
    for (std::size_t t = 0; t < taps / 2; ++t) {
      const std::uint16_t tap = filter.tap[t];
      const uint16x8_t a0 = vld1q_u16(first[t] + x);
      const uint16x8_t a1 = vld1q_u16(first[taps - 1 - t] + x);
      const uint16x8_t b0 = vld1q_u16(second[t] + x);
      const uint16x8_t b1 = vld1q_u16(second[taps - 1 - t] + x);
      mean1.add(vaddq_u16(a0, a1), tap);
      mean2.add(vaddq_u16(b0, b1), tap);
      add_squares(a0, b0, tap);
      add_squares(a1, b1, tap);
    }
    const std::uint16_t middle = filter.tap[taps / 2];
    const uint16x8_t a = vld1q_u16(first[taps / 2] + x);
    const uint16x8_t b = vld1q_u16(second[taps / 2] + x);
    mean1.add(a, middle);
    mean2.add(b, middle);
    add_squares(a, b, middle);
    store_mean(mean1, 8, to.row(kMean1) + x);
    store_mean(mean2, 8, to.row(kMean2) + x);
    square1.store(to.row(kSquare1) + x);
    square2.store(to.row(kSquare2) + x);
    product.store(to.row(kProduct) + x);
  }
}

template <std::size_t taps>
void filter_word_moments(const VifTapRows& first, const VifTapRows& second, int width,
                         const VifFilter& filter, const VifShifts& shifts, VifRows& to) {
  const int64x2_t shift = vdupq_n_s64(-shifts.square);
  for (int x = 0; x < width; x += 4) {
    uint32x4_t mean1 = vdupq_n_u32(0);
    uint32x4_t mean2 = vdupq_n_u32(0);
    Sums64 square1;
    Sums64 square2;
    Sums64 product;
    for (std::size_t t = 0; t < taps; ++t) {
      const uint16x4_t a = vld1_u16(first[t] + x);
      const uint16x4_t b = vld1_u16(second[t] + x);
      const std::uint16_t tap = filter.tap[t];
      mean1 = vmlal_n_u16(mean1, a, tap);
      mean2 = vmlal_n_u16(mean2, b, tap);
      square1.add(vmull_u16(a, a), tap);
      square2.add(vmull_u16(b, b), tap);
      product.add(vmull_u16(a, b), tap);
    }
    vst1q_u32(to.row(kMean1) + x, mean(mean1, shifts.mean));
    vst1q_u32(to.row(kMean2) + x, mean(mean2, shifts.mean));
    vst1q_u32(to.row(kSquare1) + x, square1.shifted(shift));
    vst1q_u32(to.row(kSquare2) + x, square2.shifted(shift));
    vst1q_u32(to.row(kProduct) + x, product.shifted(shift));
  }
}

void filter_moments(const VifTapRows& first, const VifTapRows& second, int width,
                    const VifFilter& filter, const VifShifts& shifts, VifRows& to) {
  with_taps(filter.taps, [&](auto taps) {
    if (shifts.square == 0) {
      filter_byte_moments<taps>(first, second, width, filter, to);
    } else {
      filter_word_moments<taps>(first, second, width, filter, shifts, to);
    }
  });
}

void filter_plane(const VifTapRows& rows, int width, const VifFilter& filter, int shift,
                  VifRows& to) {
  with_taps(filter.taps, [&](auto taps) {
    for (int x = 0; x < width; x += 8) {
      Sums32 sum;
      for (std::size_t t = 0; t < taps; ++t) sum.add(vld1q_u16(rows[t] + x), filter.tap[t]);
      store_mean(sum, shift, to.row(kMean1) + x);
    }
  });
}

/// Filters symmetrically; the sum of two means fits into a lane.
template <std::size_t taps>
void filter_means(const std::uint32_t* from, int width, const VifFilter& filter,
                  std::uint32_t* to) {
  for (int x = 0; x < width; x += 4) {
    const std::uint32_t* const at = from + x - taps / 2;
    uint32x4_t sum = vmulq_n_u32(vld1q_u32(at + taps / 2), filter.tap[taps / 2]);
    for (std::size_t t = 0; t < taps / 2; ++t) {
      const uint32x4_t two = vaddq_u32(vld1q_u32(at + t), vld1q_u32(at + taps - 1 - t));
      sum = vmlaq_n_u32(sum, two, filter.tap[t]);
    }
    vst1q_u32(to + x, sum);
  }
}

/// Sums of four products, in two halves of 16 bits. The taps add up to 2^16, so the sum of each
/// half fits into 32 bits.
struct HalvesSum {
  // Sums of the lower halves, starting with the rounding constant.
  uint32x4_t lower = vdupq_n_u32(1U << 15);
  uint32x4_t upper = vdupq_n_u32(0);

  [[nodiscard]] uint32x4_t shifted() const { return vsraq_n_u32(upper, lower, 16); }
};

/// Filters eight columns at once and returns their sums, divided by 2^16 and rounded.
template <std::size_t taps>
void filter_squares(const std::uint32_t* from, int width, const VifFilter& filter,
                    std::uint32_t* to) {
  const auto halves_at = [](const std::uint32_t* at) {
    const uint16x8_t low = vreinterpretq_u16_u32(vld1q_u32(at));
    const uint16x8_t high = vreinterpretq_u16_u32(vld1q_u32(at + 4));
    return uint16x8x2_t{{vuzp1q_u16(low, high), vuzp2q_u16(low, high)}};
  };
  for (int x = 0; x < width; x += 8) {
    const std::uint32_t* const at = from + x - taps / 2;
    HalvesSum low;
    HalvesSum high;
    for (std::size_t t = 0; t < taps / 2; ++t) {
      const uint16x8x2_t a = halves_at(at + t);
      const uint16x8x2_t b = halves_at(at + taps - 1 - t);
      const std::uint16_t tap = filter.tap[t];
      const auto add = [tap](uint32x4_t& sum, uint16x4_t one, uint16x4_t other) {
        sum = vmlaq_n_u32(sum, vaddl_u16(one, other), tap);
      };
      add(low.lower, vget_low_u16(a.val[0]), vget_low_u16(b.val[0]));
      add(high.lower, vget_high_u16(a.val[0]), vget_high_u16(b.val[0]));
      add(low.upper, vget_low_u16(a.val[1]), vget_low_u16(b.val[1]));
      add(high.upper, vget_high_u16(a.val[1]), vget_high_u16(b.val[1]));
    }
    const uint16x8x2_t middle = halves_at(at + taps / 2);
    const std::uint16_t tap = filter.tap[taps / 2];
    low.lower = vmlal_n_u16(low.lower, vget_low_u16(middle.val[0]), tap);
    high.lower = vmlal_n_u16(high.lower, vget_high_u16(middle.val[0]), tap);
    low.upper = vmlal_n_u16(low.upper, vget_low_u16(middle.val[1]), tap);
    high.upper = vmlal_n_u16(high.upper, vget_high_u16(middle.val[1]), tap);
    vst1q_u32(to + x, low.shifted());
    vst1q_u32(to + x + 4, high.shifted());
  }
}

void filter_columns(const VifRows& from, int width, const VifFilter& filter, VifRows& to) {
  with_taps(filter.taps, [&](auto taps) {
    for (const metrics::VifMoment moment : {kMean1, kMean2}) {
      filter_means<taps>(from.row(moment), width, filter, to.row(moment));
    }
    for (const metrics::VifMoment moment : {kSquare1, kSquare2, kProduct}) {
      filter_squares<taps>(from.row(moment), width, filter, to.row(moment));
    }
  });
}

void decimate(const VifRows& from, int width, const VifFilter& filter, std::uint16_t* to) {
  for (int x = 0; x < width; x += 4) {
    const std::uint32_t* const at = from.row(kMean1) + std::ptrdiff_t{2} * x - filter.taps / 2;
    uint32x4_t sum = vdupq_n_u32(32768);
    for (int t = 0; t < filter.taps; ++t) {
      sum = vmlaq_n_u32(sum, vld2q_u32(at + t).val[0], filter.tap[static_cast<std::size_t>(t)]);
    }
    vst1_u16(to + x, vshrn_n_u32(sum, 16));
  }
}

/// Returns E[ab] - E[a] E[b] of four windows.
int32x4_t covariances(uint32x4_t product, uint32x4_t mean1, uint32x4_t mean2) {
  const uint64x2_t low = vmull_u32(vget_low_u32(mean1), vget_low_u32(mean2));
  const uint64x2_t high = vmull_u32(vget_high_u32(mean1), vget_high_u32(mean2));
  const uint32x4_t means = vcombine_u32(vrshrn_n_u64(low, 32), vrshrn_n_u64(high, 32));
  return vreinterpretq_s32_u32(vsubq_u32(product, means));
}

float64x2_t to_doubles(int32x2_t values) {
  return vcvtq_f64_s64(vmovl_s32(values));
}

/// Index of a number in the table of logarithms, from the bits after the leading 1 in its 16
/// highest bits; and the number of its bits beyond 16.
struct Log2Place {
  std::array<std::uint32_t, 4> leading_fraction;
  int32x4_t excess;
};

Log2Place log2_place(uint32x4_t number) {
  Log2Place place;
  place.excess = vsubq_s32(vdupq_n_s32(16), vreinterpretq_s32_u32(vclzq_u32(number)));
  const uint32x4_t leading = vshlq_u32(number, vnegq_s32(place.excess));
  vst1q_u32(place.leading_fraction.data(), vandq_u32(leading, vdupq_n_u32(0x7fff)));
  return place;
}

/// Returns the place of numbers below 2^53, taken from the exponent and first bits of a binary64.
Log2Place log2_place(int64x2_t low, int64x2_t high) {
  const uint64x2_t a = vreinterpretq_u64_f64(vcvtq_f64_s64(low));
  const uint64x2_t b = vreinterpretq_u64_f64(vcvtq_f64_s64(high));
  const uint32x4_t top = vcombine_u32(vshrn_n_u64(a, 32), vshrn_n_u64(b, 32));
  Log2Place place;
  place.excess = vsubq_s32(vreinterpretq_s32_u32(vshrq_n_u32(top, 20)), vdupq_n_s32(1023 + 15));
  vst1q_u32(place.leading_fraction.data(), vandq_u32(vshrq_n_u32(top, 5), vdupq_n_u32(0x7fff)));
  return place;
}

/// Information that two windows with a positive covariance preserve: signal plus noise, and the
/// noise.
struct SignalLanes {
  int64x2_t signal;
  int32x2_t noise;
};

SignalLanes signals(int32x2_t variance1, int32x2_t variance2, int32x2_t covariance,
                    float64x2_t gain_limit) {
  const float64x2_t first = to_doubles(variance1);
  const float64x2_t both = to_doubles(covariance);
  const float64x2_t gain = vdivq_f64(both, vaddq_f64(first, vdupq_n_f64(metrics::kVifEpsilon)));
  const float64x2_t rest = vsubq_f64(to_doubles(variance2), vmulq_f64(gain, both));
  const int32x2_t unexplained = vmax_s32(vmovn_s64(vcvtq_s64_f64(rest)), vdup_n_s32(0));
  const int32x2_t noise = vadd_s32(unexplained, vdup_n_s32(metrics::kVifNoise));
  const float64x2_t limited = vminq_f64(gain, gain_limit);
  const float64x2_t explained = vmulq_f64(vmulq_f64(limited, limited), first);
  // The noise is unsigned, because it may have 32 bits.
  const int64x2_t wide_noise = vreinterpretq_s64_u64(vmovl_u32(vreinterpret_u32_s32(noise)));
  return {vaddq_s64(vcvtq_s64_f64(explained), wide_noise), noise};
}

/// Numbers that four windows add to the sums. Lanes that are not counted add 0.
class WindowSums {
 public:
  explicit WindowSums(double gain_limit) : gain_limit_(vdupq_n_f64(gain_limit)) {}

  /// Adds the row's windows from column x on whose lanes are all ones in `counted`.
  void add(const VifRows& row, int x, uint32x4_t counted) {
    const uint32x4_t mean1 = vld1q_u32(row.row(kMean1) + x);
    const uint32x4_t mean2 = vld1q_u32(row.row(kMean2) + x);
    const int32x4_t zero = vdupq_n_s32(0);
    const int32x4_t noise = vdupq_n_s32(metrics::kVifNoise);
    const int32x4_t variance1 = covariances(vld1q_u32(row.row(kSquare1) + x), mean1, mean1);
    const int32x4_t variance2 =
        vmaxq_s32(covariances(vld1q_u32(row.row(kSquare2) + x), mean2, mean2), zero);
    const uint32x4_t is_flat = vcltq_s32(variance1, noise);
    const uint32x4_t flat = vandq_u32(is_flat, counted);
    flat_variance_ = vpadalq_s32(flat_variance_, vandq_s32(variance2, vreinterpretq_s32_u32(flat)));
    flat_ = vsubq_u32(flat_, flat);
    const uint32x4_t there = vbicq_u32(counted, is_flat);
    if (vmaxvq_u32(there) == 0) return;

    // Lanes that are not counted have only the noise. Its logarithm equals the amount subtracted
    // below, so these lanes add 0.
    const int32x4_t power = vaddq_s32(noise, vandq_s32(variance1, vreinterpretq_s32_u32(there)));
    add_log2(log2_place(vreinterpretq_u32_s32(power)), there_, there_excess_);
    ++groups_;
    const int32x4_t both = covariances(vld1q_u32(row.row(kProduct) + x), mean1, mean2);
    const uint32x4_t kept =
        vandq_u32(there, vandq_u32(vcgtq_s32(both, zero), vcgtq_s32(variance2, zero)));
    if (vmaxvq_u32(kept) == 0) return;
    add_kept(vbslq_s32(kept, variance1, noise), vandq_s32(variance2, vreinterpretq_s32_u32(kept)),
             vandq_s32(both, vreinterpretq_s32_u32(kept)));
  }

  void add_to(metrics::VifSums& sums) const {
    sums.kept += kept_ + std::int64_t{2048} * vaddlvq_s32(kept_excess_);
    // log2 of the noise is subtracted once per lane; each group has four lanes.
    sums.there += there_ + std::int64_t{2048} * vaddlvq_s32(there_excess_) -
                  std::int64_t{4 * 2048 * 17} * groups_;
    sums.flat_variance += vaddvq_s64(flat_variance_);
    sums.flat += static_cast<std::int64_t>(vaddlvq_u32(flat_));
  }

 private:
  void add_kept(int32x4_t variance1, int32x4_t variance2, int32x4_t covariance) {
    const SignalLanes low = signals(vget_low_s32(variance1), vget_low_s32(variance2),
                                    vget_low_s32(covariance), gain_limit_);
    const SignalLanes high = signals(vget_high_s32(variance1), vget_high_s32(variance2),
                                     vget_high_s32(covariance), gain_limit_);
    add_log2(log2_place(low.signal, high.signal), kept_, kept_excess_);
    std::int64_t less = 0;
    int32x4_t less_excess = vdupq_n_s32(0);
    add_log2(log2_place(vreinterpretq_u32_s32(vcombine_s32(low.noise, high.noise))), less,
             less_excess);
    kept_ -= less;
    kept_excess_ = vsubq_s32(kept_excess_, less_excess);
  }

  void add_log2(const Log2Place& place, std::int64_t& sum, int32x4_t& excess) const {
    for (const std::uint32_t behind : place.leading_fraction) sum += table_[behind];
    excess = vaddq_s32(excess, place.excess);
  }

  const metrics::VifLog2Table& table_ = metrics::VifLog2Table::instance();
  float64x2_t gain_limit_;
  int64x2_t flat_variance_ = vdupq_n_s64(0);
  uint32x4_t flat_ = vdupq_n_u32(0);
  std::int64_t there_ = 0;
  std::int64_t kept_ = 0;
  int32x4_t there_excess_ = vdupq_n_s32(0);
  int32x4_t kept_excess_ = vdupq_n_s32(0);
  std::int64_t groups_ = 0;  // groups of four lanes whose logarithms were added to there_
};

void add_windows(const VifRows& row, int first, int last, double gain_limit,
                 metrics::VifSums& sums) {
  static constexpr std::array<std::uint32_t, 8> kMask{~0U, ~0U, ~0U, ~0U};
  WindowSums of_row(gain_limit);
  int x = first;
  for (; x + 4 <= last; x += 4) of_row.add(row, x, vdupq_n_u32(~0U));
  if (x < last) of_row.add(row, x, vld1q_u32(kMask.data() + 4 - (last - x)));
  of_row.add_to(sums);
}

}  // namespace

const metrics::VifRowFunctions& vif_rows() {
  static constexpr metrics::VifRowFunctions kRows{filter_moments, filter_plane, filter_columns,
                                                  decimate, add_windows};
  return kRows;
}

std::unique_ptr<metrics::PairKernel> make_vif(const video::PictureFormat& format,
                                              std::span<const metrics::FeatureRequest> requests,
                                              std::size_t threads) {
  return metrics::make_vif_kernel(format, requests, threads, vif_rows());
}

}  // namespace sidecore::neon
