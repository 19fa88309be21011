// Loops whose trip counts differ from lane to lane, nested, with breaks, continues and returns.
// run: --both --groups 7,1,1 --buffer 0.0:1792:21 --buffer 0.1:1792
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer Input { uint values[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Output { uint results[]; };

uint collatz_steps(uint n) {
  uint steps = 0u;
  while (n > 1u && steps < 300u) {
    n = (n & 1u) != 0u ? 3u * n + 1u : n >> 1;
    ++steps;
  }
  return steps;
}

void main() {
  const uint at = gl_GlobalInvocationID.x;
  const uint value = values[at];
  if ((value & 7u) == 3u) {
    results[at] = 0xdeadbeefu;
    return;
  }
  uint sum = collatz_steps(value & 1023u);
  for (uint i = 0u; i < (value >> 10 & 15u); ++i) {
    if (((value >> i) & 1u) != 0u) continue;
    for (uint k = 0u; k <= i; ++k) {
      sum = sum * 31u + k;
      if ((sum & 63u) == 7u) break;
    }
    if (sum > 0xf0000000u) break;
  }
  switch (value >> 28) {
    case 0: sum += 1u; break;
    case 3: sum ^= 0x55u;
    case 4: sum <<= 1; break;
    case 9: sum = ~sum; break;
    default: sum -= value >> 28;
  }
  results[at] = sum;
}
