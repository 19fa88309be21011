// float_motion: how much the reference's luma changes from picture to picture, in binary32, as
// libvmaf's feature float_motion computes it. Implementations share this header.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "metrics/float_filter.h"
#include "metrics/pair_kernel.h"

namespace sidecore::metrics {

inline constexpr FloatFilter kFloatMotionBlur{
    5, {0.054488685F, 0.244201342F, 0.402619947F, 0.244201342F, 0.054488685F}};
/// Smallest width and height of the pictures: smaller planes have no samples to mirror.
inline constexpr int kFloatMotionMinimumSize = 3;

/// Arithmetic of one row. All implementations give the same bits.
struct FloatMotionRowFunctions {
  decltype(&filter_float_rows) filter_rows;
  decltype(&filter_float_columns) filter_columns;
  /// Returns the sum of |a - b|, left to right in binary32.
  float (*sum_differences)(const float* a, const float* b, int width);
};

/// Makes a kernel of the family float_motion.
[[nodiscard]] std::unique_ptr<PairKernel> make_float_motion_kernel(
    const video::PictureFormat& format, std::span<const FeatureRequest> requests,
    std::size_t threads, const FloatMotionRowFunctions& rows);

}  // namespace sidecore::metrics
