// NEON implementation of metrics/float_psnr.h.
#pragma once

#include "metrics/float_psnr.h"

namespace sidecore::neon {

/// Implementations of metrics::squared_error_sum(): the same integers for samples that keep to
/// their depth. (10 and 12 bits: squares are summed in 32 bits for a while, which samples beyond 12
/// bits overflow; every picture source refuses those.)
[[nodiscard]] metrics::SquaredErrorSum squared_error_sum(
    video::PlaneView<const std::uint8_t> reference, video::PlaneView<const std::uint8_t> distorted);
[[nodiscard]] metrics::SquaredErrorSum squared_error_sum(
    video::PlaneView<const std::uint16_t> reference,
    video::PlaneView<const std::uint16_t> distorted, int bits);

}  // namespace sidecore::neon
