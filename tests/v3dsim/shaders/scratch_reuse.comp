// Workgroups with more threads than the GPU holds at once. Later threads reuse the scratch memory of
// earlier ones, which is not a race.
// with: RACES=1
// run: --groups 3,1,1 --buffer 0.0:3000:211 --buffer 0.1:3000
#version 450
layout(local_size_x = 250) in;
layout(set = 0, binding = 0, std430) readonly buffer Input { uint values[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Output { uint results[]; };

void main() {
  uint table[64];
  const uint value = values[gl_GlobalInvocationID.x];
  for (uint i = 0u; i < 64u; ++i) table[i] = i * value;
  uint sum = 0u;
  for (uint i = 0u; i < 8u; ++i) sum += table[(value >> (3u * i)) & 63u];
  results[gl_GlobalInvocationID.x] = sum;
}
