// Prepares the serial binary64 sum of one similarity of SSIM's windows, for a mean that the sums of
// ssim_windows.comp leave undecided. While a serial sum stays between two powers of 2, it rounds every term
// to a multiple of one quantum. The host knows that quantum once it has the sums. An invocation adds up a
// run of a row's windows, and the amounts that rounding to each possible quantum adds to their terms.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/ssim.interface.h"
#include "exact_float.glsl"
#include "metrics/ssim_fixed.glsl"
#include "metrics/ssim_similarity.glsl"

layout(local_size_x = 256) in;

layout(set = 0, binding = 0, std430) readonly buffer Moments { float moments[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Runs { SsimRun runs[]; };
layout(push_constant, std430) uniform Push { SsimRecomputePush push; };

Pair term_of(Similarity one) {
  if (needs(kSsimProduct)) return one.ssim;
  if (needs(kSsimLuminance)) return one.luminance;
  if (needs(kSsimContrast)) return one.contrast;
  return Pair(one.structure, 0.0);
}

// Rounds the term to each of four quanta. The rounding to a quantum is undecided if the term's error may
// reach the middle between two multiples.
void round_to(uvec4 quanta, uint low_word, inout ivec4 rounding, inout uvec4 undecided) {
  const uvec4 rest = uvec4(low_word) & (quanta - 1u);
  const uvec4 middle = quanta >> 1u;
  rounding += mix(-ivec4(rest), ivec4(quanta - rest), greaterThanEqual(rest, middle));
  const uint error = needs(kSsimProduct) ? kSsimProductError
                                         : (needs(kSsimStructure) ? kSsimStructureError : kSsimRatioError);
  const uvec4 distance = uvec4(abs(ivec4(rest) - ivec4(middle)));
  undecided += uvec4(lessThanEqual(distance, uvec4(error)));
}

// Returns true if the term may have an error. A binary32 number of 2^-22 or more has none, because it is a
// whole number of units.
bool may_have_error(Pair term) {
  return !needs(kSsimStructure) || (abs(term.x) < 2.384185791015625e-7 && term.x != 0.0);
}

void main() {
  // The grid has one dimension for rows and one for the runs of a row, so that no division is needed: V3D's
  // driver computes it from an estimate.
  const uint row = min(gl_GlobalInvocationID.x, push.height - 1u);
  const uint first = gl_WorkGroupID.y * kSsimRunWindows;
  const uint stride = push.quads * 4u;
  const uint plane = push.height * stride;
  const ivec4 shift = ivec4(int(push.coarsest));
  const uvec4 coarse = uvec4(1u) << uvec4(max(shift - ivec4(0, 1, 2, 3), 1));
  const uvec4 fine = uvec4(1u) << uvec4(max(shift - ivec4(4, 5, 6, 7), 1));
  uvec2 sum = uvec2(0u);
  uint bits = 0u;
  ivec4 coarse_rounding = ivec4(0);
  ivec4 fine_rounding = ivec4(0);
  uvec4 coarse_undecided = uvec4(0u);
  uvec4 fine_undecided = uvec4(0u);
  for (uint i = 0u; i < kSsimRunWindows; ++i) {
    const bool inside = first + i < push.width;
    const uint at = row * stride + min(first + i, push.width - 1u);
    const Pair term =
        term_of(similarity(moments[at], moments[at + plane], moments[at + 2u * plane],
                           moments[at + 3u * plane], moments[at + 4u * plane]));
    const uvec2 fixed_term = to_fixed(inside ? term : Pair(0.0), kSsimSumFraction);
    sum = add64(sum, fixed_term);
    bits |= fixed_term.x | uint(may_have_error(term));
    round_to(coarse, fixed_term.x, coarse_rounding, coarse_undecided);
    round_to(fine, fixed_term.x, fine_rounding, fine_undecided);
  }
  if (gl_GlobalInvocationID.x < push.height) {
    const uint to = push.first_run + row * push.row_runs + gl_WorkGroupID.y;
    runs[to].sum_low = sum.x;
    runs[to].sum_high = sum.y;
    runs[to].bits = bits;
    for (uint i = 0u; i < 4u; ++i) {
      runs[to].rounding[i] = uint(coarse_rounding[i]);
      runs[to].rounding[i + 4u] = uint(fine_rounding[i]);
      runs[to].undecided[i] = coarse_undecided[i];
      runs[to].undecided[i + 4u] = fine_undecided[i];
    }
  }
}
