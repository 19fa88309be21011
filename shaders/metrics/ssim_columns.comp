// The vertical pass of SSIM: weighted sums of 11 rows of the sums from ssim_rows.comp. An invocation computes
// two neighbouring windows of kSsimColumnRows rows, so it reads each row only once. z is the number of the
// moment. Sums that it cannot certify are left to ssim_columns_recompute.comp.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/ssim.interface.h"
#include "certified_sum.glsl"
#include "metrics/ssim_moments.glsl"
#include "metrics/ssim_taps.glsl"
#include "metrics/ssim_weights.glsl"

layout(local_size_x = 256) in;

layout(set = 0, binding = 0, std430) readonly buffer Rows { vec2 rows[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Sums { vec2 sums[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Undecided { uint undecided[]; };
layout(push_constant, std430) uniform Push { SsimColumnsPush push; };

void main() {
  const uint pair = gl_WorkGroupID.x * kSsimGroupPairs + (gl_LocalInvocationIndex % kSsimGroupPairs);
  const uint block =
      gl_WorkGroupID.y * kSsimGroupBlocks + gl_LocalInvocationIndex / kSsimGroupPairs;
  const uint moment = gl_WorkGroupID.z;
  const uint first = block * kSsimColumnRows;
  // Invocations and rows outside the plane repeat the work of others and store nothing, so that no branch
  // encloses the sums.
  const uint pairs = 2u * push.quads;
  const uint last_row = push.height + kSsimTaps - 2u;
  const uint from = moment * (last_row + 1u) * pairs + min(pair, pairs - 1u);

  vec2 taps[kSsimColumnRows + kSsimTaps - 1u];
  vec2 magnitudes = vec2(kNoSmallest, 0.0);
#define READ(v)                                                  \
  taps[v] = rows[from + min(first + uint(v), last_row) * pairs]; \
  magnitudes = with_magnitude(with_magnitude(magnitudes, taps[v].x), taps[v].y);
  READ(0) READ(1) READ(2) READ(3) READ(4) READ(5) READ(6) READ(7)
  READ(8) READ(9) READ(10) READ(11) READ(12) READ(13) READ(14)

  const Anchor anchor = window_anchor(magnitudes);
  uint undecided_sums = 0u;
#define WINDOWS(r)                                                              \
  {                                                                             \
    vec2 high = vec2(anchor.value);                                             \
    vec2 low = vec2(0.0);                                                       \
    ADD_TAP(r, 0) ADD_TAP(r, 1) ADD_TAP(r, 2) ADD_TAP(r, 3) ADD_TAP(r, 4) ADD_TAP(r, 5) \
    ADD_TAP(r, 6) ADD_TAP(r, 7) ADD_TAP(r, 8) ADD_TAP(r, 9) ADD_TAP(r, 10)      \
    bvec2 certified;                                                            \
    const vec2 result = certified_sums(high, low, anchor, certified);                   \
    undecided_sums |= ((certified.x ? 0u : 1u) | (certified.y ? 0u : 2u)) << (2 * r); \
    if (pair < pairs && first + uint(r) < push.height) {                        \
      sums[(moment * push.height + first + uint(r)) * pairs + pair] = result;   \
    }                                                                           \
  }
#define ADD_TAP(r, u)                                     \
  {                                                       \
    precise const vec2 products = taps[r + u] * kWeights[u]; \
    add_terms(high, low, products);                       \
  }
  WINDOWS(0) WINDOWS(1) WINDOWS(2) WINDOWS(3) WINDOWS(4)
  const uint blocks = (push.height + kSsimColumnRows - 1u) / kSsimColumnRows;
  if (pair < pairs && block < blocks) {
    undecided[(moment * blocks + block) * pairs + pair] = undecided_sums;
  }
}
