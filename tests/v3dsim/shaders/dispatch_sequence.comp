// acceptance: 3
// Runs consecutive dispatches, each reading the results of the previous one, after an event that is set on
// the device.
// run: --both --groups 2,1,1 --event --dispatches 5 --buffer 0.0:512:141
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) coherent buffer State { uint state[128]; };

// Each workgroup reads and writes only its own words, so the two workgroups may run in any order.
void main() {
  const uint first = gl_WorkGroupID.x * 64u;
  const uint self = gl_LocalInvocationIndex;
  const uint next = state[first + ((self + 1u) & 63u)];
  const uint mine = state[first + self];
  memoryBarrierBuffer();
  barrier();
  state[first + self] = mine * 1664525u + next;
}
