// Effect of several terms, added one after another, on a binary32 sum. While the sum stays in its binade, the
// terms move it by a number of units in its last place. This number depends on the sum only by its parity,
// which decides ties. A pair (x, y) holds the steps of an even and of an odd sum.

// Combines steps: first a, then b. All steps too large to stay in a binade count as the same step.
uvec2 combined_steps(uvec2 a, uvec2 b) {
  const uint even = a.x + ((a.x & 1u) == 0u ? b.x : b.y);
  const uint odd = a.y + ((a.y & 1u) == 0u ? b.y : b.x);
  return min(uvec2(even, odd), uvec2(kHvsNoStep));
}

// Returns the steps of two sums, of which the first started at `binade` and the second one unit above. The
// bits of positive numbers, read as integers, keep the order of the numbers.
uvec2 steps_of(vec2 summed, uint binade) {
  return min(floatBitsToUint(summed) - uvec2(binade, binade + 1u), uvec2(kHvsNoStep));
}
