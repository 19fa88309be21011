// Computes data[i] = data[i] * 3 + value, `rounds` times. The result depends on the order, and `rounds`
// sets the run time.
#version 450
layout(local_size_x = 64) in;

layout(set = 0, binding = 0, std430) buffer Data { uint data[]; };
layout(push_constant, std430) uniform Push { uint value; uint rounds; } push;

void main() {
  const uint i = gl_GlobalInvocationID.x;
  if (i >= data.length()) return;
  uint x = data[i];
  for (uint round = 0u; round < push.rounds; ++round) x = x * 3u + push.value;
  data[i] = x;
}
