#include "metrics/float_adm_sums.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace sidecore::metrics {
namespace {

using Taps = std::array<float, 4>;

float filtered(const Taps& taps, float s0, float s1, float s2, float s3) {
  return ((taps[0] * s0 + taps[1] * s1) + taps[2] * s2) + taps[3] * s3;
}

float without_rounding_noise(float coefficient) {
  return std::fabs(coefficient) < kAdmSmallestCoefficient ? 0.0F : coefficient;
}

constexpr int kRowsPerPiece = 16;

// Makes row i of a wavelet: filters vertically into `low` and `high`, then horizontally.
void transform_row(const FloatPlane& plane, int i, std::vector<float>& low,
                   std::vector<float>& high, AdmWavelet& wavelet) {
  const auto input_row = [&](int y) { return plane.row(adm_mirror(y, plane.height())); };
  const float* const r0 = input_row(2 * i - 1);
  const float* const r1 = input_row(2 * i);
  const float* const r2 = input_row(2 * i + 1);
  const float* const r3 = input_row(2 * i + 2);
  for (int x = 0; x < plane.width(); ++x) {
    const auto at = static_cast<std::size_t>(x);
    low[at] = filtered(kAdmLowPass, r0[x], r1[x], r2[x], r3[x]);
    high[at] = filtered(kAdmHighPass, r0[x], r1[x], r2[x], r3[x]);
  }
  const auto horizontally = [&](const Taps& taps, const std::vector<float>& from, int j) {
    const auto sample = [&](int x) {
      return from[static_cast<std::size_t>(adm_mirror(x, plane.width()))];
    };
    return without_rounding_noise(
        filtered(taps, sample(2 * j - 1), sample(2 * j), sample(2 * j + 1), sample(2 * j + 2)));
  };
  for (int j = 0; j < wavelet.approximation.width(); ++j) {
    wavelet.approximation.row(i)[j] = horizontally(kAdmLowPass, low, j);
    wavelet.bands[0].row(i)[j] = horizontally(kAdmLowPass, high, j);
    wavelet.bands[1].row(i)[j] = horizontally(kAdmHighPass, low, j);
    wavelet.bands[2].row(i)[j] = horizontally(kAdmHighPass, high, j);
  }
}

// Returns true if the distorted coefficients (horizontal, vertical) point within one degree of the
// reference's. The part that exceeds the reference is then enhancement. Every operation in this
// function must be rounded on its own: the result is discontinuous, and scores would change in the
// fourth digit.
bool same_direction(float oh, float ov, float th, float tv) {
  const float product = oh * th + ov * tv;
  const float reference = oh * oh + ov * ov;
  const float distorted = th * th + tv * tv;
  return product >= 0 && product * product >= (kAdmCosSquared * reference) * distorted;
}

// Returns the part of coefficient `o` that `t` preserves.
float restored_detail(float o, float t, bool enhanced, double gain_limit) {
  const float share = std::clamp(t / (o + kAdmDivisorOffset), 0.0F, 1.0F);
  const float restored = share * o;
  const double amplified = double{restored} * gain_limit;
  if (enhanced && restored > 0) return static_cast<float>(std::min(amplified, double{t}));
  if (enhanced && restored < 0) return static_cast<float>(std::max(amplified, double{t}));
  return restored;
}

// Returns what a weighted detail adds to the masking of its neighbours.
float neighbour_masking(float detail) {
  return static_cast<float>(kAdmNeighbourMasking * double{std::fabs(detail)});
}

float with_centre_masking(float sum, float detail) {
  return static_cast<float>(double{sum} + kAdmCentreMasking * double{std::fabs(detail)});
}

// Returns how much one band masks sample (x, y): a sum over the 3x3 neighbourhood in raster order.
float masking(const FloatPlane& band, float csf, int width, int height, int x, int y) {
  float sum = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    const float* const row = band.row(adm_mirror(y + dy, height));
    for (int dx = -1; dx <= 1; ++dx) {
      const float detail = csf * row[adm_mirror(x + dx, width)];
      sum = dx == 0 && dy == 0 ? with_centre_masking(sum, detail) : sum + neighbour_masking(detail);
    }
  }
  return sum;
}

float masking(const PerBand<FloatPlane>& bands, const AdmScale& scale, int x, int y) {
  PerBand<float> of{};
  for (std::size_t b = 0; b < kAdmBands; ++b) {
    of[b] = masking(bands[b], scale.csf[b], scale.width, scale.height, x, y);
  }
  return (of[0] + of[1]) + of[2];
}

float power(float value, double p_norm) {
  if (p_norm != 3) return std::pow(std::max(value, 0.0F), static_cast<float>(p_norm));
  return value < kAdmSmallestTerm ? 0.0F : (value * value) * value;
}

// Returns the sum of term(x) over a row of the band, from left to right.
template <class Term>
PerBand<float> sum_row(const BandArea& area, Term term) {
  PerBand<float> sum{};
  for (int x = area.left; x < area.right; ++x) {
    for (std::size_t b = 0; b < kAdmBands; ++b) sum[b] += term(b, x);
  }
  return sum;
}

PerBand<float> reference_row_sum(const PerBand<FloatPlane>& reference, const AdmScale& scale, int y,
                                 double p_norm) {
  return sum_row(scale.summed, [&](std::size_t b, int x) {
    return power(std::fabs(scale.csf[b] * reference[b].row(y)[x]), p_norm);
  });
}

