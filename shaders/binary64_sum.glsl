// A binary64 sum computed with 32-bit integers. It equals "double sum; sum += term" after each addition of
// a binary32 term, rounded to nearest even. It is slow, and serves the few sums that need it.

// Number of the value (negative ? -1 : 1) * mantissa * 2^exponent. The mantissa, low word first, is 0 or has
// its highest bit at 62. After rounding it has 53 bits, so the lowest 10 bits are 0.
struct Binary64Sum {
  bool negative;
  int exponent;
  uvec2 mantissa;
};

Binary64Sum binary64_zero() { return Binary64Sum(false, 0, uvec2(0u)); }

// Shifts m right by `count` bits. If a bit of 1 is shifted out, the lowest bit of the result is 1.
uvec2 shift_right_sticky(uvec2 m, int count) {
  if (count == 0) return m;
  if (count >= 64) return uvec2((m.x | m.y) != 0u ? 1u : 0u, 0u);
  if (count >= 32) {
    m = uvec2(m.y | (m.x != 0u ? 1u : 0u), 0u);
    count -= 32;
    if (count == 0) return m;
  }
  const uint lost = m.x << (32 - count);
  return uvec2((m.x >> count) | (m.y << (32 - count)) | (lost != 0u ? 1u : 0u), m.y >> count);
}

uvec2 shift_left(uvec2 m, int count) {
  if (count >= 32) {
    m = uvec2(0u, m.x);
    count -= 32;
  }
  if (count == 0) return m;
  return uvec2(m.x << count, (m.y << count) | (m.x >> (32 - count)));
}

uvec2 plus(uvec2 a, uvec2 b) {
  const uint low = a.x + b.x;
  return uvec2(low, a.y + b.y + (low < a.x ? 1u : 0u));
}
uvec2 minus(uvec2 a, uvec2 b) { return uvec2(a.x - b.x, a.y - b.y - (a.x < b.x ? 1u : 0u)); }

// Normalizes after an addition: keeps the mantissa below 2^63.
void propagate_carry(inout Binary64Sum sum) {
  if ((sum.mantissa.y & 0x80000000u) != 0u) {
    sum.mantissa = shift_right_sticky(sum.mantissa, 1);
    sum.exponent += 1;
  }
}

void round_to_53_bits(inout Binary64Sum sum) {
  const uint rest = sum.mantissa.x & 0x3ffu;
  const bool up = rest > 0x200u || (rest == 0x200u && (sum.mantissa.x & 0x400u) != 0u);
  sum.mantissa.x &= ~0x3ffu;
  if (up) sum.mantissa = plus(sum.mantissa, uvec2(0x400u, 0u));
  propagate_carry(sum);
}

Binary64Sum to_binary64(float term) {
  const uint bits = floatBitsToUint(term);
  const uint field = (bits >> 23) & 255u;
  const uint mantissa = (bits & 0x7fffffu) | (field != 0u ? 0x800000u : 0u);
  return Binary64Sum((bits >> 31) != 0u, int(max(field, 1u)) - 189, uvec2(0u, mantissa << 7));
}

void add_term(inout Binary64Sum sum, float value) {
  Binary64Sum term = to_binary64(value);
  if (term.mantissa.y == 0u) return;
  if ((sum.mantissa.x | sum.mantissa.y) == 0u) {
    sum = term;
    return;
  }
  if (term.exponent > sum.exponent) {
    const Binary64Sum larger = term;
    term = sum;
    sum = larger;
  }
  term.mantissa = shift_right_sticky(term.mantissa, sum.exponent - term.exponent);
  if (term.negative == sum.negative) {
    sum.mantissa = plus(sum.mantissa, term.mantissa);
    propagate_carry(sum);
  } else {
    sum.mantissa = minus(sum.mantissa, term.mantissa);
    if ((sum.mantissa.y & 0x80000000u) != 0u) {
      sum.mantissa = minus(uvec2(0u), sum.mantissa);
      sum.negative = !sum.negative;
    }
    if ((sum.mantissa.x | sum.mantissa.y) == 0u) {
      sum = binary64_zero();
      return;
    }
    const int highest =
        sum.mantissa.y != 0u ? 32 + findMSB(sum.mantissa.y) : findMSB(sum.mantissa.x);
    sum.mantissa = shift_left(sum.mantissa, 62 - highest);
    sum.exponent -= 62 - highest;
  }
  round_to_53_bits(sum);
}

// Returns the sum rounded to binary32, to nearest even; 0 if the result would be below the normal range.
float to_binary32(Binary64Sum sum) {
  if (sum.mantissa.y == 0u) return 0.0;
  uint mantissa = sum.mantissa.y >> 7;
  const uint high_rest = sum.mantissa.y & 127u;
  const bool above_half = high_rest > 64u || (high_rest == 64u && sum.mantissa.x != 0u);
  const bool half_exactly = high_rest == 64u && sum.mantissa.x == 0u;
  if (above_half || (half_exactly && (mantissa & 1u) != 0u)) mantissa += 1u;
  // No code handles a mantissa that rounds to 2^24: it carries into the exponent by itself.
  const int field = sum.exponent + 189;
  if (field <= 0) return 0.0;
  const uint bits = (uint(field - 1) << 23) + mantissa;
  return uintBitsToFloat(bits | (sum.negative ? 0x80000000u : 0u));
}
