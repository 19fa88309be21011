#include "metrics/adm.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "base/error.h"
#include "metrics/families.h"

namespace sidecore::metrics {
namespace {

constexpr AdmOptions kIntegerAdmDefaults;
// Options of adm. Names, ranges and abbreviations equal libvmaf's.
constexpr std::array kIntegerAdmOptions{
    OptionSpec{.name = "debug", .adds_outputs = true},
    OptionSpec{"adm_enhn_gain_limit", OptionType::real, kIntegerAdmDefaults.enhancement_gain_limit,
               1, 100, "egl"},
    OptionSpec{"adm_norm_view_dist", OptionType::real, kIntegerAdmDefaults.view_distance, 0.75, 24,
               "nvd"},
    OptionSpec{"adm_ref_display_height", OptionType::integer,
               static_cast<double>(kIntegerAdmDefaults.display_height), 1, 4320, "rdh"},
    OptionSpec{"adm_csf_mode", OptionType::integer, 0, 0, 3, "csf"},
    OptionSpec{"adm_noise_weight", OptionType::real, kIntegerAdmDefaults.noise_weight, 0, 1500,
               "nw"},
    OptionSpec{"adm_dlm_weight", OptionType::real, kIntegerAdmDefaults.detail_loss_weight, 0, 1,
               "dlmw"},
    OptionSpec{"adm_min_val", OptionType::real, kIntegerAdmDefaults.min_value, 0, 1, "min"}};

AdmOptions integer_adm_options(const FeatureOptions& options) {
  AdmOptions adm;
  adm.enhancement_gain_limit = options.real("adm_enhn_gain_limit");
  adm.view_distance = options.real("adm_norm_view_dist");
  adm.display_height = options.integer("adm_ref_display_height");
  adm.csf_mode = options.integer("adm_csf_mode");
  adm.noise_weight = options.real("adm_noise_weight");
  adm.detail_loss_weight = options.real("adm_dlm_weight");
  adm.min_value = options.real("adm_min_val");
  return adm;
}

/// Contrast sensitivity of adm_csf_mode 2, a blend of Barten's and Watson's models. A table gives
/// two values for each display: one for the horizontal and vertical bands, one for the diagonal
/// band.
struct BlendedSensitivity {
  double view_distance;
  int display_height;
  std::array<float, kAdmScales> straight;
  std::array<float, kAdmScales> diagonal;
};
constexpr std::array<BlendedSensitivity, 6> kBlendedSensitivities{{
    {3, 1080, {.01183F, .025026F, .04295F, .058621F}, {.004302F, .011778F, .023918F, .035901F}},
    {1.5, 2160, {.01183F, .025026F, .04295F, .058621F}, {.004302F, .011778F, .023918F, .035901F}},
    {5, 1080, {.004212F, .014809F, .029642F, .047464F}, {.000984F, .005852F, .0146F, .027574F}},
    {3, 2160, {.00226F, .01183F, .025026F, .04295F}, {.000479F, .004302F, .011778F, .023918F}},
    {5, 2160, {.000092F, .004212F, .014809F, .029642F}, {.000050F, .000984F, .005852F, .0146F}},
    {5, 720, {.010144F, .022561F, .040309F, .05672F}, {.003463F, .010282F, .021839F, .034641F}},
}};
constexpr int kBlendedMode = 2;

const BlendedSensitivity* find_blended(const AdmOptions& options) {
  const auto found = std::ranges::find_if(kBlendedSensitivities, [&](const auto& entry) {
    return entry.view_distance == options.view_distance &&
           entry.display_height == options.display_height;
  });
  return found == kBlendedSensitivities.end() ? nullptr : &*found;
}

/// Smallest product of view distance (in picture heights) and display height (in lines): 1080 lines
/// at 3 heights. At a smaller product, scale 0 needs more than 16 bits.
constexpr double kNearestDistance = 3.0 * 1080;

void check_integer_adm(const video::PictureFormat& format, const FeatureOptions& feature_options) {
  const int bits = format.pixel.bits;
  if (bits != 8 && bits != 10 && bits != 12 && bits != 16) {
    throw usage_error("adm is defined for 8, 10, 12 and 16 bits a sample, not for {}", bits);
  }
  if (format.width < kIntegerAdmMinimumSize || format.height < kIntegerAdmMinimumSize) {
    throw usage_error("adm needs pictures of at least {0}x{0} samples, not {1}x{2}",
                      kIntegerAdmMinimumSize, format.width, format.height);
  }
  const AdmOptions options = integer_adm_options(feature_options);
  if (options.csf_mode != 0 && options.csf_mode != kBlendedMode) {
    throw usage_error("adm: adm_csf_mode must be 0 or 2, not {}", options.csf_mode);
  }
  if (options.view_distance * options.display_height < kNearestDistance) {
    throw usage_error(
        "adm: adm_norm_view_dist {} times adm_ref_display_height {} must be at least {}",
        options.view_distance, options.display_height, kNearestDistance);
  }
  if (options.csf_mode == kBlendedMode && find_blended(options) == nullptr) {
    throw usage_error(
        "adm: adm_csf_mode 2 has no table for adm_norm_view_dist {} with adm_ref_display_height {}",
        options.view_distance, options.display_height);
  }
}

std::vector<std::string> integer_adm_outputs(const FeatureOptions& options) {
  std::vector<std::string> names{"integer_adm2",       "integer_aim",        "integer_adm3",
                                 "integer_adm_scale0", "integer_adm_scale1", "integer_adm_scale2",
                                 "integer_adm_scale3"};
  if (options.flag("debug")) {
    names.insert(names.end(), {"integer_adm", "integer_adm_num", "integer_adm_den"});
    for (std::size_t k = 0; k < kAdmScales; ++k) {
      names.push_back("integer_adm_num_scale" + std::to_string(k));
      names.push_back("integer_adm_den_scale" + std::to_string(k));
    }
  }
  return names;
}

IntegerAdmScales integer_adm_scales(const video::PictureFormat& format, const AdmOptions& options) {
  AdmOptions watson = options;
  watson.csf_mode = 0;
  AdmScales geometry = adm_scales(format, watson);
  if (options.csf_mode == kBlendedMode) {
    const BlendedSensitivity& table = *find_blended(options);
    for (std::size_t k = 0; k < kAdmScales; ++k) {
      geometry[k].csf = {table.straight[k], table.straight[k], table.diagonal[k]};
    }
  }
  IntegerAdmScales scales;
  for (std::size_t k = 0; k < kAdmScales; ++k) {
    scales[k] = {k, geometry[k], {}, options.enhancement_gain_limit};
    for (std::size_t b = 0; b < kAdmBands; ++b) {
      const int unit = k > 0 ? 32 : b == 2 ? 23 : 21;
      scales[k].factor[b] =
          static_cast<std::uint32_t>(std::ldexp(double{geometry[k].csf[b]}, unit));
    }
  }
  // libvmaf has separate constants for the view distance at which `nearness` is 0.
  const double nearness = options.view_distance * options.display_height - kNearestDistance;
  if (options.csf_mode == 0 && std::abs(nearness) < 1e-8) scales[0].factor = {36453, 36453, 49417};
  return scales;
}

int area_log2(const BandArea& area) {
  return adm_log2_ceiling((area.right - area.left) * (area.bottom - area.top));
}

AdmRowSum rounded_row(AdmRowSum row, int shift) {
  const std::uint64_t half = shift > 0 ? std::uint64_t{1} << (shift - 1) : 0;
  for (std::uint64_t& sum : row) sum = (sum + half) >> shift;
  return row;
}

void add_row(const AdmRowSum& row, AdmRowSum& sum) {
  for (std::size_t b = 0; b < kAdmBands; ++b) sum[b] += row[b];
}

/// Returns the sum of cubes of a band's weighted coefficients; `sum` is in the scale's integer
/// unit.
float reference_cubes(const IntegerAdmScale& scale, std::size_t band, std::uint64_t sum) {
  constexpr std::array kUnit{18, 32, 27, 23};
  const BandArea& area = scale.geometry.summed;
  int unit = kUnit[scale.index] - adm_reference_row_shift(scale);
  if (scale.index > 0) unit -= adm_log2_ceiling(area.right - area.left);
  return static_cast<float>(std::ldexp(static_cast<double>(sum), -unit) *
                            std::pow(double{scale.geometry.csf[band]}, 3));
}
float visible_cubes(const IntegerAdmScale& scale, std::size_t band, std::uint64_t sum) {
  constexpr std::array kUnit{0, 45, 39, 36};
  const int shifts = adm_log2_ceiling(scale.geometry.width) + adm_visible_row_shift(scale);
  if (scale.index > 0) {
    return std::ldexp(static_cast<float>(sum), shifts - kUnit[scale.index]);
  }
  return static_cast<float>(
      std::ldexp(static_cast<double>(sum), shifts - (band == 2 ? 57 + 3 : 52 + 4)));
}

float cube_root(float value) {
  return std::pow(value, 1.0F / 3.0F);
}

/// Adds up, over the bands, the cube roots of a band's sum and of the noise over its area.
template <class Cubes>
float pooled_cubes(const IntegerAdmScale& scale, const AdmRowSum& sums, float noise, Cubes cubes) {
  PerBand<float> band{};
  for (std::size_t b = 0; b < kAdmBands; ++b) {
    band[b] = cube_root(cubes(scale, b, sums[b])) + noise;
  }
  return (band[0] + band[1]) + band[2];
}

AdmScores integer_adm_scores(const IntegerAdmTotals& sums, const IntegerAdmScales& scales,
                             const video::PictureFormat& format, const AdmOptions& options) {
  AdmScores scores;
  double impairment = 0;
  for (std::size_t k = 0; k < kAdmScales; ++k) {
    const BandArea& area = scales[k].geometry.summed;
    const int samples = (area.right - area.left) * (area.bottom - area.top);
    const float noise = cube_root(static_cast<float>(samples * options.noise_weight));
    scores.scale_numerator[k] =
        double{pooled_cubes(scales[k], sums[k].restored, noise, visible_cubes)};
    scores.scale_denominator[k] =
        double{pooled_cubes(scales[k], sums[k].reference, noise, reference_cubes)};
    scores.scale[k] = scores.scale_numerator[k] / scores.scale_denominator[k];
    scores.numerator += scores.scale_numerator[k];
    scores.denominator += scores.scale_denominator[k];
    impairment += double{pooled_cubes(scales[k], sums[k].impairment, 0, visible_cubes)};
  }
  const double limit =
      1e-10 * (static_cast<double>(format.width) * format.height) / (1920.0 * 1080.0);
  if (scores.numerator < limit) scores.numerator = 0;
  if (scores.denominator < limit) scores.denominator = 0;
  const bool flat = scores.denominator == 0;
  scores.adm2 = flat ? 1 : scores.numerator / scores.denominator;
  scores.aim = flat ? 0 : impairment / scores.denominator;
  scores.adm3 = std::max(scores.adm2 * options.detail_loss_weight +
                             (1 - scores.aim) * (1 - options.detail_loss_weight),
                         options.min_value);
  return scores;
}

constexpr int kIntegerAdmRowsPerPiece = 16;

class AdmKernel final : public PairKernel {
 public:
  AdmKernel(const video::PictureFormat& format, std::span<const FeatureRequest> requests,
            std::size_t threads, const AdmRowFunctions& rows)
      : format_(format),
        requests_(integer_adm_requests(format, requests)),
        summer_(format, requests_.front().scales, threads, rows) {
    for (std::size_t k = 0; k < kAdmScales; ++k) {
      const AdmScale& scale = requests_.front().scales[k].geometry;
      geometry_[k] = scale;
      row_sums_[k].resize(static_cast<std::size_t>(scale.summed.bottom - scale.summed.top));
    }
  }

