#include "neon/metrics/float_adm_rows.h"

#include <algorithm>

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
  const uint32x4_t kept = vcageq_f32(coefficient, vdupq_n_f32(metrics::kAdmSmallestCoefficient));
  return vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32(coefficient), kept));
}

struct FloatLuma8 {
  float32x4_t low, high;
};

// Converts eight samples. Bytes need no scale, and their differences are exact integers.
FloatLuma8 load_luma(const std::uint8_t* from, float32x4_t /*scale*/) {
  const int16x8_t centred = vreinterpretq_s16_u16(vsubl_u8(vld1_u8(from), vdup_n_u8(128)));
  return {vcvtq_f32_s32(vmovl_s16(vget_low_s16(centred))), vcvtq_f32_s32(vmovl_high_s16(centred))};
}
FloatLuma8 load_luma(const std::uint16_t* from, float32x4_t scale) {
  const float32x4_t offset = vdupq_n_f32(128);
  const uint16x8_t samples = vld1q_u16(from);
  const float32x4_t low = vcvtq_f32_u32(vmovl_u16(vget_low_u16(samples)));
  const float32x4_t high = vcvtq_f32_u32(vmovl_high_u16(samples));
  return {vsubq_f32(vmulq_f32(low, scale), offset), vsubq_f32(vmulq_f32(high, scale), offset)};
}

// Converts columns of a row of `width` samples to floats. Memory may end after the last sample.
template <class Sample>
void convert_row(const Sample* from, int width, const metrics::AdmColumns& columns, int bits,
                 float* to) {
  const float32x4_t scale = vdupq_n_f32(metrics::adm_sample_scale(bits));
  int x = columns.first / 8 * 8;
  const int whole = std::min((columns.last + 7) / 8, width / 8) * 8;
  for (; x < whole; x += 8) {
    const FloatLuma8 luma = load_luma(from + x, scale);
    vst1q_f32(to + x, luma.low);
    vst1q_f32(to + x + 4, luma.high);
  }
  for (; x < columns.last; ++x) {
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
  const float32x4x2_t first = vld2q_f32(before);
  const float32x4x2_t last = vld2q_f32(before + 2);
  return {first.val[0], first.val[1], last.val[0], last.val[1]};
}

void store_filtered(const std::array<float, 4>& taps, const Windows& w, float* at) {
  vst1q_f32(at, without_rounding_noise(filtered(taps, w.s0, w.s1, w.s2, w.s3)));
}

}  // namespace

const float* luma_row(const metrics::LumaView& luma, int bits, const metrics::AdmScale& scale,
                      int y, LumaRows& rows) {
  const metrics::AdmColumns columns = metrics::adm_input_columns(scale);
  for (; rows.converted <= y; ++rows.converted) {
    float* const to = rows.rows.row(rows.converted % LumaRows::kRows);
    std::visit(
        [&](const auto& plane) {
          convert_row(plane.row(rows.converted), plane.width, columns, bits, to);
        },
        luma);
  }
  return rows.rows.row(y % LumaRows::kRows);
}

void filter_vertically(const std::array<const float*, 4>& rows, const metrics::AdmScale& scale,
                       FilteredRow& filtered_row) {
  float* const low = filtered_row.low.row(0);
  float* const high = filtered_row.high.row(0);
  const auto [row0, row1, row2, row3] = rows;
  const metrics::AdmColumns columns = metrics::adm_input_columns(scale);
  // Four vectors are loaded by one instruction.
  for (int x = columns.first / 16 * 16; x < columns.last; x += 16) {
    const float32x4x4_t s0 = vld1q_f32_x4(row0 + x);
    const float32x4x4_t s1 = vld1q_f32_x4(row1 + x);
    const float32x4x4_t s2 = vld1q_f32_x4(row2 + x);
    const float32x4x4_t s3 = vld1q_f32_x4(row3 + x);
    const auto store = [&](const std::array<float, 4>& taps, float* to) {
      for (int i = 0; i < 4; ++i) {
        vst1q_f32(to + x + 4 * i, filtered(taps, s0.val[i], s1.val[i], s2.val[i], s3.val[i]));
      }
    };
    store(kAdmLowPass, low);
    store(kAdmHighPass, high);
  }
  mirror_ends(low, scale.input_width);
  mirror_ends(high, scale.input_width);
}

void filter_horizontally(const FilteredRow& filtered_row, const metrics::AdmScale& scale, int y,
                         AdmWavelet& wavelet) {
  const float* const low = filtered_row.low.row(0);
  const float* const high = filtered_row.high.row(0);
  float* const approximation = wavelet.approximation.row(y);
  const metrics::PerBand<float*> bands{wavelet.bands[0].row(y), wavelet.bands[1].row(y),
                                       wavelet.bands[2].row(y)};
  for (int x = scale.transformed.first / 4 * 4; x < scale.transformed.last; x += 4) {
    const Windows l = windows(low + std::ptrdiff_t{2} * x - 1);
    store_filtered(kAdmLowPass, l, approximation + x);
    store_filtered(kAdmHighPass, l, bands[1] + x);
    const Windows h = windows(high + std::ptrdiff_t{2} * x - 1);
    store_filtered(kAdmLowPass, h, bands[0] + x);
    store_filtered(kAdmHighPass, h, bands[2] + x);
  }
}

}  // namespace sidecore::neon
