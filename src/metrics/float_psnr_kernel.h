// float_psnr of a pair of pictures, from any function that sums the squared errors.
#pragma once

#include <memory>

#include "metrics/float_psnr.h"
#include "metrics/pair_kernel.h"

namespace sidecore::metrics {

/// metrics::squared_error_sum() or an implementation of it.
struct SquaredErrorSummer {
  SquaredErrorSum (*bytes)(video::PlaneView<const std::uint8_t>,
                           video::PlaneView<const std::uint8_t>);
  SquaredErrorSum (*words)(video::PlaneView<const std::uint16_t>,
                           video::PlaneView<const std::uint16_t>, int bits);
};

[[nodiscard]] std::unique_ptr<PairKernel> make_float_psnr_kernel(const video::PictureFormat& format,
                                                                 SquaredErrorSummer summer);

}  // namespace sidecore::metrics
