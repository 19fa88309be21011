// Contrast masking of float_adm. A sample's threshold is the sum over the bands of the masking by its 3x3
// neighbourhood. An invocation processes a strip of samples of a row. From sample to sample it keeps the
// sums of the last two columns, which the next neighbourhood needs too. Thresholds that need more than
// binary32 are left to float_adm_recompute.comp.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/float_adm.interface.h"
#include "metrics/float_adm_arithmetic.glsl"
#include "metrics/float_adm_neighbourhood.glsl"

layout(local_size_x = kAdmRows, local_size_y = kAdmStrips) in;

layout(set = 0, binding = 0, std430) readonly buffer Details { float details[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Thresholds { float thresholds[]; };
layout(push_constant, std430) uniform Push { AdmMaskingPush push; };

// A position in a band: offsets of the first numbers of three rows, and the contributions of earlier columns
// to the next sample.
struct Walk {
  uint above;  // offset of the row above
  uint at;
  uint below;
  float above_sum;  // sum of the last two columns of the row above
  float above_here;
  float at_before;
  float at_here;
  float centre;  // detail of the centre sample
  float below_before;
  float below_here;
};

float detail_at(uint row, uint column) { return abs(details[row + column]); }
float masking_at(uint row, uint column) { return neighbour_masking(detail_at(row, column)); }
// Returns the offset of column x. Columns after the last needed column are replaced by that column.
uint column_at(int x) { return mirrored(min(x, int(push.right)), push.width) * push.pitch; }

// Starts a walk at column x of the band whose first number is `band`.
Walk begin(uint band, uint x, uint y) {
  Walk walk;
  walk.above = band + mirrored(int(y) - 1, push.height);
  walk.at = band + y;
  walk.below = band + mirrored(int(y) + 1, push.height);
  const uint before = column_at(int(x) - 1);
  const uint here = x * push.pitch;
  const float above_before = masking_at(walk.above, before);
  walk.above_here = masking_at(walk.above, here);
  const precise float above_sum = above_before + walk.above_here;
  walk.above_sum = above_sum;
  walk.at_before = masking_at(walk.at, before);
  walk.centre = detail_at(walk.at, here);
  walk.at_here = neighbour_masking(walk.centre);
  walk.below_before = masking_at(walk.below, before);
  walk.below_here = masking_at(walk.below, here);
  return walk;
}

// Adds the band's contribution to the threshold of a sample. `after` is the offset of the column after that
// sample.
void step(inout Walk walk, uint after, inout float threshold) {
  const float above_after = masking_at(walk.above, after);
  const float centre_after = detail_at(walk.at, after);
  const float at_after = neighbour_masking(centre_after);
  const float below_after = masking_at(walk.below, after);

  const precise float first = (walk.above_sum + above_after) + walk.at_before;
  const vec2 bounds = with_centre_masking(first, walk.centre);
  const precise float sum =
      (((bounds.x + at_after) + walk.below_before) + walk.below_here) + below_after;
  const precise float next = threshold + (bounds.x == bounds.y ? sum : kAdmUndecided);
  threshold = next;

  const precise float above_sum = walk.above_here + above_after;
  walk.above_sum = above_sum;
  walk.above_here = above_after;
  walk.at_before = walk.at_here;
  walk.at_here = at_after;
  walk.centre = centre_after;
  walk.below_before = walk.below_here;
  walk.below_here = below_after;
}

void main() {
  const uint y = push.top + gl_GlobalInvocationID.x;
  const uint x = push.left + gl_GlobalInvocationID.y * kAdmStripColumns;
  if (y < push.bottom && x < push.right) {
    uint band = masking_planes(gl_WorkGroupID.z) * push.plane;
    // The loop is written out, because an array with a loop index would lie in memory.
    vec4 first = vec4(0.0);
    vec4 second = vec4(0.0);
    for (uint k = 0u; k < push.bands; ++k, band += push.plane) {
      Walk walk = begin(band, x, y);
      step(walk, column_at(int(x) + 1), first.x);
      step(walk, column_at(int(x) + 2), first.y);
      step(walk, column_at(int(x) + 3), first.z);
      step(walk, column_at(int(x) + 4), first.w);
      step(walk, column_at(int(x) + 5), second.x);
      step(walk, column_at(int(x) + 6), second.y);
      step(walk, column_at(int(x) + 7), second.z);
      step(walk, column_at(int(x) + 8), second.w);
    }
    const uint to = gl_WorkGroupID.z * push.plane + x * push.pitch + y;
    thresholds[to] = first.x;
    if (x + 1u < push.right) thresholds[to + push.pitch] = first.y;
    if (x + 2u < push.right) thresholds[to + 2u * push.pitch] = first.z;
    if (x + 3u < push.right) thresholds[to + 3u * push.pitch] = first.w;
    if (x + 4u < push.right) thresholds[to + 4u * push.pitch] = second.x;
    if (x + 5u < push.right) thresholds[to + 5u * push.pitch] = second.y;
    if (x + 6u < push.right) thresholds[to + 6u * push.pitch] = second.z;
    if (x + 7u < push.right) thresholds[to + 7u * push.pitch] = second.w;
  }
}
