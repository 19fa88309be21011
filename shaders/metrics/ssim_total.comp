// Adds the sums from ssim_windows.comp in one workgroup.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/ssim.interface.h"
#include "metrics/ssim_fixed.glsl"

layout(local_size_x = 256) in;

layout(set = 0, binding = 0, std430) readonly buffer Sums { SsimSums sums[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Totals { SsimSums totals[]; };
layout(push_constant, std430) uniform Push { SsimTotalPush push; };

// Number of invocations. Their sums are added in two steps of 16, because a tree would need more barriers.
const uint kInvocations = 256u;
const uint kBlocks = 16u;
shared SsimSums own_sums[kInvocations];
shared SsimSums block_sums[kBlocks];

void join(inout SsimSums sums, SsimSums other) {
  add_to(sums.luminance_low, sums.luminance_high, uvec2(other.luminance_low, other.luminance_high));
  add_to(sums.contrast_low, sums.contrast_high, uvec2(other.contrast_low, other.contrast_high));
  add_to(sums.structure_low, sums.structure_high, uvec2(other.structure_low, other.structure_high));
  add_to(sums.ssim_low, sums.ssim_high, uvec2(other.ssim_low, other.ssim_high));
  sums.largest_structure = max(sums.largest_structure, other.largest_structure);
}

void main() {
  const uint self = gl_LocalInvocationIndex;
  SsimSums own = SsimSums(0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0.0);
  for (uint i = self; i < push.count; i += kInvocations) join(own, sums[i]);
  own_sums[self] = own;
  barrier();
  const uint block = kInvocations / kBlocks;
  if (self < kBlocks) {
    SsimSums sum = own_sums[self * block];
    for (uint i = 1u; i < block; ++i) join(sum, own_sums[self * block + i]);
    block_sums[self] = sum;
  }
  barrier();
  if (self == 0u) {
    SsimSums sum = block_sums[0];
    for (uint i = 1u; i < kBlocks; ++i) join(sum, block_sums[i]);
    totals[push.place] = sum;
  }
}
