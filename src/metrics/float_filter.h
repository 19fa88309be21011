// Separable filters for planes of binary32 samples, as libvmaf's float_vif and float_motion blur:
// vertically, then horizontally. Every product and every sum is rounded to binary32, and sums
// follow the order of the taps. Samples outside a plane are mirrored at the border sample, which is
// not repeated.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "metrics/float_plane.h"

namespace sidecore::metrics {

inline constexpr std::size_t kMaxFloatTaps = 17;

struct FloatFilter {
  int taps = 0;  ///< number of taps, odd
  std::array<float, kMaxFloatTaps> tap{};
};

/// Fills `weights` with a Gaussian of standard deviation `sigma`; their sum is about 1.
void fill_gaussian(float sigma, std::span<float> weights);

/// Rows that a vertical filter reads, one per tap. Code may read vectors of 4 samples up to the end
/// of each row.
using FloatTapRows = std::array<const float*, kMaxFloatTaps>;
/// Returns the `taps` rows around row y, mirrored at the top and bottom border.
[[nodiscard]] FloatTapRows float_tap_rows(const FloatPlane& plane, int y, int taps);

/// One row of samples. Code may read and write some vectors beyond both ends.
class FloatFilterRow {
 public:
  FloatFilterRow() = default;
  explicit FloatFilterRow(int width)
      : samples_(static_cast<std::size_t>(width) + 2 * kPadding + 8) {}

  [[nodiscard]] float* data() { return samples_.data() + kPadding; }
  [[nodiscard]] const float* data() const { return samples_.data() + kPadding; }
  /// Writes the mirrored samples that a horizontal filter reads beyond both ends of a row of
  /// `width` samples.
  void mirror_ends(int width, int taps);

 private:
  static constexpr std::size_t kPadding = 12;
  std::vector<float> samples_;
};

/// Filters `width` columns vertically and mirrors both ends of the resulting row. This function and
/// filter_float_columns() are the scalar definition; other implementations give the same bits.
void filter_float_rows(const FloatTapRows& rows, int width, const FloatFilter& filter,
                       FloatFilterRow& to);
/// Filters horizontally and writes `width` samples, one per `step` columns.
void filter_float_columns(const FloatFilterRow& from, int width, int step,
                          const FloatFilter& filter, float* to);

}  // namespace sidecore::metrics
