// float_moment: mean and mean square of both pictures' luma, as libvmaf's feature float_moment
// computes them.
#pragma once

#include <memory>

#include "metrics/float_psnr.h"
#include "metrics/pair_kernel.h"
#include "video/picture.h"

namespace sidecore::metrics {

/// Makes a kernel of float_moment. `summer` sums squared differences; the kernel lets it compare
/// rows with zeros, so that it sums squares.
[[nodiscard]] std::unique_ptr<PairKernel> make_float_moment_kernel(
    const video::PictureFormat& format, SquaredErrorSummer summer);

}  // namespace sidecore::metrics
