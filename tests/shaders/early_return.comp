// The loop filter's word kernel in its first form, for the test that a worse shader is noticed: lanes
// beyond the list return early, which V3D's compiler then tracks through every turn of the loop, and
// the filter stands behind a branch.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "vp9/loop_filter_h_4_8.interface.h"
#include "vp9/loop_filter_4.glsl"
#include "workgroup_index.glsl"

layout(local_size_x = 64) in;

layout(set = 0, binding = 0, std430) buffer Plane { uint plane[]; };
layout(set = 0, binding = 1, std430) readonly buffer Edges { uvec2 edges[]; };
layout(push_constant, std430) uniform Push { LoopFilterPush push; };

int sample_at(uint word, int position) { return int(bitfieldExtract(word, 8 * position, 8)); }

void main() {
  const uint index = workgroup_index() * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
  if (index >= push.edge_count) return;
  const uvec2 edge = edges[index];
  const Limits limits = unpack_limits(edge.y);
  const uint row_words = push.stride >> 2;
  uint at = edge.x >> 2;

  for (int row = 0; row < 8; ++row, at += row_words) {
    const uint p = plane[at - 1u];
    const uint q = plane[at];
    const int p1 = sample_at(p, 2);
    const int p0 = sample_at(p, 3);
    const int q0 = sample_at(q, 0);
    const int q1 = sample_at(q, 1);
    if (!filter_mask(limits, sample_at(p, 0), sample_at(p, 1), p1, p0, q0, q1, sample_at(q, 2),
                     sample_at(q, 3))) {
      continue;
    }
    const bool hev = high_edge_variance(limits, p1, p0, q0, q1);
    const ivec4 filtered = narrow_filter(true, hev, p1, p0, q0, q1);
    plane[at - 1u] = (p & 0xffffu) | uint(filtered.x) << 16 | uint(filtered.y) << 24;
    plane[at] = (q & 0xffff0000u) | uint(filtered.w) << 8 | uint(filtered.z);
  }
}
