// A copy of loop_filter.comp with a planted mistake: the rounding of p0 is off by one if the filter mask
// passes. A comparison that accepts its result is useless.
#version 450
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require

#include "vp9/loop_filter.interface.h"

layout(local_size_x = kRoundLanes) in;
layout(constant_id = kKindsConstant) const uint kKinds = kAllKinds;

layout(set = 0, binding = 0, std430) coherent buffer Planes { uint planes[]; };
layout(set = 0, binding = 0, std430) coherent buffer PlanePairs { uvec2 plane_pairs[]; };
layout(set = 0, binding = 1, std430) readonly buffer Edges { uvec2 edges[]; };
layout(set = 0, binding = 2, std430) readonly buffer Rounds { uvec2 rounds[]; };
layout(set = 0, binding = 3, std430) readonly buffer Dispatches { uvec2 dispatches[]; };
layout(push_constant, std430) uniform Push { LoopFilterPush push; };

#include "vp9/loop_filter_halves.glsl"

void filter_lines_wrongly(uint s[16], int width, Limits limits, int shift, inout uint to[16]) {
  const uint met = half_mask(filter_mask(s, limits));
  filter_lines(s, width, limits, shift, to);
  to[kP0] ^= (met & 0x00010001u) << shift;
}
#define filter_lines filter_lines_wrongly
#include "vp9/loop_filter_bytes.glsl"

void filter_half_edge(uvec2 edge, uint half_edge, uint stride) {
  const Limits limits = unpack_limits(edge.y);
  const uint kind = (edge.y >> kKindShift) & 7u;
  const uint rows_at = edge.x + 4u * half_edge * stride;
  const uint columns_at = edge.x + kWordsOfFourColumns * half_edge;
  if (kind == 0u) filter_rows(rows_at, stride, 4, limits);
  if (kind == 1u) filter_rows(rows_at, stride, 8, limits);
  if (kind == 2u) filter_rows(rows_at, stride, 16, limits);
  if (kind == 4u) filter_columns(columns_at, stride, 4, edge.y);
  if (kind == 5u) filter_columns(columns_at, stride, 8, edge.y);
  if (kind == 6u) filter_columns(columns_at, stride, 16, edge.y);
}

void main() {
  const uvec2 mine = dispatches[push.dispatch_index];
  for (uint left = 0u; left < mine.y; ++left) {
    const uvec2 range = rounds[mine.x + gl_WorkGroupID.x + left * gl_NumWorkGroups.x];
    const uint index = range.x + (gl_LocalInvocationID.x >> kInvocationsPerEdgeLog2);
    if (index < range.y) {
      const uvec2 edge = edges[index];
      filter_half_edge(edge, gl_LocalInvocationID.x & 1u,
                       (edge.y >> kStrideShift) != 0u ? push.strides[1] : push.strides[0]);
    }
    memoryBarrierBuffer();
    barrier();
  }
}
