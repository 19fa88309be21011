// Executes atomic operations on buffers and shared variables, with conflicts between neighbours. The old
// values depend on the order; only results that do not depend on it are written.
// run: --both --groups 6,1,1 --buffer 0.0:4096:11 --buffer 0.1:256
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer Input { uint values[1024]; };
layout(set = 0, binding = 1, std430) buffer Output { uint results[64]; };
shared uint histogram[16];
shared int lowest;

void main() {
  const uint self = gl_LocalInvocationIndex;
  if (self < 16u) histogram[self] = 0u;
  if (self == 0u) lowest = 0x7fffffff;
  barrier();
  const uint value = values[gl_GlobalInvocationID.x];
  atomicAdd(histogram[value & 15u], 1u);
  atomicMin(lowest, int(value));
  barrier();
  if (self < 16u) atomicAdd(results[self], histogram[self]);
  if (self == 0u) atomicMin(results[16], uint(lowest) ^ 0x80000000u);
  atomicAdd(results[17], value);
  atomicAdd(results[18], 1u);
  atomicAdd(results[19], 0xffffffffu);
  atomicMax(results[20], value);
  atomicAnd(results[21 + (self & 3u)], ~(1u << (value & 31u)));
  atomicOr(results[25 + (self & 3u)], 1u << (value & 31u));
  atomicXor(results[29 + (self & 3u)], value);
  // Each invocation increments a counter by compare and exchange; it gets one ticket, in any order.
  for (;;) {
    const uint seen = results[33];
    if (atomicCompSwap(results[33], seen, seen + 3u) == seen) break;
  }
  atomicMax(results[34], uint(int(value) >> 4));
}
