// Sums of similarities as signed 64-bit numbers with a fraction: integers, so that their order does not
// show.

const uint kSum64Invocations = 256u;
#include "sum64.glsl"

// value.x + value.y in units of 2^-fraction_bits, off by at most one; |value| is clamped to 2. The whole
// sixteenths of 2^-12 go into the high part exactly.
uvec2 to_fixed(vec2 value, uint fraction_bits) {
  precise const float scaled = clamp(value.x, -2.0, 2.0) * 65536.0;
  const float coarse = floor(scaled);
  const float unit = float(1u << (fraction_bits - 16u));
  precise const float fine = (scaled - coarse) * unit;
  precise const float beside = (value.y * 65536.0) * unit;
  const int high = int(coarse);
  const int low = int(floor(fine + 0.5)) + int(floor(beside + 0.5));
  const uint shift = fraction_bits - 16u;
  const uvec2 shifted = uvec2(uint(high) << shift, uint(high >> (32u - shift)));
  return add64(shifted, uvec2(uint(low), low < 0 ? 0xffffffffu : 0u));
}

// The sums of all invocations' sums, and the largest of their largest.
SsimSums workgroup_sums(uvec2 luminance, uvec2 contrast, uvec2 structure, uvec2 ssim,
                        float largest_structure) {
  luminance = workgroup_sum64(luminance);
  barrier();
  contrast = workgroup_sum64(contrast);
  barrier();
  structure = workgroup_sum64(structure);
  barrier();
  ssim = workgroup_sum64(ssim);
  barrier();
  const uint self = gl_LocalInvocationIndex;
  sum64_partial[self].x = floatBitsToUint(largest_structure);
  for (uint half_width = kSum64Invocations / 2u; half_width > 0u; half_width >>= 1) {
    barrier();
    if (self < half_width) {
      // Floats that are not negative are ordered as their bits are.
      sum64_partial[self].x = max(sum64_partial[self].x, sum64_partial[self + half_width].x);
    }
  }
  barrier();
  return SsimSums(luminance.x, luminance.y, contrast.x, contrast.y, structure.x, structure.y, ssim.x,
                  ssim.y, uintBitsToFloat(sum64_partial[0].x));
}
