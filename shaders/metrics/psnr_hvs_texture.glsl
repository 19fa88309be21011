// Returns the share of a block's variance that remains within its quadrants, from sums of squared
// differences: of the samples from their mean, and from the means of the quadrants upper left, lower left,
// upper right, lower right.
float texture_of(float block, float part0, float part1, float part2, float part3) {
  // Constants 64/63 and 16/15, rounded in the same way as in the scalar definition.
  precise const float variance = block * uintBitsToFloat(0x3f820821u);
  const float quarter = uintBitsToFloat(0x3f888889u);
  precise const float kept =
      ((part0 * quarter + part1 * quarter) + part2 * quarter) + part3 * quarter;
  return variance > 0.0 ? rounded_quotient(kept, variance) : 0.0;
}
