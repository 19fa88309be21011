// Computes exactly the thresholds that float_adm_masking.comp left undecided, about one in 2^19. An
// invocation searches a part of a row of one plane of thresholds.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/float_adm.interface.h"
#include "metrics/float_adm_arithmetic.glsl"
#include "metrics/float_adm_neighbourhood.glsl"

layout(local_size_x = kAdmRows) in;

layout(set = 0, binding = 0, std430) readonly buffer Details { float details[]; };
layout(set = 0, binding = 1, std430) buffer Thresholds { float thresholds[]; };
layout(push_constant, std430) uniform Push { AdmMaskingPush push; };

float masking_in_band(uint plane, uint x, uint y) {
  precise float sum = 0.0;
  for (int row = -1; row <= 1; ++row) {
    const uint at = plane + mirrored(int(y) + row, push.height);
    for (int column = -1; column <= 1; ++column) {
      const float detail = abs(details[at + mirrored(int(x) + column, push.width) * push.pitch]);
      sum = row == 0 && column == 0 ? with_centre_masking_exactly(sum, detail)
                                    : sum + neighbour_masking(detail);
    }
  }
  return sum;
}

float masking(uint planes, uint x, uint y) {
  precise float sum = 0.0;
  for (uint band = 0u; band < push.bands; ++band) {
    sum = sum + masking_in_band((planes + band) * push.plane, x, y);
  }
  return sum;
}

// Returns true if one of four columns is undecided. Columns after the last column count as the last column.
bool undecided_within_four(uint row, uint x, uint last) {
  const uvec4 at = row + min(x + uvec4(0u, 1u, 2u, 3u), uvec4(last)) * push.pitch;
  return min(min(thresholds[at.x], thresholds[at.y]), min(thresholds[at.z], thresholds[at.w])) <
         0.0;
}

void main() {
  const uint y = push.top + gl_GlobalInvocationID.x;
  uint x = push.left + gl_WorkGroupID.y * kAdmSearchedColumns;
  if (y < push.bottom && x < push.right) {
    const uint last = min(x + kAdmSearchedColumns, push.right) - 1u;
    const uint row = gl_WorkGroupID.z * push.plane + y;
    while (x <= last) {
      while (x <= last && !undecided_within_four(row, x, last)) x += 4u;
      for (uint k = 0u; k < 4u && x <= last; ++k, ++x) {
        const uint at = row + x * push.pitch;
        if (thresholds[at] < 0.0) {
          thresholds[at] = masking(masking_planes(gl_WorkGroupID.z), x, y);
        }
      }
    }
  }
}
