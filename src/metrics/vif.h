// vif: visual information fidelity in four scales, in integers, as libvmaf's feature of that name
// (Sheikh, Bovik, "Image information and visual quality", 2006). This header is what
// implementations share: the filters of a row are theirs, all else is here.
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
/// The filter of a scale must find its mirrored samples inside the plane.
inline constexpr int kVifMinimumSize = 16;

/// Throws Error (usage) unless vif is defined for such pictures.
void check_vif_format(const video::PictureFormat& format);

/// The Gaussian of each scale, times 2^16. Samples outside the plane are those mirrored at the edge
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

/// Moments of a window: means of the two planes, of their squares and of their product.
enum VifMoment : std::uint8_t { kMean1, kMean2, kSquare1, kSquare2, kProduct };
inline constexpr std::size_t kVifMoments = 5;

/// A row of each moment, which may be read and written some vectors beyond both ends.
class VifRows {
 public:
  VifRows() = default;
  explicit VifRows(int width)
      : stride_(width + 2 * kPadding + 8),
        samples_(kVifMoments * static_cast<std::size_t>(stride_)) {}

  [[nodiscard]] std::uint32_t* row(std::size_t moment) {
    return samples_.data() + kPadding + static_cast<std::ptrdiff_t>(moment) * stride_;
  }
  [[nodiscard]] const std::uint32_t* row(std::size_t moment) const {
    return samples_.data() + kPadding + static_cast<std::ptrdiff_t>(moment) * stride_;
  }

 private:
  static constexpr std::ptrdiff_t kPadding = 12;
  std::ptrdiff_t stride_ = 0;
  std::vector<std::uint32_t> samples_;
};

/// The rows that a vertical filter sees, one for each tap; they may be read eight samples beyond
/// their end.
using VifTapRows = std::array<const std::uint16_t*, 17>;

/// How far sums over the rows are shifted right, rounded.
struct VifShifts {
  int mean = 16;
  int square = 16;  ///< perhaps 0
};

/// Variance of the noise that the eye is taken to add: 2, in units of 2^-16.
inline constexpr std::int32_t kVifNoise = 2 << 16;
/// Added to the reference's variance before the covariance is divided by it, in units of 2^-16.
inline constexpr double kVifEpsilon = 65536 * 1.0e-10;

/// log2 of numbers by their first 16 bits, in units of 2^-11.
class VifLog2Table {
 public:
  [[nodiscard]] static const VifLog2Table& instance();

  /// Of a number that has at least 16 bits.
  [[nodiscard]] std::int32_t log2(std::uint64_t number) const {
    const int excess = static_cast<int>(std::bit_width(number)) - 16;
    assert(excess >= 0);
    return (*this)[(number >> excess) % kFirst] + 2048 * excess;
  }
  /// Of the number of 16 bits that has these behind the first one.
  [[nodiscard]] std::int32_t operator[](std::uint64_t behind_the_first) const {
    return log2_[static_cast<std::size_t>(behind_the_first)];
  }

 private:
  VifLog2Table();

  static constexpr std::size_t kFirst = 32768;
  std::array<std::uint16_t, kFirst> log2_{};
};

/// Sums over windows. Information is in units of 2^-11 bits. Where the reference has less variance
/// than the eye's noise, windows are counted and the distorted variance, in units of 2^-16, added.
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

/// What a window adds to VifSums::kept that is not flat, has a distorted variance and a covariance
/// above 0: how much of the reference's variance the distorted window explains, as information.
[[nodiscard]] std::int32_t vif_kept_information(std::int32_t variance1, std::int32_t variance2,
                                                std::int32_t covariance, double gain_limit);

/// A request's scores of the sums of each scale, in the order of its outputs. Returns how many
/// there are.
std::size_t write_vif_scores(std::span<const VifSums, kVifScales> sums,
                             const FeatureRequest& request, std::span<double> scores);

/// The arithmetic of a row. The definition is vif_rows(); other implementations give the same
/// integers. Sums of means wrap in 32 bits, as libvmaf's do; all others fit 64.
struct VifRowFunctions {
  /// All moments, filtered vertically: columns 0 to width - 1.
  void (*filter_moments)(const VifTapRows& first, const VifTapRows& second, int width,
                         const VifFilter& filter, const VifShifts& shifts, VifRows& to);
  /// The same of a plane alone, into the row of kMean1.
  void (*filter_plane)(const VifTapRows& rows, int width, const VifFilter& filter, int shift,
                       VifRows& to);
  /// Filters the moments horizontally, from mirrored ends: sums of means as they are, of the others
  /// divided by 2^16 and rounded.
  void (*filter_columns)(const VifRows& from, int width, const VifFilter& filter, VifRows& to);
  /// Every other column of the first, filtered horizontally, divided by 2^16 and rounded: `width`
  /// of them.
  void (*decimate)(const VifRows& from, int width, const VifFilter& filter, std::uint16_t* to);
  /// Adds the windows of columns first to last - 1, whose moments the row has. `first` is a
  /// multiple of 4.
  void (*add_windows)(const VifRows& row, int first, int last, double gain_limit, VifSums& sums);
};
[[nodiscard]] const VifRowFunctions& vif_rows();

/// Rows of a scale's planes, [first, last).
struct VifRowRange {
  int first = 0;
  int last = 0;
};
using VifRowRanges = std::array<VifRowRange, kVifScales>;

/// One side's plane of a scale, of 16-bit samples.
class VifPlane {
 public:
  VifPlane() = default;
  VifPlane(int width, int height);

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }
  [[nodiscard]] std::uint16_t* row(int y) {
    return samples_.data() + static_cast<std::ptrdiff_t>(y) * stride_;
  }
  /// Those around row y, mirrored.
  [[nodiscard]] VifTapRows tap_rows(int y, int taps) const;

 private:
  int width_ = 0;
  int height_ = 0;
  std::ptrdiff_t stride_ = 0;
  std::vector<std::uint16_t> samples_;
};

/// Makes the planes of four scales of a pair of pictures, and moments of windows. Owns all memory
/// it works in.
class VifFilters {
 public:
  /// For pictures of the format, on so many threads.
  VifFilters(const video::PictureFormat& format, std::size_t threads, const VifRowFunctions& rows);

  /// Rows of windows of a scale.
  [[nodiscard]] int height(std::size_t scale) const { return reference_[scale].height(); }
  [[nodiscard]] int width(std::size_t scale) const { return reference_[scale].width(); }

  /// The planes of two pictures, as far as these rows of windows need them.
  void make_planes(const LumaView& reference, const LumaView& distorted,
                   const VifRowRanges& windows, ThreadTeam& team);
  /// The moments of a row of windows, in memory of the thread: until its next call.
  [[nodiscard]] const VifRows& moments(std::size_t scale, int y, std::size_t thread);

 private:
  using Planes = std::array<VifPlane, kVifScales>;
  struct Scratch {
    VifRows vertical;
    VifRows both;
  };
  void copy_luma(const LumaView& luma, const VifRowRange& rows, ThreadTeam& team,
                 VifPlane& to) const;
  void decimate(std::size_t k, const VifRowRange& rows, ThreadTeam& team, Planes& planes);

  int bits_;
  const VifRowFunctions& rows_;
  Planes reference_;
  Planes distorted_;
  std::vector<Scratch> scratch_;  // one a thread
};

/// A kernel of the family vif.
[[nodiscard]] std::unique_ptr<PairKernel> make_vif_kernel(const video::PictureFormat& format,
                                                          std::span<const FeatureRequest> requests,
                                                          std::size_t threads,
                                                          const VifRowFunctions& rows);

}  // namespace sidecore::metrics
