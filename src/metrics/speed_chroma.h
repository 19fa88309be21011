// speed_chroma: difference of the information in both pictures' chroma, as libvmaf's feature of
// that name (Bampis et al., "SpEED-QA: spatial efficient entropic differencing", 2017). A plane is
// reduced to 1/16 and freed of its local mean; blocks of 5x5 samples of what is left are taken for
// a Gaussian vector. This header is what implementations share: the long sums are theirs, all else
// is here.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "metrics/pair_kernel.h"
#include "metrics/speed_algebra.h"

namespace sidecore::metrics {

inline constexpr int kSpeedBlock = 5;
/// One sample in so many is left of a plane, in both directions.
inline constexpr int kSpeedReduction = 16;
/// Taps of the filter before that.
inline constexpr std::size_t kSpeedTaps = 9;

/// Deviations of a block's elements from their means, at one position: 25 and one that is 0.
inline constexpr std::size_t kSpeedLanes = kSpeedElements + 1;
using SpeedDeviations = std::array<double, kSpeedLanes>;
/// Sums of products of deviations; only those right of and on the diagonal count.
using SpeedProducts = std::array<SpeedDeviations, kSpeedElements>;

/// The definition is speed_chroma_sums(); other implementations give the same bits.
struct SpeedChromaSums {
  /// to[x] = 0 + taps[0] rows[0][x] + taps[1] rows[1][x] + ... in binary32, each product and each
  /// sum rounded. Rows may be read and written up to a multiple of 4.
  void (*filter)(const std::array<const float*, kSpeedTaps>& rows,
                 std::span<const float, kSpeedTaps> taps, int width, float* to);
  /// Sums over the positions, in their order, of products of two elements' deviations.
  void (*multiply)(std::span<const SpeedDeviations> deviations, SpeedProducts& products);
};
[[nodiscard]] const SpeedChromaSums& speed_chroma_sums();

/// A kernel of the family speed_chroma.
[[nodiscard]] std::unique_ptr<PairKernel> make_speed_chroma_kernel(
    const video::PictureFormat& format, std::span<const FeatureRequest> requests,
    std::size_t threads, const SpeedChromaSums& sums);

}  // namespace sidecore::metrics
