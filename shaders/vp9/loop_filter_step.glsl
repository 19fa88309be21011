// VP9 loop filter of edges of all kinds (VP9 specification, section 8.8), one or more dependency levels of
// a schedule per dispatch. No two edges of a level touch a common sample. One invocation filters four
// lines, two at a time; two neighbouring invocations filter an edge. The host sorts a level's edges by
// kind, so that the 16 lanes of a V3D nearly always take the same branch. A workgroup processes rounds of
// edges and waits for its own invocations after each. A dispatch of many workgroups has the rounds of one
// large level; a dispatch of one workgroup has those of many small levels.

#include "vp9/loop_filter.interface.h"

layout(local_size_x = kRoundLanes) in;
layout(constant_id = kKindsConstant) const uint kKinds = kAllKinds;

// Words of the planes, declared one by one and in pairs. An edge uses only one of the two declarations.
layout(set = 0, binding = 0, std430) coherent buffer Planes { uint planes[]; };
layout(set = 0, binding = 0, std430) coherent buffer PlanePairs { uvec2 plane_pairs[]; };
layout(set = 0, binding = 1, std430) readonly buffer Edges { uvec2 edges[]; };
layout(set = 0, binding = 2, std430) readonly buffer Rounds { uvec2 rounds[]; };
layout(set = 0, binding = 3, std430) readonly buffer Dispatches { uvec2 dispatches[]; };
layout(push_constant, std430) uniform Push { LoopFilterPush push; };

#include "vp9/loop_filter_edge.glsl"

void main() {
  const uvec2 mine = dispatches[push.dispatch_index];
  uint round = mine.x + gl_WorkGroupID.x;
  // All lanes run the same number of iterations. In a loop that lanes can leave one by one, the V3D compiler
  // makes every move conditional, also the moves of values that it has to spill.
  for (uint left = mine.y; left != 0u; --left, round += gl_NumWorkGroups.x) {
    const uvec2 range = rounds[round];
    const uint index = range.x + (gl_LocalInvocationID.x >> kInvocationsPerEdgeLog2);
    const bool live = index < range.y;
    const uvec2 edge = edges[live ? index : 0u];
    const uint kind = live ? (edge.y >> kKindShift) & 7u : kNoKind;
    const uint stride = (edge.y >> kStrideShift) != 0u ? push.strides[1] : push.strides[0];
    filter_half_edge(edge, kind, gl_LocalInvocationID.x & 1u, stride);
    memoryBarrierBuffer();
    barrier();
  }
}
