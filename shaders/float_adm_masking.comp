// Contrast masking of float_adm, and the sums of its rows. An invocation goes along a row from left
// to right, as the definition adds binary32 numbers, and takes the neighbourhood along: of each band,
// the last columns of the rows above, at and below.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "float_adm.interface.h"
#include "float_adm_arithmetic.glsl"

layout(local_size_x = kAdmSumRows) in;
layout(constant_id = 0) const uint kAgainExactly = 0u;

layout(set = 0, binding = 0, std430) readonly buffer Details { vec4 details[]; };
layout(set = 0, binding = 1, std430) readonly buffer Diagonals { float diagonals[]; };
layout(set = 0, binding = 2, std430) buffer Rows { float row_sums[]; };
layout(push_constant, std430) uniform Push { AdmMaskingPush push; };

vec3 neighbours_masking(vec3 detail) {
  return vec3(neighbour_masking(detail.x), neighbour_masking(detail.y),
              neighbour_masking(detail.z));
}

bool unsettled = false;

vec3 with_centre(vec3 sum, vec3 detail) {
  if (kAgainExactly != 0u) {
    return vec3(with_centre_masking_exactly(sum.x, detail.x),
                with_centre_masking_exactly(sum.y, detail.y),
                with_centre_masking_exactly(sum.z, detail.z));
  }
  const vec2 x = with_centre_masking(sum.x, detail.x);
  const vec2 y = with_centre_masking(sum.y, detail.y);
  const vec2 z = with_centre_masking(sum.z, detail.z);
  unsettled = unsettled || x.x != x.y || y.x != y.y || z.x != z.y;
  return vec3(x.x, y.x, z.x);
}

vec3 cubes(vec3 value) {
  const precise vec3 cube = (value * value) * value;
  return mix(cube, vec3(0.0), lessThan(value, vec3(kAdmSmallestTermInShader)));
}

// Whole-sample mirroring before the first, half-sample mirroring after the last.
uint mirrored(int index, uint length) {
  const uint at = uint(abs(index));
  return at >= length ? 2u * length - 1u - at : at;
}

void sum_row(uint y, uint kind, uint to) {
  const uint masks = (1u - kind) * push.plane;  // detail is masked by the other kind
  const uint above = masks + mirrored(int(y) - 1, push.height);
  const uint at = masks + y;
  const uint below = masks + mirrored(int(y) + 1, push.height);
  precise vec3 sums = vec3(0.0);
  precise vec3 reference_sums = vec3(0.0);

  // Masking by the columns before (1) and at (0) the sample.
  uint column = mirrored(int(push.left) - 1, push.width) * push.pitch;
  const vec3 above1 = neighbours_masking(abs(details[above + column].xyz));
  vec3 at1 = neighbours_masking(abs(details[at + column].xyz));
  vec3 below1 = neighbours_masking(abs(details[below + column].xyz));
  column = push.left * push.pitch;
  vec3 above0 = neighbours_masking(abs(details[above + column].xyz));
  precise vec3 above_sum = above1 + above0;
  vec4 centre = details[at + column];
  vec3 below0 = neighbours_masking(abs(details[below + column].xyz));

  for (uint x = push.left; x < push.right; ++x) {
    const uint next = mirrored(int(x) + 1, push.width) * push.pitch;
    const vec3 above2 = neighbours_masking(abs(details[above + next].xyz));
    precise vec3 threshold = above_sum + above2;
    above_sum = above0 + above2;
    above0 = above2;

    const vec4 detail = details[kind * push.plane + column + y];
    if (kind == 0u) {
      const vec3 reference = abs(vec3(detail.w, centre.w, diagonals[column + y]));
      reference_sums = reference_sums + cubes(reference);
    }
    threshold = threshold + at1;
    threshold = with_centre(threshold, abs(centre.xyz));
    at1 = neighbours_masking(abs(centre.xyz));
    centre = details[at + next];
    threshold = threshold + neighbours_masking(abs(centre.xyz));

    threshold = threshold + below1;
    threshold = threshold + below0;
    below1 = below0;
    below0 = neighbours_masking(abs(details[below + next].xyz));
    threshold = threshold + below0;

    const precise float of_bands = (threshold.x + threshold.y) + threshold.z;
    const precise vec3 visible = abs(detail.xyz) - of_bands;
    sums = sums + cubes(visible);
    column = next;
  }

  if (kind == 0u) {
    row_sums[to] = reference_sums.x;
    row_sums[to + 1u] = reference_sums.y;
    row_sums[to + 2u] = reference_sums.z;
    to += 3u;
  } else {
    to += 6u;
  }
  row_sums[to] = unsettled ? kAdmUnsettled : sums.x;
  row_sums[to + 1u] = sums.y;
  row_sums[to + 2u] = sums.z;
}

void main() {
  const uint y = push.top + gl_GlobalInvocationID.x;
  const uint kind = gl_WorkGroupID.y;
  if (y < push.bottom) {
    const uint to = (push.first_row + y) * kAdmSums;
    if (kAgainExactly == 0u || row_sums[to + 3u + 3u * kind] == kAdmUnsettled) {
      sum_row(y, kind, to);
    }
  }
}
