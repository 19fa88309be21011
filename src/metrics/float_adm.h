// float_adm: detail loss and additive impairment in four wavelet scales (Li, Zhang, Ma, Ngan,
// "Image quality assessment by separately evaluating detail losses and additive impairments",
// 2011), as libvmaf's feature of that name. This header is what scalar, NEON and QPU code share:
// options, the geometry and weights of the scales, and the scores that come of the sums over the
// pictures.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/thread_team.h"
#include "metrics/luma_view.h"
#include "video/picture.h"

namespace sidecore::metrics {

inline constexpr std::size_t kAdmScales = 4;

/// Names, units and ranges are libvmaf's.
struct AdmOptions {
  double enhancement_gain_limit = 100;  ///< adm_enhn_gain_limit, 1..100; 1: none
  double view_distance = 3;             ///< adm_norm_view_dist, display heights, 0.75..24
  int display_height = 1080;            ///< adm_ref_display_height, lines, 1..4320
  int csf_mode = 0;                     ///< adm_csf_mode; 0, Watson's, is the one defined here
  double noise_weight = 0.03125;        ///< adm_noise_weight, 0..1500
  double p_norm = 3;                    ///< adm_p_norm, 1..20
  double detail_loss_weight = 0.5;      ///< adm_dlm_weight of adm3, 0..1
  double min_value = 0;                 ///< adm_min_val of adm3, 0..1

  bool operator==(const AdmOptions&) const = default;
};

/// Throws Error (usage) when an option is out of its range.
void check_float_adm_options(const AdmOptions& options);

/// Throws Error (usage) unless float_adm is defined for the pictures: 8, 10, 12 or 16 bits, and at
/// least 17x17 samples, so that the bands of the last scale are 2 samples wide and high and their
/// 3x3 neighbourhoods can be mirrored.
void check_float_adm_format(const video::PictureFormat& format);

/// Half-open rectangle of samples of a band.
struct BandArea {
  int left = 0;
  int top = 0;
  int right = 0;
  int bottom = 0;
  bool operator==(const BandArea&) const = default;
};

/// A scale's bands, in the order in which everything goes through them: horizontal (low-pass
/// horizontally, high-pass vertically), vertical, diagonal.
inline constexpr std::size_t kAdmBands = 3;
template <class T>
using PerBand = std::array<T, kAdmBands>;

/// Size and weights of a scale.
struct AdmScale {
  int input_width = 0;  ///< samples of the plane that is transformed
  int input_height = 0;
  int width = 0;  ///< samples of each band
  int height = 0;
  BandArea summed;  ///< what the sums run over: without a tenth on each side
  /// `summed` and one sample around it inside the band, which 3x3 neighbourhoods reach into.
  BandArea needed;
  PerBand<float> csf{};  ///< contrast sensitivity, by which coefficients are multiplied
};
using AdmScales = std::array<AdmScale, kAdmScales>;

/// Throws Error (usage) as check_float_adm_format() and check_float_adm_options() do.
[[nodiscard]] AdmScales adm_scales(const video::PictureFormat& format, const AdmOptions& options);

/// Sums over the `summed` area of each band. Every sum is that of rows, top to bottom, in binary32,
/// each of which was summed left to right in binary32.
struct AdmSums {
  struct Scale {
    PerBand<float> reference{};   ///< of (csf * reference)^p
    PerBand<float> restored{};    ///< of (csf * restored - masking by the impairment)^p
    PerBand<float> impairment{};  ///< of (csf * impairment - masking by the restored)^p
    bool operator==(const Scale&) const = default;
  };
  std::array<Scale, kAdmScales> scales{};
  bool operator==(const AdmSums&) const = default;
};

/// Rows of a scale's bands, [first, last).
struct AdmRowRange {
  int first = 0;
  int last = 0;
};
using AdmRows = std::array<AdmRowRange, kAdmScales>;

/// All rows that are summed.
[[nodiscard]] AdmRows summed_rows(const AdmScales& scales);

/// The rows whose coefficients it takes to sum `summed`: those, their neighbours, and what the same
/// of the next scales is made of.
[[nodiscard]] AdmRows transformed_rows(const AdmScales& scales, const AdmRows& summed);

/// Sums of rows: of each scale a place for each row of its summed area.
using AdmRowSums = std::array<std::span<AdmSums::Scale>, kAdmScales>;

/// What computes the sums of pairs of pictures. Owns all memory it works in.
class AdmSummer {
 public:
  /// Memory for the sums of all rows.
  explicit AdmSummer(const AdmScales& scales);
  virtual ~AdmSummer() = default;

