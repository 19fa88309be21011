// More values alive at once than there are registers: the compiler must spill.
// run: --groups 2,1,1 --buffer 0.0:16384:61 --buffer 0.1:512
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer Input { uint values[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Output { uint results[]; };

void main() {
  const uint at = gl_GlobalInvocationID.x;
  uint a[72];
  for (int i = 0; i < 72; ++i) a[i] = values[(at * 17u + uint(i) * 5u) & 4095u];
  // Every round needs all values of the round before.
  for (int round = 0; round < 2; ++round) {
    uint mix = 0u;
    for (int i = 0; i < 72; ++i) mix = (mix << 5 | mix >> 27) ^ a[i];
    for (int i = 0; i < 72; ++i) a[i] = (a[i] ^ mix) + a[71 - i];
  }
  uint sum = 0u;
  for (int i = 0; i < 72; ++i) sum = sum * 33u + a[i];
  results[at] = sum;
}
