// float_psnr: peak signal-to-noise ratio of the luma plane, as libvmaf's feature float_psnr
// computes it.
#pragma once

#include <cstdint>
#include <memory>

#include "metrics/pair_kernel.h"
#include "video/picture.h"

namespace sidecore::metrics {

/// Exact sum of the squared sample differences (a-b)^2 over the plane. At 8, 10 and 12 bits the
/// terms are plain squares. At 16 bits each square is first rounded to 24 significant bits, ties to
/// even, because libvmaf squares in binary32 and its score depends on it. The sum is an integer, so
/// the order of addition does not matter.
using SquaredErrorSum = std::uint64_t;

/// Returns one term of the sum at 16 bits: `square` rounded to 24 significant bits, ties to even.
[[nodiscard]] std::uint32_t round_square_to_binary32(std::uint32_t square);

/// Returns the sum for 8-bit planes (scalar definition). Planes must have the same size (asserted).
[[nodiscard]] SquaredErrorSum squared_error_sum(video::PlaneView<const std::uint8_t> reference,
                                                video::PlaneView<const std::uint8_t> distorted);
/// Returns the sum for planes of `bits` 10, 12 or 16; `bits` decides how terms are rounded.
[[nodiscard]] SquaredErrorSum squared_error_sum(video::PlaneView<const std::uint16_t> reference,
                                                video::PlaneView<const std::uint16_t> distorted,
                                                int bits);

/// Returns the sum of plain squares for planes of 16 bits.
[[nodiscard]] std::uint64_t exact_squared_error_sum(
    video::PlaneView<const std::uint16_t> reference,
    video::PlaneView<const std::uint16_t> distorted);

/// Returns the score in dB: 10*log10(peak^2 / max(mse, 1e-10)), at most 60, 72, 84 and 108 dB for
/// 8, 10, 12 and 16 bits. The mean squared error (mse) uses samples scaled to 0..255.x. Throws
/// Error (usage) for other depths.
[[nodiscard]] double float_psnr(SquaredErrorSum sum, int width, int height, int bits);

/// Range of a depth. libvmaf scales samples above 8 bits to 0..255.x: `peak` is the largest scaled
/// sample, `cap_db` the score of identical pictures.
struct FloatPsnrRange {
  int bits;
  double peak;
  double cap_db;
};
/// Throws Error (usage) unless `bits` is 8, 10, 12 or 16.
[[nodiscard]] const FloatPsnrRange& float_psnr_range(int bits);
/// Throws Error (usage) unless float_psnr is defined for the depth.
void check_float_psnr_depth(int bits);

/// Implementation of squared_error_sum() for each sample type, and of exact_squared_error_sum().
struct SquaredErrorSummer {
  SquaredErrorSum (*bytes)(video::PlaneView<const std::uint8_t>,
                           video::PlaneView<const std::uint8_t>);
  SquaredErrorSum (*words)(video::PlaneView<const std::uint16_t>,
                           video::PlaneView<const std::uint16_t>, int bits);
  std::uint64_t (*exact_words)(video::PlaneView<const std::uint16_t>,
                               video::PlaneView<const std::uint16_t>);
};

/// Makes a kernel of float_psnr from functions that sum the squared errors.
[[nodiscard]] std::unique_ptr<PairKernel> make_float_psnr_kernel(const video::PictureFormat& format,
                                                                 SquaredErrorSummer summer);

}  // namespace sidecore::metrics
