// probes: lane order of conflicting accesses
// Shows which of 16 invocations wins when all store to one word, and the order of their atomics.
// run: --groups 1,1,1 --buffer 0.0:64 --buffer 0.1:256
#version 450
layout(local_size_x = 16) in;
layout(set = 0, binding = 0, std430) buffer Shared { uint words[16]; };
layout(set = 0, binding = 1, std430) writeonly buffer Output { uint results[64]; };

void main() {
  const uint self = gl_LocalInvocationIndex;
  words[0] = self;
  words[1 + (self & 3u)] = self;
  results[self] = atomicAdd(words[8], 1u);
  results[16u + self] = atomicExchange(words[9], self);
  results[32u + self] = atomicCompSwap(words[10], 0u, self + 1u);
  results[48u + self] = atomicAdd(words[11 + (self & 1u)], self);
}
