// float_adm, scales 1 to 3: computes the bands from the previous scale's approximations.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/float_adm.interface.h"
#include "metrics/float_adm_bands.glsl"

layout(set = 0, binding = 0, std430) readonly buffer Reference { float reference_input[]; };
layout(set = 0, binding = 1, std430) readonly buffer Distorted { float distorted_input[]; };

vec4 load_column(uint picture, uvec4 rows, int x) {
  const uint inside = uint(clamp(x, 0, int(push.input_width) - 1));
  if (picture == 0u) {
    const uvec4 at = rows + inside * push.reference_stride;
    return vec4(reference_input[at.x], reference_input[at.y], reference_input[at.z],
                reference_input[at.w]);
  }
  const uvec4 at = rows + inside * push.distorted_stride;
  return vec4(distorted_input[at.x], distorted_input[at.y], distorted_input[at.z],
              distorted_input[at.w]);
}

void load_columns(uint picture, uvec4 rows, int x, out vec4 columns[4]) {
  columns[0] = load_column(picture, rows, x);
  columns[1] = load_column(picture, rows, x + 1);
  columns[2] = load_column(picture, rows, x + 2);
  columns[3] = load_column(picture, rows, x + 3);
}
