// adm: detail loss and additive impairment in four wavelet scales, as float_adm (whose geometry,
// options and names of bands it shares) but in integers, as libvmaf's feature of that name. This
// header is what implementations share: the arithmetic of a row is theirs, all else is here.
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

/// In smaller pictures libvmaf reads before the first sample of the last scale's planes.
inline constexpr int kIntegerAdmMinimumSize = 33;

/// Daubechies-2 taps times 2^15.
inline constexpr std::array<std::int32_t, 4> kAdmIntegerLowPass = {15826, 27411, 7345, -4240};
inline constexpr std::array<std::int32_t, 4> kAdmIntegerHighPass = {-4240, -7345, 27411, -15826};

/// The smallest n with 2^n >= value (at least 1).
[[nodiscard]] int adm_log2_ceiling(int value);

/// 2^30 / divisor, without its fraction.
inline constexpr std::int32_t kAdmReciprocalOne = 1 << 30;

/// Whether the distorted horizontal and vertical coefficients (th, tv) point within a degree of the
/// reference's (oh, ov), as float_adm asks. Sums of products, below 2^63, are rounded to binary32
/// and scaled; their squares are compared in binary64.
[[nodiscard]] bool adm_same_direction(std::int64_t oh, std::int64_t ov, std::int64_t th,
                                      std::int64_t tv);

/// Rows of integers that may be read and written some vectors beyond both ends.
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

/// What becomes of a scale's samples.
struct IntegerAdmScale {
  std::size_t index = 0;  ///< 0 to 3
  AdmScale geometry;      ///< csf of the options' csf_mode
  /// Contrast sensitivity by which coefficients are multiplied: in scale 0 in units of 2^-21 (of
  /// the diagonal band 2^-23), in the others of 2^-32.
  PerBand<std::uint32_t> factor{};
  double gain_limit = 1;
};

/// A plane's coefficients of one scale: in scale 0 of 16 bits, in the others of 31.
struct IntegerWavelet {
  IntegerRows approximation;
  PerBand<IntegerRows> bands;
};

/// A row, filtered vertically, with mirrored ends.
struct IntegerFilteredRow {
  IntegerRows low;
  IntegerRows high;
};

/// One part of a distorted band, restored detail or impairment.
struct AdmDetail {
  PerBand<IntegerRows> bands;
  /// What a sample adds to the masking thresholds of those around it, and how much more to its own;
  /// of all three bands. Neighbours are mirrored at the band's left and right.
  IntegerRows neighbour;
  IntegerRows own;
};

/// Sums over a row of cubes, each rounded as the scale has it; not negative, and below 2^64.
using AdmRowSum = PerBand<std::uint64_t>;

/// The arithmetic of a row. The definition is adm_rows(); other implementations give the same
/// integers. Columns of a band that `geometry.needed` leaves out need not be computed.
struct AdmRowFunctions {
  /// Rows of luma of `bits`, filtered vertically.
  void (*filter_bytes)(const std::array<const std::uint8_t*, 4>& rows, int width,
                       IntegerFilteredRow& to);
  void (*filter_words)(const std::array<const std::uint16_t*, 4>& rows, int width, int bits,
                       IntegerFilteredRow& to);
  /// Rows of the approximation before `scale`, 1 to 3.
  void (*filter_rows)(const std::array<const std::int32_t*, 4>& rows, const IntegerAdmScale& scale,
                      IntegerFilteredRow& to);
  /// Filters horizontally into row y of a wavelet.
  void (*filter_columns)(const IntegerFilteredRow& from, const IntegerAdmScale& scale, int y,
                         IntegerWavelet& to);
  /// Splits row y of the distorted bands and weighs the parts.
  void (*decouple)(const PerBand<IntegerRows>& reference, const PerBand<IntegerRows>& distorted,
                   const IntegerAdmScale& scale, int y, AdmDetail& restored, AdmDetail& impairment);
  /// Of the cubes of the reference's row y.
  AdmRowSum (*sum_reference)(const PerBand<IntegerRows>& reference, const IntegerAdmScale& scale,
                             int y);
  /// Of the cubes of what is visible in row y of `detail` where `masks` masks it.
  AdmRowSum (*sum_visible)(const AdmDetail& detail, const AdmDetail& masks,
                           const IntegerAdmScale& scale, int y);
};
[[nodiscard]] const AdmRowFunctions& adm_rows();

using IntegerAdmScales = std::array<IntegerAdmScale, kAdmScales>;

/// A request of the feature, for pictures of one format.
struct IntegerAdmRequest {
  AdmOptions options;
  IntegerAdmScales scales;
  bool debug = false;
};
[[nodiscard]] std::vector<IntegerAdmRequest> integer_adm_requests(
    const video::PictureFormat& format, std::span<const FeatureRequest> requests);

/// Sums over a row, or over the summed rows of a scale: each row's are shifted right, rounded,
/// before they are added.
struct IntegerAdmSums {
  AdmRowSum reference{};
  AdmRowSum restored{};
  AdmRowSum impairment{};
  bool operator==(const IntegerAdmSums&) const = default;
};
using IntegerAdmTotals = std::array<IntegerAdmSums, kAdmScales>;

/// By how much a row's sum of the reference is shifted right, perhaps 0, and of the two others.
[[nodiscard]] int adm_reference_row_shift(const IntegerAdmScale& scale);
[[nodiscard]] int adm_visible_row_shift(const IntegerAdmScale& scale);

/// The scores of a request, in the order of its outputs; returns how many there are.
std::size_t write_integer_adm(const IntegerAdmTotals& totals, const IntegerAdmRequest& request,
                              const video::PictureFormat& format, std::span<double> outputs);

/// Sums rows of pairs of planes of luma. Owns all memory it works in.
class IntegerAdmSummer {
 public:
  /// The filters are the same for all scales of one format, whatever the options.
  IntegerAdmSummer(const video::PictureFormat& format, const IntegerAdmScales& scales,
                   std::size_t threads, const AdmRowFunctions& rows);

  /// Transforms two planes of the size and depth it was made for, as far as `rows` need it.
  void transform(const LumaView& reference, const LumaView& distorted, const AdmRows& rows,
                 ThreadTeam& team);
  /// The sums of rows of a scale, all of them transformed: one for each row.
  void sum_rows(const IntegerAdmScale& scale, const AdmRowRange& rows, ThreadTeam& team,
                std::span<IntegerAdmSums> sums);

 private:
  void transform(std::size_t k, const LumaView& picture, const AdmRowRange& rows, ThreadTeam& team,
                 std::array<IntegerWavelet, kAdmScales>& wavelets);

  int bits_;
  const AdmRowFunctions& rows_;
  IntegerAdmScales scales_;
  AdmScales geometry_;
  std::array<IntegerWavelet, kAdmScales> reference_;
  std::array<IntegerWavelet, kAdmScales> distorted_;
  AdmDetail restored_;                        // of the largest scale's size
  AdmDetail impairment_;                      // distorted less restored
  std::vector<IntegerFilteredRow> filtered_;  // one a thread
};

/// A kernel of the family adm.
[[nodiscard]] std::unique_ptr<PairKernel> make_adm_kernel(const video::PictureFormat& format,
                                                          std::span<const FeatureRequest> requests,
                                                          std::size_t threads,
                                                          const AdmRowFunctions& rows);

}  // namespace sidecore::metrics
