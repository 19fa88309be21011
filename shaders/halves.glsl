// Arithmetic on two numbers at once, one in each 16-bit half of a word. V3D has no arithmetic on bytes, but an
// addition costs the same for two halves as for one number. The including file defines kFlags, the highest
// bit of each half, in which comparisons store their result.

// Sets the flag of each half to |a - b| <= limit. `limit` must contain kFlags. The other bits are
// undefined.
uint within(uint a, uint b, uint limit) { return (a + limit - b) & (b + limit - a); }

// Returns all ones in the halves whose flag is set.
uint half_mask(uint flags) {
  const uint ones = (flags >> 15) & 0x00010001u;
  return (ones << 16) - ones;
}

uint choose(uint mask, uint yes, uint no) { return no ^ ((no ^ yes) & mask); }

// Returns max(a - b, 0) in each half.
uint excess(uint a, uint b) {
  const uint difference = a + kFlags - b;
  const uint flags = difference & kFlags;
  return difference & (flags - (flags >> 15));
}
uint at_most(uint a, uint high) { return a - excess(a, high); }
uint at_least(uint a, uint low) { return a + excess(low, a); }
