// Recomputes the sums that ssim_columns.comp left undecided, addition by addition. An invocation processes
// two neighbouring windows of kSsimColumnRows * kSsimRecomputeRows rows; z is the moment's number.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/ssim.interface.h"
#include "binary64_sum.glsl"
#include "certified_sum.glsl"
#include "metrics/ssim_weights.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 1) const uint kAlwaysSerial = 0u;

layout(set = 0, binding = 0, std430) readonly buffer Rows { float rows[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Sums { float sums[]; };
layout(set = 0, binding = 2, std430) readonly buffer Undecided { uint undecided[]; };
layout(push_constant, std430) uniform Push { SsimColumnsPush push; };

float serial_sum(uint from, uint stride) {
  Binary64Sum sum = binary64_zero();
  for (uint u = 0u; u < kSsimTaps; ++u) {
    precise const float product = rows[from + u * stride] * weight_of(u);
    add_term(sum, product);
  }
  return to_binary32(sum);
}

uint undecided_at(uint word) { return kAlwaysSerial != 0u ? ~0u : undecided[word]; }

void main() {
  const uint pair = gl_WorkGroupID.x * kSsimGroupPairs + (gl_LocalInvocationIndex % kSsimGroupPairs);
  const uint first =
      (gl_WorkGroupID.y * kSsimGroupBlocks + gl_LocalInvocationIndex / kSsimGroupPairs) *
      kSsimRecomputeRows;
  const uint moment = gl_WorkGroupID.z;
  const uint pairs = 2u * push.quads;
  const uint blocks = (push.height + kSsimColumnRows - 1u) / kSsimColumnRows;
  const uint words = moment * blocks * pairs + pair;
  // This loop finds the blocks with undecided sums, as in ssim_rows_recompute.comp.
  uint todo = 0u;
  for (uint k = 0u; k < kSsimRecomputeRows; ++k) {
    if (pair < pairs && first + k < blocks && undecided_at(words + (first + k) * pairs) != 0u) {
      todo |= 1u << k;
    }
  }
  for (; todo != 0u; todo &= todo - 1u) {
    const uint block = first + uint(findLSB(todo));
    const uint end = min(push.height - block * kSsimColumnRows, kSsimColumnRows);
    uint undecided_sums = undecided_at(words + block * pairs) & ((1u << (2u * end)) - 1u);
    for (; undecided_sums != 0u; undecided_sums &= undecided_sums - 1u) {
      const uint sum = uint(findLSB(undecided_sums));
      const uint row = block * kSsimColumnRows + (sum >> 1);
      const uint column = 2u * pair + (sum & 1u);
      const uint stride = 2u * pairs;
      sums[(moment * push.height + row) * stride + column] =
          serial_sum((moment * (push.height + kSsimTaps - 1u) + row) * stride + column, stride);
    }
  }
}
