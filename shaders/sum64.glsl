// Exact 64-bit sums over a workgroup.

#include "uint64.glsl"

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
