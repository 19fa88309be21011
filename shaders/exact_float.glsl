// Binary32 arithmetic that is exact or correctly rounded on any device that adds, subtracts and multiplies
// as IEEE 754 requires. Quotients and roots start from the device's estimates, which may be off by hundreds
// of units in the last place, and end correctly rounded.

// Number as the unevaluated sum of two numbers; x is the larger one.
#define Pair vec2

// Returns the pair (x, y) with a * b = x + y exactly (Dekker 1971). A high part of 12 bits comes from cutting
// the low bits off. The partial products and their sums, in this order, then fit into 24 bits.
Pair two_product(float a, float b) {
  const float a_high = uintBitsToFloat(floatBitsToUint(a) & 0xfffff000u);
  const float b_high = uintBitsToFloat(floatBitsToUint(b) & 0xfffff000u);
  precise const float a_low = a - a_high;
  precise const float b_low = b - b_high;
  precise const float product = a * b;
  precise const float error =
      ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
  return Pair(product, error);
}

// Returns the pair (x, y) with a + b = x + y exactly (Knuth, TAOCP 2, 4.2.2).
Pair two_sum(float a, float b) {
  precise const float sum = a + b;
  precise const float b_part = sum - a;
  precise const float error = (a - (sum - b_part)) + (b - b_part);
  return Pair(sum, error);
}

// Returns n - q * d, rounded once; exact if q is next to n / d.
float remainder_of(float n, float q, float d) {
  const Pair product = two_product(q, d);
  precise const float remainder = (n - product.x) - product.y;
  return remainder;
}

// Returns 1 / d with an error of about a unit in the last place.
float reciprocal(float d) {
  precise const float estimate = 1.0 / d;
  precise const float refined = estimate + estimate * remainder_of(1.0, estimate, d);
  return refined;
}

// Returns (n.x + n.y) / d with a relative error of less than 2^-41.
Pair pair_quotient(Pair n, float d) {
  const float r = reciprocal(d);
  precise const float first = n.x * r;
  precise const float rest = remainder_of(n.x, first, d) + n.y;
  precise const float second = rest * r;
  return Pair(first, second);
}

// Next larger number; x must be positive.
float next_up(float x) { return uintBitsToFloat(floatBitsToUint(x) + 1u); }
float next_down(float x) { return uintBitsToFloat(floatBitsToUint(x) - 1u); }

// Returns n / d rounded to nearest. d must be positive; quotients and remainders must be far from
// underflow. There are no ties, because a quotient of 24-bit numbers never has exactly 25 bits.
float rounded_quotient(float n, float d) {
  const float magnitude = abs(n);
  if (magnitude == 0.0) return 0.0;
  const float r = reciprocal(d);
  precise float q = magnitude * r;
  q = q + remainder_of(magnitude, q, d) * r;
  precise const float twice_remainder = 2.0 * remainder_of(magnitude, q, d);
  precise const float step_up = d * (next_up(q) - q);
  precise const float step_down = d * (q - next_down(q));
  q = twice_remainder > step_up ? next_up(q) : (twice_remainder < -step_down ? next_down(q) : q);
  return n < 0.0 ? -q : q;
}

// Returns the root of x >= 0 rounded to nearest. x is scaled into 1 .. 4. The remainder x - y*y is a whole
// number of u*u, where u is the unit in y's last place. y is too small by more than u/2 exactly if the
// remainder is larger than y*u, and too large if it is at most -y*u.
float rounded_root(float x) {
  if (x == 0.0) return 0.0;
  const bool tiny = x < 7.8886090522101181e-31;
  precise const float normal = tiny ? x * 18446744073709551616.0 : x;
  const int exponent = (int(floatBitsToUint(normal) >> 23) - 127) & ~1;
  const float scaled = uintBitsToFloat(floatBitsToUint(normal) - (uint(exponent) << 23));
  precise float y = sqrt(scaled);
  y = y + 0.5 * remainder_of(scaled, y, y) * reciprocal(y);
  const float remainder = remainder_of(scaled, y, y);
  precise const float step_up = y * (next_up(y) - y);
  precise const float step_down = y * (y - next_down(y));
  y = remainder > step_up ? next_up(y) : (remainder <= -step_down ? next_down(y) : y);
  const uint half_exponent = uint((exponent >> 1) - (tiny ? 32 : 0)) << 23;
  return uintBitsToFloat(floatBitsToUint(y) + half_exponent);
}
