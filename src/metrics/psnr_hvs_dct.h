// The integer DCT of psnr_hvs: Daala's 8-point transform by lifting steps, in 32-bit integers.
#pragma once

#include <array>
#include <cstdint>

namespace sidecore::metrics {

using HvsCoefficients = std::array<std::int32_t, 64>;

/// Two-dimensional transform of a block of samples, both row after row; row 0, column 0 is DC, and
/// row numbers are vertical frequencies. The scale is that of the orthonormal transform: a flat
/// block of value v has a DC of 8v, or 1 less. Samples of up to 12 bits give magnitudes that fit 16
/// bits, so that squares fit 32.
[[nodiscard]] HvsCoefficients hvs_dct(const HvsCoefficients& samples);

}  // namespace sidecore::metrics
