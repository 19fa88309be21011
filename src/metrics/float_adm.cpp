#include "metrics/float_adm.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>

#include "base/error.h"

namespace sidecore::metrics {
namespace {

constexpr int kMinimumSize = 17;
constexpr double kBorder = 0.1;

void check_range(std::string_view name, double value, double least, double most) {
  if (!(value >= least && value <= most)) {
    throw usage_error("float_adm: {0} must be {2} to {3}, not {1}", name, value, least, most);
  }
}

/// Watson's model of the visibility of Daubechies-2 coefficients (Watson, Yang, Solomon,
/// Villasenor, "Visibility of wavelet quantization noise", 1997): the amplitudes of the basis
/// functions per scale, and the shift of the threshold's minimum by orientation.
struct Orientation {
  std::array<float, kAdmScales> amplitude;
  float shift;
};
constexpr Orientation kStraight{{.67234F, .41317F, .22727F, .11792F}, 1.0F};
constexpr Orientation kDiagonal{{.72709F, .49428F, .28688F, .15214F}, .534F};
constexpr float kSmallestThreshold = .495F;
constexpr float kThresholdSlope = .466F;
constexpr float kMinimumFrequency = .401F;

float csf_weight(std::size_t scale, const Orientation& orientation, float pixels_per_degree) {
  const double minimum = std::pow(2.0, static_cast<double>(scale + 1)) * double{kMinimumFrequency} *
                         double{orientation.shift};
  const auto distance = static_cast<float>(std::log10(minimum / double{pixels_per_degree}));
  const double threshold = 2.0 * double{kSmallestThreshold} *
                           std::pow(10.0, double{kThresholdSlope * distance * distance});
  const auto quantisation = static_cast<float>(threshold / double{orientation.amplitude[scale]});
  return 1.0F / quantisation;
}

BandArea summed_area(int width, int height) {
  const int left = static_cast<int>(width * kBorder - 0.5);
  const int top = static_cast<int>(height * kBorder - 0.5);
  return {left, top, width - left, height - top};
}

BandArea with_neighbours(const BandArea& area, int width, int height) {
  return {std::max(area.left - 1, 0), std::max(area.top - 1, 0), std::min(area.right + 1, width),
          std::min(area.bottom + 1, height)};
}

float area_noise(const BandArea& area, double weight, float exponent) {
  const int samples = (area.right - area.left) * (area.bottom - area.top);
  return std::pow(static_cast<float>(samples * weight), exponent);
}

// Returns the sum, over the bands, of the p-norm of each band's sum.
float pooled(const PerBand<float>& sums, float exponent, float noise) {
  PerBand<float> band{};
  for (std::size_t b = 0; b < kAdmBands; ++b) band[b] = std::pow(sums[b], exponent) + noise;
  return (band[0] + band[1]) + band[2];
}

void add(const AdmSums::Scale& row, AdmSums::Scale& sum) {
  for (std::size_t b = 0; b < kAdmBands; ++b) {
    sum.reference[b] += row.reference[b];
    sum.restored[b] += row.restored[b];
    sum.impairment[b] += row.impairment[b];
  }
}

/// Returns the rows, or columns, of the coefficients that the sums of `summed` need. `sizes` are
/// the bands' heights or widths.
AdmRows transformed_ranges(const std::array<int, kAdmScales>& sizes, const AdmRows& summed) {
  AdmRows rows;
  RowRange inputs;  // rows of the approximation that the next scale reads
  for (std::size_t k = kAdmScales; k-- > 0;) {
    // The range has at least two rows, because the second row, mirrored, replaces the row above the
    // first.
    RowRange range{std::max(summed[k].first - 1, 0), std::max(summed[k].last + 1, 2)};
    if (summed[k].first == summed[k].last) range = inputs;
    if (inputs.first < inputs.last) {
      range = {std::min(range.first, inputs.first), std::max(range.last, inputs.last)};
    }
    range.last = std::min(range.last, sizes[k]);
    rows[k] = range;
    inputs = {std::max(2 * range.first - 1, 0), 2 * range.last + 1};
    if (range.first == range.last) inputs = {};
  }
  return rows;
}

}  // namespace

void check_float_adm_options(const AdmOptions& options) {
  check_range("adm_enhn_gain_limit", options.enhancement_gain_limit, 1, 100);
  check_range("adm_norm_view_dist", options.view_distance, 0.75, 24);
  check_range("adm_ref_display_height", options.display_height, 1, 4320);
  check_range("adm_noise_weight", options.noise_weight, 0, 1500);
  check_range("adm_p_norm", options.p_norm, 1, 20);
  check_range("adm_dlm_weight", options.detail_loss_weight, 0, 1);
  check_range("adm_min_val", options.min_value, 0, 1);
  if (options.csf_mode != 0) {
    throw usage_error("float_adm: adm_csf_mode must be 0 (Watson's model), not {}",
                      options.csf_mode);
  }
}

void check_float_adm_format(const video::PictureFormat& format) {
  const int bits = format.pixel.bits;
  if (bits != 8 && bits != 10 && bits != 12 && bits != 16) {
    throw usage_error("float_adm is defined for 8, 10, 12 and 16 bits a sample, not for {}", bits);
  }
  if (format.width < kMinimumSize || format.height < kMinimumSize) {
    throw usage_error("float_adm needs pictures of at least {0}x{0} samples, not {1}x{2}",
                      kMinimumSize, format.width, format.height);
  }
}

AdmScales adm_scales(const video::PictureFormat& format, const AdmOptions& options) {
  check_float_adm_format(format);
  check_float_adm_options(options);
  int width = format.width;
  int height = format.height;
  AdmScales scales;
  const auto pixels_per_degree =
      static_cast<float>(options.view_distance * options.display_height * std::numbers::pi / 180.0);
  std::array<int, kAdmScales> widths{};
  AdmRows summed_columns;
  for (std::size_t k = 0; k < kAdmScales; ++k) {
    AdmScale& scale = scales[k];
    scale.input_width = width;
    scale.input_height = height;
    width = scale.width = (width + 1) / 2;
    height = scale.height = (height + 1) / 2;
    scale.summed = summed_area(width, height);
    scale.needed = with_neighbours(scale.summed, width, height);
    const float straight = csf_weight(k, kStraight, pixels_per_degree);
    scale.csf = {straight, straight, csf_weight(k, kDiagonal, pixels_per_degree)};
    widths[k] = width;
    summed_columns[k] = {scale.summed.left, scale.summed.right};
  }
  const AdmRows columns = transformed_ranges(widths, summed_columns);
  for (std::size_t k = 0; k < kAdmScales; ++k) {
    scales[k].transformed = {columns[k].first, columns[k].last};
  }
  return scales;
}

AdmRows summed_rows(const AdmScales& scales) {
  AdmRows rows;
  for (std::size_t k = 0; k < kAdmScales; ++k) {
    rows[k] = {scales[k].summed.top, scales[k].summed.bottom};
  }
  return rows;
}

AdmRows transformed_rows(const AdmScales& scales, const AdmRows& summed) {
  std::array<int, kAdmScales> heights{};
  for (std::size_t k = 0; k < kAdmScales; ++k) heights[k] = scales[k].height;
  return transformed_ranges(heights, summed);
}

AdmSummer::AdmSummer(const AdmScales& scales) : scales_(scales) {
  for (std::size_t k = 0; k < kAdmScales; ++k) {
    const BandArea& area = scales_[k].summed;
    row_sums_[k].resize(static_cast<std::size_t>(area.bottom - area.top));
  }
}

AdmSums AdmSummer::sums(const video::Picture& reference, const video::Picture& distorted,
                        ThreadTeam& team) {
  row_sums(luma_view(reference), luma_view(distorted), summed_rows(scales_), team,
           {row_sums_[0], row_sums_[1], row_sums_[2], row_sums_[3]});
  AdmSums sums;
  for (std::size_t k = 0; k < kAdmScales; ++k) {
    for (const AdmSums::Scale& row : row_sums_[k]) add(row, sums.scales[k]);
  }
  return sums;
}

AdmScores float_adm(const AdmSums& sums, const video::PictureFormat& format,
                    const AdmOptions& options) {
  const AdmScales scales = adm_scales(format, options);
  const auto exponent = static_cast<float>(1.0 / options.p_norm);
  AdmScores scores;
  double impairment = 0;
  double reference = 0;
  for (std::size_t k = 0; k < kAdmScales; ++k) {
    const float noise = area_noise(scales[k].summed, options.noise_weight, exponent);
    const AdmSums::Scale& scale = sums.scales[k];
    scores.scale_numerator[k] = double{pooled(scale.restored, exponent, noise)};
    scores.scale_denominator[k] = double{pooled(scale.reference, exponent, noise)};
    scores.scale[k] = scores.scale_numerator[k] / scores.scale_denominator[k];
    scores.numerator += scores.scale_numerator[k];
    reference += scores.scale_denominator[k];
    impairment += double{pooled(scale.impairment, exponent, 0)};
  }
  scores.denominator = reference;
  const double limit =
      1e-10 * (static_cast<double>(format.width) * format.height) / (1920.0 * 1080.0);
  if (scores.numerator < limit) scores.numerator = 0;
  if (scores.denominator < limit) scores.denominator = 0;
  const bool flat = scores.denominator == 0;
  scores.adm2 = flat ? 1 : scores.numerator / scores.denominator;
  scores.aim = flat ? 0 : std::min(impairment / reference, 1.0);
  scores.adm3 = std::max(scores.adm2 * options.detail_loss_weight +
                             (1 - scores.aim) * (1 - options.detail_loss_weight),
                         options.min_value);
  return scores;
}

}  // namespace sidecore::metrics
