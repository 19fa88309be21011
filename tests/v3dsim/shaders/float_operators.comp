// Uses float operators whose results IEEE 754 defines bit by bit, and conversions within their ranges.
// run: --both --groups 8,1,1 --buffer 0.0:4096:91 --buffer 0.1:65536
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer Input { uvec2 pairs[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Output { uint results[]; };

uint base;
void put(float value) { results[base++] = floatBitsToUint(value); }
void put(uint value) { results[base++] = value; }

void main() {
  const uint at = gl_GlobalInvocationID.x;
  base = at * 32u;
  // Values are finite and have both signs, with magnitudes between 2^-20 and 2^20.
  const uint bits_a = pairs[at].x, bits_b = pairs[at].y;
  const float a = uintBitsToFloat((bits_a & 0x807fffffu) | (107u + (bits_a >> 23) % 40u) << 23);
  const float b = uintBitsToFloat((bits_b & 0x807fffffu) | (107u + (bits_b >> 23 & 31u)) << 23);
  precise float sum = a + b, difference = a - b, product = a * b, chain = a * b + a;
  put(sum); put(difference); put(product); put(chain); put(-a); put(abs(a)); put(sign(a));
  put(min(a, b)); put(max(a, b)); put(clamp(a, -1.5, 1.5));
  put(floor(a)); put(ceil(a)); put(trunc(a)); put(roundEven(a));
  precise float fraction = a - floor(a);
  put(fraction); put(step(a, b)); put(a < b ? a : b);
  put(uint(a < b)); put(uint(a <= b)); put(uint(a == b)); put(uint(a != b)); put(uint(a >= b));
  put(uint(int(a))); put(uint(abs(a))); put(float(int(bits_a))); put(float(bits_b));
  put(float(int(bits_a) >> 12)); put(packHalf2x16(vec2(a, b))); put(unpackHalf2x16(bits_a & 0x7bff7bffu).x);
  put(unpackHalf2x16(bits_a & 0x7bff7bffu).y); put(uint(isnan(a))); put(uint(isinf(a)));
}
