// VP9 loop filter h_4 (VP9 specification, section 8.8), variant `word`. On V3D a byte load costs a lane as
// much as a word load, so the four samples on each side are loaded as one aligned 32-bit word. One
// invocation filters a whole edge: its parameters are fetched once for 8 rows. 16 list neighbours (8
// columns of 2 edges each, see bench::grid_edges()) touch 2 rows of 64 consecutive bytes per request;
// `byte` touches 16 rows of 8 bytes with 2 edges. Each row costs 2 loads and 2 stores for all samples. On
// real pictures one of 16 neighbours nearly always passes the filter mask, so a branch around the filter
// costs more than it saves.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "vp9/baselines/loop_filter_h_4.interface.h"
#include "vp9/baselines/loop_filter_4.glsl"
#include "workgroup_index.glsl"

layout(local_size_x = 64) in;

layout(set = 0, binding = 0, std430) buffer Plane { uint plane[]; };
layout(set = 0, binding = 1, std430) readonly buffer Edges { uvec2 edges[]; };
layout(push_constant, std430) uniform Push { LoopFilterPush push; };

int sample_at(uint word, int position) { return int(bitfieldExtract(word, 8 * position, 8)); }

void main() {
  const uint index = workgroup_index() * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
  // The function has no early return: after one, the V3D compiler's code tracks in every iteration of the
  // loop which lanes are still in it. Lanes after the end of the list run the loop and store nothing.
  const bool listed = index < push.edge_count;
  const uvec2 edge = edges[min(index, push.edge_count - 1u)];
  const Limits limits = unpack_limits(edge.y);
  const uint row_words = push.stride >> 2;
  uint at = edge.x >> 2;

  for (int row = 0; row < 8; ++row, at += row_words) {
    if (listed) {
      const uint p = plane[at - 1u];
      const uint q = plane[at];
      const int p1 = sample_at(p, 2);
      const int p0 = sample_at(p, 3);
      const int q0 = sample_at(q, 0);
      const int q1 = sample_at(q, 1);
      const bool mask = filter_mask(limits, sample_at(p, 0), sample_at(p, 1), p1, p0, q0, q1,
                                    sample_at(q, 2), sample_at(q, 3));
      const bool hev = high_edge_variance(limits, p1, p0, q0, q1);
      const ivec4 filtered = narrow_filter(mask, hev, p1, p0, q0, q1);
      plane[at - 1u] = (p & 0xffffu) | uint(filtered.x) << 16 | uint(filtered.y) << 24;
      plane[at] = (q & 0xffff0000u) | uint(filtered.w) << 8 | uint(filtered.z);
    }
  }
}
