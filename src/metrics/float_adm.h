// float_adm: detail loss and additive impairment in four wavelet scales, as libvmaf's feature
// float_adm computes them (Li, Zhang, Ma, Ngan, "Image quality assessment by separately evaluating
// detail losses and additive impairments", 2011). Scalar, NEON and QPU code share this header:
// options, geometry and weights of the scales, and the scores from the sums over pictures.
#pragma once

#include <algorithm>
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

/// Options of float_adm, with libvmaf's names, units and ranges.
struct AdmOptions {
  double enhancement_gain_limit = 100;  ///< adm_enhn_gain_limit, 1..100; 1: no gain
  double view_distance = 3;             ///< adm_norm_view_dist in display heights, 0.75..24
  int display_height = 1080;            ///< adm_ref_display_height in lines, 1..4320
  int csf_mode = 0;                     ///< adm_csf_mode; only 0, Watson's model, is defined here
  double noise_weight = 0.03125;        ///< adm_noise_weight, 0..1500
  double p_norm = 3;                    ///< adm_p_norm, 1..20
  double detail_loss_weight = 0.5;      ///< adm_dlm_weight, for adm3, 0..1
  double min_value = 0;                 ///< adm_min_val, for adm3, 0..1

  bool operator==(const AdmOptions&) const = default;
};

/// Throws Error (usage) if an option is out of its range.
void check_float_adm_options(const AdmOptions& options);

/// Throws Error (usage) unless float_adm is defined for the pictures: 8, 10, 12 or 16 bits, and at
/// least 17x17 samples. Then the bands of the last scale are at least 2x2, and their 3x3
/// neighbourhoods can be mirrored.
void check_float_adm_format(const video::PictureFormat& format);

/// Half-open rectangle of samples in a band.
struct BandArea {
  int left = 0;
  int top = 0;
  int right = 0;
  int bottom = 0;
  bool operator==(const BandArea&) const = default;
};

/// Bands of a scale, in the order that all code uses: horizontal (low-pass horizontally, high-pass
/// vertically), vertical, diagonal.
inline constexpr std::size_t kAdmBands = 3;
template <class T>
using PerBand = std::array<T, kAdmBands>;

/// Columns [first, last) of a plane.
struct AdmColumns {
  int first = 0;
  int last = 0;
};

/// Size and weights of one scale.
struct AdmScale {
  int input_width = 0;  ///< width of the plane that is transformed, in samples
  int input_height = 0;
  int width = 0;  ///< width of each band, in samples
  int height = 0;
  BandArea summed;  ///< area of the sums: the band without one tenth on each side
  /// `summed` plus one sample around it inside the band, for 3x3 neighbourhoods.
  BandArea needed;
  /// Columns of the bands and of the approximation that the sums of this scale and of later ones
  /// need; code may leave out the others.
  AdmColumns transformed;
  PerBand<float> csf{};  ///< contrast sensitivity, a factor of each coefficient
};
using AdmScales = std::array<AdmScale, kAdmScales>;

/// Returns the columns of the input plane that the scale's `transformed` columns need.
[[nodiscard]] inline AdmColumns adm_input_columns(const AdmScale& scale) {
  return {std::max(2 * scale.transformed.first - 1, 0),
          std::min(2 * scale.transformed.last + 1, scale.input_width)};
}

/// Returns the scales. Throws Error (usage) as check_float_adm_format() and
/// check_float_adm_options() do.
[[nodiscard]] AdmScales adm_scales(const video::PictureFormat& format, const AdmOptions& options);

/// Sums over the `summed` area of each band. Each row is summed left to right in binary32, then the
/// row sums are added top to bottom in binary32.
struct AdmSums {
  struct Scale {
    PerBand<float> reference{};   ///< sum of (csf * reference)^p
    PerBand<float> restored{};    ///< sum of (csf * restored - masking by the impairment)^p
    PerBand<float> impairment{};  ///< sum of (csf * impairment - masking by the restored)^p
    bool operator==(const Scale&) const = default;
  };
  std::array<Scale, kAdmScales> scales{};
  bool operator==(const AdmSums&) const = default;
};

/// Rows of each scale's bands.
using AdmRows = std::array<RowRange, kAdmScales>;

