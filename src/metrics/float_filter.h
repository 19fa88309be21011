// Separable filters of planes of binary32 samples, as libvmaf's float_vif and float_motion blur
// with: vertically, then horizontally. Every product and every sum is rounded to binary32, and sums
// go through the taps in their order. Samples outside a plane are those mirrored at the edge
// sample, which is not repeated.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "metrics/float_plane.h"

namespace sidecore::metrics {

inline constexpr std::size_t kMostFloatTaps = 17;

struct FloatFilter {
  int taps = 0;  ///< odd
  std::array<float, kMostFloatTaps> tap{};
};

/// A Gaussian, whose weights sum up to about 1.
void fill_gaussian(float sigma, std::span<float> weights);

/// The rows that a vertical filter sees, one for each tap; vectors of 4 may be read up to their
/// end.
using FloatTapRows = std::array<const float*, kMostFloatTaps>;
/// Those around row y, mirrored.
[[nodiscard]] FloatTapRows float_tap_rows(const FloatPlane& plane, int y, int taps);

/// A row that may be read and written some vectors beyond both ends.
class FloatFilterRow {
 public:
  FloatFilterRow() = default;
  explicit FloatFilterRow(int width)
      : samples_(static_cast<std::size_t>(width) + 2 * kPadding + 8) {}

  [[nodiscard]] float* data() { return samples_.data() + kPadding; }
  [[nodiscard]] const float* data() const { return samples_.data() + kPadding; }
  /// What a horizontal filter sees beyond the ends of a row of `width` samples.
  void mirror_ends(int width, int taps);

 private:
  static constexpr std::size_t kPadding = 12;
  std::vector<float> samples_;
};

/// Filters vertically, `width` columns, and mirrors the ends. This and the next one are the
/// definition; other implementations give the same bits.
void filter_float_rows(const FloatTapRows& rows, int width, const FloatFilter& filter,
                       FloatFilterRow& to);
/// Filters horizontally: `width` samples, of every `step`-th column.
void filter_float_columns(const FloatFilterRow& from, int width, int step,
                          const FloatFilter& filter, float* to);

}  // namespace sidecore::metrics
