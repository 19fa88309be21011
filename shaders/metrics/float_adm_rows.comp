// For each row of float_adm's details, sums the cubes of their visible parts. An invocation adds the binary32 numbers
// of a row from left to right, as the scalar definition does. Nine invocations sum the nine planes of a row.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/float_adm.interface.h"

layout(local_size_x = kAdmRows) in;

layout(set = 0, binding = 0, std430) readonly buffer Details { float details[]; };
layout(set = 0, binding = 1, std430) readonly buffer Thresholds { float thresholds[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Rows { float row_sums[]; };
layout(push_constant, std430) uniform Push { AdmRowsPush push; };

float cube(float value) {
  const precise float cube = (value * value) * value;
  return value < kAdmSmallestTermInShader ? 0.0 : cube;
}

// Returns the offsets of the next four columns, whose loads then overlap. Columns after the end load the
// last column and add 0.
uvec4 columns(uint at, uint last) { return min(at + uvec4(0u, 1u, 2u, 3u) * push.pitch, uvec4(last)); }

float add_columns(float sum, vec4 visible, uint at, uint last) {
  precise float next = sum + cube(visible.x);
  next = next + (at + push.pitch <= last ? cube(visible.y) : 0.0);
  next = next + (at + 2u * push.pitch <= last ? cube(visible.z) : 0.0);
  next = next + (at + 3u * push.pitch <= last ? cube(visible.w) : 0.0);
  return next;
}

vec4 details_at(uvec4 at) {
  return abs(vec4(details[at.x], details[at.y], details[at.z], details[at.w]));
}
vec4 thresholds_at(uvec4 at) {
  return vec4(thresholds[at.x], thresholds[at.y], thresholds[at.z], thresholds[at.w]);
}

void main() {
  const uint row = gl_GlobalInvocationID.x;
  const uint detail_plane = gl_WorkGroupID.y;
  if (push.top + row < push.bottom) {
    float sum = 0.0;
    uint at = push.left * push.pitch + push.top + row;
    const uint last = at + (push.right - push.left - 1u) * push.pitch;
    const uint detail = detail_plane * push.plane;
    if (detail_plane < kAdmShaderBands) {
      // The reference's detail is not masked, so no threshold is subtracted.
      for (; at <= last; at += 4u * push.pitch) {
        sum = add_columns(sum, details_at(detail + columns(at, last)), at, last);
      }
    } else {
      const uint threshold = detail_plane < 2u * kAdmShaderBands ? 0u : push.plane;
      for (; at <= last; at += 4u * push.pitch) {
        const uvec4 four = columns(at, last);
        const precise vec4 visible = details_at(detail + four) - thresholds_at(threshold + four);
        sum = add_columns(sum, visible, at, last);
      }
    }
    row_sums[row * kAdmDetailPlanes + detail_plane] = sum;
  }
}
