// Wrong on purpose: loop_filter.comp with p0's rounding off by one where the mask is met. A comparison
// that accepts it is no comparison.
#version 450
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require

#include "vp9/loop_filter.interface.h"

layout(local_size_x = 64) in;
layout(constant_id = kKindsConstant) const uint kKinds = kAllKinds;

layout(set = 0, binding = 0, std430) buffer Planes { uint planes[]; };
layout(set = 0, binding = 1, std430) readonly buffer Edges { uvec2 edges[]; };
layout(set = 0, binding = 2, std430) readonly buffer Steps { uvec2 steps[]; };
layout(push_constant, std430) uniform Push { LoopFilterStepPush push; };

#include "vp9/loop_filter_halves.glsl"

void filter_lines_wrongly(inout uint s[16], int width, Limits limits) {
  const uint met = half_mask(filter_mask(s, limits));
  filter_lines(s, width, limits);
  s[kP0] ^= met & 0x00010001u;
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
  if (kind == 4u) filter_columns(columns_at, stride, 4, limits);
  if (kind == 5u) filter_columns(columns_at, stride, 8, limits);
  if (kind == 6u) filter_columns(columns_at, stride, 16, limits);
}

void main() {
  const uvec2 range = steps[push.step] << kInvocationsPerEdgeLog2;
  for (uint index = range.x + gl_GlobalInvocationID.x; index < range.y; index += kLanes) {
    const uvec2 edge = edges[index >> kInvocationsPerEdgeLog2];
    filter_half_edge(edge, index & 1u, (edge.y >> kStrideShift) != 0u ? push.strides[1] : push.strides[0]);
  }
}
