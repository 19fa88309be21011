#include "neon/metrics/adm.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "neon/metrics/families.h"
#include "neon/neon.h"

namespace sidecore::neon {
namespace {

using metrics::AdmDetail;
using metrics::AdmRowSum;
using metrics::IntegerAdmScale;
using metrics::IntegerFilteredRow;
using metrics::IntegerRows;
using metrics::IntegerWavelet;
using metrics::kAdmBands;
using metrics::PerBand;

using Taps = std::array<std::int32_t, 4>;

/// Mirrors a row into samples -1, width and width + 1.
void mirror_ends(std::int32_t* row, int width) {
  row[-1] = row[1];
  row[width] = row[width - 1];
  row[width + 1] = row[width - 2];
}

// The wavelet transform

struct Luma8 {
  int16x8_t at[4];  // one register for each of four rows
};

int32x4_t filtered_low(const Luma8& s, const Taps& taps) {
  int32x4_t sum = vmull_n_s16(vget_low_s16(s.at[0]), static_cast<std::int16_t>(taps[0]));
  for (int i = 1; i < 4; ++i) {
    sum = vmlal_n_s16(sum, vget_low_s16(s.at[i]),
                      static_cast<std::int16_t>(taps[static_cast<std::size_t>(i)]));
  }
  return sum;
}
int32x4_t filtered_high(const Luma8& s, const Taps& taps) {
  int32x4_t sum = vmull_n_s16(vget_high_s16(s.at[0]), static_cast<std::int16_t>(taps[0]));
  for (int i = 1; i < 4; ++i) {
    sum = vmlal_n_s16(sum, vget_high_s16(s.at[i]),
                      static_cast<std::int16_t>(taps[static_cast<std::size_t>(i)]));
  }
  return sum;
}

/// Loads eight samples and subtracts half of their range.
int16x8_t load_luma(const std::uint8_t* from, int /*bits*/) {
  return vreinterpretq_s16_u16(vsubl_u8(vld1_u8(from), vdup_n_u8(128)));
}
int16x8_t load_luma(const std::uint16_t* from, int bits) {
  const uint16x8_t half = vdupq_n_u16(static_cast<std::uint16_t>(1U << (bits - 1)));
  return vreinterpretq_s16_u16(vsubq_u16(vld1q_u16(from), half));
}

template <class Sample>
void filter_luma(const std::array<const Sample*, 4>& rows, const metrics::AdmScale& scale, int bits,
                 IntegerFilteredRow& to) {
  std::int32_t* const low = to.low.row(0);
  std::int32_t* const high = to.high.row(0);
  const int32x4_t shift = vdupq_n_s32(-bits);
  const auto filter = [&](const Luma8& s, int x) {
    vst1q_s32(low + x, vrshlq_s32(filtered_low(s, metrics::kAdmIntegerLowPass), shift));
    vst1q_s32(low + x + 4, vrshlq_s32(filtered_high(s, metrics::kAdmIntegerLowPass), shift));
    vst1q_s32(high + x, vrshlq_s32(filtered_low(s, metrics::kAdmIntegerHighPass), shift));
    vst1q_s32(high + x + 4, vrshlq_s32(filtered_high(s, metrics::kAdmIntegerHighPass), shift));
  };
  const int width = scale.input_width;
  const metrics::AdmColumns columns = metrics::adm_input_columns(scale);
  int x = columns.first / 8 * 8;
  const int whole = std::min((columns.last + 7) / 8, width / 8) * 8;
  for (; x < whole; x += 8) {
    filter({{load_luma(rows[0] + x, bits), load_luma(rows[1] + x, bits),
             load_luma(rows[2] + x, bits), load_luma(rows[3] + x, bits)}},
           x);
  }
  if (x < columns.last) {
    // The samples are copied, because memory may end with the row.
    std::array<std::array<Sample, 8>, 4> rest{};
    for (std::size_t i = 0; i < 4; ++i) std::copy(rows[i] + x, rows[i] + width, rest[i].begin());
    filter({{load_luma(rest[0].data(), bits), load_luma(rest[1].data(), bits),
             load_luma(rest[2].data(), bits), load_luma(rest[3].data(), bits)}},
           x);
  }
  mirror_ends(low, width);
  mirror_ends(high, width);
}

void filter_bytes(const std::array<const std::uint8_t*, 4>& rows, const metrics::AdmScale& scale,
                  IntegerFilteredRow& to) {
  filter_luma(rows, scale, 8, to);
}

struct Samples {
  int32x4_t at[4];
};

/// Filters in 32 bits, for samples of 16 bits.
int32x4_t filtered_narrow(const Samples& s, const Taps& taps) {
  const int32x4_t two = vmlaq_n_s32(vmulq_n_s32(s.at[0], taps[0]), s.at[1], taps[1]);
  return vmlaq_n_s32(vmlaq_n_s32(two, s.at[2], taps[2]), s.at[3], taps[3]);
}

/// Filters in 64 bits, then shifts the sums right with rounding.
template <int kShift>
int32x4_t filtered_wide(const Samples& s, const Taps& taps) {
  int64x2_t low = vmull_n_s32(vget_low_s32(s.at[0]), taps[0]);
  int64x2_t high = vmull_n_s32(vget_high_s32(s.at[0]), taps[0]);
  for (std::size_t i = 1; i < 4; ++i) {
    low = vmlal_n_s32(low, vget_low_s32(s.at[i]), taps[i]);
    high = vmlal_n_s32(high, vget_high_s32(s.at[i]), taps[i]);
  }
  return vcombine_s32(vrshrn_n_s64(low, kShift), vrshrn_n_s64(high, kShift));
}

void filter_rows(const std::array<const std::int32_t*, 4>& rows, const IntegerAdmScale& scale,
                 IntegerFilteredRow& to) {
  std::int32_t* const low = to.low.row(0);
  std::int32_t* const high = to.high.row(0);
  const int width = scale.geometry.input_width;
  const metrics::AdmColumns columns = metrics::adm_input_columns(scale.geometry);
  const auto run = [&](const auto& filter) {
    for (int x = columns.first / 4 * 4; x < columns.last; x += 4) {
      const Samples s{{vld1q_s32(rows[0] + x), vld1q_s32(rows[1] + x), vld1q_s32(rows[2] + x),
                       vld1q_s32(rows[3] + x)}};
      vst1q_s32(low + x, filter(s, metrics::kAdmIntegerLowPass));
      vst1q_s32(high + x, filter(s, metrics::kAdmIntegerHighPass));
    }
  };
  // The approximation of scale 0 has 16 bits, and its sums are kept without a shift.
  if (scale.index == 1) {
    run(filtered_narrow);
  } else {
    run(filtered_wide<16>);
  }
  mirror_ends(low, width);
  mirror_ends(high, width);
}

/// Loads samples 2j-1, 2j, 2j+1 and 2j+2 for four consecutive values of j.
Samples load_windows(const std::int32_t* before) {
  const int32x4x2_t first = vld2q_s32(before);
  const int32x4x2_t last = vld2q_s32(before + 2);
  return {{first.val[0], first.val[1], last.val[0], last.val[1]}};
}

int32x4_t filtered_columns_narrow(const Samples& s, const Taps& taps) {
  return vrshrq_n_s32(filtered_narrow(s, taps), 16);
}

void filter_columns(const IntegerFilteredRow& from, const IntegerAdmScale& scale, int y,
                    IntegerWavelet& to) {
  const std::int32_t* const low = from.low.row(0);
  const std::int32_t* const high = from.high.row(0);
  std::int32_t* const approximation = to.approximation.row(y);
  const PerBand<std::int32_t*> bands{to.bands[0].row(y), to.bands[1].row(y), to.bands[2].row(y)};
  const metrics::AdmColumns columns = scale.geometry.transformed;
  const auto run = [&](const auto& filter) {
    for (int x = columns.first / 4 * 4; x < columns.last; x += 4) {
      const Samples l = load_windows(low + std::ptrdiff_t{2} * x - 1);
      vst1q_s32(approximation + x, filter(l, metrics::kAdmIntegerLowPass));
      vst1q_s32(bands[1] + x, filter(l, metrics::kAdmIntegerHighPass));
      const Samples h = load_windows(high + std::ptrdiff_t{2} * x - 1);
      vst1q_s32(bands[0] + x, filter(h, metrics::kAdmIntegerLowPass));
      vst1q_s32(bands[2] + x, filter(h, metrics::kAdmIntegerHighPass));
    }
  };
  if (scale.index == 0) {
    run(filtered_columns_narrow);
  } else if (scale.index == 2) {
    run(filtered_wide<16>);
  } else {
    run(filtered_wide<15>);
  }
}

// Functions for restored detail and impairment

struct Wide {
  int64x2_t low, high;
};

Wide products(int32x4_t a, int32x4_t b) {
  return {vmull_s32(vget_low_s32(a), vget_low_s32(b)),
          vmull_s32(vget_high_s32(a), vget_high_s32(b))};
}
Wide products(int32x4_t a, int32x4_t b, int32x4_t c, int32x4_t d) {
  return {
      vmlal_s32(vmull_s32(vget_low_s32(a), vget_low_s32(b)), vget_low_s32(c), vget_low_s32(d)),
      vmlal_s32(vmull_s32(vget_high_s32(a), vget_high_s32(b)), vget_high_s32(c), vget_high_s32(d))};
}

/// Returns all ones for each of two samples whose directions agree. The scalar definition also
/// scales all operands by 2^-12. NEON omits this scaling, because it would round nothing.
uint64x2_t same_direction(float32x2_t product, float32x2_t reference, float32x2_t distorted) {
  const float64x2_t p = vcvt_f64_f32(product);
  const float64x2_t r = vmulq_n_f64(vcvt_f64_f32(reference), double{metrics::kAdmCosSquared});
  const uint64x2_t near = vcgeq_f64(vmulq_f64(p, p), vmulq_f64(r, vcvt_f64_f32(distorted)));
  return vandq_u64(near, vcgeq_f64(p, vdupq_n_f64(0)));
}

/// Converts integers to binary32 with a single rounding, by way of binary64, which holds 53 bits.
/// For larger integers the OR of the last twelve bits becomes one bit, which is too low to affect
/// the binary32 rounding.
float32x2_t to_binary32(int64x2_t value) {
  const uint64x2_t bits = vreinterpretq_u64_s64(value);
  const uint64x2_t last = vdupq_n_u64(4095);
  const uint64x2_t sticky = vandq_u64(vtstq_u64(bits, last), vdupq_n_u64(2048));
  const uint64x2_t reduced = vorrq_u64(vbicq_u64(bits, last), sticky);
  const uint64x2_t large = vcgeq_s64(vabsq_s64(value), vdupq_n_s64(std::int64_t{1} << 53));
  return vcvt_f32_f64(vcvtq_f64_s64(vreinterpretq_s64_u64(vbslq_u64(large, reduced, bits))));
}

uint64x2_t same_direction(int64x2_t product, int64x2_t reference, int64x2_t distorted) {
  return same_direction(to_binary32(product), to_binary32(reference), to_binary32(distorted));
}

uint32x4_t narrowed(uint64x2_t low, uint64x2_t high) {
  return vcombine_u32(vmovn_u64(low), vmovn_u64(high));
}

struct Direction {
  int32x4_t oh, ov, th, tv;
};

/// Compares directions for coefficients of 16 bits; sums of their products fit into 32 bits.
uint32x4_t same_direction_narrow(const Direction& d) {
  const auto dot = [](int32x4_t a, int32x4_t b, int32x4_t c, int32x4_t e) {
    return vcvtq_f32_s32(vmlaq_s32(vmulq_s32(a, b), c, e));
  };
  const float32x4_t product = dot(d.oh, d.th, d.ov, d.tv);
  const float32x4_t reference = dot(d.oh, d.oh, d.ov, d.ov);
  const float32x4_t distorted = dot(d.th, d.th, d.tv, d.tv);
  return narrowed(
      same_direction(vget_low_f32(product), vget_low_f32(reference), vget_low_f32(distorted)),
      same_direction(vget_high_f32(product), vget_high_f32(reference), vget_high_f32(distorted)));
}

uint32x4_t same_direction_wide(const Direction& d) {
  const Wide product = products(d.oh, d.th, d.ov, d.tv);
  const Wide reference = products(d.oh, d.oh, d.ov, d.ov);
  const Wide distorted = products(d.th, d.th, d.tv, d.tv);
  return narrowed(same_direction(product.low, reference.low, distorted.low),
                  same_direction(product.high, reference.high, distorted.high));
}

/// Returns 2^30 / divisor, rounded down, for divisors from 1 to 2^15. The binary32 quotient is off
/// by at most 64 / divisor + 1; the remainder of 2^30 is divided again to correct it.
int32x4_t reciprocal(int32x4_t divisor) {
  const float32x4_t by = vcvtq_f32_s32(divisor);
  const int32x4_t quotient = vcvtq_s32_f32(vdivq_f32(vdupq_n_f32(0x1p30F), by));
  const int32x4_t left = vmlsq_s32(vdupq_n_s32(metrics::kAdmReciprocalOne), quotient, divisor);
  return vaddq_s32(quotient, vcvtq_s32_f32(vrndmq_f32(vdivq_f32(vcvtq_f32_s32(left), by))));
}

/// Returns -value in lanes where `sign` is negative, otherwise value.
int32x4_t with_sign(int32x4_t value, int32x4_t sign) {
  const int32x4_t negative = vshrq_n_s32(sign, 31);
  return vsubq_s32(veorq_s32(value, negative), negative);
}

/// Returns t / o in units of 2^-15, clamped to 0 to 1.
int32x4_t restored_share_narrow(int32x4_t o, int32x4_t t) {
  const int32x4_t inverse = reciprocal(vmaxq_s32(vabsq_s32(o), vdupq_n_s32(1)));
  const Wide ratio = products(inverse, with_sign(t, o));
  return vcombine_s32(vrshrn_n_s64(ratio.low, 15), vrshrn_n_s64(ratio.high, 15));
}

int32x4_t restored_share_wide(int32x4_t o, int32x4_t t) {
  const int32x4_t size = vmaxq_s32(vabsq_s32(o), vdupq_n_s32(1));
  // Number of bits of the divisor above 15; negative for a right shift.
  const int32x4_t shift = vminq_s32(vsubq_s32(vclzq_s32(size), vdupq_n_s32(17)), vdupq_n_s32(0));
  const Wide ratio = products(reciprocal(vrshlq_s32(size, shift)), with_sign(t, o));
  const int32x4_t whole = vsubq_s32(shift, vdupq_n_s32(15));
  return vcombine_s32(vqmovn_s64(vrshlq_s64(ratio.low, vmovl_s32(vget_low_s32(whole)))),
                      vqmovn_s64(vrshlq_s64(ratio.high, vmovl_s32(vget_high_s32(whole)))));
}

/// Returns the restored part of t. `gain_limit` must be an integer.
template <bool kNarrow>
int32x4_t restored(int32x4_t o, int32x4_t t, uint32x4_t same_direction, std::int32_t gain_limit) {
  const int32x4_t zero = vdupq_n_s32(0);
  int32x4_t share = kNarrow ? restored_share_narrow(o, t) : restored_share_wide(o, t);
  share = vminq_s32(vmaxq_s32(share, zero), vdupq_n_s32(32768));
  int32x4_t detail;
  if constexpr (kNarrow) {
    detail = vrshrq_n_s32(vmulq_s32(share, o), 15);
  } else {
    const Wide product = products(share, o);
    detail = vcombine_s32(vrshrn_n_s64(product.low, 15), vrshrn_n_s64(product.high, 15));
  }
  // For coefficients above this size, the limit is always the smaller one.
  const int32x4_t bounded = vminq_s32(vabsq_s32(detail), vdupq_n_s32(0x7fffffff / gain_limit));
  const int32x4_t amplified = vminq_s32(vmulq_n_s32(bounded, gain_limit), with_sign(t, o));
  // If the share is 0, so is the detail, and t may have the other sign: the limit is then below 0.
  // If o is 0, the detail and the result are 0 whatever the share is.
  return vbslq_s32(same_direction, with_sign(vmaxq_s32(amplified, zero), o), detail);
}

/// Multiplies coefficients by their contrast sensitivity.
template <bool kNarrow>
int32x4_t weighed(int32x4_t coefficient, std::int32_t factor, bool diagonal) {
  if constexpr (kNarrow) {
    const int32x4_t product = vmulq_n_s32(coefficient, factor);
    return diagonal ? vshrq_n_s32(vaddq_s32(product, vdupq_n_s32(65535)), 17)
                    : vrshrq_n_s32(product, 15);
  } else {
    const Wide product = products(coefficient, vdupq_n_s32(factor));
    return vcombine_s32(vrshrn_n_s64(product.low, 28), vrshrn_n_s64(product.high, 28));
  }
}

/// Returns (share * size - 2^31) / 2^32.
int32x4_t wide_share(int32x4_t size, std::int32_t share) {
  const Wide product = products(size, vdupq_n_s32(share));
  const int64x2_t half = vdupq_n_s64(std::int64_t{1} << 31);
  return vcombine_s32(vsubhn_s64(product.low, half), vsubhn_s64(product.high, half));
}

/// Adds a weighted detail to masking thresholds. `others`: the amount for the thresholds of its
/// neighbours; `itself`: the amount for its own threshold.
template <bool kNarrow>
void add_masking(int32x4_t detail, int32x4_t& others, int32x4_t& itself) {
  const int32x4_t size = vabsq_s32(detail);
  int32x4_t to_others;
  int32x4_t to_itself;
  if constexpr (kNarrow) {
    to_others = vrshrq_n_s32(vmulq_n_s32(size, 4369), 12);
    // The value is rounded to 16 bits as in libvmaf.
    to_itself = vrshrq_n_s32(vmulq_n_s32(size, 8738), 12);
    to_itself = vshrq_n_s32(vshlq_n_s32(to_itself, 16), 16);
  } else {
    to_others = wide_share(size, 143165577);
    to_itself = wide_share(size, 286331153);
  }
  others = vaddq_s32(others, to_others);
  itself = vaddq_s32(itself, to_itself);
}

struct AdmDetailRow {
  explicit AdmDetailRow(AdmDetail& detail, int y)
      : bands{detail.bands[0].row(y), detail.bands[1].row(y), detail.bands[2].row(y)},
        neighbour(detail.neighbour.row(y)),
        own(detail.own.row(y)) {}

