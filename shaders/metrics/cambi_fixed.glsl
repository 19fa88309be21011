// Exact sums of contrasts. A contrast other than 0 is the rounded product of w * a * b and 1 / (a + b),
// with w at most 9 and a + b at most 65 * 65. a and b are at least 1, so a contrast is at least 0.5. a * b
// / (a + b) is at most a quarter of a + b, so a contrast is less than 2^14. Binary32 numbers from 0.5 on
// are multiples of 2^-24, so sums in these units are exact. This file needs uint64.glsl and
// cambi.interface.h.

// Converts a contrast to units of 2^-24; the result is less than 2^38.
uvec2 contrast_units(uint bits) {
  if (bits < kCambiLeastContrast) return uvec2(0u);
  return shift_left64(uvec2((bits & 0x7fffffu) | 0x800000u, 0u), (bits >> 23) - kCambiLeastExponent);
}
