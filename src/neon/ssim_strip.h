// A vertical strip of SSIM windows, advanced eleven rows at a time: nothing larger than a few rows
// is ever kept, and no sample of the strip is filtered twice.
#pragma once

#include <array>

#include "metrics/ssim.h"
#include "metrics/ssim_kernel.h"
#include "neon/lane_pairs.h"

namespace sidecore::neon {

class SsimStrip {
 public:
  /// Columns of windows in a strip, a multiple of 4, and ten less than one of 11: filters of bytes
  /// take in eleven samples at a time.
  static constexpr int kColumns = 100;
  /// Rows that one advance() takes in; as many as a window has, so that the window that a row's
  /// accumulator belongs to is known when this is compiled.
  static constexpr int kRows = metrics::kSsimWindow;

  /// Moments of windows, one array a row, in WindowMoments' order.
  using Rows = std::array<std::array<std::array<float, kColumns>, kRows>, 5>;

  /// Takes in rows `first` to first + 10 of samples `left` to left + columns + 9 of both planes;
  /// rows below the planes count as 0. The first call of a strip has first = 0, the next ones go on
  /// where the last one ended. `columns` is 1..kColumns.
  void advance(metrics::ConstFloatView a, metrics::ConstFloatView b, metrics::SampleKind kind,
               int left, int columns, int first);

  /// After advance(): moments of the windows whose last row is first + r, so whose first row is
  /// first + r - 10; without meaning where that is negative or rows were missing. Columns beyond
  /// the strip's are those of whole vectors, with samples beyond the planes that are 0.
  [[nodiscard]] const Rows& moments() const { return moments_; }

  /// Sums of a pair of columns' windows that are not complete: [row of the window's first sample,
  /// modulo 11][column of the pair].
  using OpenPair = std::array<std::array<double, 2>, kRows>;

 private:
  template <Signs Of>
  void filter_row(const float* a, const float* b, std::size_t columns, std::size_t row);
  void filter_byte_row(const float* a, const float* b, std::size_t columns, std::size_t row);
  template <Signs Of>
  void filter_columns(std::size_t columns);

  alignas(64) Rows rows_;                                   // after the horizontal pass
  alignas(64) Rows moments_;                                // after both
  alignas(64) std::array<OpenPair, kColumns / 2> open_[5];  // one for each moment
};

}  // namespace sidecore::neon