  template <bool kNarrow>
  void store(const IntegerAdmScale& scale, int x, const PerBand<int32x4_t>& detail) const {
    int32x4_t to_others = vdupq_n_s32(0);
    int32x4_t to_itself = vdupq_n_s32(0);
    for (std::size_t b = 0; b < kAdmBands; ++b) {
      vst1q_s32(bands[b] + x, detail[b]);
      add_masking<kNarrow>(
          weighed<kNarrow>(detail[b], static_cast<std::int32_t>(scale.factor[b]), b == 2),
          to_others, to_itself);
    }
    vst1q_s32(neighbour + x, to_others);
    vst1q_s32(own + x, vsubq_s32(to_itself, to_others));
  }

  PerBand<std::int32_t*> bands;
  std::int32_t* neighbour;
  std::int32_t* own;
};

PerBand<const std::int32_t*> rows_of(const PerBand<IntegerRows>& bands, int y) {
  return {bands[0].row(y), bands[1].row(y), bands[2].row(y)};
}

template <bool kNarrow>
void decouple_row(const PerBand<IntegerRows>& reference, const PerBand<IntegerRows>& distorted,
                  const IntegerAdmScale& scale, int y, AdmDetail& restored_detail,
                  AdmDetail& impairment) {
  const auto gain_limit = static_cast<std::int32_t>(scale.gain_limit);
  const PerBand<const std::int32_t*> reference_row = rows_of(reference, y);
  const PerBand<const std::int32_t*> distorted_row = rows_of(distorted, y);
  const AdmDetailRow restored_row(restored_detail, y);
  const AdmDetailRow impairment_row(impairment, y);
  const IntegerAdmScale copy = scale;  // because stores could change the scale
  const auto [left, top, right, bottom] = copy.geometry.needed;
  for (int x = left; x < right; x += 4) {
    PerBand<int32x4_t> o;
    PerBand<int32x4_t> t;
    for (std::size_t b = 0; b < kAdmBands; ++b) {
      o[b] = vld1q_s32(reference_row[b] + x);
      t[b] = vld1q_s32(distorted_row[b] + x);
    }
    const Direction direction{o[0], o[1], t[0], t[1]};
    const uint32x4_t same =
        kNarrow ? same_direction_narrow(direction) : same_direction_wide(direction);
    PerBand<int32x4_t> kept;
    PerBand<int32x4_t> added;
    for (std::size_t b = 0; b < kAdmBands; ++b) {
      kept[b] = restored<kNarrow>(o[b], t[b], same, gain_limit);
      added[b] = vsubq_s32(t[b], kept[b]);
    }
    restored_row.store<kNarrow>(copy, x, kept);
    impairment_row.store<kNarrow>(copy, x, added);
  }
  mirror_ends(restored_row.neighbour, scale.geometry.width);
  mirror_ends(impairment_row.neighbour, scale.geometry.width);
}

void decouple(const PerBand<IntegerRows>& reference, const PerBand<IntegerRows>& distorted,
              const IntegerAdmScale& scale, int y, AdmDetail& restored_detail,
              AdmDetail& impairment) {
  if (scale.gain_limit != std::floor(scale.gain_limit)) {
    // The scalar code handles a gain limit that is not an integer, because no model has such a
    // limit.
    metrics::adm_rows().decouple(reference, distorted, scale, y, restored_detail, impairment);
  } else if (scale.index == 0) {
    decouple_row<true>(reference, distorted, scale, y, restored_detail, impairment);
  } else {
    decouple_row<false>(reference, distorted, scale, y, restored_detail, impairment);
  }
}

// Sums

/// Returns all ones in the lanes, numbered from `x` on, that lie before `end`.
uint32x4_t lanes_before(int x, int end) {
  static constexpr std::array<std::int32_t, 4> kLane{0, 1, 2, 3};
  return vcltq_s32(vaddq_s32(vld1q_s32(kLane.data()), vdupq_n_s32(x)), vdupq_n_s32(end));
}

/// Calls add(x, inside) for every fourth column x of the summed area. inside(sizes) sets the lanes
/// beyond the area to 0.
template <class Add>
[[gnu::always_inline]] inline void for_four_columns(const metrics::BandArea& area, const Add& add) {
  int x = area.left;
  for (; x + 4 <= area.right; x += 4) add(x, [](int32x4_t sizes) { return sizes; });
  if (x >= area.right) return;
  const int32x4_t inside = vreinterpretq_s32_u32(lanes_before(x, area.right));
  add(x, [&](int32x4_t sizes) { return vandq_s32(sizes, inside); });
}

std::uint64_t total(uint64x2_t sum) {
  return vgetq_lane_u64(sum, 0) + vgetq_lane_u64(sum, 1);
}

/// Adds the cubes of four magnitudes to the sum.
template <int kSquareShift>
void add_reference_cubes(uint32x4_t size, int64x2_t cube_shift, uint64x2_t& sum) {
  const uint32x2_t low = vget_low_u32(size);
  const uint32x2_t high = vget_high_u32(size);
  if constexpr (kSquareShift == 0) {
    const uint32x4_t square = vmulq_u32(size, size);
    sum = vmlal_u32(sum, vget_low_u32(square), low);
    sum = vmlal_u32(sum, vget_high_u32(square), high);
  } else {
    const uint32x2_t one = vdup_n_u32(1);
    const uint32x2_t square_low = vadd_u32(vshrn_n_u64(vmull_u32(low, low), kSquareShift), one);
    const uint32x2_t square_high = vadd_u32(vshrn_n_u64(vmull_u32(high, high), kSquareShift), one);
    sum = vaddq_u64(sum, vrshlq_u64(vmull_u32(square_low, low), cube_shift));
    sum = vaddq_u64(sum, vrshlq_u64(vmull_u32(square_high, high), cube_shift));
  }
}

template <int kSquareShift>
AdmRowSum sum_reference_row(const PerBand<IntegerRows>& reference, const IntegerAdmScale& scale,
                            int y) {
  const metrics::BandArea& area = scale.geometry.summed;
  const int64x2_t cube_shift = vdupq_n_s64(-metrics::adm_log2_ceiling(area.right - area.left));
  AdmRowSum sums{};
  for (std::size_t b = 0; b < kAdmBands; ++b) {
    const std::int32_t* const row = reference[b].row(y);
    uint64x2_t sum = vdupq_n_u64(0);
    for_four_columns(area, [&](int x, const auto& inside) {
      const int32x4_t size = inside(vabsq_s32(vld1q_s32(row + x)));
      add_reference_cubes<kSquareShift>(vreinterpretq_u32_s32(size), cube_shift, sum);
    });
    sums[b] = total(sum);
  }
  return sums;
}

AdmRowSum sum_reference(const PerBand<IntegerRows>& reference, const IntegerAdmScale& scale,
                        int y) {
  if (scale.index == 0) return sum_reference_row<0>(reference, scale, y);
  if (scale.index == 2) return sum_reference_row<30>(reference, scale, y);
  return sum_reference_row<31>(reference, scale, y);
}

/// Adds the cubes of four magnitudes, which must not be negative, to the sum.
template <int kSquareShift>
void add_visible_cubes(int32x4_t size, int64x2_t cube_shift, uint64x2_t& sum) {
  const Wide squares = products(size, size);
  const int32x4_t square = vcombine_s32(vrshrn_n_s64(squares.low, kSquareShift),
                                        vrshrn_n_s64(squares.high, kSquareShift));
  const Wide cubes = products(square, size);
  sum = vaddq_u64(sum, vreinterpretq_u64_s64(vrshlq_s64(cubes.low, cube_shift)));
  sum = vaddq_u64(sum, vreinterpretq_u64_s64(vrshlq_s64(cubes.high, cube_shift)));
}

/// Masking thresholds of a row, for four columns after the other. Keeps the sums of three rows of
/// neighbours, because each is part of three thresholds.
class Thresholds {
 public:
  /// Starts with the columns from x on.
  Thresholds(const std::array<const std::int32_t*, 3>& rows, const std::int32_t* own, int x)
      : rows_(rows), own_(own), before_(column_sums(x - 4)), at_(column_sums(x)) {}

