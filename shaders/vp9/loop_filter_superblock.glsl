// VP9 loop filter of one wave of superblocks (VP9 specification, section 8.8). A workgroup filters a
// superblock of 64x64 luma samples step by step. No two edges of a step touch a common sample. After each
// step a workgroup waits only for its own invocations. The filter is the same as in loop_filter_step.glsl; an
// invocation filters half an edge.

#include "vp9/loop_filter.interface.h"

layout(local_size_x = 64) in;
const uint kKinds = kAllKinds;

layout(set = 0, binding = 0, std430) coherent buffer Planes { uint planes[]; };
layout(set = 0, binding = 0, std430) coherent buffer PlanePairs { uvec2 plane_pairs[]; };
layout(set = 0, binding = 1, std430) readonly buffer Edges { uvec2 edges[]; };
layout(set = 0, binding = 2, std430) readonly buffer Steps { LoopFilterWaveStep steps[]; };
layout(set = 0, binding = 3, std430) readonly buffer Superblocks { uint superblocks[]; };
layout(set = 0, binding = 4, std430) readonly buffer Waves { LoopFilterWave waves[]; };
layout(push_constant, std430) uniform Push { LoopFilterWavePush push; };

#include "vp9/loop_filter_edge.glsl"

void filter_step(uint first, uint last) {
  const uint index = first + (gl_LocalInvocationID.x >> kInvocationsPerEdgeLog2);
  const bool live = index < last;
  const uvec2 edge = edges[live ? index : 0u];
  const uint kind = live ? (edge.y >> kKindShift) & 7u : kNoKind;
  const uint stride = (edge.y >> kStrideShift) != 0u ? push.strides[1] : push.strides[0];
  filter_half_edge(edge, kind, gl_LocalInvocationID.x & 1u, stride);
}

void main() {
  const LoopFilterWave wave = waves[push.wave];
  // The grid is as wide as the picture's widest wave. A workgroup without a superblock in this wave runs
  // step 0, which has no edges.
  const uint superblock = wave.first_superblock + gl_WorkGroupID.x;
  uint next = superblock < wave.last_superblock ? superblocks[superblock] : 0u;
  // All superblocks of the wave run the same number of iterations; those with fewer steps repeat step 0.
  // The V3D compiler assumes that a workgroup's number differs between lanes. In a loop that lanes can leave
  // one by one, it makes every move conditional, also the moves of values that it has to spill.
  for (uint left = wave.steps; left != 0u; --left) {
    const LoopFilterWaveStep step = steps[next];
    next = step.next_step;
    filter_step(step.first_edge, step.last_edge);
    memoryBarrierBuffer();
    barrier();
  }
}
