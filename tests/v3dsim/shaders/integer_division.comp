// Division and remainder of small operands, which the driver computes through a float reciprocal.
// Negative operands of % are left out: GLSL does not define them.
// run: --both --groups 8,1,1 --buffer 0.0:4096:81 --buffer 0.1:8192
// run: --both --groups 2560,1,1 --buffer 0.0:1310720:82 --buffer 0.1:2621440
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer Input { uvec2 pairs[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Output { uint results[]; };

void main() {
  const uint at = gl_GlobalInvocationID.x;
  const uint a = pairs[at].x & 0xffffu, b = (pairs[at].y & 0xffu) + 1u;
  results[at * 4u] = a / b;
  results[at * 4u + 1u] = a % b;
  results[at * 4u + 2u] = uint((int(a) - 32768) / int(b));
  results[at * 4u + 3u] = pairs[at].x / 10u + pairs[at].y % 7u;
}
