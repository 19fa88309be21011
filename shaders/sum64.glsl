// Exact 64-bit sums out of 32-bit words (low word in x, high word in y): V3D has no 64-bit integers.

uvec2 add64(uvec2 a, uvec2 b) {
  const uint low = a.x + b.x;
  return uvec2(low, a.y + b.y + (low < a.x ? 1u : 0u));
}

uvec2 add64(uvec2 a, uint b) { return add64(a, uvec2(b, 0u)); }

// Sum over a workgroup of kSum64Invocations (a power of two, defined by the includer) invocations;
// every invocation gets it. A second call needs a barrier() before it. Integer addition is associative,
// so the tree's shape does not show in the result.
shared uvec2 sum64_partial[kSum64Invocations];

// The partial sums stay in shared memory on purpose: with one of them carried in a variable from level to
// level, the compiler of Mesa's V3D driver (25.0.7) never ends.
uvec2 workgroup_sum64(uvec2 value) {
  const uint self = gl_LocalInvocationIndex;
  sum64_partial[self] = value;
  for (uint half_width = kSum64Invocations / 2u; half_width > 0u; half_width >>= 1) {
    barrier();
    if (self < half_width) {
      sum64_partial[self] = add64(sum64_partial[self], sum64_partial[self + half_width]);
    }
  }
  barrier();
  return sum64_partial[0];
}
