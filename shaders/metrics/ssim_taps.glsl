// Writes out the eleven taps of a window. Unrolled copies of a loop would not stay `precise`
// (certified_sum.glsl), and a loop that is not unrolled keeps the arrays that it indexes in memory.
#define SSIM_EACH_TAP(TAP) \
  TAP(0) TAP(1) TAP(2) TAP(3) TAP(4) TAP(5) TAP(6) TAP(7) TAP(8) TAP(9) TAP(10)

// Returns a mask of the sums that are not certified: bit 0 for x, bit 1 for y, bit 2 for z, bit 3 for w.
uint undecided_bits(bvec4 certified) {
  return (certified.x ? 0u : 1u) | (certified.y ? 0u : 2u) | (certified.z ? 0u : 4u) |
         (certified.w ? 0u : 8u);
}
