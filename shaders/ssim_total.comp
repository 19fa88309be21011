// Adds the workgroups' sums of ssim_windows.comp; one workgroup.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "ssim.interface.h"
#include "ssim_sums.glsl"

layout(local_size_x = 256) in;

layout(set = 0, binding = 0, std430) readonly buffer Sums { SsimSums sums[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Totals { SsimSums totals[]; };
layout(push_constant, std430) uniform Push { SsimTotalPush push; };

void main() {
  uvec2 luminance = uvec2(0u);
  uvec2 contrast = uvec2(0u);
  uvec2 structure = uvec2(0u);
  uvec2 ssim = uvec2(0u);
  float largest_structure = 0.0;
  for (uint i = gl_LocalInvocationIndex; i < push.count; i += kSum64Invocations) {
    const SsimSums one = sums[i];
    luminance = add64(luminance, uvec2(one.luminance_low, one.luminance_high));
    contrast = add64(contrast, uvec2(one.contrast_low, one.contrast_high));
    structure = add64(structure, uvec2(one.structure_low, one.structure_high));
    ssim = add64(ssim, uvec2(one.ssim_low, one.ssim_high));
    largest_structure = max(largest_structure, one.largest_structure);
  }
  const SsimSums total = workgroup_sums(luminance, contrast, structure, ssim, largest_structure);
  if (gl_LocalInvocationIndex == 0u) totals[push.place] = total;
}
