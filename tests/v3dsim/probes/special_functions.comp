// probes: special functions
// Shows the last bits of reciprocal, square root, exponent, logarithm and sine.
// run: --groups 16,1,1 --buffer 0.0:4096:301 --buffer 0.1:24576
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer Input { uint values[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Output { uint results[]; };

void main() {
  const uint at = gl_GlobalInvocationID.x;
  // Values have both signs, and magnitudes between 2^-8 and 2^8.
  const float x = uintBitsToFloat((values[at] & 0x807fffffu) | (119u + (values[at] >> 23 & 15u)) << 23);
  results[at * 6u] = floatBitsToUint(1.0 / x);
  results[at * 6u + 1u] = floatBitsToUint(inversesqrt(abs(x)));
  results[at * 6u + 2u] = floatBitsToUint(sqrt(abs(x)));
  results[at * 6u + 3u] = floatBitsToUint(exp2(x * 0.0625));
  results[at * 6u + 4u] = floatBitsToUint(log2(abs(x)));
  results[at * 6u + 5u] = floatBitsToUint(sin(x));
}
