// The subgroup operation that both GPUs have: electing one of 16 invocations. The result shows neither the
// subgroup's size nor the elected invocation.
// run: --both --groups 4,1,1 --buffer 0.0:64
#version 450
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) buffer Output { uint results[16]; };

void main() {
  if (subgroupElect()) atomicAdd(results[0], gl_SubgroupSize);
  atomicAdd(results[1], gl_SubgroupInvocationID < gl_SubgroupSize ? 1u : 0u);
  if (gl_SubgroupInvocationID == 0u) atomicAdd(results[2], gl_SubgroupSize);
  if ((gl_LocalInvocationIndex & 1u) != 0u && subgroupElect()) {
    atomicOr(results[3], 1u << (gl_LocalInvocationIndex & 1u));
  }
  subgroupMemoryBarrierBuffer();
  subgroupBarrier();
}
