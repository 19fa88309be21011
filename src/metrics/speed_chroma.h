// speed_chroma: difference of the information in both pictures' chroma, as libvmaf's feature
// speed_chroma computes it (Bampis et al., "SpEED-QA: spatial efficient entropic differencing",
// 2017). A plane is reduced to 1/16 of its width and height, and its local mean is removed. Blocks
// of 5x5 samples of the result are modelled as a Gaussian vector. The code for whole planes, which
// reduces them, is in speed_chroma_reduction.h. Implementations share this header; each provides
// the long sums, and a device may reduce the planes.
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
/// Number of planes: U of the reference, U of the distorted picture, then V of both.
inline constexpr std::size_t kSpeedPlanes = 4;

/// Deviations of a block's elements from their means at one position: 25 values, then a 0.
inline constexpr std::size_t kSpeedLanes = kSpeedElements + 1;
using SpeedDeviations = std::array<double, kSpeedLanes>;
/// Sums of products of deviations. Only the elements on and right of the diagonal are defined.
using SpeedProducts = std::array<SpeedDeviations, kSpeedElements>;

/// Functions for the long sums. speed_chroma_sums() is the scalar definition; other implementations
/// give the same bits.
struct SpeedChromaSums {
  SpeedRowFilter filter;
  /// Computes the sums, over the positions in order, of products of two elements' deviations.
  void (*multiply)(std::span<const SpeedDeviations> deviations, SpeedProducts& products);
  SpeedReflect reflect;
};
[[nodiscard]] const SpeedChromaSums& speed_chroma_sums();

/// Returns how a request reduces both chroma planes of a picture.
[[nodiscard]] SpeedReduction speed_reduction(const video::PictureFormat& format,
                                             const FeatureOptions& options);

/// Layout of a request's reduced planes in the bytes that PairKernel::finish() reads. Requests
/// follow each other; each has kSpeedPlanes planes of binary32 samples, row by row.
struct SpeedReducedBytes {
  std::size_t plane = 0;    ///< bytes per plane
  std::size_t request = 0;  ///< bytes per request, a multiple of 256
};
[[nodiscard]] SpeedReducedBytes speed_reduced_bytes(SpeedSize reduced);

/// Makes a kernel of the family speed_chroma. Its finish() reads reduced planes.
[[nodiscard]] std::unique_ptr<PairKernel> make_speed_chroma_kernel(
    const video::PictureFormat& format, std::span<const FeatureRequest> requests,
    std::size_t threads, const SpeedChromaSums& sums);

}  // namespace sidecore::metrics
