// loop_filter.comp with a loop that lanes leave one by one, as V3D's compiler wants it least: a shader
// database that calls it no worse is none.
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

#include "vp9/loop_filter_edge.glsl"

void main() {
  const uvec2 range = steps[push.step] << kInvocationsPerEdgeLog2;
  uint index = range.x + gl_GlobalInvocationID.x;
  while (true) {
    if (index >= range.y) return;
    const uvec2 edge = edges[index >> kInvocationsPerEdgeLog2];
    const uint stride = (edge.y >> kStrideShift) != 0u ? push.strides[1] : push.strides[0];
    filter_half_edge(edge, (edge.y >> kKindShift) & 7u, index & 1u, stride);
    index += kLanes;
  }
}
