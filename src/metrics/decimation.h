// The two ways in which SSIM metrics make planes smaller, as libvmaf does it. Both filter with a
// two-dimensional kernel, mirror at the borders with the edge sample repeated, multiply in binary32
// and add the products in binary64, rows outer.
#pragma once

#include "metrics/float_plane.h"

namespace sidecore::metrics {

/// Mirrored index of a sample: -1 is 0, size is size - 1. |index| stays within a period.
[[nodiscard]] constexpr int mirror(int index, int size) {
  if (index < 0) return -1 - index;
  return index < size ? index : 2 * size - 1 - index;
}

/// Width or height of a plane decimated by `factor`: size / factor, and one more when the size is
/// odd, whatever the factor (libvmaf's rule; the remainder of an even size is dropped).
[[nodiscard]] constexpr int decimated_size(int size, int factor) {
  return size / factor + (size & 1);
}

/// float_ssim's: the mean over a box of factor x factor samples, factor 2..10. Taps lie at
/// -(factor/2) .. factor - 1 - factor/2 around (factor * x, factor * y). `to` has the decimated
/// size (asserted); planes are at least `factor` wide and high.
void decimate_box(ConstFloatView from, int factor, FloatView to);

/// Weight of each of the factor x factor taps.
[[nodiscard]] float box_weight(int factor);

inline constexpr int kHalvingTaps = 9;

/// float_ms_ssim's: 9 x 9 taps around (2x, 2y), the low-pass half of a 9/7 wavelet rounded to six
/// decimals in two dimensions (not the product of one-dimensional taps). `to` has the size
/// decimated by 2 (asserted); planes are at least 5 wide and high.
void halve(ConstFloatView from, FloatView to);

/// Weights of halve(), row by row.
[[nodiscard]] const float (&halving_kernel())[kHalvingTaps][kHalvingTaps];

}  // namespace sidecore::metrics
