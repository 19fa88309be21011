// float_ms_ssim for the gates.
#pragma once

#include "gates/kernel.h"

namespace sidecore::bench {

/// The halving that makes float_ms_ssim's levels, of both luma planes: 9 x 9 taps a result, equal
/// to the last bit on every backend. Unit: a row of results of both. What is done with the levels
/// is float_ssim's kernel.
[[nodiscard]] const gates::Kernel& float_ms_ssim_kernel();

}  // namespace sidecore::bench
