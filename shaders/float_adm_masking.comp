// Contrast masking of float_adm: for each sample, the sum over the bands of what its 3x3 neighbourhoods
// in them mask. An invocation makes a strip of samples of a row, and takes the neighbourhood along:
// of the last two columns, what they give to the next. Thresholds that need more than binary32 are left
// to float_adm_settle.comp.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "float_adm.interface.h"
#include "float_adm_arithmetic.glsl"
#include "float_adm_neighbourhood.glsl"

layout(local_size_x = kAdmRows, local_size_y = kAdmStrips) in;

layout(set = 0, binding = 0, std430) readonly buffer Details { float details[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Thresholds { float thresholds[]; };
layout(push_constant, std430) uniform Push { AdmMaskingPush push; };

float detail_at(uint row, uint column) { return abs(details[row + column]); }
float masking_at(uint row, uint column) { return neighbour_masking(detail_at(row, column)); }

void main() {
  const uint y = push.top + gl_GlobalInvocationID.x;
  const uint x = push.left + gl_GlobalInvocationID.y * kAdmStripColumns;
  if (y < push.bottom && x < push.right) {
    const uint first_row = mirrored(int(y) - 1, push.height);
    const uint last_row = mirrored(int(y) + 1, push.height);
    uint band_plane = masking_planes(gl_WorkGroupID.z) * push.plane;
    precise float sums[kAdmStripColumns];
    bool settled[kAdmStripColumns];
    for (uint k = 0u; k < kAdmStripColumns; ++k) {
      sums[k] = 0.0;
      settled[k] = true;
    }

    for (uint band = 0u; band < push.bands; ++band) {
      const uint above = band_plane + first_row;
      const uint at = band_plane + y;
      const uint below = band_plane + last_row;
      uint column = mirrored(int(x) - 1, push.width) * push.pitch;
      const float above_before = masking_at(above, column);
      float at_before = masking_at(at, column);
      float below_before = masking_at(below, column);
      column = x * push.pitch;
      float above_here = masking_at(above, column);
      precise float above_sum = above_before + above_here;
      float centre = detail_at(at, column);
      float at_here = neighbour_masking(centre);
      float below_here = masking_at(below, column);
      for (uint k = 0u; k < kAdmStripColumns; ++k) {
        column = mirrored(int(x + k) + 1, push.width) * push.pitch;
        const float above_after = masking_at(above, column);
        const float next_centre = detail_at(at, column);
        const float at_after = neighbour_masking(next_centre);
        const float below_after = masking_at(below, column);

        precise float sum = (above_sum + above_after) + at_before;
        const vec2 bounds = with_centre_masking(sum, centre);
        settled[k] = settled[k] && bounds.x == bounds.y;
        sum = (((bounds.x + at_after) + below_before) + below_here) + below_after;
        sums[k] = sums[k] + sum;

        above_sum = above_here + above_after;
        above_here = above_after;
        at_before = at_here;
        at_here = at_after;
        centre = next_centre;
        below_before = below_here;
        below_here = below_after;
      }
      band_plane += push.plane;
    }

    const uint to = gl_WorkGroupID.z * push.plane + x * push.pitch + y;
    for (uint k = 0u; k < kAdmStripColumns; ++k) {
      if (x + k < push.right) {
        thresholds[to + k * push.pitch] = settled[k] ? sums[k] : kAdmUnsettled;
      }
    }
  }
}
