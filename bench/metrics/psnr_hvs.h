// psnr_hvs for the gates.
#pragma once

#include "gates/kernel.h"

namespace sidecore::bench {

/// Unit: a block of luma, whose 64 terms are the result; blocks are 8x8 windows, 7 samples apart.
/// The ordered sum of the terms, which no single block owns, is left to the metric's own tests; the
/// QPU's time contains it, NEON's does not. Synthetic contents are 8-bit; Content::input takes the
/// pictures' depth, and a distorted picture made by adding seeded noise when the request has no
/// other picture.
[[nodiscard]] const gates::Kernel& psnr_hvs_kernel();

}  // namespace sidecore::bench
