#include "neon/metrics/float_adm_masking.h"

#include <algorithm>
#include <cmath>

#include "neon/metrics/float_adm_rows.h"
#include "neon/neon.h"

namespace sidecore::neon {
namespace {

using metrics::AdmScale;
using metrics::kAdmBands;
using metrics::PerBand;

float64x2_t widen_low(float32x4_t lanes) {
  return vcvt_f64_f32(vget_low_f32(lanes));
}

// Rounds to binary32.
float32x4_t rounded(float64x2_t low, float64x2_t high) {
  return vcvt_high_f32_f64(vcvt_f32_f64(low), high);
}

// Returns value * factor, computed in binary64 and rounded to binary32.
float32x4_t times(float32x4_t value, double factor) {
  return rounded(vmulq_n_f64(widen_low(value), factor),
                 vmulq_n_f64(vcvt_high_f64_f32(value), factor));
}

// Returns value + other * factor, computed in binary64 and rounded to binary32.
float32x4_t plus_times(float32x4_t value, float32x4_t other, double factor) {
  return rounded(
      vaddq_f64(widen_low(value), vmulq_n_f64(widen_low(other), factor)),
      vaddq_f64(vcvt_high_f64_f32(value), vmulq_n_f64(vcvt_high_f64_f32(other), factor)));
}

uint32x4_t same_direction(float32x4_t oh, float32x4_t ov, float32x4_t th, float32x4_t tv) {
  const float32x4_t product = vaddq_f32(vmulq_f32(oh, th), vmulq_f32(ov, tv));
  const float32x4_t reference = vaddq_f32(vmulq_f32(oh, oh), vmulq_f32(ov, ov));
  const float32x4_t distorted = vaddq_f32(vmulq_f32(th, th), vmulq_f32(tv, tv));
  const float32x4_t bound = vmulq_f32(vmulq_n_f32(reference, metrics::kAdmCosSquared), distorted);
  return vandq_u32(vcgeq_f32(product, vdupq_n_f32(0)),
                   vcgeq_f32(vmulq_f32(product, product), bound));
}

// Limits of the enhancement gain.
struct WideGainLimit {
  double limit;
  [[nodiscard]] float32x4_t amplify(float32x4_t value) const { return times(value, limit); }
};
// A limit that is a binary32 number. It multiplies in binary32, which gives the same result,
// because the binary64 product would be exact and then be rounded once.
struct NarrowGainLimit {
  float limit;
  [[nodiscard]] float32x4_t amplify(float32x4_t value) const { return vmulq_n_f32(value, limit); }
};

template <class GainLimit>
float32x4_t restored_detail(float32x4_t o, float32x4_t t, uint32x4_t enhanced,
                            const GainLimit& gain) {
  const float32x4_t zero = vdupq_n_f32(0);
  const float32x4_t quotient = vdivq_f32(t, vaddq_f32(o, vdupq_n_f32(metrics::kAdmDivisorOffset)));
  const float32x4_t share = vminq_f32(vmaxq_f32(quotient, zero), vdupq_n_f32(1));
  const float32x4_t restored = vmulq_f32(share, o);
  // The minimum of two rounded values equals the rounded minimum of the two values.
  const float32x4_t amplified = gain.amplify(restored);
  const float32x4_t limited =
      vbslq_f32(vcgtq_f32(restored, zero), vminq_f32(amplified, t), vmaxq_f32(amplified, t));
  const uint32x4_t not_zero = vmvnq_u32(vceqq_f32(restored, zero));
  return vbslq_f32(vandq_u32(enhanced, not_zero), limited, restored);
}

void store_detail(float32x4_t detail, float csf, const DetailRow& row, std::size_t band, int x) {
  const float32x4_t weighed = vmulq_n_f32(detail, csf);
  vst1q_f32(row.detail[band] + x, weighed);
  vst1q_f32(row.masking[band] + x, neighbour_masking(vabsq_f32(weighed)));
}

template <class GainLimit>
void decouple_columns(const PerBand<const float*>& reference,
                      const PerBand<const float*>& distorted, const AdmScale& scale,
                      const GainLimit& gain, const DetailRow& restored,
                      const DetailRow& impairment) {
  const auto [left, top, right, bottom] = scale.needed;
  const PerBand<float> csf = scale.csf;  // a copy, because stores could change the scale
  for (int x = left; x < right; x += 4) {
    PerBand<float32x4_t> o;
    PerBand<float32x4_t> t;
    for (std::size_t band = 0; band < kAdmBands; ++band) {
      o[band] = vld1q_f32(reference[band] + x);
      t[band] = vld1q_f32(distorted[band] + x);
    }
    const uint32x4_t enhanced = same_direction(o[0], o[1], t[0], t[1]);
    for (std::size_t band = 0; band < kAdmBands; ++band) {
      const float32x4_t r = restored_detail(o[band], t[band], enhanced, gain);
      store_detail(r, csf[band], restored, band, x);
      store_detail(vsubq_f32(t[band], r), csf[band], impairment, band, x);
    }
  }
}

void mirror_ends(const DetailRow& row, const AdmScale& scale) {
  for (float* const masking : row.masking) {
    if (scale.needed.left == 0) masking[-1] = masking[1];
    if (scale.needed.right == scale.width) masking[scale.width] = masking[scale.width - 1];
  }
}

// Rows of masking values above, at and below a row.
struct Neighbours {
  DetailRow above, at, below;
};

Neighbours neighbours(DetailRow (DetailRing::*row)(int), DetailRing& ring, const AdmScale& scale,
                      int y) {
  return {(ring.*row)(metrics::adm_mirror(y - 1, scale.height)), (ring.*row)(y),
          (ring.*row)(metrics::adm_mirror(y + 1, scale.height))};
}

[[gnu::always_inline]] inline float32x4_t masking(const Neighbours& rows, std::size_t band, int x) {
  const float* const above = rows.above.masking[band] + x;
  const float* const at = rows.at.masking[band] + x;
  const float* const below = rows.below.masking[band] + x;
  float32x4_t sum = vaddq_f32(vld1q_f32(above - 1), vld1q_f32(above));
  sum = vaddq_f32(sum, vld1q_f32(above + 1));
  sum = vaddq_f32(sum, vld1q_f32(at - 1));
  sum = plus_times(sum, vabsq_f32(vld1q_f32(rows.at.detail[band] + x)), metrics::kAdmCentreMasking);
  sum = vaddq_f32(sum, vld1q_f32(at + 1));
  sum = vaddq_f32(sum, vld1q_f32(below - 1));
  sum = vaddq_f32(sum, vld1q_f32(below));
  return vaddq_f32(sum, vld1q_f32(below + 1));
}

[[gnu::always_inline]] inline float32x4_t masking(const Neighbours& rows, int x) {
  return vaddq_f32(vaddq_f32(masking(rows, 0, x), masking(rows, 1, x)), masking(rows, 2, x));
}

float32x4_t kept(float32x4_t value, uint32x4_t where) {
  return vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32(value), where));
}

