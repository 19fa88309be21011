// Memory that float_adm's NEON code works in: rows with room for whole vectors at both ends.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "metrics/float_adm.h"

namespace sidecore::neon {

/// Rows of floats that may be read and written some vectors beyond both ends.
class PaddedRows {
 public:
  PaddedRows() = default;
  PaddedRows(int width, int rows)
      : stride_((width + 2 * kPadding + 3) / 4 * 4),
        samples_(static_cast<std::size_t>(stride_ * rows)) {}

  [[nodiscard]] float* row(int y) { return samples_.data() + kPadding + y * stride_; }
  [[nodiscard]] const float* row(int y) const { return samples_.data() + kPadding + y * stride_; }

 private:
  static constexpr std::ptrdiff_t kPadding = 12;
  std::ptrdiff_t stride_ = 0;
  std::vector<float> samples_;
};

/// A plane's coefficients of one scale.
struct AdmWavelet {
  PaddedRows approximation;
  metrics::PerBand<PaddedRows> bands;
};

/// The last rows of luma as floats; row y is row y % kRows.
struct LumaRows {
  static constexpr int kRows = 4;
  PaddedRows rows;
  int converted = 0;  ///< rows before this one have been
};

/// A row, filtered vertically.
struct FilteredRow {
  PaddedRows low;
  PaddedRows high;
};

/// What masking needs of a row: the weighed detail, and what it adds to its neighbours' thresholds.
struct DetailRow {
  metrics::PerBand<float*> detail;
  metrics::PerBand<float*> masking;
};

/// The last three rows of restored detail and of impairment.
class DetailRing {
 public:
  DetailRing() = default;
  explicit DetailRing(int width);

  [[nodiscard]] DetailRow restored(int y) { return row(y, 0); }
  [[nodiscard]] DetailRow impairment(int y) { return row(y, 1); }

 private:
  static constexpr int kRows = 3;
  [[nodiscard]] DetailRow row(int y, int kind);
  PaddedRows rows_;
};

}  // namespace sidecore::neon
