// Correctly rounded roots of four lanes.
#pragma once

#include <cmath>

#include "neon/neon.h"

namespace sidecore::neon {

#if defined(__ARM_NEON)
inline float32x4_t square_root(float32x4_t x) {
  return vsqrtq_f32(x);
}
#elif defined(__SSE__)
// SIMDe 0.7.4 has no vsqrtq_f32; std::sqrt() in a loop would be four roots and four looks for
// errno.
inline float32x4_t square_root(float32x4_t x) {
  return float32x4_t(_mm_sqrt_ps(__m128(x)));
}
#else
inline float32x4_t square_root(float32x4_t x) {
  float lanes[4];
  vst1q_f32(lanes, x);
  for (float& lane : lanes) lane = std::sqrt(lane);
  return vld1q_f32(lanes);
}
#endif

}  // namespace sidecore::neon
