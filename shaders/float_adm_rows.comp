// Sums of the rows of float_adm's details: of the cubes of what is visible of them. An invocation goes
// along a row from left to right, as the definition adds binary32 numbers; there are nine for a row.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "float_adm.interface.h"

layout(local_size_x = kAdmRows) in;

layout(set = 0, binding = 0, std430) readonly buffer Details { float details[]; };
layout(set = 0, binding = 1, std430) readonly buffer Thresholds { float thresholds[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Rows { float row_sums[]; };
layout(push_constant, std430) uniform Push { AdmRowsPush push; };

float cube(float value) {
  const precise float cube = (value * value) * value;
  return value < kAdmSmallestTermInShader ? 0.0 : cube;
}

void main() {
  const uint row = gl_GlobalInvocationID.x;
  const uint detail_plane = gl_WorkGroupID.y;
  if (push.top + row < push.bottom) {
    precise float sum = 0.0;
    uint at = push.left * push.pitch + push.top + row;
    const uint end = push.right * push.pitch;
    const uint detail = detail_plane * push.plane;
    if (detail_plane < kAdmShaderBands) {
      // Nothing masks the reference.
      for (; at < end; at += push.pitch) sum = sum + cube(abs(details[detail + at]));
    } else {
      const uint threshold = detail_plane < 2u * kAdmShaderBands ? 0u : push.plane;
      for (; at < end; at += push.pitch) {
        const precise float visible = abs(details[detail + at]) - thresholds[threshold + at];
        sum = sum + cube(visible);
      }
    }
    row_sums[row * kAdmDetailPlanes + detail_plane] = sum;
  }
}
