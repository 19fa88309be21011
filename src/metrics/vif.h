// vif: visual information fidelity in four scales, in integers, as libvmaf's feature vif computes
// it (Sheikh, Bovik, "Image information and visual quality", 2006). Implementations share this
// header; each provides only the filters of a row (VifRowFunctions).
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "metrics/luma_view.h"
#include "metrics/pair_kernel.h"

namespace sidecore::metrics {

inline constexpr std::size_t kVifScales = 4;
/// Smallest width and height: in smaller planes a scale's filter would mirror samples to positions
/// that are also outside the plane.
inline constexpr int kVifMinimumSize = 16;

/// Throws Error (usage) unless vif is defined for such pictures.
void check_vif_format(const video::PictureFormat& format);

/// Gaussian filter of one scale, times 2^16. Samples outside the plane are mirrored at the border
/// sample, which is not repeated.
struct VifFilter {
  int taps;
  std::array<std::uint16_t, 17> tap;
};
inline constexpr std::array<VifFilter, kVifScales> kVifFilters{{
    {17,
     {489, 935, 1640, 2640, 3896, 5274, 6547, 7455, 7784, 7455, 6547, 5274, 3896, 2640, 1640, 935,
      489}},
    {9, {1244, 3663, 7925, 12590, 14692, 12590, 7925, 3663, 1244}},
    {5, {3571, 16004, 26386, 16004, 3571}},
    {3, {10904, 43728, 10904}},
}};

/// Moments of a sample window: means of the two planes, of their squares and of their product.
enum VifMoment : std::uint8_t { kMean1, kMean2, kSquare1, kSquare2, kProduct };
inline constexpr std::size_t kVifMoments = 5;

/// Statistics of a sample window that follow from its moments, as 32-bit signed integers in units
/// of 2^-16 of a squared 8-bit level.
enum VifStatistic : std::uint8_t { kVariance1, kVariance2, kCovariance };

/// Up to five rows: of moments, or of statistics. Code may read and write 20 elements beyond both
/// ends of a row.
class VifRows {
 public:
  VifRows() = default;
  explicit VifRows(int width)
      : stride_(width + 2 * kPadding), samples_(kVifMoments * static_cast<std::size_t>(stride_)) {}

  [[nodiscard]] std::uint32_t* row(std::size_t index) {
    return samples_.data() + kPadding + static_cast<std::ptrdiff_t>(index) * stride_;
  }
  [[nodiscard]] const std::uint32_t* row(std::size_t index) const {
    return samples_.data() + kPadding + static_cast<std::ptrdiff_t>(index) * stride_;
  }

 private:
  static constexpr std::ptrdiff_t kPadding = 20;
  std::ptrdiff_t stride_ = 0;
  std::vector<std::uint32_t> samples_;
};

/// Sample of a picture with 8 bits, minus 128, so that products of two samples fit into 16 bits
/// with sign.
using VifByte = std::int8_t;

/// Rows of both planes that a vertical filter reads, one per tap: `offset` samples after `first`
/// and `second`. Code may read 15 samples beyond the end of each.
template <class Sample>
struct VifTapRows {
  const Sample* first = nullptr;
  const Sample* second = nullptr;
  std::array<std::ptrdiff_t, 17> offset{};
};

/// Numbers of bits by which sums over the rows are shifted right, with rounding.
struct VifShifts {
  int mean = 16;
  int square = 16;  ///< may be 0
};

/// Variance of the noise that the model adds for the eye: 2, in units of 2^-16.
inline constexpr std::int32_t kVifNoise = 2 << 16;
/// Number that is added to the reference's variance before it divides the covariance, in units of
/// 2^-16.
inline constexpr double kVifEpsilon = 65536 * 1.0e-10;

/// Table of logarithms to base 2, in units of 2^-11. Only the 16 highest bits of a number affect
/// the result.
class VifLog2Table {
 public:
  [[nodiscard]] static const VifLog2Table& instance();

  /// Returns log2 of a number that has at least 16 bits.
  [[nodiscard]] std::int32_t log2(std::uint64_t number) const {
    const int excess = static_cast<int>(std::bit_width(number)) - 16;
    assert(excess >= 0);
    return of_leading_bits(static_cast<std::size_t>(number >> excess)) + 2048 * excess;
  }
  /// Returns log2 of a number of 16 bits whose highest bit is 1.
  [[nodiscard]] std::int32_t of_leading_bits(std::size_t number) const { return log2_[number]; }
  /// Returns log2 of the 16-bit number whose 15 bits after the leading 1 are `fraction`.
  [[nodiscard]] std::int32_t of_fraction(std::size_t fraction) const {
    return log2_[kFirst + fraction];
  }

 private:
  VifLog2Table();

  static constexpr std::size_t kFirst = 32768;
  // Elements before kFirst are not used. They save the subtraction of kFirst from every index.
  std::array<std::uint16_t, 2 * kFirst> log2_{};
};

/// Sums over sample windows. Information is in units of 2^-11 bits. `flat` counts windows whose
/// reference variance is below the eye's noise; `flat_variance` sums their distorted variance in
/// units of 2^-16.
struct VifSums {
  std::int64_t kept = 0;
  std::int64_t there = 0;
  std::int64_t flat_variance = 0;
  std::int64_t flat = 0;

