// acceptance: 2
// A barrier that half of the threads of a workgroup do not reach.
// refused: --groups 2,1,1 --buffer 0.0:1024:181
// message: barrier
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) buffer Data { uint words[]; };
shared uint values[64];

void main() {
  values[gl_LocalInvocationIndex] = words[gl_GlobalInvocationID.x];
  if (gl_LocalInvocationIndex < 32u) barrier();
  words[gl_GlobalInvocationID.x] = values[63u - gl_LocalInvocationIndex];
}
