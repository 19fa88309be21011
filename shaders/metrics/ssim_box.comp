// Decimation by a box (metrics::decimate_box()). One invocation computes one sample. Samples that it cannot
// certify are marked for ssim_decimate_recompute.comp.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/ssim.interface.h"
#include "certified_sum.glsl"
#include "metrics/ssim_samples.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 0) const uint kKind = 0u;
layout(constant_id = 2) const uint kFactor = 2u;

layout(set = 0, binding = 0, std430) readonly buffer From { uint words[]; };
layout(set = 0, binding = 1, std430) writeonly buffer To { uint to[]; };
layout(push_constant, std430) uniform Push { SsimDecimatePush push; };

#include "metrics/ssim_decimation.glsl"

void main() {
  const uint column = gl_WorkGroupID.x * kSsimGroupColumns + (gl_LocalInvocationIndex & 15u);
  const uint row = gl_WorkGroupID.y * kSsimGroupRows + (gl_LocalInvocationIndex >> 4);
  if (column < push.out_width && row < push.out_height) {
    bool certified;
    const float sum =
        certified_sum(int(column) * kStep - kBefore, int(row) * kStep - kBefore, certified);
    to[row * push.out_stride + column] =
        certified ? floatBitsToUint(sum) : kSsimUndecided;
  }
}