  /// Both pictures have the format it was made for.
  [[nodiscard]] AdmSums sums(const video::Picture& reference, const video::Picture& distorted,
                             ThreadTeam& team);

  /// The sums of some rows, each left to right in binary32, and nothing else of `sums`. Both planes
  /// have the size and depth it was made for.
  virtual void row_sums(const LumaView& reference, const LumaView& distorted, const AdmRows& rows,
                        ThreadTeam& team, const AdmRowSums& sums) = 0;

 protected:
  [[nodiscard]] const AdmScales& scales() const { return scales_; }

 private:
  AdmScales scales_;
  std::array<std::vector<AdmSums::Scale>, kAdmScales> row_sums_;
};

struct AdmScores {
  double adm2 = 0;  ///< share of the reference's detail that is left; above 1: enhanced
  double aim = 0;   ///< additive impairment, 0..1
  double adm3 = 0;  ///< both, weighed
  std::array<double, kAdmScales> scale{};

  double numerator = 0;
  double denominator = 0;
  std::array<double, kAdmScales> scale_numerator{};
  std::array<double, kAdmScales> scale_denominator{};
};

/// The scores of a pair of pictures whose sums these are.
[[nodiscard]] AdmScores float_adm(const AdmSums& sums, const video::PictureFormat& format,
                                  const AdmOptions& options);

/// Daubechies-2 taps.
inline constexpr std::array<float, 4> kAdmLowPass = {0.482962913144690F, 0.836516303737469F,
                                                     0.224143868041857F, -0.129409522550921F};
inline constexpr std::array<float, 4> kAdmHighPass = {-0.129409522550921F, -0.224143868041857F,
                                                      0.836516303737469F, -0.482962913144690F};

/// Share of a neighbour, and of the sample itself, in the masking of a sample.
inline constexpr double kAdmNeighbourMasking = 0.0333333351;
inline constexpr double kAdmCentreMasking = 0.0666666701;

/// Wavelet coefficients below this magnitude are rounding errors of the transform of a flat area
/// (the smallest true ones of 16-bit pictures are near 2^-14) and count as zero; so do values whose
/// cube would be below 2^-120. Where libvmaf computes with these, it computes with subnormal
/// numbers, which GPUs may flush; no score that differs from 0 and 1 by 1e-9 shows a difference.
inline constexpr float kAdmSmallestCoefficient = 0x1p-31F;
inline constexpr float kAdmSmallestTerm = 0x1p-40F;

/// Added to the reference's coefficient before the distorted one is divided by it.
inline constexpr float kAdmDivisorOffset = 1e-30F;

/// cos(1 degree)^2: coefficients within a degree of the reference's direction are enhancement.
inline constexpr float kAdmCosSquared = 0.99969541350954788F;

/// Whole-sample mirroring at the start (-1 -> 1), half-sample mirroring at the end (n -> n-1).
[[nodiscard]] constexpr int adm_mirror(int index, int length) {
  if (index < 0) return -index;
  return index >= length ? 2 * length - 1 - index : index;
}

/// A sample of `bits` as what the transform starts from: 0..255.996, less 128. Exact.
[[nodiscard]] constexpr float adm_sample_scale(int bits) {
  return 1.0F / static_cast<float>(1 << (bits - 8));
}

}  // namespace sidecore::metrics
