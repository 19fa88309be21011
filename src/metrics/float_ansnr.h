// float_ansnr: ratio of the reference's signal to the noise between the filtered pictures' luma, in
// binary32, as libvmaf's feature float_ansnr computes it. The reference is filtered with 3x3 and
// the distorted picture with 5x5 weights. Implementations share this header.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "metrics/pair_kernel.h"

namespace sidecore::metrics {

/// Smallest width and height of the pictures: smaller planes have no samples to mirror.
inline constexpr int kFloatAnsnrMinimumSize = 3;

/// The rows that a filter of `taps` rows and columns reads. Each pointer is that of column 0; code
/// may read taps / 2 columns before it, and vectors of 4 samples up to taps / 2 + 4 after the end.
template <std::size_t taps>
using AnsnrRows = std::array<const float*, taps>;
/// Weights row by row.
template <std::size_t taps>
using AnsnrWeights = std::array<float, taps * taps>;

/// Sums over a row, left to right in binary32.
struct AnsnrSums {
  float signal = 0;  ///< sum of the squares of the filtered reference
  float noise = 0;   ///< sum of the squared differences of the filtered pictures
};

/// Arithmetic of one row. All implementations give the same bits: the products of a row of weights
/// are added left to right, then the sums of the rows are added top to bottom.
struct AnsnrRowFunctions {
  void (*filter_reference)(const AnsnrRows<3>& rows, const AnsnrWeights<3>& weights, int width,
                           float* to);
  void (*filter_distorted)(const AnsnrRows<5>& rows, const AnsnrWeights<5>& weights, int width,
                           float* to);
  AnsnrSums (*sum)(const float* reference, const float* distorted, int width);
};

/// Makes a kernel of the family float_ansnr.
[[nodiscard]] std::unique_ptr<PairKernel> make_float_ansnr_kernel(
    const video::PictureFormat& format, std::size_t threads, const AnsnrRowFunctions& rows);

}  // namespace sidecore::metrics
