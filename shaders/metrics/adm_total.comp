// Adds the sums of the rows of adm, which adm_rows.comp wrote. There is one workgroup per sum of each scale.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/adm.interface.h"

const uint kSum64Invocations = 64u;
#include "sum64.glsl"

layout(local_size_x = 64) in;

layout(set = 0, binding = 0, std430) readonly buffer Rows { uvec2 row_sums[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Totals { uvec2 totals[]; };
layout(push_constant, std430) uniform Push { AdmIntegerTotalPush push; };

// The function is a chain of selections, because a run-time index would copy the push constants to memory.
uint of_scale(uint values[kIntegerAdmScales], uint scale) {
  return scale == 0u ? values[0] : scale == 1u ? values[1] : scale == 2u ? values[2] : values[3];
}

void main() {
  const uint scale = gl_WorkGroupID.y;
  const uint rows = of_scale(push.rows, scale);
  const uint first = of_scale(push.first_row, scale);
  uvec2 sum = uvec2(0u);
  for (uint row = gl_LocalInvocationIndex; row < rows; row += kSum64Invocations) {
    sum = add64(sum, row_sums[(first + row) * kIntegerAdmSums + gl_WorkGroupID.x]);
  }
  sum = workgroup_sum64(sum);
  if (gl_LocalInvocationIndex == 0u) totals[scale * kIntegerAdmSums + gl_WorkGroupID.x] = sum;
}
