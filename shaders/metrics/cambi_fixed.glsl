// Exact sums of contrasts. A contrast other than 0 is the rounded product of w * a * b, w at most 9 and
// a + b at most 65 * 65, with 1 / (a + b). a and b are at least 1, so that it is at least 0.5, and
// a * b / (a + b) is at most a quarter of a + b: it is less than 2^14. As binary32 numbers from 0.5 on all
// are multiples of 2^-24, sums in these units are exact. Needs
// uint64.glsl and cambi.interface.h.

// In units of 2^-24, less than 2^38.
uvec2 contrast_units(uint bits) {
  if (bits < kCambiLeastContrast) return uvec2(0u);
  return shift_left64(uvec2((bits & 0x7fffffu) | 0x800000u, 0u), (bits >> 23) - kCambiLeastExponent);
}
