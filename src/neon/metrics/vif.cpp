#include "metrics/vif.h"

#include "neon/metrics/families.h"
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
  /// Shifted right, rounded.
  [[nodiscard]] uint32x4_t shifted(int64x2_t shift) const {
    return vcombine_u32(vmovn_u64(vrshlq_u64(low, shift)), vmovn_u64(vrshlq_u64(high, shift)));
  }
};

/// Rounded, of 16 bits. Sums and rounding wrap.
uint32x4_t mean(uint32x4_t sum, int shift) {
  const uint32x4_t rounded = vaddq_u32(sum, vdupq_n_u32(1U << (shift - 1)));
  return vandq_u32(vshlq_u32(rounded, vdupq_n_s32(-shift)), vdupq_n_u32(0xffff));
}

void store_mean(const Sums32& sums, int shift, std::uint32_t* to) {
  vst1q_u32(to, mean(sums.low, shift));
  vst1q_u32(to + 4, mean(sums.high, shift));
}

/// Of samples of 8 bits, whose squares have 16 and are not shifted.
void filter_byte_moments(const VifTapRows& first, const VifTapRows& second, int width,
                         const VifFilter& filter, VifRows& to) {
  for (int x = 0; x < width; x += 8) {
    Sums32 mean1;
    Sums32 mean2;
    Sums32 square1;
    Sums32 square2;
    Sums32 product;
    for (std::size_t t = 0; t < static_cast<std::size_t>(filter.taps); ++t) {
      const uint16x8_t a = vld1q_u16(first[t] + x);
      const uint16x8_t b = vld1q_u16(second[t] + x);
      const std::uint16_t tap = filter.tap[t];
      mean1.add(a, tap);
      mean2.add(b, tap);
      square1.add(vmulq_u16(a, a), tap);
      square2.add(vmulq_u16(b, b), tap);
      product.add(vmulq_u16(a, b), tap);
    }
    store_mean(mean1, 8, to.row(kMean1) + x);
    store_mean(mean2, 8, to.row(kMean2) + x);
    square1.store(to.row(kSquare1) + x);
    square2.store(to.row(kSquare2) + x);
    product.store(to.row(kProduct) + x);
  }
}

void filter_word_moments(const VifTapRows& first, const VifTapRows& second, int width,
                         const VifFilter& filter, const VifShifts& shifts, VifRows& to) {
  const int64x2_t shift = vdupq_n_s64(-shifts.square);
  for (int x = 0; x < width; x += 4) {
    uint32x4_t mean1 = vdupq_n_u32(0);
    uint32x4_t mean2 = vdupq_n_u32(0);
    Sums64 square1;
    Sums64 square2;
    Sums64 product;
    for (std::size_t t = 0; t < static_cast<std::size_t>(filter.taps); ++t) {
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
  if (shifts.square == 0) {
    filter_byte_moments(first, second, width, filter, to);
  } else {
    filter_word_moments(first, second, width, filter, shifts, to);
  }
}

void filter_plane(const VifTapRows& rows, int width, const VifFilter& filter, int shift,
                  VifRows& to) {
  for (int x = 0; x < width; x += 8) {
    Sums32 sum;
    for (std::size_t t = 0; t < static_cast<std::size_t>(filter.taps); ++t) {
      sum.add(vld1q_u16(rows[t] + x), filter.tap[t]);
    }
    store_mean(sum, shift, to.row(kMean1) + x);
  }
}

/// The filter is symmetric, and the sum of two means fits.
uint32x4_t filtered_means(const std::uint32_t* at, const VifFilter& filter) {
  const int middle = filter.taps / 2;
  uint32x4_t sum = vmulq_n_u32(vld1q_u32(at), filter.tap[static_cast<std::size_t>(middle)]);
  for (int t = 1; t <= middle; ++t) {
    sum = vmlaq_n_u32(sum, vaddq_u32(vld1q_u32(at - t), vld1q_u32(at + t)),
                      filter.tap[static_cast<std::size_t>(middle - t)]);
  }
  return sum;
}

uint32x4_t filtered_squares(const std::uint32_t* at, const VifFilter& filter) {
  Sums64 sums;
  for (int t = 0; t < filter.taps; ++t) {
    sums.add(vld1q_u32(at + t - filter.taps / 2), filter.tap[static_cast<std::size_t>(t)]);
  }
  return vcombine_u32(vrshrn_n_u64(sums.low, 16), vrshrn_n_u64(sums.high, 16));
}

void filter_columns(const VifRows& from, int width, const VifFilter& filter, VifRows& to) {
  for (const metrics::VifMoment moment : {kMean1, kMean2}) {
    for (int x = 0; x < width; x += 4) {
      vst1q_u32(to.row(moment) + x, filtered_means(from.row(moment) + x, filter));
    }
  }
  for (const metrics::VifMoment moment : {kSquare1, kSquare2, kProduct}) {
    for (int x = 0; x < width; x += 4) {
      vst1q_u32(to.row(moment) + x, filtered_squares(from.row(moment) + x, filter));
    }
  }
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

constexpr metrics::VifRowFunctions kNeonVifRows{filter_moments, filter_plane, filter_columns,
                                                decimate};

}  // namespace

std::unique_ptr<metrics::PairKernel> make_vif(const video::PictureFormat& format,
                                              std::span<const metrics::FeatureRequest> requests,
                                              std::size_t threads) {
  return metrics::make_vif_kernel(format, requests, threads, kNeonVifRows);
}

}  // namespace sidecore::neon
