// float_adm, scales 1 to 3: from the approximations of the scale before.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "float_adm.interface.h"

layout(set = 0, binding = 0, std430) readonly buffer Reference { float reference_input[]; };
layout(set = 0, binding = 1, std430) readonly buffer Distorted { float distorted_input[]; };

vec4 column(uint picture, uvec4 rows, uint x);

#include "float_adm_bands.glsl"

vec4 column(uint picture, uvec4 rows, uint x) {
  if (picture == 0u) {
    const uvec4 at = rows + x * push.reference_stride;
    return vec4(reference_input[at.x], reference_input[at.y], reference_input[at.z],
                reference_input[at.w]);
  }
  const uvec4 at = rows + x * push.distorted_stride;
  return vec4(distorted_input[at.x], distorted_input[at.y], distorted_input[at.z],
              distorted_input[at.w]);
}
