// Every 32-bit integer operator and function whose result the specification fixes.
// run: --both --groups 8,1,1 --buffer 0.0:4096:71 --buffer 0.1:98304
#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer Input { uvec2 pairs[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Output { uint results[]; };

uint base;
void put(uint value) { results[base++] = value; }

void main() {
  const uint at = gl_GlobalInvocationID.x;
  base = at * 48u;
  const uint a = pairs[at].x, b = pairs[at].y;
  const int x = int(a), y = int(b);
  const uint count = b & 31u;
  put(a + b); put(a - b); put(a * b); put(a & b); put(a | b); put(a ^ b); put(~a); put(uint(-x));
  put(a << count); put(a >> count); put(uint(x >> count));
  put(min(a, b)); put(max(a, b)); put(uint(min(x, y))); put(uint(max(x, y)));
  put(uint(abs(x))); put(uint(sign(x))); put(uint(clamp(x, -1000, y | 1000)));
  put(uint(a < b)); put(uint(a <= b)); put(uint(a > b)); put(uint(a >= b)); put(uint(a == b));
  put(uint(x < y)); put(uint(x <= y)); put(uint(x > y)); put(uint(x >= y)); put(uint(a != b));
  put(uint(findMSB(a))); put(uint(findLSB(a))); put(uint(findMSB(x))); put(uint(bitCount(a)));
  put(bitfieldReverse(a)); put(bitfieldExtract(a, int(count), int(min(b >> 5 & 31u, 32u - count))));
  put(uint(bitfieldExtract(x, int(count), int(min(b >> 5 & 31u, 32u - count)))));
  put(bitfieldInsert(a, b, int(count), int(min(b >> 5 & 31u, 32u - count))));
  uint carry, borrow, high, low;
  put(uaddCarry(a, b, carry)); put(carry); put(usubBorrow(a, b, borrow)); put(borrow);
  umulExtended(a, b, high, low); put(high); put(low);
  int signed_high, signed_low;
  imulExtended(x, y, signed_high, signed_low); put(uint(signed_high)); put(uint(signed_low));
  put((x < 0) ? a : b); put(a >> 16 | b << 16); put(uint(x * y) + 7u); put(a * 12345u);
}
