#include "metrics/float_motion.h"

#include <cmath>

#include "neon/metrics/families.h"
#include "neon/metrics/float_filter.h"
#include "neon/neon.h"

namespace sidecore::neon {
namespace {

float sum_differences(const float* a, const float* b, int width) {
  float sum = 0;
  int x = 0;
  for (; x + 4 <= width; x += 4) {
    const float32x4_t difference = vabdq_f32(vld1q_f32(a + x), vld1q_f32(b + x));
    sum += vgetq_lane_f32(difference, 0);
    sum += vgetq_lane_f32(difference, 1);
    sum += vgetq_lane_f32(difference, 2);
    sum += vgetq_lane_f32(difference, 3);
  }
  for (; x < width; ++x) sum += std::abs(a[x] - b[x]);
  return sum;
}

}  // namespace

std::unique_ptr<metrics::PairKernel> make_float_motion(
    const video::PictureFormat& format, std::span<const metrics::FeatureRequest> requests,
    std::size_t threads) {
  static constexpr metrics::FloatMotionRowFunctions kRows{filter_float_rows, filter_float_columns,
                                                          sum_differences};
  return metrics::make_float_motion_kernel(format, requests, threads, kRows);
}

}  // namespace sidecore::neon
