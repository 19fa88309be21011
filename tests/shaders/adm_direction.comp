// Tests adm_direction.glsl with the coefficients of a reference (x, y) and of a distorted sample (z, w).
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/adm_direction.glsl"

layout(local_size_x = 64) in;

layout(set = 0, binding = 0, std430) readonly buffer Input { ivec4 coefficients[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Output { uint same[]; };
layout(push_constant, std430) uniform Push { uint count; };

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= count) return;
  const ivec4 c = coefficients[i];
  const uint glance = approximate_direction(c.x, c.y, c.z, c.w);
  same[i] = glance == 16u ? uint(same_direction_exactly(c.x, c.y, c.z, c.w)) : glance;
}
