// The vertical pass of SSIM: weighted sums of 11 rows of what ssim_rows.comp wrote. An invocation does four
// neighbouring windows.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "ssim.interface.h"
#include "binary64_sum.glsl"
#include "certified_sum.glsl"
#include "ssim_weights.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 1) const uint kAlwaysSerial = 0u;

layout(set = 0, binding = 0, std430) readonly buffer Rows { vec4 rows[]; };
layout(set = 0, binding = 1, std430) readonly buffer Largest { float largest[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Sums { vec4 sums[]; };
layout(push_constant, std430) uniform Push { SsimColumnsPush push; };

// One window's sum, addition by addition.
float serial_sum(uint index, uint lane) {
  Binary64Sum sum = binary64_zero();
  for (uint u = 0u; u < kSsimTaps; ++u) {
    precise const float product = rows[index + u * push.quads][lane] * kWeights[u];
    add_term(sum, product);
  }
  return to_binary32(sum);
}

void main() {
  const uint quad = gl_WorkGroupID.x * kSsimGroupColumns + (gl_LocalInvocationIndex & 15u);
  const uint row = gl_WorkGroupID.y * kSsimGroupRows + (gl_LocalInvocationIndex >> 4);
  const bool inside = quad < push.quads && row < push.height;
  // Invocations outside do the work of others and store nothing: no branch lies around the loops.
  const uint from = min(row, push.height - 1u) * push.quads + min(quad, push.quads - 1u);

  float magnitude = 0.0;
  for (uint u = 0u; u < kSsimTaps; ++u) {
    magnitude = max(magnitude, largest[from + u * push.quads]);
  }
  for (uint moment = 0u; moment < 5u; ++moment) {
    const uint index = moment * (push.height + kSsimTaps - 1u) * push.quads + from;
    const Anchor anchor = window_anchor(magnitude, moment < 2u ? 1 : 2);
    vec4 high = vec4(anchor.value);
    vec4 low = vec4(0.0);
    for (uint u = 0u; u < kSsimTaps; ++u) {
      precise const vec4 products = rows[index + u * push.quads] * kWeights[u];
      add_terms(high, low, products);
    }
    bvec4 certified;
    vec4 result = settle(high, low, anchor, certified);
    if (kAlwaysSerial != 0u || !all(certified)) {
      for (uint i = 0u; i < 4u; ++i) {
        if (kAlwaysSerial != 0u || !certified[i]) result[i] = serial_sum(index, i);
      }
    }
    if (inside) sums[(moment * push.height + row) * push.quads + quad] = result;
  }
}