struct Cube {
  float32x4_t operator()(float32x4_t value) const {
    const float32x4_t cube = vmulq_f32(vmulq_f32(value, value), value);
    return kept(cube, vcgeq_f32(value, vdupq_n_f32(metrics::kAdmSmallestTerm)));
  }
};

struct Power {
  float exponent;
  float32x4_t operator()(float32x4_t value) const {
    std::array<float, 4> lanes{};
    vst1q_f32(lanes.data(), value);
    for (float& lane : lanes) lane = std::pow(std::max(lane, 0.0F), exponent);
    return vld1q_f32(lanes.data());
  }
};

// Running sums of the three bands; each adds from left to right.
class BandSums {
 public:
  // Adds the terms of four columns to the sums.
  void add(const PerBand<float32x4_t>& terms) {
    const float32x4_t zero = vdupq_n_f32(0);
    const float32x4_t first_02 = vzip1q_f32(terms[0], terms[2]);
    const float32x4_t first_1 = vzip1q_f32(terms[1], zero);
    const float32x4_t last_02 = vzip2q_f32(terms[0], terms[2]);
    const float32x4_t last_1 = vzip2q_f32(terms[1], zero);
    sums_ = vaddq_f32(sums_, vzip1q_f32(first_02, first_1));
    sums_ = vaddq_f32(sums_, vzip2q_f32(first_02, first_1));
    sums_ = vaddq_f32(sums_, vzip1q_f32(last_02, last_1));
    sums_ = vaddq_f32(sums_, vzip2q_f32(last_02, last_1));
  }
  [[nodiscard]] PerBand<float> sums() const {
    return {vgetq_lane_f32(sums_, 0), vgetq_lane_f32(sums_, 1), vgetq_lane_f32(sums_, 2)};
  }

