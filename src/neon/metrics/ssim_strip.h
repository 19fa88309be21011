// A vertical strip of SSIM windows, advanced eleven rows at a time: nothing larger than a few rows
// is ever kept, and no sample of the strip is filtered twice.
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
  /// Rows that one advance() takes in; as many as a window has, so that the window that a row's
  /// accumulator belongs to is known when this is compiled.
  static constexpr int kRows = metrics::kSsimWindow;

  /// Moments of four columns' windows, in WindowMoments' order: [moment][row][column].
  using Moments = std::array<std::array<std::array<float, 4>, kRows>, 5>;

  /// Takes in rows `first` to first + 10 of samples `left` to left + columns + 9 of both planes,
  /// bytes or floats; rows below the planes count as 0. The first call of a strip has first = 0,
  /// the next ones go on where the last one ended. `columns` is 1..kColumns. All columns of the
  /// rows before must have been asked for (asserted).
  template <class Sample>
  void advance(video::PlaneView<const Sample> a, video::PlaneView<const Sample> b, int left,
               int columns, int first);

  /// Adds the rows of the next four columns, from column 0 on after an advance(), and returns the
  /// moments of their windows whose last row is first + r, so whose first row is first + r - 10;
  /// without meaning where that is negative, rows were missing, or the strip has no such column.
  /// Valid until the next call. Moments are the definition's, bit for bit, but that a sum of
  /// nothing but -0 is -0 here and 0 there, which no similarity shows.
  [[nodiscard]] const Moments& next_four();

  /// Rows after the horizontal pass.
  using Rows = std::array<SsimRowSums, kRows>;
  /// Sums of a pair of columns' windows that are not complete: [row of the window's first sample,
  /// modulo 11][column of the pair].
  using OpenPair = std::array<std::array<double, 2>, kRows>;

 private:
  void filter(const std::uint8_t* a, const std::uint8_t* b, std::size_t columns, std::size_t row);
  void filter(const float* a, const float* b, std::size_t columns, std::size_t row);

  alignas(64) std::array<Rows, 5> rows_;  // of each moment
  // [column / 4][moment], the first and the last pair of the four columns
  alignas(64) std::array<std::array<std::array<OpenPair, 2>, 5>, kColumns / 4> open_;
  alignas(64) Moments moments_;
  std::size_t columns_ = 0;      // of the rows
  std::size_t next_column_ = 0;  // whose rows are not added yet
};

}  // namespace sidecore::neon
