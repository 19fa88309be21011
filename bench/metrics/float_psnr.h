// float_psnr for the gates.
#pragma once

#include "gates/kernel.h"

namespace sidecore::bench {

/// Unit: a strip of 16 luma rows, whose exact squared-error sum is one 64-bit little-endian word. A
/// strip's sum belongs to that strip alone, so that threads may share a picture; the picture's
/// total, which no single strip owns, is left to the metric's own tests. Synthetic contents are
/// 8-bit; Content::input takes the pictures' depth, and a distorted picture made by adding seeded
/// noise when the request has no other picture.
[[nodiscard]] const gates::Kernel& float_psnr_kernel();

}  // namespace sidecore::bench
