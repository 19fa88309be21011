// The two decimations of the SSIM metrics, as in libvmaf. Both filter with a two-dimensional
// kernel, repeat the border sample when they mirror, multiply in binary32, and add the products in
// binary64 row by row.
#pragma once

#include "metrics/float_plane.h"

namespace sidecore::metrics {

/// Returns the index of the sample that mirroring puts at `index`: -1 becomes 0, size becomes size
/// - 1. |index| must be within one period.
[[nodiscard]] constexpr int mirror(int index, int size) {
  if (index < 0) return -1 - index;
  return index < size ? index : 2 * size - 1 - index;
}

/// Returns the width or height of a plane decimated by `factor`: size / factor, plus one if size is
/// odd, for any factor. This is libvmaf's rule; the remainder of an even size is dropped.
[[nodiscard]] constexpr int decimated_size(int size, int factor) {
  return size / factor + (size & 1);
}

/// Decimates as float_ssim does: the mean over a box of factor x factor samples, factor 2..10. Taps
/// lie at -(factor/2) .. factor - 1 - factor/2 around (factor * x, factor * y). `to` must have the
/// decimated size (asserted). `from` must be at least `factor` wide and high.
void decimate_box(ConstFloatView from, int factor, FloatView to);

/// Returns the weight of each of the factor x factor taps of decimate_box().
[[nodiscard]] float box_weight(int factor);

inline constexpr int kHalvingTaps = 9;

/// Decimates by 2 as float_ms_ssim does: 9 x 9 taps around (2x, 2y). The taps are the low-pass half
/// of a 9/7 wavelet, rounded to six decimals in two dimensions, so they are no product of
/// one-dimensional taps. `to` must have the decimated size (asserted). `from` must be at least 5
/// wide and high.
void halve(ConstFloatView from, FloatView to);

/// Returns the weights of halve(), row by row.
[[nodiscard]] const float (&halving_kernel())[kHalvingTaps][kHalvingTaps];

}  // namespace sidecore::metrics