// Sums the visible part of `detail` in one row: what exceeds the masking by `masks`.
PerBand<float> masked_row_sum(const PerBand<FloatPlane>& detail, const PerBand<FloatPlane>& masks,
                              const AdmScale& scale, int y, double p_norm) {
  PerBand<float> sum{};
  for (int x = scale.summed.left; x < scale.summed.right; ++x) {
    const float threshold = masking(masks, scale, x, y);
    for (std::size_t b = 0; b < kAdmBands; ++b) {
      sum[b] += power(std::fabs(scale.csf[b] * detail[b].row(y)[x]) - threshold, p_norm);
    }
  }
  return sum;
}

void decouple_row(const PerBand<FloatPlane>& reference, const PerBand<FloatPlane>& distorted,
                  const BandArea& area, int y, double gain_limit, PerBand<FloatPlane>& restored,
                  PerBand<FloatPlane>& impairment) {
  for (int x = area.left; x < area.right; ++x) {
    const bool enhanced = same_direction(reference[0].row(y)[x], reference[1].row(y)[x],
                                         distorted[0].row(y)[x], distorted[1].row(y)[x]);
    for (std::size_t b = 0; b < kAdmBands; ++b) {
      const float t = distorted[b].row(y)[x];
      const float r = restored_detail(reference[b].row(y)[x], t, enhanced, gain_limit);
      restored[b].row(y)[x] = r;
      impairment[b].row(y)[x] = t - r;
    }
  }
}

template <class Sample>
void copy_luma_row(video::PlaneView<const Sample> from, int bits, int y, FloatPlane& to) {
  const float scale = adm_sample_scale(bits);
  std::transform(from.row(y), from.row(y) + from.width, to.row(y),
                 [&](Sample sample) { return static_cast<float>(sample) * scale - 128.0F; });
}

void copy_luma(const LumaView& from, int bits, const RowRange& rows, ThreadTeam& team,
               FloatPlane& luma) {
  team.run_rows(rows, kRowsPerPiece, [&](int y, std::size_t) {
    std::visit([&](const auto& plane) { copy_luma_row(plane, bits, y, luma); }, from);
  });
}

}  // namespace

FloatAdm::FloatAdm(const video::PictureFormat& format, const AdmOptions& options,
                   std::size_t threads)
    : AdmSummer(adm_scales(format, options)),
      bits_(format.pixel.bits),
      options_(options),
      reference_luma_(format.width, format.height),
      distorted_luma_(format.width, format.height) {
  for (std::size_t k = 0; k < kAdmScales; ++k) {
    const FloatPlane plane(scales()[k].width, scales()[k].height);
    reference_[k] = distorted_[k] = {plane, {plane, plane, plane}};
    if (k == 0) restored_ = impairment_ = {plane, plane, plane};
  }
  const std::vector<float> row(static_cast<std::size_t>(format.width));
  filtered_.resize(threads, {row, row});
}

void FloatAdm::row_sums(const LumaView& reference, const LumaView& distorted, const AdmRows& rows,
                        ThreadTeam& team, const AdmRowSums& sums) {
  const AdmRows transformed = transformed_rows(scales(), rows);
  const RowRange luma{std::max(2 * transformed[0].first - 1, 0),
                      std::min(2 * transformed[0].last + 1, reference_luma_.height())};
  copy_luma(reference, bits_, luma, team, reference_luma_);
  copy_luma(distorted, bits_, luma, team, distorted_luma_);
  for (std::size_t k = 0; k < kAdmScales; ++k) {
    transform(k == 0 ? reference_luma_ : reference_[k - 1].approximation, transformed[k], team,
              reference_[k]);
    transform(k == 0 ? distorted_luma_ : distorted_[k - 1].approximation, transformed[k], team,
              distorted_[k]);
    decouple(k, transformed[k], team);
    sum(k, rows[k], team, sums[k]);
  }
}

void FloatAdm::transform(const FloatPlane& plane, const RowRange& rows, ThreadTeam& team,
                         AdmWavelet& wavelet) {
  team.run_rows(rows, kRowsPerPiece, [&](int y, std::size_t thread) {
    transform_row(plane, y, filtered_[thread].low, filtered_[thread].high, wavelet);
  });
}

void FloatAdm::decouple(std::size_t k, const RowRange& rows, ThreadTeam& team) {
  const BandArea& area = scales()[k].needed;
  const RowRange needed{std::max(rows.first, area.top), std::min(rows.last, area.bottom)};
  team.run_rows(needed, kRowsPerPiece, [&](int y, std::size_t) {
    decouple_row(reference_[k].bands, distorted_[k].bands, area, y, options_.enhancement_gain_limit,
                 restored_, impairment_);
  });
}

void FloatAdm::sum(std::size_t k, const RowRange& rows, ThreadTeam& team,
                   std::span<AdmSums::Scale> sums) const {
  const AdmScale& scale = scales()[k];
  const double p_norm = options_.p_norm;
  team.run_rows(rows, kRowsPerPiece, [&](int y, std::size_t) {
    sums[static_cast<std::size_t>(y - scale.summed.top)] = {
        .reference = reference_row_sum(reference_[k].bands, scale, y, p_norm),
        .restored = masked_row_sum(restored_, impairment_, scale, y, p_norm),
        .impairment = masked_row_sum(impairment_, restored_, scale, y, p_norm)};
  });
}

}  // namespace sidecore::metrics
