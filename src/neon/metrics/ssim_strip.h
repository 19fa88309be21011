// A vertical strip of SSIM windows, advanced eleven rows at a time. It keeps only a few rows, and
// filters no sample of the strip twice.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "metrics/ssim.h"
#include "neon/metrics/ssim_row_filter.h"
#include "video/picture.h"

namespace sidecore::neon {

class SsimStrip {
 public:
  static constexpr int kColumns = kSsimStripColumns;
  /// Number of rows that one advance() takes. It equals the number of a window's rows, so that the
  /// compiler knows the windows to which each row's accumulators belong.
  static constexpr int kRows = metrics::kSsimWindow;

  /// Moments of four columns' windows, in WindowMoments' order: [moment][row][column].
  using Moments = std::array<std::array<std::array<float, 4>, kRows>, 5>;

  /// Takes rows `first` to first + 10 of samples `left` to left + columns + 9 of both planes, bytes
  /// or floats. Rows below the planes count as 0. A strip's first call has first = 0; each further
  /// call continues where the previous one ended. `columns` must be 1..kColumns. All columns of the
  /// previous rows must have been returned by next_four() (asserted).
  template <class Sample>
  void advance(video::PlaneView<const Sample> a, video::PlaneView<const Sample> b, int left,
               int columns, int first);

  /// Adds the rows of the next four columns, from column 0 on after an advance(). Returns the
  /// moments of their windows whose last row is first + r, and thus whose first row is first + r -
  /// 10. The moments are undefined if that first row is negative, if rows were missing, or if the
  /// strip has no such column. They are valid until the next call. Moments equal the scalar
  /// definition's bit for bit, with one exception: a sum of terms that are all -0 is -0 in this
  /// class and 0 in the scalar definition, which changes no similarity.
  [[nodiscard]] const Moments& next_four();

  /// Rows of one moment after the horizontal pass.
  using Rows = std::array<SsimRowSums, kRows>;
  /// Incomplete sums of the windows of a pair of columns: [row of the window's first sample, modulo
  /// 11][column of the pair].
  using IncompletePair = std::array<std::array<double, 2>, kRows>;

 private:
  void filter(const std::uint8_t* a, const std::uint8_t* b, std::size_t columns, std::size_t row);
  void filter(const float* a, const float* b, std::size_t columns, std::size_t row);

  alignas(64) std::array<Rows, 5> rows_;  // rows of each moment
  // Incomplete sums: [column / 4][moment], then the first and the last pair of the four columns.
  alignas(64) std::array<std::array<std::array<IncompletePair, 2>, 5>, kColumns / 4> incomplete_;
  alignas(64) Moments moments_;
  std::size_t columns_ = 0;      // number of columns of the current rows
  std::size_t next_column_ = 0;  // index of the next column whose rows are to be added
};

}  // namespace sidecore::neon
