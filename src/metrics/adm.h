// adm: detail loss and additive impairment in four wavelet scales, as libvmaf's integer feature adm
// computes them. It shares geometry, options and band names with float_adm. Implementations share
// this header; each provides only the arithmetic of a row (AdmRowFunctions).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "metrics/float_adm.h"
#include "metrics/pair_kernel.h"

namespace sidecore::metrics {

/// Smallest width and height: in smaller pictures libvmaf reads before the first sample of the last
/// scale's planes.
inline constexpr int kIntegerAdmMinimumSize = 33;

/// Daubechies-2 taps times 2^15.
inline constexpr std::array<std::int32_t, 4> kAdmIntegerLowPass = {15826, 27411, 7345, -4240};
inline constexpr std::array<std::int32_t, 4> kAdmIntegerHighPass = {-4240, -7345, 27411, -15826};

/// Returns the smallest n >= 1 with 2^n >= value.
[[nodiscard]] int adm_log2_ceiling(int value);

/// Numerator of reciprocals: kAdmReciprocalOne / divisor, truncated.
inline constexpr std::int32_t kAdmReciprocalOne = 1 << 30;

/// Returns true if the distorted coefficients (th, tv) point within one degree of the reference's
/// (oh, ov); h is horizontal, v vertical. The feature float_adm has the same test. Sums of
/// products, below 2^63, are rounded to binary32 and scaled; their squares are compared in
/// binary64.
[[nodiscard]] bool adm_same_direction(std::int64_t oh, std::int64_t ov, std::int64_t th,
                                      std::int64_t tv);

/// Rows of integers. Code may read and write up to 12 samples before the first and after the last
/// sample of a row.
class IntegerRows {
 public:
  IntegerRows() = default;
  IntegerRows(int width, int rows)
      : stride_((width + 2 * kPadding + 3) / 4 * 4),
        samples_(static_cast<std::size_t>(stride_ * rows)) {}

  [[nodiscard]] std::int32_t* row(int y) { return samples_.data() + kPadding + y * stride_; }
  [[nodiscard]] const std::int32_t* row(int y) const {
    return samples_.data() + kPadding + y * stride_;
  }

