// Similarities of SSIM's windows out of their moments, and their sums. An invocation does one column of a
// few rows.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "ssim.interface.h"
#include "exact_float.glsl"
#include "ssim_sums.glsl"

layout(local_size_x = 256) in;

layout(set = 0, binding = 0, std430) readonly buffer Moments { float moments[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Sums { SsimSums sums[]; };
layout(push_constant, std430) uniform Push { SsimWindowsPush push; };

// Similarities of a window, each as a pair, off by less than 2^-40: metrics::window_similarity(), whose
// quotients are in binary64. Deviations and structure are rounded as there.
struct Similarity {
  Pair luminance, contrast, ssim;
  float structure;
};

Similarity similarity(float mu1, float mu2, float s11, float s22, float s12) {
  precise const float square1 = mu1 * mu1;
  precise const float square2 = mu2 * mu2;
  precise const float difference1 = s11 - square1;
  precise const float difference2 = s22 - square2;
  const float variance1 = max(0.0, difference1);
  const float variance2 = max(0.0, difference2);
  precise const float covariance = s12 - mu1 * mu2;
  precise const float variances = variance1 * variance2;
  const float deviations = rounded_root(variances);
  precise const float luminance_divisor = (square1 + square2) + kSsimDivisor1;
  precise const float contrast_divisor = (variance1 + variance2) + kSsimDivisor2;

  const Pair product = two_product(2.0 * mu1, mu2);
  Pair luminance_dividend = two_sum(product.x, kSsimDivisor1);
  luminance_dividend.y += product.y;
  const Pair contrast_dividend = two_sum(2.0 * deviations, kSsimDivisor2);
  const bool flat_window = covariance < 0.0 && deviations <= 0.0;
  precise const float structure_dividend = (flat_window ? 0.0 : covariance) + kSsimDivisor3;
  precise const float structure_divisor = deviations + kSsimDivisor3;

  Similarity result;
  result.luminance = pair_quotient(luminance_dividend, luminance_divisor);
  result.contrast = pair_quotient(contrast_dividend, contrast_divisor);
  result.structure = rounded_quotient(structure_dividend, structure_divisor);
  const Pair l = result.luminance;
  const Pair c = result.contrast;
  const Pair lc = two_product(l.x, c.x);
  precise const float lc_low = lc.y + (l.x * c.y + l.y * c.x);
  const Pair lcs = two_product(lc.x, result.structure);
  precise const float lcs_low = lcs.y + lc_low * result.structure;
  result.ssim = Pair(lcs.x, lcs_low);
  return result;
}

void main() {
  const uint column = gl_WorkGroupID.x * kSsimGroupColumns + (gl_LocalInvocationIndex & 15u);
  const uint first = gl_WorkGroupID.y * (kSsimGroupRows * kSsimRowsEach) + (gl_LocalInvocationIndex >> 4);
  const uint stride = push.quads * 4u;
  const uint plane = push.height * stride;
  uvec2 luminance = uvec2(0u);
  uvec2 contrast = uvec2(0u);
  uvec2 structure = uvec2(0u);
  uvec2 ssim = uvec2(0u);
  float largest_structure = 0.0;
  for (uint i = 0u; i < kSsimRowsEach; ++i) {
    const uint row = first + i * kSsimGroupRows;
    if (row < push.height && column < push.width) {
      const uint at = row * stride + column;
      const Similarity one =
          similarity(moments[at], moments[at + plane], moments[at + 2u * plane],
                     moments[at + 3u * plane], moments[at + 4u * plane]);
      luminance = add64(luminance, to_fixed(one.luminance, push.fraction_bits));
      contrast = add64(contrast, to_fixed(one.contrast, push.fraction_bits));
      structure = add64(structure, to_fixed(Pair(one.structure, 0.0), push.fraction_bits));
      ssim = add64(ssim, to_fixed(one.ssim, push.fraction_bits));
      largest_structure = max(largest_structure, abs(one.structure));
    }
  }

  const SsimSums total = workgroup_sums(luminance, contrast, structure, ssim, largest_structure);
  if (gl_LocalInvocationIndex == 0u) {
    sums[push.first_sums + gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x] = total;
  }
}