  void add(const VifSums& other) {
    kept += other.kept;
    there += other.there;
    flat_variance += other.flat_variance;
    flat += other.flat;
  }
  [[nodiscard]] float numerator() const {
    return static_cast<float>(
        static_cast<double>(kept) / 2048.0 +
        (static_cast<double>(flat) - static_cast<double>(flat_variance) / 16384.0 / 65025.0));
  }
  [[nodiscard]] float denominator() const {
    return static_cast<float>(static_cast<double>(there) / 2048.0 + static_cast<double>(flat));
  }
};

/// Returns what a window adds to VifSums::kept: how much of the reference's variance the distorted
/// window explains, as information. Only for windows that are not flat and have a distorted
/// variance and covariance above 0.
[[nodiscard]] std::int32_t vif_kept_information(std::int32_t variance1, std::int32_t variance2,
                                                std::int32_t covariance, double gain_limit);

/// Writes a request's scores, from the sums of each scale, in the order of its outputs. Returns
/// their number.
std::size_t write_vif_scores(std::span<const VifSums, kVifScales> sums,
                             const FeatureRequest& request, std::span<double> scores);

/// Arithmetic of one row. vif_rows() is the scalar definition; other implementations give the same
/// integers. Sums of means wrap in 32 bits, as in libvmaf; all others fit 64 bits.
///
/// Rows between a vertical and a horizontal filter have a form of the implementation's own: their
/// elements may be mirrored at the ends, and only functions of the same implementation read them.
struct VifRowFunctions {
  /// Filters columns 0 to width - 1 of all moments vertically.
  void (*filter_byte_moments)(const VifTapRows<VifByte>& rows, int width, const VifFilter& filter,
                              const VifShifts& shifts, VifRows& to);
  void (*filter_moments)(const VifTapRows<std::uint16_t>& rows, int width, const VifFilter& filter,
                         const VifShifts& shifts, VifRows& to);
  /// Filters the moments horizontally with mirrored ends and computes the statistics of each
  /// window. Sums of means stay as they are; the others are divided by 2^16 and rounded. `shifts`
  /// are those of the vertical filter.
  void (*filter_columns)(const VifRows& from, int width, const VifFilter& filter,
                         const VifShifts& shifts, VifRows& to);
  /// Filters both planes vertically.
  void (*filter_byte_planes)(const VifTapRows<VifByte>& rows, int width, const VifFilter& filter,
                             int shift, VifRows& to);
  void (*filter_planes)(const VifTapRows<std::uint16_t>& rows, int width, const VifFilter& filter,
                        int shift, VifRows& to);
  /// Filters the planes horizontally, divides by 2^16 and rounds. Writes every other column;
  /// `width` is the number of written columns.
  void (*decimate)(const VifRows& from, int width, const VifFilter& filter, std::uint16_t* first,
                   std::uint16_t* second);
  /// Adds to the sums the windows of columns first to last - 1, whose statistics are in `row`.
  /// `first` must be a multiple of 4.
  void (*add_windows)(const VifRows& row, int first, int last, double gain_limit, VifSums& sums);
};
[[nodiscard]] const VifRowFunctions& vif_rows();

/// Rows of each scale's planes.
using VifRowRanges = std::array<RowRange, kVifScales>;

/// Planes of both pictures in one scale, as parts of one array.
template <class Sample>
class VifPlanes {
 public:
  VifPlanes() = default;
  VifPlanes(int width, int height);

  [[nodiscard]] Sample* first(int y) { return samples_.data() + y * stride_; }
  [[nodiscard]] Sample* second(int y) { return first(y) + height_ * stride_; }
  /// Returns the `taps` rows around row y, mirrored at the top and bottom border.
  [[nodiscard]] VifTapRows<Sample> tap_rows(int y, int taps) const;

 private:
  int height_ = 0;
  std::ptrdiff_t stride_ = 0;
  std::vector<Sample> samples_;
};

/// Makes the planes of four scales of a pair of pictures, and the statistics of windows. Owns its
/// working memory.
class VifFilters {
 public:
  /// Allocates memory for pictures of `format` and for `threads` threads.
  VifFilters(const video::PictureFormat& format, std::size_t threads, const VifRowFunctions& rows);

  /// Returns the number of rows of windows in a scale.
  [[nodiscard]] int height(std::size_t scale) const { return height_ >> scale; }
  [[nodiscard]] int width(std::size_t scale) const { return width_ >> scale; }

  /// Makes the planes of two pictures as far as the rows of `windows` need them.
  void make_planes(const LumaView& reference, const LumaView& distorted,
                   const VifRowRanges& windows, ThreadTeam& team);
  /// Returns the statistics of a row of windows. They are in memory of `thread` and valid until
  /// that thread's next call.
  [[nodiscard]] const VifRows& statistics(std::size_t scale, int y, std::size_t thread);

 private:
  struct Scratch {
    VifRows vertical;
    VifRows both;
  };
  void copy_luma(const LumaView& reference, const LumaView& distorted, const RowRange& rows,
                 ThreadTeam& team);
  void decimate(std::size_t k, const RowRange& rows, ThreadTeam& team);

  int width_;
  int height_;
  int bits_;
  const VifRowFunctions& rows_;
  VifPlanes<VifByte> bytes_;  // scale 0 of pictures with 8 bits
  std::array<VifPlanes<std::uint16_t>, kVifScales> planes_;
  std::vector<Scratch> scratch_;  // working memory, one per thread
};

/// Makes a kernel of the family vif.
[[nodiscard]] std::unique_ptr<PairKernel> make_vif_kernel(const video::PictureFormat& format,
                                                          std::span<const FeatureRequest> requests,
                                                          std::size_t threads,
                                                          const VifRowFunctions& rows);

}  // namespace sidecore::metrics
