// VP9 loop filter of one wave of superblocks (VP9 specification, section 8.8): a workgroup takes a
// superblock of 64x64 luma samples and goes through its steps, no two edges of which touch a common
// sample; between them it waits for its own invocations alone. The filter is that of
// vp9_loop_filter.comp, half an edge an invocation.
#version 450
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require

#include "vp9_loop_filter.interface.h"

layout(local_size_x = 64) in;
const uint kKinds = kAllKinds;

layout(set = 0, binding = 0, std430) coherent buffer Planes { uint planes[]; };
layout(set = 0, binding = 1, std430) readonly buffer Edges { uvec2 edges[]; };
layout(set = 0, binding = 2, std430) readonly buffer Steps { uvec2 steps[]; };
layout(set = 0, binding = 3, std430) readonly buffer Superblocks { uvec2 superblocks[]; };
layout(set = 0, binding = 4, std430) readonly buffer Waves { uvec2 waves[]; };
layout(push_constant, std430) uniform Push { LoopFilterWavePush push; };

#include "vp9_loop_filter_edge.glsl"

void filter_step(uvec2 edge_range) {
  const uvec2 range = edge_range << kInvocationsPerEdgeLog2;
  // As in vp9_loop_filter.comp: the same number for all.
  const uint rounds = (range.y - range.x + kWaveLanes - 1u) >> kWaveLanesLog2;
  uint index = range.x + gl_LocalInvocationID.x;
  for (uint left = rounds; left != 0u; --left, index += kWaveLanes) {
    const uvec2 edge = edges[min(index, range.y - 1u) >> kInvocationsPerEdgeLog2];
    const uint kind = index < range.y ? (edge.y >> kKindShift) & 7u : kNoKind;
    const uint stride = (edge.y >> kStrideShift) != 0u ? push.strides[1] : push.strides[0];
    filter_half_edge(edge, kind, index & 1u, stride);
  }
}

void main() {
  const uvec2 wave = waves[push.wave];
  const uint superblock = wave.x + gl_WorkGroupID.x;
  const uvec2 range = superblocks[min(superblock, wave.y - 1u)];
  // The grid is as wide as the widest wave of a picture: where this one is not, nothing is done.
  uint step = range.x;
  for (uint left = superblock < wave.y ? range.y - range.x : 0u; left != 0u; --left, ++step) {
    filter_step(steps[step]);
    memoryBarrierBuffer();
    barrier();
  }
}
