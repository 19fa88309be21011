// float_ssim for the gates.
#pragma once

#include "gates/kernel.h"

namespace sidecore::bench {

/// Both filter passes of SSIM at scale 1, of which most of its work is made: the five moments of
/// every window, equal to the last bit on every backend. Unit: a row of windows. Columns beyond the
/// last whole quad of windows are left out. Sums over the picture, which no row owns, are left to
/// the metric's own tests.
[[nodiscard]] const gates::Kernel& float_ssim_kernel();

}  // namespace sidecore::bench