 private:
  static constexpr std::ptrdiff_t kPadding = 12;
  std::ptrdiff_t stride_ = 0;
  std::vector<std::int32_t> samples_;
};

/// Geometry and weights of one wavelet scale.
struct IntegerAdmScale {
  std::size_t index = 0;  ///< 0 to 3
  AdmScale geometry;      ///< geometry of the scale; its `csf` follows the options' csf_mode
  /// Contrast sensitivity, the factor of each coefficient. Unit in scale 0: 2^-21 (diagonal band:
  /// 2^-23); in scales 1 to 3: 2^-32.
  PerBand<std::uint32_t> factor{};
  double gain_limit = 1;
};

/// Coefficients of one plane in one scale: 16 bits each in scale 0, 31 bits in scales 1 to 3.
struct IntegerWavelet {
  IntegerRows approximation;
  PerBand<IntegerRows> bands;
};

/// One row of approximations and details after the vertical filters, with mirrored samples at both
/// ends.
struct IntegerFilteredRow {
  IntegerRows low;
  IntegerRows high;
};

/// The restored detail or the additive impairment of a distorted picture, in all three bands.
struct AdmDetail {
  PerBand<IntegerRows> bands;
  /// `neighbour`: what a sample adds to the masking thresholds of the samples around it, summed
  /// over the bands. `own`: what it adds to its own threshold in addition to `neighbour`.
  /// Neighbours are mirrored at the left and right border.
  IntegerRows neighbour;
  IntegerRows own;
};

/// Sums of cubes over one row, one sum per band. Each cube is rounded by the scale's rule. Sums are
/// not negative and below 2^64.
using AdmRowSum = PerBand<std::uint64_t>;

/// Arithmetic of one row. adm_rows() is the scalar definition; other implementations give the same
/// integers. They need not compute columns outside `geometry.transformed`, nor details outside
/// `geometry.needed`.
struct AdmRowFunctions {
  /// Filters four rows of luma samples vertically. Samples are bytes, or 16-bit words of `bits`
  /// bits. `scale` is the first one.
  void (*filter_bytes)(const std::array<const std::uint8_t*, 4>& rows, const AdmScale& scale,
                       IntegerFilteredRow& to);
  void (*filter_words)(const std::array<const std::uint16_t*, 4>& rows, const AdmScale& scale,
                       int bits, IntegerFilteredRow& to);
  /// Filters four rows of the approximation that is the input of `scale`, 1 to 3, vertically.
  void (*filter_rows)(const std::array<const std::int32_t*, 4>& rows, const IntegerAdmScale& scale,
                      IntegerFilteredRow& to);
  /// Filters a row horizontally into row y of a wavelet.
  void (*filter_columns)(const IntegerFilteredRow& from, const IntegerAdmScale& scale, int y,
                         IntegerWavelet& to);
  /// Divides row y of the distorted bands into restored detail and impairment, and weights both.
  void (*decouple)(const PerBand<IntegerRows>& reference, const PerBand<IntegerRows>& distorted,
                   const IntegerAdmScale& scale, int y, AdmDetail& restored, AdmDetail& impairment);
  /// Returns the sums of cubes of the reference's row y.
  AdmRowSum (*sum_reference)(const PerBand<IntegerRows>& reference, const IntegerAdmScale& scale,
                             int y);
  /// Returns the sums of cubes of the visible part of `detail` in row y. The visible part is what
  /// exceeds the masking threshold of `masks`..
  AdmRowSum (*sum_visible)(const AdmDetail& detail, const AdmDetail& masks,
                           const IntegerAdmScale& scale, int y);
};
[[nodiscard]] const AdmRowFunctions& adm_rows();

using IntegerAdmScales = std::array<IntegerAdmScale, kAdmScales>;

/// One request for the feature, for pictures of one format.
struct IntegerAdmRequest {
  AdmOptions options;
  IntegerAdmScales scales;
  bool debug = false;
};
[[nodiscard]] std::vector<IntegerAdmRequest> integer_adm_requests(
    const video::PictureFormat& format, std::span<const FeatureRequest> requests);

/// Sums of cubes over one row, or over all rows of a scale that are summed. Each row's sum is
/// shifted right, with rounding, before it is added.
struct IntegerAdmSums {
  AdmRowSum reference{};
  AdmRowSum restored{};
  AdmRowSum impairment{};
  bool operator==(const IntegerAdmSums&) const = default;
};
using IntegerAdmTotals = std::array<IntegerAdmSums, kAdmScales>;

/// Bits by which a row's sum of the reference (or its sum of the restored detail or impairment) is
/// shifted right; may be 0.
[[nodiscard]] int adm_reference_row_shift(const IntegerAdmScale& scale);
[[nodiscard]] int adm_visible_row_shift(const IntegerAdmScale& scale);

/// Writes the scores of a request in the order of its outputs, and returns their number.
std::size_t write_integer_adm(const IntegerAdmTotals& totals, const IntegerAdmRequest& request,
                              const video::PictureFormat& format, std::span<double> outputs);

/// Computes the row sums of pairs of luma planes. Owns its working memory.
class IntegerAdmSummer {
 public:
  /// Creates a summer. `scales` may be those of any request, because all requests of one format use
  /// the same filters.
  IntegerAdmSummer(const video::PictureFormat& format, const IntegerAdmScales& scales,
                   std::size_t threads, const AdmRowFunctions& rows);

  /// Transforms two luma planes of the constructor's size and depth, as far as the sums of `rows`
  /// need.
  void transform(const LumaView& reference, const LumaView& distorted, const AdmRows& rows,
                 ThreadTeam& team);
  /// Writes one entry of `sums` per row of `rows`. transform() must have covered these rows.
  void sum_rows(const IntegerAdmScale& scale, const RowRange& rows, ThreadTeam& team,
                std::span<IntegerAdmSums> sums);

 private:
  void transform(std::size_t k, const LumaView& picture, const RowRange& rows, ThreadTeam& team,
                 std::array<IntegerWavelet, kAdmScales>& wavelets);

  int bits_;
  const AdmRowFunctions& rows_;
  IntegerAdmScales scales_;
  AdmScales geometry_;
  std::array<IntegerWavelet, kAdmScales> reference_;
  std::array<IntegerWavelet, kAdmScales> distorted_;
  AdmDetail restored_;                        // restored details, of the size of the largest scale
  AdmDetail impairment_;                      // distorted bands minus restored bands
  std::vector<IntegerFilteredRow> filtered_;  // rows after the vertical filters, one per thread
};

/// Makes a kernel of the family adm.
[[nodiscard]] std::unique_ptr<PairKernel> make_adm_kernel(const video::PictureFormat& format,
                                                          std::span<const FeatureRequest> requests,
                                                          std::size_t threads,
                                                          const AdmRowFunctions& rows);

}  // namespace sidecore::metrics
