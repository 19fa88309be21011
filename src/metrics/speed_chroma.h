// speed_chroma: difference of the information in both pictures' chroma, as libvmaf's feature of
// that name (Bampis et al., "SpEED-QA: spatial efficient entropic differencing", 2017). A plane is
// reduced to 1/16 and freed of its local mean; blocks of 5x5 samples of what is left are taken for
// a Gaussian vector. The wide part, which reduces planes, is in speed_chroma_reduction.h. This
// header is what implementations share: the long sums are theirs, and a device may reduce the
// planes; all else is here.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "metrics/pair_kernel.h"
#include "metrics/speed_algebra.h"
#include "metrics/speed_chroma_reduction.h"

namespace sidecore::metrics {

inline constexpr int kSpeedBlock = 5;
/// U of the reference and of the distorted picture, then V of both.
inline constexpr std::size_t kSpeedPlanes = 4;

/// Deviations of a block's elements from their means, at one position: 25 and one that is 0.
inline constexpr std::size_t kSpeedLanes = kSpeedElements + 1;
using SpeedDeviations = std::array<double, kSpeedLanes>;
/// Sums of products of deviations; only those right of and on the diagonal count.
using SpeedProducts = std::array<SpeedDeviations, kSpeedElements>;

/// The definition is speed_chroma_sums(); other implementations give the same bits.
struct SpeedChromaSums {
  SpeedRowFilter filter;
  /// Sums over the positions, in their order, of products of two elements' deviations.
  void (*multiply)(std::span<const SpeedDeviations> deviations, SpeedProducts& products);
  SpeedReflect reflect;
};
[[nodiscard]] const SpeedChromaSums& speed_chroma_sums();

/// How a request reduces both chroma planes of a picture.
[[nodiscard]] SpeedReduction speed_reduction(const video::PictureFormat& format,
                                             const FeatureOptions& options);

/// Where a request's reduced planes lie among the bytes that PairKernel::finish() takes: those of
/// all requests one behind the other, kSpeedPlanes planes each, samples of binary32 row after row.
struct SpeedReducedBytes {
  std::size_t plane = 0;    ///< bytes of a plane
  std::size_t request = 0;  ///< from a request to the next: a multiple of 256
};
[[nodiscard]] SpeedReducedBytes speed_reduced_bytes(SpeedSize reduced);

/// A kernel of the family speed_chroma. Its finish() takes reduced planes.
[[nodiscard]] std::unique_ptr<PairKernel> make_speed_chroma_kernel(
    const video::PictureFormat& format, std::span<const FeatureRequest> requests,
    std::size_t threads, const SpeedChromaSums& sums);

}  // namespace sidecore::metrics