/// Returns the rows of the `summed` areas of all scales.
[[nodiscard]] AdmRows summed_rows(const AdmScales& scales);

/// Returns the rows whose coefficients the sums of `summed` need: these rows, their neighbours, and
/// the inputs of the same rows in the following scales.
[[nodiscard]] AdmRows transformed_rows(const AdmScales& scales, const AdmRows& summed);

/// Sums of rows. Each scale's span has one element per row of its summed area.
using AdmRowSums = std::array<std::span<AdmSums::Scale>, kAdmScales>;

/// Computes the sums of pairs of pictures. Owns its working memory.
class AdmSummer {
 public:
  /// Creates a summer, with memory for the sums of all rows.
  explicit AdmSummer(const AdmScales& scales);
  virtual ~AdmSummer() = default;

  /// Returns the sums of two pictures of the constructor's format.
  [[nodiscard]] AdmSums sums(const video::Picture& reference, const video::Picture& distorted,
                             ThreadTeam& team);

  /// Writes the sums of `rows`, each left to right in binary32, and no other element of `sums`.
  /// Both planes have the constructor's size and depth.
  virtual void row_sums(const LumaView& reference, const LumaView& distorted, const AdmRows& rows,
                        ThreadTeam& team, const AdmRowSums& sums) = 0;

 protected:
  [[nodiscard]] const AdmScales& scales() const { return scales_; }

 private:
  AdmScales scales_;
  std::array<std::vector<AdmSums::Scale>, kAdmScales> row_sums_;
};

struct AdmScores {
  double adm2 = 0;  ///< share of the reference's detail that is preserved; above 1 if enhanced
  double aim = 0;   ///< additive impairment, 0..1
  double adm3 = 0;  ///< combination of adm2 and 1 - aim, weighted by detail_loss_weight
  std::array<double, kAdmScales> scale{};

  double numerator = 0;
  double denominator = 0;
  std::array<double, kAdmScales> scale_numerator{};
  std::array<double, kAdmScales> scale_denominator{};
};

/// Returns the scores of a pair of pictures from its sums.
[[nodiscard]] AdmScores float_adm(const AdmSums& sums, const video::PictureFormat& format,
                                  const AdmOptions& options);

/// Daubechies-2 filter taps.
inline constexpr std::array<float, 4> kAdmLowPass = {0.482962913144690F, 0.836516303737469F,
                                                     0.224143868041857F, -0.129409522550921F};
inline constexpr std::array<float, 4> kAdmHighPass = {-0.129409522550921F, -0.224143868041857F,
                                                      0.836516303737469F, -0.482962913144690F};

/// Weight of a neighbour, and of the sample itself, in the masking of a sample.
inline constexpr double kAdmNeighbourMasking = 0.0333333351;
inline constexpr double kAdmCentreMasking = 0.0666666701;

/// Wavelet coefficients below this magnitude count as zero: they are rounding errors of the
/// transform of a flat area. The smallest true ones of 16-bit pictures are near 2^-14. Values whose
/// cube is below 2^-120 also count as zero. For these values libvmaf computes with subnormal
/// numbers, which GPUs may flush to zero. No score that differs from 0 and 1 by 1e-9 changes.
inline constexpr float kAdmSmallestCoefficient = 0x1p-31F;
inline constexpr float kAdmSmallestTerm = 0x1p-40F;

/// Number that is added to the reference's coefficient before it divides the distorted coefficient.
inline constexpr float kAdmDivisorOffset = 1e-30F;

/// cos(1 degree)^2. Coefficients within one degree of the reference's direction are enhancement.
inline constexpr float kAdmCosSquared = 0.99969541350954788F;

/// Mirrors an index: whole-sample mirroring at the start (-1 -> 1), half-sample mirroring at the
/// end (n -> n-1).
[[nodiscard]] constexpr int adm_mirror(int index, int length) {
  if (index < 0) return -index;
  return index >= length ? 2 * length - 1 - index : index;
}

/// Returns the factor that scales a sample of `bits` bits to 0..255.996, exactly; the transform
/// then subtracts 128.
[[nodiscard]] constexpr float adm_sample_scale(int bits) {
  return 1.0F / static_cast<float>(1 << (bits - 8));
}

}  // namespace sidecore::metrics
