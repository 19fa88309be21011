// acceptance: 2
// A loop that never ends; the instruction limit stops it.
// refused: --groups 1,1,1 --buffer 0.0:256:191
// message: endless loop
#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 0, std430) volatile buffer Data { uint words[]; };

void main() {
  while (words[0] != 1u) words[gl_GlobalInvocationID.x + 1u] += 2u;
}
