// The horizontal pass of SSIM: in each row, weighted sums of 11 neighbouring samples of a and b, of their
// squares and of their product. An invocation computes four neighbouring windows of a row. Sums that it
// cannot certify are left to ssim_rows_recompute.comp.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/ssim.interface.h"
#include "certified_sum.glsl"
#include "metrics/ssim_moments.glsl"
#include "metrics/ssim_samples.glsl"
#include "metrics/ssim_taps.glsl"
#include "metrics/ssim_weights.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 0) const uint kKind = 0u;

layout(set = 0, binding = 0, std430) readonly buffer A { uint a_words[]; };
layout(set = 0, binding = 1, std430) readonly buffer B { uint b_words[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Sums { vec4 sums[]; };
layout(set = 0, binding = 3, std430) writeonly buffer Undecided { uint undecided[]; };
layout(push_constant, std430) uniform Push { SsimRowsPush push; };

// kSamples: number of samples for four windows. kWords: number of words that hold them.
const uint kSamples = 14u;
const uint kShift = kKind == kSsimBytes ? 2u : (kKind == kSsimWords ? 1u : 0u);
const uint kWords = ((kSamples - 1u) >> kShift) + 1u;
#define EACH_SAMPLE(DO) \
  DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13)

void main() {
  const uint quad = gl_WorkGroupID.x * kSsimGroupColumns + (gl_LocalInvocationIndex & 15u);
  const uint row = gl_WorkGroupID.y * kSsimGroupRows + (gl_LocalInvocationIndex >> 4);
  const bool inside = quad < push.quads && row < push.rows;
  // Invocations outside the plane repeat the work of others and store nothing, so that no branch encloses the
  // loops.
  const uint word = (min(quad, push.quads - 1u) * 4u) >> kShift;
  const uint plane_row = push.first_row + min(row, push.rows - 1u);
  const uint a_from = plane_row * push.stride_a + word;
  const uint b_from = plane_row * push.stride_b + word;

  uint a_word[kSamples];
  uint b_word[kSamples];
#define READ_WORD(i)                                          \
  if (i < kWords) {                                           \
    a_word[i] = a_words[min(a_from + uint(i), push.last_a)];  \
    b_word[i] = b_words[min(b_from + uint(i), push.last_b)];  \
  }
  EACH_SAMPLE(READ_WORD)

  float a[kSamples];
  float b[kSamples];
  vec2 a_magnitudes = vec2(kNoSmallest, 0.0);
  vec2 b_magnitudes = a_magnitudes;
#define READ_SAMPLE(i)                                                                     \
  a[i] = sample_of(kKind, a_word[i >> kShift], uint(i) & ((1u << kShift) - 1u), push.unit); \
  b[i] = sample_of(kKind, b_word[i >> kShift], uint(i) & ((1u << kShift) - 1u), push.unit); \
  a_magnitudes = with_magnitude(a_magnitudes, a[i]);                                        \
  b_magnitudes = with_magnitude(b_magnitudes, b[i]);
  EACH_SAMPLE(READ_SAMPLE)

  uint undecided_sums = 0u;
  for (uint moment = 0u; moment < kMoments; ++moment) {
    float terms[kSamples];
#define TERM(i) terms[i] = term_of(moment, a[i], b[i]);
    EACH_SAMPLE(TERM)
    // Bounds of a product: the product of the factors' smallest magnitudes, and that of their largest
    // magnitudes.
    const vec2 factor = moment == 1u || moment == 3u ? b_magnitudes : a_magnitudes;
    const vec2 magnitudes =
        moment < 2u ? factor : factor * (moment == 2u ? a_magnitudes : b_magnitudes);
    const Anchor anchor = window_anchor(magnitudes);
    vec4 high = vec4(anchor.value);
    vec4 low = vec4(0.0);
#define ADD_TAP(u)                                                                         \
  {                                                                                        \
    precise const vec4 products =                                                          \
        vec4(terms[u], terms[u + 1], terms[u + 2], terms[u + 3]) * kWeights[u];            \
    add_terms(high, low, products);                                                        \
  }
    SSIM_EACH_TAP(ADD_TAP)
    bvec4 certified;
    const vec4 result = certified_sums(high, low, anchor, certified);
    undecided_sums |= undecided_bits(certified) << (4u * moment);
    if (inside) sums[(moment * push.rows + row) * push.quads + quad] = result;
  }
  if (inside) undecided[row * push.quads + quad] = undecided_sums;
}
