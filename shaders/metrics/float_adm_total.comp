// Adds the rows' sums of float_adm_rows.comp, from top to bottom as the definition does: an invocation
// for each plane of each scale.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/float_adm.interface.h"

layout(local_size_x = 48) in;

layout(set = 0, binding = 0, std430) readonly buffer Rows { float row_sums[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Totals { float totals[]; };
layout(push_constant, std430) uniform Push { AdmTotalPush push; };

void main() {
  const uint invocation = gl_LocalInvocationIndex;
  for (uint scale = 0u; scale < kAdmShaderScales; ++scale) {
    if (invocation >= scale * kAdmDetailPlanes && invocation < (scale + 1u) * kAdmDetailPlanes) {
      const uint sum = invocation - scale * kAdmDetailPlanes;
      uint at = push.first_row[scale] * kAdmDetailPlanes + sum;
      precise float total = 0.0;
      for (uint row = 0u; row < push.rows[scale]; ++row, at += kAdmDetailPlanes) {
        total = total + row_sums[at];
      }
      totals[invocation] = total;
    }
  }
}