  void score(const video::Picture& reference, const video::Picture& distorted, ThreadTeam& team,
             std::span<double> scores) override {
    const AdmRows rows = summed_rows(geometry_);
    summer_.transform(luma_view(reference), luma_view(distorted), rows, team);
    for (const IntegerAdmRequest& request : requests_) {
      IntegerAdmTotals totals;
      for (std::size_t k = 0; k < kAdmScales; ++k) {
        summer_.sum_rows(request.scales[k], rows[k], team, row_sums_[k]);
        for (const IntegerAdmSums& row : row_sums_[k]) {
          add_row(row.reference, totals[k].reference);
          add_row(row.restored, totals[k].restored);
          add_row(row.impairment, totals[k].impairment);
        }
      }
      scores = scores.subspan(write_integer_adm(totals, request, format_, scores));
    }
  }

 private:
  video::PictureFormat format_;
  std::vector<IntegerAdmRequest> requests_;
  AdmScales geometry_;
  IntegerAdmSummer summer_;
  std::array<std::vector<IntegerAdmSums>, kAdmScales> row_sums_;
};

std::unique_ptr<PairKernel> make_scalar_adm(const video::PictureFormat& format,
                                            std::span<const FeatureRequest> requests,
                                            std::size_t threads) {
  return make_adm_kernel(format, requests, threads, adm_rows());
}

}  // namespace

int adm_reference_row_shift(const IntegerAdmScale& scale) {
  const BandArea& area = scale.geometry.summed;
  if (scale.index == 0) return std::max(area_log2(area) - 20, 0);
  return adm_log2_ceiling(area.bottom - area.top);
}

int adm_visible_row_shift(const IntegerAdmScale& scale) {
  return adm_log2_ceiling(scale.geometry.height);
}

std::size_t write_integer_adm(const IntegerAdmTotals& totals, const IntegerAdmRequest& request,
                              const video::PictureFormat& format, std::span<double> outputs) {
  const AdmScores scores = integer_adm_scores(totals, request.scales, format, request.options);
  std::size_t count = 0;
  const auto write = [&](double value) { outputs[count++] = value; };
  write(scores.adm2);
  write(scores.aim);
  write(scores.adm3);
  std::ranges::for_each(scores.scale, write);
  if (!request.debug) return count;
  write(scores.adm2);
  write(scores.numerator);
  write(scores.denominator);
  for (std::size_t k = 0; k < kAdmScales; ++k) {
    write(scores.scale_numerator[k]);
    write(scores.scale_denominator[k]);
  }
  return count;
}

IntegerAdmSummer::IntegerAdmSummer(const video::PictureFormat& format,
                                   const IntegerAdmScales& scales, std::size_t threads,
                                   const AdmRowFunctions& rows)
    : bits_(format.pixel.bits), rows_(rows), scales_(scales) {
  for (std::size_t k = 0; k < kAdmScales; ++k) {
    geometry_[k] = scales[k].geometry;
    const IntegerRows rows_of_band(geometry_[k].width, geometry_[k].height);
    reference_[k] = distorted_[k] = {rows_of_band, {rows_of_band, rows_of_band, rows_of_band}};
    if (k == 0) {
      restored_ = {{rows_of_band, rows_of_band, rows_of_band}, rows_of_band, rows_of_band};
      impairment_ = restored_;
    }
  }
  const IntegerRows row(format.width, 1);
  filtered_.resize(threads, {row, row});
}

void IntegerAdmSummer::transform(const LumaView& reference, const LumaView& distorted,
                                 const AdmRows& rows, ThreadTeam& team) {
  const AdmRows needed = transformed_rows(geometry_, rows);
  for (std::size_t k = 0; k < kAdmScales; ++k) {
    transform(k, reference, needed[k], team, reference_);
    transform(k, distorted, needed[k], team, distorted_);
  }
}

void IntegerAdmSummer::transform(std::size_t k, const LumaView& picture, const RowRange& rows,
                                 ThreadTeam& team,
                                 std::array<IntegerWavelet, kAdmScales>& wavelets) {
  const IntegerAdmScale& scale = scales_[k];
  const auto input_rows = [&](int y, const auto& row) {
    const auto input = [&](int offset) {
      return row(adm_mirror(2 * y + offset, geometry_[k].input_height));
    };
    return std::array{input(-1), input(0), input(1), input(2)};
  };
  team.run_rows(rows, kIntegerAdmRowsPerPiece, [&](int y, std::size_t thread) {
    IntegerFilteredRow& filtered = filtered_[thread];
    if (k > 0) {
      const IntegerRows& input = wavelets[k - 1].approximation;
      rows_.filter_rows(input_rows(y, [&](int from) { return input.row(from); }), scale, filtered);
    } else if (const auto* bytes = std::get_if<video::PlaneView<const std::uint8_t>>(&picture)) {
      rows_.filter_bytes(input_rows(y, [&](int from) { return bytes->row(from); }), geometry_[0],
                         filtered);
    } else {
      const auto& words = std::get<video::PlaneView<const std::uint16_t>>(picture);
      rows_.filter_words(input_rows(y, [&](int from) { return words.row(from); }), geometry_[0],
                         bits_, filtered);
    }
    rows_.filter_columns(filtered, scale, y, wavelets[k]);
  });
}

void IntegerAdmSummer::sum_rows(const IntegerAdmScale& scale, const RowRange& rows,
                                ThreadTeam& team, std::span<IntegerAdmSums> sums) {
  const PerBand<IntegerRows>& reference = reference_[scale.index].bands;
  const PerBand<IntegerRows>& distorted = distorted_[scale.index].bands;
  const RowRange needed{std::max(rows.first - 1, scale.geometry.needed.top),
                        std::min(rows.last + 1, scale.geometry.needed.bottom)};
  team.run_rows(needed, kIntegerAdmRowsPerPiece, [&](int y, std::size_t) {
    rows_.decouple(reference, distorted, scale, y, restored_, impairment_);
  });
  const int reference_shift = adm_reference_row_shift(scale);
  const int visible_shift = adm_visible_row_shift(scale);
  team.run_rows(rows, kIntegerAdmRowsPerPiece, [&](int y, std::size_t) {
    IntegerAdmSums& row = sums[static_cast<std::size_t>(y - rows.first)];
    row.reference = rounded_row(rows_.sum_reference(reference, scale, y), reference_shift);
    row.restored = rounded_row(rows_.sum_visible(restored_, impairment_, scale, y), visible_shift);
    row.impairment =
        rounded_row(rows_.sum_visible(impairment_, restored_, scale, y), visible_shift);
  });
}

std::vector<IntegerAdmRequest> integer_adm_requests(const video::PictureFormat& format,
                                                    std::span<const FeatureRequest> requests) {
  std::vector<IntegerAdmRequest> result;
  result.reserve(requests.size());
  for (const FeatureRequest& request : requests) {
    const AdmOptions options = integer_adm_options(request.options);
    result.push_back({options, integer_adm_scales(format, options), request.options.flag("debug")});
  }
  return result;
}

std::unique_ptr<PairKernel> make_adm_kernel(const video::PictureFormat& format,
                                            std::span<const FeatureRequest> requests,
                                            std::size_t threads, const AdmRowFunctions& rows) {
  return std::make_unique<AdmKernel>(format, requests, threads, rows);
}

const FeatureFamily& adm_family() {
  static constexpr std::array kFeatures{Feature{"adm", "equal to libvmaf's scalar build",
                                                kIntegerAdmOptions, integer_adm_outputs,
                                                check_integer_adm}};
  static constexpr FeatureFamily kFamily{"adm", kFeatures, make_scalar_adm};
  return kFamily;
}

}  // namespace sidecore::metrics
