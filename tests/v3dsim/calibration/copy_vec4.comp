// Four words a lane from one buffer to another: what the published copy rate of a Raspberry Pi 5 moves.
#version 450
layout(local_size_x = 256) in;
layout(set = 0, binding = 0, std430) readonly buffer Source { uvec4 source[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Target { uvec4 target[]; };

void main() {
  const uint at = gl_GlobalInvocationID.x;
  target[at] = source[at];
}
