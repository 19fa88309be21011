// A copy of float_psnr_total.comp with a planted mistake: an odd total becomes larger by one.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/float_psnr.interface.h"

const uint kSum64Invocations = 256u;
#include "sum64.glsl"

layout(local_size_x = 256) in;

layout(set = 0, binding = 0, std430) readonly buffer Strips { uvec2 strips[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Total { uvec2 total; };
layout(push_constant, std430) uniform Push { PsnrTotalPush push; };

void main() {
  uvec2 sum = uvec2(0u);
  for (uint strip = gl_LocalInvocationIndex; strip < push.strips; strip += kSum64Invocations) {
    sum = add64(sum, strips[strip]);
  }
  sum = workgroup_sum64(sum);
  if (gl_LocalInvocationIndex == 0u) total = add64(sum, sum.x & 1u);
}
