// Adds the sums of the rows, which float_adm_rows.comp wrote, from top to bottom as the scalar definition
// does. There is one invocation per plane of each scale.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/float_adm.interface.h"

layout(local_size_x = 48) in;

layout(set = 0, binding = 0, std430) readonly buffer Rows { float row_sums[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Totals { float totals[]; };
layout(push_constant, std430) uniform Push { AdmTotalPush push; };

// Selects one scale's value by comparisons, because the Raspberry Pi's driver mishandles push constants
// that a variable indexes (docs/v3dsim.md, "Driver facts").
#define TAKE(scale)                                  \
  if (invocation >= scale * kAdmDetailPlanes) {      \
    first_row = push.first_row[scale];               \
    rows = push.rows[scale];                         \
    sum = invocation - scale * kAdmDetailPlanes;     \
  }

void main() {
  const uint invocation = gl_LocalInvocationIndex;
  if (invocation < kAdmShaderScales * kAdmDetailPlanes) {
    uint first_row = push.first_row[0];
    uint rows = push.rows[0];
    uint sum = invocation;
    TAKE(1u)
    TAKE(2u)
    TAKE(3u)
    uint at = first_row * kAdmDetailPlanes + sum;
    precise float total = 0.0;
    for (uint row = 0u; row < rows; ++row, at += kAdmDetailPlanes) total = total + row_sums[at];
    totals[invocation] = total;
  }
}
