// What some terms, added one after another, do to a binary32 sum. While the sum stays in its binade they
// move it by a number of units in its last place that depends on the sum only by its parity, which
// decides ties. (x, y): the steps of an even and of an odd sum.

// First a, then b. Steps too large to stay in a binade are all alike.
uvec2 in_turn(uvec2 a, uvec2 b) {
  const uint even = a.x + ((a.x & 1u) == 0u ? b.x : b.y);
  const uint odd = a.y + ((a.y & 1u) == 0u ? b.y : b.x);
  return min(uvec2(even, odd), uvec2(kHvsNoStep));
}

// The steps that two sums, which started at `binade` and one unit above, have made. Bits of positive
// numbers are in their order.
uvec2 steps_of(vec2 summed, uint binade) {
  return min(floatBitsToUint(summed) - uvec2(binade, binade + 1u), uvec2(kHvsNoStep));
}
