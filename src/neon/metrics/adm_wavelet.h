// The Daubechies-2 transform of float_adm, row by row.
#pragma once

#include <array>

#include "neon/metrics/adm_rows.h"

namespace sidecore::neon {

/// Row y of the luma plane as floats, less 128. Rows come in order, and one before the last three
/// that were asked for is never asked for again; `rows.converted` is set to the first one at the
/// start.
[[nodiscard]] const float* luma_row(const metrics::AdmLuma& luma, int bits, int y, LumaRows& rows);

/// Filters four rows vertically, low-pass and high-pass, and mirrors the two results at their ends.
void filter_vertically(const std::array<const float*, 4>& rows, int width, FilteredRow& filtered);

/// Filters horizontally into row y of the wavelet, `width` coefficients a band.
void filter_horizontally(const FilteredRow& filtered, int y, int width, AdmWavelet& wavelet);

}  // namespace sidecore::neon
