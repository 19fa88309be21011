// VP9 loop filter of edges of all kinds (VP9 specification, section 8.8): the edges of one step of a
// schedule, no two of which touch a common sample. One invocation filters four lines, two at a time;
// two neighbours make an edge. Hosts sort a step's edges by kind, so that the 16 lanes of a V3D nearly
// always take the same branch.
// The grid is as large as the machine, not as the step: invocations go through the edges in rounds, and
// one recorded dispatch serves steps of any length.

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
  // The same number for all: through a loop that lanes leave one by one V3D's compiler moves every
  // value by condition, also those that it has to spill.
  const uint rounds = (range.y - range.x + kLanes - 1u) >> kLanesLog2;
  uint index = range.x + gl_GlobalInvocationID.x;
  for (uint left = rounds; left != 0u; --left, index += kLanes) {
    const uvec2 edge = edges[min(index, range.y - 1u) >> kInvocationsPerEdgeLog2];
    const uint kind = index < range.y ? (edge.y >> kKindShift) & 7u : kNoKind;
    const uint stride = (edge.y >> kStrideShift) != 0u ? push.strides[1] : push.strides[0];
    filter_half_edge(edge, kind, index & 1u, stride);
  }
}
