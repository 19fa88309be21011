// Computes by how many units each run moves its plane's sum, for the two binades in which the sum may be. An
// invocation processes a block; the first invocation of each run combines the steps of the run's blocks.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/psnr_hvs.interface.h"

layout(local_size_x = 64) in;

layout(set = 0, binding = 0, std430) readonly buffer Terms { float terms[]; };
layout(set = 0, binding = 1, std430) readonly buffer Binades { uint binades[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Steps { uvec4 steps[]; };
layout(push_constant, std430) uniform Push { HvsPush push; };

#include "metrics/psnr_hvs_order.glsl"
#include "metrics/psnr_hvs_plane.glsl"

shared uvec4 block_steps[64];

void main() {
  const uint row = gl_WorkGroupID.y;
  const HvsPlane plane = plane_at(plane_of_row(row));
  const uint lane = gl_LocalInvocationIndex;
  const uint run = gl_WorkGroupID.x * kHvsStepsRuns + (lane >> 4);
  const uint number = plane.first_run + (row - plane.first_row) * plane.runs + run;
  const bool inside = run < plane.runs;
  if (inside) {
    const uint lower = binades[number];
    const uint upper = lower + 0x00800000u;
    precise vec2 of_lower = uintBitsToFloat(uvec2(lower, lower + 1u));
    precise vec2 of_upper = uintBitsToFloat(uvec2(upper, upper + 1u));
    const uint first = number * kHvsTerms * kHvsRunBlocks + (lane & 15u);
    for (uint i = 0u; i < kHvsTerms; ++i) {
      const float term = terms[first + i * kHvsRunBlocks];
      of_lower = of_lower + vec2(term);
      of_upper = of_upper + vec2(term);
    }
    block_steps[lane] = uvec4(steps_of(of_lower, lower), steps_of(of_upper, upper));
  }
  barrier();
  if (inside && (lane & 15u) == 0u) {
    uvec4 all = block_steps[lane];
    for (uint i = 1u; i < kHvsRunBlocks; ++i) {
      const uvec4 next = block_steps[lane + i];
      all = uvec4(combined_steps(all.xy, next.xy), combined_steps(all.zw, next.zw));
    }
    steps[number] = all;
  }
}
