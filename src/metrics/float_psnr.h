// float_psnr: peak signal-to-noise ratio of the luma plane, as libvmaf's feature of that name.
#pragma once

#include <cstdint>
#include <memory>

#include "metrics/pair_kernel.h"
#include "video/picture.h"

namespace sidecore::metrics {

/// Exact sum over the plane of the squared sample difference (a-b)^2. At 8, 10 and 12 bits the
/// terms are the plain squares. At 16 bits each square is first rounded to 24 significant bits,
/// ties to even: libvmaf squares in binary32, and its score shows it.
/// Any order of summation gives the same integer.
using SquaredErrorSum = std::uint64_t;

/// One term of the sum at 16 bits: `square` rounded to 24 significant bits, ties to even.
[[nodiscard]] std::uint32_t round_square_to_binary32(std::uint32_t square);

/// Scalar definition of the sum. Planes must have the same size (asserted).
[[nodiscard]] SquaredErrorSum squared_error_sum(video::PlaneView<const std::uint8_t> reference,
                                                video::PlaneView<const std::uint8_t> distorted);
/// `bits` is 10, 12 or 16; it decides the rounding of terms.
[[nodiscard]] SquaredErrorSum squared_error_sum(video::PlaneView<const std::uint16_t> reference,
                                                video::PlaneView<const std::uint16_t> distorted,
                                                int bits);

/// The score in dB: 10*log10(peak^2 / max(mse, 1e-10)) capped at 60, 72, 84 and 108 dB for 8, 10,
/// 12 and 16 bits, where mse is of samples scaled to 0..255.x. Throws Error (usage) at other
/// depths.
[[nodiscard]] double float_psnr(SquaredErrorSum sum, int width, int height, int bits);

/// Throws Error (usage) unless float_psnr is defined for the depth (8, 10, 12 or 16 bits).
void check_float_psnr_depth(int bits);

/// squared_error_sum() or an implementation of it.
struct SquaredErrorSummer {
  SquaredErrorSum (*bytes)(video::PlaneView<const std::uint8_t>,
                           video::PlaneView<const std::uint8_t>);
  SquaredErrorSum (*words)(video::PlaneView<const std::uint16_t>,
                           video::PlaneView<const std::uint16_t>, int bits);
};

/// float_psnr of a pair of pictures, from any function that sums the squared errors.
[[nodiscard]] std::unique_ptr<PairKernel> make_float_psnr_kernel(const video::PictureFormat& format,
                                                                 SquaredErrorSummer summer);

}  // namespace sidecore::metrics
