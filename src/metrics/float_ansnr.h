// float_ansnr: ratio of the reference's signal to the noise between the filtered pictures' luma, in
// binary32, as libvmaf's feature float_ansnr computes it. The reference is filtered with 3x3 and
// the distorted picture with 5x5 weights. Implementations share this header.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>

#include "base/thread_team.h"
#include "metrics/pair_kernel.h"

namespace sidecore::metrics {

/// Smallest width and height of the pictures: smaller planes have no samples to mirror.
inline constexpr int kFloatAnsnrMinimumSize = 3;
/// Columns and rows that a filter reads on each side of a sample.
inline constexpr int kAnsnrReach = 2;

/// Returns the column or row of a plane that stands for the given one, which is at most
/// kAnsnrReach outside the plane. The last one is repeated, the first one is not.
[[nodiscard]] constexpr int ansnr_mirror(int index, int size) {
  if (index < 0) return -index;
  return index < size ? index : 2 * size - 1 - index;
}

/// Weights of a filter of `taps` rows and columns, row by row, and their sum.
template <std::size_t taps>
struct AnsnrFilter {
  std::array<int, taps * taps> integers;
  int sum;

  /// Returns a weight as binary32. The sum of all is 1.
  [[nodiscard]] constexpr float weight(std::size_t row, std::size_t column) const {
    return static_cast<float>(static_cast<double>(integers[taps * row + column]) / sum);
  }
};
inline constexpr AnsnrFilter<3> kAnsnrReferenceFilter{{1, 2, 1, 2, 4, 2, 1, 2, 1}, 16};
inline constexpr AnsnrFilter<5> kAnsnrDistortedFilter{
    {2, 7, 12, 7, 2, 7, 31, 52, 31, 7, 12, 52, 127, 52, 12, 7, 31, 52, 31, 7, 2, 7, 12, 7, 2}, 571};

/// Rows of a picture for which a summer is called at once; only the last piece may have fewer.
inline constexpr int kAnsnrRowsPerPiece = 64;

/// Sums over each of the rows of a piece, left to right in binary32. The arrays have
/// kAnsnrRowsPerPiece elements.
struct AnsnrSums {
  float* signal = nullptr;  ///< sums of the squares of the filtered reference
  float* noise = nullptr;   ///< sums of the squared differences of the filtered pictures
};

/// Filters luma minus 128 and sums over rows, with working memory for one thread, which only one
/// thread at a time may call. All implementations give the same bits: the products of a row of
/// weights are added left to right, then the sums of the rows are added top to bottom.
class AnsnrSummer {
 public:
  virtual ~AnsnrSummer() = default;
  /// Writes the sums of `rows` of two pictures of the constructor's format.
  virtual void sum(const video::Picture& reference, const video::Picture& distorted,
                   const RowRange& rows, const AnsnrSums& sums) = 0;
};
using MakeAnsnrSummer = std::unique_ptr<AnsnrSummer> (*)(const video::PictureFormat& format);

/// Makes a kernel of the family float_ansnr.
[[nodiscard]] std::unique_ptr<PairKernel> make_float_ansnr_kernel(
    const video::PictureFormat& format, std::size_t threads, MakeAnsnrSummer make);

}  // namespace sidecore::metrics
