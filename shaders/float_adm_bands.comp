// float_adm, scales 1 to 3: from the approximations of the scale before.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "float_adm.interface.h"
#include "float_adm_bands.glsl"

layout(set = 0, binding = 0, std430) readonly buffer Reference { float reference_input[]; };
layout(set = 0, binding = 1, std430) readonly buffer Distorted { float distorted_input[]; };

void load_columns(uint picture, uvec4 rows, int x, out vec4 columns[4]) {
  const uint stride = picture == 0u ? push.reference_stride : push.distorted_stride;
  for (int k = 0; k < 4; ++k) {
    const uvec4 at = rows + uint(clamp(x + k, 0, int(push.input_width) - 1)) * stride;
    if (picture == 0u) {
      columns[k] = vec4(reference_input[at.x], reference_input[at.y], reference_input[at.z],
                        reference_input[at.w]);
    } else {
      columns[k] = vec4(distorted_input[at.x], distorted_input[at.y], distorted_input[at.z],
                        distorted_input[at.w]);
    }
  }
}
