#include "neon/metrics/float_adm_rows.h"

#include "neon/neon.h"

namespace sidecore::neon {
namespace {

using metrics::kAdmHighPass;
using metrics::kAdmLowPass;

// The parentheses are as in the scalar definition, because every product and sum is rounded
// separately.
float32x4_t filtered(const std::array<float, 4>& taps, float32x4_t s0, float32x4_t s1,
                     float32x4_t s2, float32x4_t s3) {
  const float32x4_t two = vaddq_f32(vmulq_n_f32(s0, taps[0]), vmulq_n_f32(s1, taps[1]));
  return vaddq_f32(vaddq_f32(two, vmulq_n_f32(s2, taps[2])), vmulq_n_f32(s3, taps[3]));
}

float32x4_t without_rounding_noise(float32x4_t coefficient) {
  const uint32x4_t kept =
      vcgeq_f32(vabsq_f32(coefficient), vdupq_n_f32(metrics::kAdmSmallestCoefficient));
  return vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32(coefficient), kept));
}

// Loads four samples as floats. Memory may end after the last sample.
template <class Sample>
void convert_row(const Sample* from, int width, int bits, float* to) {
  const float32x4_t scale = vdupq_n_f32(metrics::adm_sample_scale(bits));
  const float32x4_t offset = vdupq_n_f32(128);
  const auto store = [&](uint16x4_t samples, float* at) {
    const float32x4_t value = vcvtq_f32_u32(vmovl_u16(samples));
    vst1q_f32(at, vsubq_f32(vmulq_f32(value, scale), offset));
  };
  int x = 0;
  for (; x + 8 <= width; x += 8) {
    uint16x8_t samples;
    if constexpr (sizeof(Sample) == 1) {
      samples = vmovl_u8(vld1_u8(from + x));
    } else {
      samples = vld1q_u16(from + x);
    }
    store(vget_low_u16(samples), to + x);
    store(vget_high_u16(samples), to + x + 4);
  }
  for (; x < width; ++x) {
    to[x] = static_cast<float>(from[x]) * metrics::adm_sample_scale(bits) - 128.0F;
  }
}

// Mirrors a row into samples -1, width and width + 1.
void mirror_ends(float* row, int width) {
  row[-1] = row[1];
  row[width] = row[width - 1];
  row[width + 1] = row[width - 2];
}

// Samples 2j-1, 2j, 2j+1 and 2j+2 for four consecutive values of j.
struct Windows {
  float32x4_t s0, s1, s2, s3;
};
Windows windows(const float* before) {
  const float32x4_t a = vld1q_f32(before);
  const float32x4_t b = vld1q_f32(before + 4);
  const float32x4_t c = vld1q_f32(before + 2);
  const float32x4_t d = vld1q_f32(before + 6);
  return {vuzp1q_f32(a, b), vuzp2q_f32(a, b), vuzp1q_f32(c, d), vuzp2q_f32(c, d)};
}

void store_filtered(const std::array<float, 4>& taps, const Windows& w, float* at) {
  vst1q_f32(at, without_rounding_noise(filtered(taps, w.s0, w.s1, w.s2, w.s3)));
}

}  // namespace

const float* luma_row(const metrics::LumaView& luma, int bits, int y, LumaRows& rows) {
  for (; rows.converted <= y; ++rows.converted) {
    float* const to = rows.rows.row(rows.converted % LumaRows::kRows);
    std::visit(
        [&](const auto& plane) { convert_row(plane.row(rows.converted), plane.width, bits, to); },
        luma);
  }
  return rows.rows.row(y % LumaRows::kRows);
}

void filter_vertically(const std::array<const float*, 4>& rows, int width,
                       FilteredRow& filtered_row) {
  float* const low = filtered_row.low.row(0);
  float* const high = filtered_row.high.row(0);
  for (int x = 0; x < width; x += 4) {
    const float32x4_t s0 = vld1q_f32(rows[0] + x);
    const float32x4_t s1 = vld1q_f32(rows[1] + x);
    const float32x4_t s2 = vld1q_f32(rows[2] + x);
    const float32x4_t s3 = vld1q_f32(rows[3] + x);
    vst1q_f32(low + x, filtered(kAdmLowPass, s0, s1, s2, s3));
    vst1q_f32(high + x, filtered(kAdmHighPass, s0, s1, s2, s3));
  }
  mirror_ends(low, width);
  mirror_ends(high, width);
}

void filter_horizontally(const FilteredRow& filtered_row, int y, int width, AdmWavelet& wavelet) {
  const float* const low = filtered_row.low.row(0);
  const float* const high = filtered_row.high.row(0);
  for (int x = 0; x < width; x += 4) {
    const Windows l = windows(low + 2 * x - 1);
    store_filtered(kAdmLowPass, l, wavelet.approximation.row(y) + x);
    store_filtered(kAdmHighPass, l, wavelet.bands[1].row(y) + x);
    const Windows h = windows(high + 2 * x - 1);
    store_filtered(kAdmLowPass, h, wavelet.bands[0].row(y) + x);
    store_filtered(kAdmHighPass, h, wavelet.bands[2].row(y) + x);
  }
}

}  // namespace sidecore::neon
