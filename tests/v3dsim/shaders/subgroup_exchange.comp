// Subgroup votes, ballots, shuffles and quads, which only V3D 7.1 has. A pattern that repeats every
// four invocations gives the same answers for every subgroup size that is a multiple of four.
// only: 7.1
// run: --both --groups 4,1,1 --buffer 0.0:1024:121 --buffer 0.1:12288
#version 450
#extension GL_KHR_shader_subgroup_vote : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_quad : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer Input { uint values[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Output { uint results[]; };

void main() {
  const uint self = gl_GlobalInvocationID.x;
  const uint in_quad = gl_LocalInvocationIndex & 3u;
  const uint pattern = in_quad * 3u + 1u;
  const uint value = values[self];
  uint at = self * 12u;
  results[at++] = uint(subgroupAll(pattern != 0u));
  results[at++] = uint(subgroupAny(pattern == 7u));
  results[at++] = uint(subgroupAllEqual(gl_WorkGroupID.x));
  results[at++] = uint(subgroupAllEqual(pattern));
  results[at++] = subgroupBallot(in_quad == 2u).x & 15u;
  results[at++] = subgroupBallotBitCount(subgroupBallot(in_quad != 1u)) * 4u == gl_SubgroupSize * 3u ? 1u : 0u;
  results[at++] = subgroupBroadcast(pattern, 2u);
  results[at++] = subgroupBroadcastFirst(pattern);
  results[at++] = subgroupShuffle(value, gl_SubgroupInvocationID ^ 3u);
  results[at++] = subgroupShuffleXor(value, 2u);
  results[at++] = subgroupQuadBroadcast(value, 1u) + subgroupQuadSwapHorizontal(value);
  results[at++] = subgroupQuadSwapVertical(value) ^ subgroupQuadSwapDiagonal(value);
}