  /// Returns the thresholds of columns x to x + 3, the next ones.
  [[gnu::always_inline]] int32x4_t next(int x) {
    const int32x4_t after = column_sums(x + 4);
    const int32x4_t sides = vaddq_s32(vextq_s32(before_, at_, 3), vextq_s32(at_, after, 1));
    const int32x4_t sum = vaddq_s32(vaddq_s32(at_, sides), vld1q_s32(own_ + x));
    before_ = at_;
    at_ = after;
    return sum;
  }

 private:
  [[nodiscard]] int32x4_t column_sums(int x) const {
    return vaddq_s32(vaddq_s32(vld1q_s32(rows_[0] + x), vld1q_s32(rows_[1] + x)),
                     vld1q_s32(rows_[2] + x));
  }

  std::array<const std::int32_t*, 3> rows_;
  const std::int32_t* own_;
  int32x4_t before_, at_;
};

template <bool kNarrow>
AdmRowSum sum_visible_row(const AdmDetail& detail, const AdmDetail& masks,
                          const IntegerAdmScale& scale, int y) {
  const metrics::BandArea& area = scale.geometry.summed;
  const int height = scale.geometry.height;
  const std::array<const std::int32_t*, 3> rows{
      masks.neighbour.row(metrics::adm_mirror(y - 1, height)), masks.neighbour.row(y),
      masks.neighbour.row(metrics::adm_mirror(y + 1, height))};
  const int log2 = metrics::adm_log2_ceiling(scale.geometry.width);
  const int64x2_t straight_shift = vdupq_n_s64(kNarrow ? 4 - log2 : -log2);
  const int64x2_t diagonal_shift = vdupq_n_s64(kNarrow ? 3 - log2 : -log2);
  const int32x4_t none = vdupq_n_s32(0);
  PerBand<uint64x2_t> sums{vdupq_n_u64(0), vdupq_n_u64(0), vdupq_n_u64(0)};
  const PerBand<const std::int32_t*> details = rows_of(detail.bands, y);
  Thresholds thresholds(rows, masks.own.row(y), area.left);
  const auto add = [&](int x, const auto& inside) __attribute__((always_inline)) {
    const int32x4_t masked = thresholds.next(x);
    for (std::size_t b = 0; b < kAdmBands; ++b) {
      const int32x4_t coefficient = vld1q_s32(details[b] + x);
      const auto factor = static_cast<std::int32_t>(scale.factor[b]);
      int32x4_t size;
      if constexpr (kNarrow) {
        const int32x4_t less = b == 2 ? vshlq_n_s32(masked, 12) : vshlq_n_s32(masked, 10);
        size = vsubq_s32(vabsq_s32(vmulq_n_s32(coefficient, factor)), less);
      } else {
        size = vsubq_s32(vabsq_s32(weighed<kNarrow>(coefficient, factor, false)), masked);
      }
      size = inside(vmaxq_s32(size, none));
      if (kNarrow && b < 2) {
        add_visible_cubes<29>(size, straight_shift, sums[b]);
      } else {
        add_visible_cubes<30>(size, diagonal_shift, sums[b]);
      }
    }
  };
  for_four_columns(area, add);
  return {total(sums[0]), total(sums[1]), total(sums[2])};
}

AdmRowSum sum_visible(const AdmDetail& detail, const AdmDetail& masks, const IntegerAdmScale& scale,
                      int y) {
  return scale.index == 0 ? sum_visible_row<true>(detail, masks, scale, y)
                          : sum_visible_row<false>(detail, masks, scale, y);
}

}  // namespace

const metrics::AdmRowFunctions& adm_rows() {
  static constexpr metrics::AdmRowFunctions kRows{filter_bytes, filter_luma<std::uint16_t>,
                                                  filter_rows,  filter_columns,
                                                  decouple,     sum_reference,
                                                  sum_visible};
  return kRows;
}

std::unique_ptr<metrics::PairKernel> make_adm(const video::PictureFormat& format,
                                              std::span<const metrics::FeatureRequest> requests,
                                              std::size_t threads) {
  return metrics::make_adm_kernel(format, requests, threads, adm_rows());
}

}  // namespace sidecore::neon
