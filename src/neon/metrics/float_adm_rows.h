// NEON code of float_adm, row by row: its workspace, the Daubechies-2 transform
// (float_adm_wavelet.cpp), and the processing of its coefficients (float_adm_masking.cpp).
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "metrics/float_adm.h"

namespace sidecore::neon {

/// Rows of floats. Code may read and write four vectors beyond both ends of a row.
class PaddedRows {
 public:
  PaddedRows() = default;
  PaddedRows(int width, int rows)
      : stride_((width + 2 * kPadding + 3) / 4 * 4),
        samples_(static_cast<std::size_t>(stride_ * rows)) {}

  [[nodiscard]] float* row(int y) { return samples_.data() + kPadding + y * stride_; }
  [[nodiscard]] const float* row(int y) const { return samples_.data() + kPadding + y * stride_; }

 private:
  static constexpr std::ptrdiff_t kPadding = 16;
  std::ptrdiff_t stride_ = 0;
  std::vector<float> samples_;
};

/// Wavelet coefficients of a plane at one scale.
struct AdmWavelet {
  PaddedRows approximation;
  metrics::PerBand<PaddedRows> bands;
};

/// Rows of luma as floats: the last kRows rows; row y is stored at index y % kRows.
struct LumaRows {
  static constexpr int kRows = 4;
  PaddedRows rows;
  int converted = 0;  ///< number of the first row that is not converted yet
};

/// A vertically filtered row.
struct FilteredRow {
  PaddedRows low;
  PaddedRows high;
};

/// The part of a row that masking needs: the weighted detail, and its contribution to its
/// neighbours' thresholds.
struct DetailRow {
  metrics::PerBand<float*> detail;
  metrics::PerBand<float*> masking;
};

/// The last three rows of restored detail and of the impairment.
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

// The wavelet transform

/// Returns row y of the luma plane as floats, minus 128, in the columns that the first scale needs.
/// Rows must be requested in order; only the last three requested rows may be requested again. The
/// caller sets `rows.converted` to the first row at the start.
[[nodiscard]] const float* luma_row(const metrics::LumaView& luma, int bits,
                                    const metrics::AdmScale& scale, int y, LumaRows& rows);

/// Filters the columns of four rows that the scale needs vertically, low-pass and high-pass, and
/// mirrors both results at their ends.
void filter_vertically(const std::array<const float*, 4>& rows, const metrics::AdmScale& scale,
                       FilteredRow& filtered);

/// Filters the columns that are transformed horizontally, into row y of the wavelet.
void filter_horizontally(const FilteredRow& filtered, const metrics::AdmScale& scale, int y,
                         AdmWavelet& wavelet);

// Functions that turn wavelet coefficients into sums

/// Splits row y of the distorted bands into restored detail and impairment, weights both, and
/// stores them in the ring, mirrored at the band's ends.
void decouple_row(const metrics::PerBand<PaddedRows>& reference,
                  const metrics::PerBand<PaddedRows>& distorted, const metrics::AdmScale& scale,
                  int y, double gain_limit, DetailRing& ring);

/// Returns the sums of row y. The ring must hold rows y - 1, y and y + 1.
[[nodiscard]] metrics::AdmSums::Scale sum_row(const metrics::PerBand<PaddedRows>& reference,
                                              DetailRing& ring, const metrics::AdmScale& scale,
                                              int y, double p_norm);

}  // namespace sidecore::neon
