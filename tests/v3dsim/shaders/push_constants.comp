// acceptance: 3
// Push constants, also indexed by data that differs between lanes.
// run: --both --groups 3,2,2 --buffer 0.0:3072 --push 17 0xdeadbeef 3 4 5 6 7 8 9 10 11 12
// run: --groups 3,2,2 --base 1,0,1 --buffer 0.0:24576 --push 1 2 3 4 5 6 7 8 9 10 11 12
#version 450
layout(local_size_x = 8, local_size_y = 4, local_size_z = 2) in;
layout(set = 0, binding = 0, std430) writeonly buffer Output { uint results[]; };
layout(push_constant, std430) uniform Push { uint scale; uint offset; uint table[10]; } push;

void main() {
  const uint group = (gl_WorkGroupID.z * 2u + gl_WorkGroupID.y) * 3u + gl_WorkGroupID.x;
  const uint at = group * 64u + gl_LocalInvocationIndex;
  const uvec3 id = gl_GlobalInvocationID;
  results[at] = push.offset + push.scale * (id.x + 100u * id.y + 10000u * id.z) +
                push.table[at % 10u] + gl_NumWorkGroups.x * gl_NumWorkGroups.y;
}
