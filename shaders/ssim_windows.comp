// The vertical pass of SSIM, the similarities of each window, and their sums. An invocation does four
// neighbouring windows in each of a few rows.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "ssim.interface.h"
#include "binary64_sum.glsl"
#include "certified_sum.glsl"
#include "exact_float.glsl"
#include "ssim_sums.glsl"
#include "ssim_weights.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 1) const uint kAlwaysSerial = 0u;

layout(set = 0, binding = 0, std430) readonly buffer Rows { vec4 rows[]; };
layout(set = 0, binding = 1, std430) readonly buffer Largest { float largest[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Sums { SsimSums sums[]; };
layout(push_constant, std430) uniform Push { SsimWindowsPush push; };

// One window's sum, addition by addition.
float serial_sum(uint index, uint lane) {
  Binary64Sum sum = binary64_zero();
  for (uint u = 0u; u < kSsimTaps; ++u) {
    precise const float product = rows[index + u * push.quads][lane] * kWeights[u];
    add_term(sum, product);
  }
  return to_binary32(sum);
}

// Weighted sums of a column of each lane, from vector `index` down.
vec4 column_sums(uint index, Anchor anchor) {
  vec4 high = vec4(anchor.value);
  vec4 low = vec4(0.0);
  for (uint u = 0u; u < kSsimTaps; ++u) {
    precise const vec4 products = rows[index + u * push.quads] * kWeights[u];
    add_terms(high, low, products);
  }
  bvec4 certified;
  vec4 result = settle(high, low, anchor, certified);
  if (kAlwaysSerial != 0u || !all(certified)) {
    for (uint i = 0u; i < 4u; ++i) {
      if (kAlwaysSerial != 0u || !certified[i]) result[i] = serial_sum(index, i);
    }
  }
  return result;
}

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
  const uint quad = gl_WorkGroupID.x * kSsimGroupColumns + (gl_LocalInvocationIndex & 15u);
  const uint first = gl_WorkGroupID.y * (kSsimGroupRows * kSsimRowsEach) + (gl_LocalInvocationIndex >> 4);
  const uint plane = (push.height + kSsimTaps - 1u) * push.quads;
  uvec2 luminance = uvec2(0u);
  uvec2 contrast = uvec2(0u);
  uvec2 structure = uvec2(0u);
  uvec2 ssim = uvec2(0u);
  float largest_structure = 0.0;

  const uint last = quad < push.quads ? min(push.height, first + kSsimGroupRows * kSsimRowsEach) : 0u;
  for (uint row = first; row < last; row += kSsimGroupRows) {
    const uint index = row * push.quads + quad;
    float magnitude = 0.0;
    for (uint u = 0u; u < kSsimTaps; ++u) {
      magnitude = max(magnitude, largest[index + u * push.quads]);
    }
    const Anchor plain = window_anchor(magnitude, 1);
    const Anchor square = window_anchor(magnitude, 2);
    vec4 mu1 = column_sums(index, plain);
    vec4 mu2 = column_sums(index + plane, plain);
    vec4 s11 = column_sums(index + 2u * plane, square);
    vec4 s22 = column_sums(index + 3u * plane, square);
    vec4 s12 = column_sums(index + 4u * plane, square);
    const uint windows = min(4u, push.width - quad * 4u);
    for (uint i = 0u; i < windows; ++i) {
      const Similarity one = similarity(mu1.x, mu2.x, s11.x, s22.x, s12.x);
      luminance = add64(luminance, to_fixed(one.luminance, push.fraction_bits));
      contrast = add64(contrast, to_fixed(one.contrast, push.fraction_bits));
      structure = add64(structure, to_fixed(Pair(one.structure, 0.0), push.fraction_bits));
      ssim = add64(ssim, to_fixed(one.ssim, push.fraction_bits));
      largest_structure = max(largest_structure, abs(one.structure));
      mu1 = mu1.yzwx;
      mu2 = mu2.yzwx;
      s11 = s11.yzwx;
      s22 = s22.yzwx;
      s12 = s12.yzwx;
    }
  }

  const SsimSums total = workgroup_sums(luminance, contrast, structure, ssim, largest_structure);
  if (gl_LocalInvocationIndex == 0u) {
    sums[push.first_sums + gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x] = total;
  }
}