 private:
  float32x4_t sums_ = vdupq_n_f32(0);
};

template <class Raise>
metrics::AdmSums::Scale sum_row(const PerBand<const float*>& reference, const Neighbours& restored,
                                const Neighbours& impairment, const AdmScale& scale,
                                const Raise& raise) {
  static constexpr std::array<std::int32_t, 4> kLanes = {0, 1, 2, 3};
  const int32x4_t lanes = vld1q_s32(kLanes.data());
  BandSums of_reference;
  BandSums of_restored;
  BandSums of_impairment;
  const auto add = [&](int x, const auto& inside) {
    const float32x4_t by_impairment = masking(impairment, x);
    const float32x4_t by_restored = masking(restored, x);
    PerBand<float32x4_t> a;
    PerBand<float32x4_t> b;
    PerBand<float32x4_t> c;
    for (std::size_t band = 0; band < kAdmBands; ++band) {
      const float32x4_t weighed = vmulq_n_f32(vld1q_f32(reference[band] + x), scale.csf[band]);
      const float32x4_t r = vld1q_f32(restored.at.detail[band] + x);
      const float32x4_t i = vld1q_f32(impairment.at.detail[band] + x);
      a[band] = inside(raise(vabsq_f32(weighed)));
      b[band] = inside(raise(vsubq_f32(vabsq_f32(r), by_impairment)));
      c[band] = inside(raise(vsubq_f32(vabsq_f32(i), by_restored)));
    }
    of_reference.add(a);
    of_restored.add(b);
    of_impairment.add(c);
  };
  int x = scale.summed.left;
  for (; x + 4 <= scale.summed.right; x += 4) add(x, [](float32x4_t term) { return term; });
  if (x < scale.summed.right) {
    // Columns after the last column add 0.
    const uint32x4_t inside = vcltq_s32(lanes, vdupq_n_s32(scale.summed.right - x));
    add(x, [&](float32x4_t term) { return kept(term, inside); });
  }
  return {of_reference.sums(), of_restored.sums(), of_impairment.sums()};
}

}  // namespace

DetailRing::DetailRing(int width) : rows_(width, kRows * 2 * 2 * static_cast<int>(kAdmBands)) {}

DetailRow DetailRing::row(int y, int kind) {
  int at = (y % kRows * 2 + kind) * 2 * static_cast<int>(kAdmBands);
  DetailRow row{};
  for (float*& detail : row.detail) detail = rows_.row(at++);
  for (float*& masking : row.masking) masking = rows_.row(at++);
  return row;
}

void decouple_row(const PerBand<PaddedRows>& reference, const PerBand<PaddedRows>& distorted,
                  const AdmScale& scale, int y, double gain_limit, DetailRing& ring) {
  const PerBand<const float*> o{reference[0].row(y), reference[1].row(y), reference[2].row(y)};
  const PerBand<const float*> t{distorted[0].row(y), distorted[1].row(y), distorted[2].row(y)};
  const DetailRow restored = ring.restored(y);
  const DetailRow impairment = ring.impairment(y);
  const auto narrow = static_cast<float>(gain_limit);
  if (double{narrow} == gain_limit) {
    decouple_columns(o, t, scale, NarrowGainLimit{narrow}, restored, impairment);
  } else {
    decouple_columns(o, t, scale, WideGainLimit{gain_limit}, restored, impairment);
  }
  mirror_ends(restored, scale);
  mirror_ends(impairment, scale);
}

metrics::AdmSums::Scale sum_row(const PerBand<PaddedRows>& reference, DetailRing& ring,
                                const AdmScale& scale, int y, double p_norm) {
  const PerBand<const float*> rows = {reference[0].row(y), reference[1].row(y),
                                      reference[2].row(y)};
  const Neighbours restored = neighbours(&DetailRing::restored, ring, scale, y);
  const Neighbours impairment = neighbours(&DetailRing::impairment, ring, scale, y);
  if (p_norm == 3) return sum_row(rows, restored, impairment, scale, Cube{});
  return sum_row(rows, restored, impairment, scale, Power{static_cast<float>(p_norm)});
}

}  // namespace sidecore::neon
