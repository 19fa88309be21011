// VP9 loop filter h_4 (VP9 specification, section 8.8), variant `byte`: the published implementation on V3D,
// kept as the baseline. One invocation filters one row of 8 samples with 8 byte loads and up to 4 byte
// stores. 8 neighbouring invocations filter an edge, so 16 lanes hold 2 edges and a workgroup of 256 holds
// 32. The arithmetic follows the specification step by step, on samples made signed by subtracting 128. The
// optimisations of `word` (loop_filter_4.glsl) are left out, so that a comparison shows their gain.
#version 450
#extension GL_EXT_shader_8bit_storage : require
#extension GL_GOOGLE_include_directive : require

#include "vp9/baselines/loop_filter_h_4.interface.h"
#include "workgroup_index.glsl"

layout(local_size_x = 256) in;

layout(set = 0, binding = 0, std430) buffer Plane { uint8_t plane[]; };
layout(set = 0, binding = 1, std430) readonly buffer Edges { uvec2 edges[]; };
layout(push_constant, std430) uniform Push { LoopFilterPush push; };

int filter4_clamp(int value) { return clamp(value, -128, 127); }

int to_sample(int signed_value) { return filter4_clamp(signed_value) + 128; }

void main() {
  const uint invocation = workgroup_index() * gl_WorkGroupSize.x + gl_LocalInvocationIndex;
  const uint index = invocation >> kByteInvocationsPerEdgeLog2;
  if (index >= push.edge_count) return;
  const uvec2 edge = edges[index];
  const uint q0_offset = edge.x + (invocation & 7u) * push.stride;
  const int blimit = int(edge.y & 0xffu);
  const int limit = int((edge.y >> 8) & 0xffu);
  const int thresh = int((edge.y >> 16) & 0xffu);

  const int p3 = int(plane[q0_offset - 4u]);
  const int p2 = int(plane[q0_offset - 3u]);
  const int p1 = int(plane[q0_offset - 2u]);
  const int p0 = int(plane[q0_offset - 1u]);
  const int q0 = int(plane[q0_offset]);
  const int q1 = int(plane[q0_offset + 1u]);
  const int q2 = int(plane[q0_offset + 2u]);
  const int q3 = int(plane[q0_offset + 3u]);

  const bool mask = abs(p3 - p2) <= limit && abs(p2 - p1) <= limit && abs(p1 - p0) <= limit &&
                    abs(q1 - q0) <= limit && abs(q2 - q1) <= limit && abs(q3 - q2) <= limit &&
                    abs(p0 - q0) * 2 + (abs(p1 - q1) >> 1) <= blimit;
  if (!mask) return;
  const bool hev = abs(p1 - p0) > thresh || abs(q1 - q0) > thresh;

  const int ps1 = p1 - 128;
  const int ps0 = p0 - 128;
  const int qs0 = q0 - 128;
  const int qs1 = q1 - 128;
  const int outer = hev ? filter4_clamp(ps1 - qs1) : 0;
  const int base = filter4_clamp(outer + 3 * (qs0 - ps0));
  const int filter1 = filter4_clamp(base + 4) >> 3;
  const int filter2 = filter4_clamp(base + 3) >> 3;
  plane[q0_offset] = uint8_t(to_sample(qs0 - filter1));
  plane[q0_offset - 1u] = uint8_t(to_sample(ps0 + filter2));
  if (!hev) {
    const int inner = (filter1 + 1) >> 1;
    plane[q0_offset + 1u] = uint8_t(to_sample(qs1 - inner));
    plane[q0_offset - 2u] = uint8_t(to_sample(ps1 + inner));
  }
}
