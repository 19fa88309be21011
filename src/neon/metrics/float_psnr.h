// NEON implementation of metrics/float_psnr.h.
#pragma once

#include "metrics/float_psnr.h"

namespace sidecore::neon {

/// These functions return the same integers as metrics::squared_error_sum() if samples do not
/// exceed their depth. At 10 and 12 bits, squares are summed in 32 bits for a while, and samples of
/// more than 12 bits would overflow; every picture source rejects such samples.
[[nodiscard]] metrics::SquaredErrorSum squared_error_sum(
    video::PlaneView<const std::uint8_t> reference, video::PlaneView<const std::uint8_t> distorted);
[[nodiscard]] metrics::SquaredErrorSum squared_error_sum(
    video::PlaneView<const std::uint16_t> reference,
    video::PlaneView<const std::uint16_t> distorted, int bits);

/// Returns the same integer as metrics::exact_squared_error_sum().
[[nodiscard]] std::uint64_t exact_squared_error_sum(
    video::PlaneView<const std::uint16_t> reference,
    video::PlaneView<const std::uint16_t> distorted);

}  // namespace sidecore::neon
