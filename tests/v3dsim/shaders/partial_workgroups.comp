// Workgroups of 5 x 4 invocations: threads span workgroups and the last thread is partly idle. The
// barrier makes each lane wait for the workgroups of all lanes in its thread.
// run: --both --groups 6,5,1 --buffer 0.0:2400:111 --buffer 0.1:2400
#version 450
layout(local_size_x = 5, local_size_y = 4) in;
layout(set = 0, binding = 0, std430) readonly buffer Input { uint values[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Output { uint results[]; };
shared uint tile[4][5];

void main() {
  const uvec2 at = gl_LocalInvocationID.xy;
  const uint index = (gl_WorkGroupID.y * 6u + gl_WorkGroupID.x) * 20u + gl_LocalInvocationIndex;
  tile[at.y][at.x] = values[index];
  barrier();
  results[index] = tile[3u - at.y][4u - at.x] + gl_LocalInvocationIndex;
}
