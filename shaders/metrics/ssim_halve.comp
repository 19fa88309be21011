// Halves a plane for float_ms_ssim (metrics::halve()). An invocation computes four neighbouring samples of a
// row, so that it reads the samples that several of their 9 x 9 taps share only once. Samples are marked for
// ssim_decimate_recompute.comp if the shader cannot certify them, or if they are so near the picture's border
// that taps are mirrored.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/ssim.interface.h"
#include "certified_sum.glsl"
#include "metrics/ssim_samples.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 0) const uint kKind = 0u;
const uint kFactor = 0u;

layout(set = 0, binding = 0, std430) readonly buffer From { uint words[]; };
layout(set = 0, binding = 1, std430) writeonly buffer To { uint to[]; };
layout(push_constant, std430) uniform Push { SsimDecimatePush push; };

#include "metrics/ssim_decimation.glsl"

// kSamples: number of samples of a row for four results. kWords: number of words that hold them, if the
// first word starts with the first sample.
const uint kSamples = 15u;
const uint kShift = kKind == kSsimBytes ? 2u : (kKind == kSsimWords ? 1u : 0u);
const uint kWords = ((kSamples - 1u) >> kShift) + 1u;
#define EACH_SAMPLE(DO) \
  DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14)

// Returns `bits` with a word's samples included. Its highest power of two is that of the largest included
// sample.
uint gathered(uint bits, uint word) {
  return kKind == kSsimFloats ? max(bits, word & 0x7fffffffu) : bits | word;
}
float magnitude_of(uint bits) {
  if (kKind == kSsimFloats) return uintBitsToFloat(bits);
  bits |= bits >> 16;
  if (kKind == kSsimBytes) bits |= bits >> 8;
  return sample_of(kKind, bits, 0u, push.unit);
}

// Returns the anchor for the sums of ssim_halve.comp. Errors in quanta: a row's `low` sum stays below 4.5,
// so its 9 additions lose at most 9 * 2^-22. Adding the rows' `low` sums, below 41, loses 9 * 2^-19. The test
// itself loses 2^-18. Together that is less than 650 * 2^-24; the bound is 1024 * 2^-24.
Anchor halving_anchor(float magnitude) { return make_anchor(magnitude, 8.0, 6.103515625e-5); }

void main() {
  const uint quad = gl_WorkGroupID.x * kSsimGroupColumns + (gl_LocalInvocationIndex & 15u);
  const uint row = gl_WorkGroupID.y * kSsimGroupRows + (gl_LocalInvocationIndex >> 4);
  const int left = int(quad) * 8 - kBefore;
  const int top = int(row) * 2 - kBefore;
  const bool within = left >= 0 && left + int(kSamples) <= int(push.width) && top >= 0 &&
                      top + kTaps <= int(push.height);
  // At the border, samples are read and added up too, but the result is not used.
  const int first_word = max(left, 0) >> int(kShift);
  const int last_word = (int(push.width) - 1) >> int(kShift);
  const int last_row = int(push.height) - 1;
  uint word[kSamples];
#define READ_WORD(i) \
  if (i < kWords) word[i] = words[from + uint(min(first_word + i, last_word))];

  uint bits = 0u;
  for (int v = 0; v < kTaps; ++v) {
    const uint from = uint(clamp(top + v, 0, last_row)) * push.stride;
    EACH_SAMPLE(READ_WORD)
#define GATHER(i) if (i < kWords) bits = gathered(bits, word[i]);
    EACH_SAMPLE(GATHER)
  }
  const Anchor anchor = halving_anchor(magnitude_of(bits));
  vec4 high = vec4(anchor.value);
  vec4 low = vec4(0.0);
  for (int v = 0; v < kTaps; ++v) {
    const uint from = uint(clamp(top + v, 0, last_row)) * push.stride;
    EACH_SAMPLE(READ_WORD)
    float s[kSamples];
#define READ_SAMPLE(i) \
  s[i] = sample_of(kKind, word[i >> kShift], uint(i) & ((1u << kShift) - 1u), push.unit);
    EACH_SAMPLE(READ_SAMPLE)
    const HalvingRow weights = halving_row(v);
    vec4 row_low = vec4(0.0);
#define ADD_TAP(u, weight)                                                                 \
  {                                                                                        \
    precise const vec4 products = vec4(s[u], s[u + 2], s[u + 4], s[u + 6]) * weights.weight; \
    add_terms(high, row_low, products);                                                    \
  }
    ADD_TAP(0, at_0) ADD_TAP(1, at_1) ADD_TAP(2, at_2) ADD_TAP(3, at_3) ADD_TAP(4, at_4)
    ADD_TAP(5, at_3) ADD_TAP(6, at_2) ADD_TAP(7, at_1) ADD_TAP(8, at_0)
    precise const vec4 low_sum = low + row_low;
    low = low_sum;
  }
  bvec4 certified;
  const vec4 sums = certified_sums(high, low, anchor, certified);
  const uint column = quad * 4u;
#define STORE(i)                                                                 \
  if (column + uint(i) < push.out_width && row < push.out_height) {              \
    to[row * push.out_stride + column + uint(i)] =                               \
        within && certified[i] ? floatBitsToUint(sums[i]) \
                                                      : kSsimUndecided;               \
  }
  STORE(0) STORE(1) STORE(2) STORE(3)
}
