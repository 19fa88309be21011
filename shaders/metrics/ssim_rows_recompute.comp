// Recomputes the sums that ssim_rows.comp left undecided, addition by addition. An invocation processes
// four neighbouring windows of kSsimRecomputeRows rows.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/ssim.interface.h"
#include "binary64_sum.glsl"
#include "certified_sum.glsl"
#include "metrics/ssim_moments.glsl"
#include "metrics/ssim_samples.glsl"
#include "metrics/ssim_weights.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 0) const uint kKind = 0u;
layout(constant_id = 1) const uint kAlwaysSerial = 0u;

layout(set = 0, binding = 0, std430) readonly buffer A { uint a_words[]; };
layout(set = 0, binding = 1, std430) readonly buffer B { uint b_words[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Sums { float sums[]; };
layout(set = 0, binding = 3, std430) readonly buffer Undecided { uint undecided[]; };
layout(push_constant, std430) uniform Push { SsimRowsPush push; };

float a_sample(uint row_word, uint x) {
  const uint shift = samples_shift(kKind);
  const uint word = a_words[min(row_word + (x >> shift), push.last_a)];
  return sample_of(kKind, word, x & ((1u << shift) - 1u), push.unit);
}
float b_sample(uint row_word, uint x) {
  const uint shift = samples_shift(kKind);
  const uint word = b_words[min(row_word + (x >> shift), push.last_b)];
  return sample_of(kKind, word, x & ((1u << shift) - 1u), push.unit);
}

float serial_sum(uint moment, uint a_row, uint b_row, uint x) {
  Binary64Sum sum = binary64_zero();
  for (uint u = 0u; u < kSsimTaps; ++u) {
    const float term = term_of(moment, a_sample(a_row, x + u), b_sample(b_row, x + u));
    precise const float product = term * weight_of(u);
    add_term(sum, product);
  }
  return to_binary32(sum);
}

uint undecided_at(uint row, uint quad) {
  return (kAlwaysSerial != 0u ? ~0u : undecided[row * push.quads + quad]) & ((1u << (4u * kMoments)) - 1u);
}

void main() {
  const uint quad = gl_WorkGroupID.x * kSsimGroupColumns + (gl_LocalInvocationIndex & 15u);
  const uint first =
      (gl_WorkGroupID.y * kSsimGroupRows + (gl_LocalInvocationIndex >> 4)) * kSsimRecomputeRows;
  // This loop finds the rows with undecided sums, which are few. A device that runs both sides of a branch
  // then runs the loop below once for all of them.
  uint rows = 0u;
  for (uint k = 0u; k < kSsimRecomputeRows; ++k) {
    if (quad < push.quads && first + k < push.rows && undecided_at(first + k, quad) != 0u) {
      rows |= 1u << k;
    }
  }
  for (; rows != 0u; rows &= rows - 1u) {
    const uint row = first + uint(findLSB(rows));
    const uint plane_row = push.first_row + row;
    uint undecided_sums = undecided_at(row, quad);
    for (; undecided_sums != 0u; undecided_sums &= undecided_sums - 1u) {
      const uint sum = uint(findLSB(undecided_sums));
      const uint moment = sum >> 2;
      const uint lane = sum & 3u;
      sums[((moment * push.rows + row) * push.quads + quad) * 4u + lane] = serial_sum(
          moment, plane_row * push.stride_a, plane_row * push.stride_b, quad * 4u + lane);
    }
  }
}
