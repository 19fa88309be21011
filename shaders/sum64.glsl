// Exact 64-bit sums out of 32-bit words (low word in x, high word in y): V3D has no 64-bit integers.

uvec2 add64(uvec2 a, uvec2 b) {
  const uint low = a.x + b.x;
  return uvec2(low, a.y + b.y + (low < a.x ? 1u : 0u));
}

uvec2 add64(uvec2 a, uint b) { return add64(a, uvec2(b, 0u)); }

// Sum over a workgroup of kSum64Invocations (a power of two, defined by the includer) invocations;
// the result is valid in invocation 0. Integer addition is associative, so the tree's shape does not
// show in the result.
shared uvec2 sum64_partial[kSum64Invocations];

uvec2 workgroup_sum64(uvec2 value) {
  const uint self = gl_LocalInvocationIndex;
  sum64_partial[self] = value;
  barrier();
  for (uint half_width = kSum64Invocations / 2u; half_width > 0u; half_width >>= 1) {
    if (self < half_width) {
      value = add64(value, sum64_partial[self + half_width]);
      sum64_partial[self] = value;
    }
    barrier();
  }
  return value;
}
