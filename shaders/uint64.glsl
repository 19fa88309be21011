// 64-bit unsigned integers in two 32-bit words, low word in x, because V3D has no 64-bit type.

uvec2 add64(uvec2 a, uvec2 b) {
  const uint low = a.x + b.x;
  return uvec2(low, a.y + b.y + (low < a.x ? 1u : 0u));
}

uvec2 add64(uvec2 a, uint b) { return add64(a, uvec2(b, 0u)); }

// Returns value << by, for by < 64.
uvec2 shift_left64(uvec2 value, uint by) {
  if (by == 0u) return value;
  if (by >= 32u) return uvec2(0u, value.x << (by - 32u));
  return uvec2(value.x << by, value.y << by | value.x >> (32u - by));
}

uvec2 shift_right64(uvec2 value, uint by) {
  if (by == 0u) return value;
  if (by >= 32u) return uvec2(value.y >> (by - 32u), 0u);
  return uvec2(value.x >> by | value.y << (32u - by), value.y >> by);
}

// Returns the number of the highest set bit of a value other than 0.
int highest_bit64(uvec2 value) {
  return value.y != 0u ? findMSB(value.y) + 32 : findMSB(value.x);
}

// Returns `value`, which must have more than `bits` bits, rounded to `bits` significant bits, ties to even.
// `inexact` must be true if a fraction of a unit of `value` was cut off before.
uvec2 round64(uvec2 value, int bits, bool inexact) {
  const uint excess = uint(highest_bit64(value) + 1 - bits);
  const uvec2 kept = shift_right64(value, excess);
  const uvec2 low = shift_left64(kept, excess);
  // The difference value - low loses no borrow, because low has no more bits than value.
  const uvec2 rest = uvec2(value.x - low.x, value.y - low.y - (value.x < low.x ? 1u : 0u));
  const uvec2 half_unit = shift_left64(uvec2(1u, 0u), excess - 1u);
  const bool above = rest.y > half_unit.y || (rest.y == half_unit.y && rest.x > half_unit.x);
  const bool up = above || (rest == half_unit && (inexact || (kept.x & 1u) != 0u));
  return shift_left64(up ? add64(kept, 1u) : kept, excess);
}
