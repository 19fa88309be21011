// Sums of similarities as signed 64-bit fixed-point integers. Integer sums do not depend on the order of
// the terms.

#include "uint64.glsl"

void add_to(inout uint low, inout uint high, uvec2 value) {
  const uvec2 sum = add64(uvec2(low, high), value);
  low = sum.x;
  high = sum.y;
}

// Returns value.x + value.y in units of 2^-fraction_bits, with both parts rounded to whole units. |value| is
// clamped to 2. value.x is split without rounding into whole units of 2^-16 and a rest, which has the same
// sign and no more bits.
uvec2 to_fixed(vec2 value, uint fraction_bits) {
  precise const float scaled = clamp(value.x, -2.0, 2.0) * 65536.0;
  const float coarse = trunc(scaled);
  const float unit = float(1u << (fraction_bits - 16u));
  precise const float fine = (scaled - coarse) * unit;
  precise const float beside = (value.y * 65536.0) * unit;
  const int high = int(coarse);
  const int low = int(roundEven(fine)) + int(roundEven(beside));
  const uint shift = fraction_bits - 16u;
  const uvec2 shifted = uvec2(uint(high) << shift, uint(high >> (32u - shift)));
  return add64(shifted, uvec2(uint(low), low < 0 ? 0xffffffffu : 0u));
}

