// The thresholds that float_adm_masking.comp left open, one in 2^18 or so, exactly. An invocation looks through
// a row of a plane of them.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "float_adm.interface.h"
#include "float_adm_arithmetic.glsl"
#include "float_adm_neighbourhood.glsl"

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

void main() {
  const uint y = push.top + gl_GlobalInvocationID.x;
  const uint threshold_plane = gl_WorkGroupID.y;
  if (y < push.bottom) {
    const uint row = threshold_plane * push.plane + y;
    uint x = push.left;
    while (x < push.right) {
      while (x < push.right && thresholds[row + x * push.pitch] != kAdmUnsettled) ++x;
      if (x < push.right) {
        thresholds[row + x * push.pitch] = masking(masking_planes(threshold_plane), x, y);
      }
    }
  }
}
