// Exact 64-bit sums over a workgroup.

#include "uint64.glsl"

// Partial sums of workgroup_sum64(), one per invocation. The including shader defines kSum64Invocations, a
// power of two.
shared uvec2 sum64_partial[kSum64Invocations];

// Returns the sum of all invocations' values to every invocation. A second call needs a barrier() before it.
// The order of integer additions does not affect the sum. Partial sums stay in shared memory: if a variable
// carried them from one level of the addition to the next, the V3D compiler of Mesa 25.0.7 would never end.
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
