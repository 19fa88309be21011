// Computes the similarities of SSIM's windows from their moments, and sums them over a strip of a column's
// rows. An invocation processes one strip, which leaves many sums to ssim_total.comp. Adding them in this
// workgroup would cost more than the windows themselves on devices with slow barriers and shared memory.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/ssim.interface.h"
#include "exact_float.glsl"
#include "metrics/ssim_fixed.glsl"
#include "metrics/ssim_similarity.glsl"

layout(local_size_x = 256) in;

layout(set = 0, binding = 0, std430) readonly buffer Moments { float moments[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Sums { SsimSums sums[]; };
layout(push_constant, std430) uniform Push { SsimWindowsPush push; };

uvec2 to_fixed(bool inside, Pair value) {
  return to_fixed(inside ? value : Pair(0.0), push.fraction_bits);
}

void main() {
  const uint column = gl_WorkGroupID.x * kSsimGroupPairs + (gl_LocalInvocationIndex % kSsimGroupPairs);
  const uint strip = gl_WorkGroupID.y * kSsimGroupBlocks + gl_LocalInvocationIndex / kSsimGroupPairs;
  const uint first = strip * push.strip_rows;
  const uint stride = push.quads * 4u;
  const uint plane = push.height * stride;
  // Columns outside the plane repeat the last column.
  const uint from = min(column, push.width - 1u);
  SsimSums total = SsimSums(0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0.0);
  // All invocations run the same number of iterations. If invocations left the loop one by one, V3D's driver
  // would make the stores of its spills conditional.
  for (uint i = 0u; i < push.strip_rows; ++i) {
    const bool inside = first + i < push.height;
    const uint at = min(first + i, push.height - 1u) * stride + from;
    const Similarity one = similarity(moments[at], moments[at + plane], moments[at + 2u * plane],
                                      moments[at + 3u * plane], moments[at + 4u * plane]);
    if (needs(kSsimLuminance)) {
      add_to(total.luminance_low, total.luminance_high, to_fixed(inside, one.luminance));
    }
    if (needs(kSsimContrast)) {
      add_to(total.contrast_low, total.contrast_high, to_fixed(inside, one.contrast));
    }
    if (needs(kSsimStructure)) {
      add_to(total.structure_low, total.structure_high, to_fixed(inside, Pair(one.structure, 0.0)));
    }
    if (needs(kSsimProduct)) add_to(total.ssim_low, total.ssim_high, to_fixed(inside, one.ssim));
    total.largest_structure = max(total.largest_structure, inside ? abs(one.structure) : 0.0);
  }
  if (column < push.width) {
    sums[push.first_sums + strip * push.width + column] = total;
  }
}
