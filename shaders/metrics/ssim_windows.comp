// Similarities of SSIM's windows out of their moments, and their sums over a strip of a column's rows, an
// invocation each. They are many for ssim_total.comp; a workgroup that added them up here would spend more
// on that than on the windows wherever barriers and shared memory are dear.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/ssim.interface.h"
#include "exact_float.glsl"
#include "metrics/ssim_fixed.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 0) const uint kParts = 15u;

bool needs(uint part) { return (kParts & part) != 0u; }

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

  Similarity result = Similarity(Pair(0.0), Pair(0.0), Pair(0.0), 0.0);
  if (needs(kSsimLuminance | kSsimProduct)) {
    result.luminance = pair_quotient(luminance_dividend, luminance_divisor);
  }
  if (needs(kSsimContrast | kSsimProduct)) {
    result.contrast = pair_quotient(contrast_dividend, contrast_divisor);
  }
  if (needs(kSsimStructure | kSsimProduct)) {
    result.structure = rounded_quotient(structure_dividend, structure_divisor);
  }
  if (!needs(kSsimProduct)) return result;
  const Pair l = result.luminance;
  const Pair c = result.contrast;
  const Pair lc = two_product(l.x, c.x);
  precise const float lc_low = lc.y + (l.x * c.y + l.y * c.x);
  const Pair lcs = two_product(lc.x, result.structure);
  precise const float lcs_low = lcs.y + lc_low * result.structure;
  result.ssim = Pair(lcs.x, lcs_low);
  return result;
}

uvec2 to_fixed(bool inside, Pair value) {
  return to_fixed(inside ? value : Pair(0.0), push.fraction_bits);
}

void main() {
  const uint column = gl_WorkGroupID.x * kSsimGroupPairs + (gl_LocalInvocationIndex % kSsimGroupPairs);
  const uint strip = gl_WorkGroupID.y * kSsimGroupBlocks + gl_LocalInvocationIndex / kSsimGroupPairs;
  const uint first = strip * push.strip_rows;
  const uint stride = push.quads * 4u;
  const uint plane = push.height * stride;
  // Columns outside do the last one's work.
  const uint from = min(column, push.width - 1u);
  SsimSums total = SsimSums(0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0.0);
  // As often in every invocation: V3D's driver would write what it spills in a loop that lanes leave one by
  // one under a condition.
  for (uint i = 0u; i < push.strip_rows; ++i) {
    const bool inside = first + i < push.height;
    const uint at = min(first + i, push.height - 1u) * stride + from;
    const Similarity one = similarity(moments[at], moments[at + plane], moments[at + 2u * plane],
                                      moments[at + 3u * plane], moments[at + 4u * plane]);
    if (needs(kSsimLuminance)) {
      add_to(total.luminance_low, total.luminance_high, to_fixed(inside, one.luminance));
    }
    if (needs(kSsimContrast)) {
      add_to(total.contrast_low, total.contrast_high, to_fixed(inside, one.contrast));
    }
    if (needs(kSsimStructure)) {
      add_to(total.structure_low, total.structure_high, to_fixed(inside, Pair(one.structure, 0.0)));
    }
    if (needs(kSsimProduct)) add_to(total.ssim_low, total.ssim_high, to_fixed(inside, one.ssim));
    total.largest_structure = max(total.largest_structure, inside ? abs(one.structure) : 0.0);
  }
  if (column < push.width) {
    sums[push.first_sums + strip * push.width + column] = total;
  }
}
