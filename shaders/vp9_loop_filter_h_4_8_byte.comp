// VP9 loop filter h_4_8 (VP9 specification, section 8.8), variant `byte`: the published way to put
// it on a V3D, kept as the baseline. One invocation filters one row of 8 samples with 8 byte loads and
// up to 4 byte stores; 8 neighbouring invocations make an edge, so 16 lanes hold 2 edges and a
// workgroup of 256 holds 32.
#version 450
#extension GL_EXT_shader_8bit_storage : require
#extension GL_GOOGLE_include_directive : require

#include "vp9_loop_filter_h_4_8.interface.h"
#include "vp9_loop_filter_4.glsl"
#include "workgroup_index.glsl"

layout(local_size_x = 256) in;

layout(set = 0, binding = 0, std430) buffer Plane { uint8_t plane[]; };
layout(set = 0, binding = 1, std430) readonly buffer Edges { uvec2 edges[]; };
layout(push_constant, std430) uniform Push { LoopFilterPush push; };

void main() {
  const uint invocation = workgroup_index() * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
  const uint index = invocation >> kByteInvocationsPerEdgeLog2;
  if (index >= push.edge_count) return;
  const uvec2 edge = edges[index];
  const uint q0_offset = edge.x + (invocation & 7u) * push.stride;

  const int p3 = int(plane[q0_offset - 4u]);
  const int p2 = int(plane[q0_offset - 3u]);
  const int p1 = int(plane[q0_offset - 2u]);
  const int p0 = int(plane[q0_offset - 1u]);
  const int q0 = int(plane[q0_offset]);
  const int q1 = int(plane[q0_offset + 1u]);
  const int q2 = int(plane[q0_offset + 2u]);
  const int q3 = int(plane[q0_offset + 3u]);

  const Limits limits = unpack_limits(edge.y);
  if (!filter_mask(limits, p3, p2, p1, p0, q0, q1, q2, q3)) return;
  const bool hev = high_edge_variance(limits, p1, p0, q0, q1);
  const ivec4 filtered = narrow_filter(hev, p1, p0, q0, q1);
  plane[q0_offset - 1u] = uint8_t(filtered.y);
  plane[q0_offset] = uint8_t(filtered.z);
  if (!hev) {
    plane[q0_offset - 2u] = uint8_t(filtered.x);
    plane[q0_offset + 1u] = uint8_t(filtered.w);
  }
}
