// Quotients and square roots rounded to nearest, ties to even, as IEEE 754 requires. Vulkan lets a device
// be off by some units in the last place. Here an estimate with an error of at most 2^-12 is refined, and
// its exact remainder decides the rounding. Operands must be positive and between 2^-60 and 2^60; 0 is
// allowed where a comment says so.

// Returns `a` cut to its leading 12 bits. Products of two such numbers are exact.
float leading_bits(float a) { return uintBitsToFloat(floatBitsToUint(a) & 0xfffff000u); }

// Returns a - b * c. It is exact if b * c is within two units in the last place of a.
float exact_remainder(float a, float b, float c) {
  precise const float b_high = leading_bits(b);
  precise const float b_low = b - b_high;
  precise const float c_high = leading_bits(c);
  precise const float c_low = c - c_high;
  precise const float remainder = ((a - b_high * c_high) - b_high * c_low - b_low * c_high) - b_low * c_low;
  return remainder;
}

float next_up(float a) { return uintBitsToFloat(floatBitsToUint(a) + 1u); }
float next_down(float a) { return uintBitsToFloat(floatBitsToUint(a) - 1u); }

// Returns the unit in the last place of a.
float unit_of(float a) {
  return uintBitsToFloat(floatBitsToUint(a) & 0x7f800000u) * uintBitsToFloat(0x34000000u);
}

// Returns a / b; a may be 0. A quotient is never half-way between two numbers, so the remainder is never
// exactly half a unit times b.
float rounded_quotient(float a, float b) {
  precise float reciprocal = 1.0 / b;
  reciprocal = reciprocal + reciprocal * exact_remainder(1.0, reciprocal, b);
  reciprocal = reciprocal + reciprocal * exact_remainder(1.0, reciprocal, b);
  precise float quotient = a * reciprocal;
  quotient = quotient + reciprocal * exact_remainder(a, quotient, b);
  precise const float twice = 2.0 * exact_remainder(a, quotient, b);
  precise const float above = unit_of(quotient) * b;
  precise const float below = unit_of(next_down(quotient)) * b;
  const float rounded =
      twice > above ? next_up(quotient) : twice < -below ? next_down(quotient) : quotient;
  return a == 0.0 ? 0.0 : rounded;
}

// Returns the square root of a; a may be 0. Let r be the root's remainder and u its unit. A root that is
// half a unit too small has r = r u + u^2/4. r is a multiple of u^2, so comparing with r u is enough.
float rounded_root(float a) {
  const float safe = a > 0.0 ? a : 1.0;
  precise float inverse = inversesqrt(safe);
  precise float root = safe * inverse;
  precise const float half_inverse = 0.5 * inverse;
  root = root + half_inverse * (safe - root * root);
  root = root + half_inverse * exact_remainder(safe, root, root);
  precise const float remainder = exact_remainder(safe, root, root);
  precise const float above = unit_of(root) * root;
  precise const float below = unit_of(next_down(root)) * root;
  const float rounded =
      remainder > above ? next_up(root) : remainder <= -below ? next_down(root) : root;
  return a == 0.0 ? 0.0 : rounded;
}
