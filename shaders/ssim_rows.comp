// The horizontal pass of SSIM: in each row, weighted sums of 11 neighbouring samples of a and b, of
// their squares and of their product. An invocation does four neighbouring windows of a row.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "ssim.interface.h"
#include "binary64_sum.glsl"
#include "certified_sum.glsl"
#include "ssim_samples.glsl"
#include "ssim_weights.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 0) const uint kKind = 0u;
layout(constant_id = 1) const uint kAlwaysSerial = 0u;

layout(set = 0, binding = 0, std430) readonly buffer A { uint a_words[]; };
layout(set = 0, binding = 1, std430) readonly buffer B { uint b_words[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Sums { vec4 sums[]; };
layout(set = 0, binding = 3, std430) writeonly buffer Largest { float largest[]; };
layout(push_constant, std430) uniform Push { SsimRowsPush push; };

// Samples that four windows are made of.
const uint kSamples = 14u;

// Which of the five sums: 0 a, 1 b, 2 a*a, 3 b*b, 4 a*b.
float term_of(uint moment, float a, float b) {
  precise const float product = (moment == 3u ? b : a) * (moment == 2u ? a : b);
  return moment == 0u ? a : (moment == 1u ? b : product);
}

float a_sample(uint row_word, uint x) {
  const uint shift = samples_shift(kKind);
  const uint word = a_words[min(row_word + (x >> shift), push.last_a)];
  return sample_of(kKind, word, x & ((1u << shift) - 1u), push.unit);
}
float b_sample(uint row_word, uint x) {
  const uint shift = samples_shift(kKind);
  const uint word = b_words[min(row_word + (x >> shift), push.last_b)];
  return sample_of(kKind, word, x & ((1u << shift) - 1u), push.unit);
}

// One window's sum, addition by addition.
float serial_sum(uint moment, uint a_row, uint b_row, uint x) {
  Binary64Sum sum = binary64_zero();
  for (uint u = 0u; u < kSsimTaps; ++u) {
    const float term = term_of(moment, a_sample(a_row, x + u), b_sample(b_row, x + u));
    precise const float product = term * kWeights[u];
    add_term(sum, product);
  }
  return to_binary32(sum);
}

void main() {
  const uint quad = gl_WorkGroupID.x * kSsimGroupColumns + (gl_LocalInvocationIndex & 15u);
  const uint row = gl_WorkGroupID.y * kSsimGroupRows + (gl_LocalInvocationIndex >> 4);
  const bool inside = quad < push.quads && row < push.rows;
  // Invocations outside do the work of others and store nothing: no branch lies around the loops.
  const uint x = min(quad, push.quads - 1u) * 4u;
  const uint plane_row = push.first_row + min(row, push.rows - 1u);
  const uint a_row = plane_row * push.stride_a;
  const uint b_row = plane_row * push.stride_b;

  float a[kSamples];
  float b[kSamples];
  float magnitude = 0.0;
  for (uint j = 0u; j < kSamples; ++j) {
    a[j] = a_sample(a_row, x + j);
    b[j] = b_sample(b_row, x + j);
    magnitude = max(magnitude, max(abs(a[j]), abs(b[j])));
  }
  if (inside) largest[row * push.quads + quad] = magnitude;

  for (uint moment = 0u; moment < 5u; ++moment) {
    const Anchor anchor = window_anchor(magnitude, moment < 2u ? 1 : 2);
    vec4 high = vec4(anchor.value);
    vec4 low = vec4(0.0);
    for (uint u = 0u; u < kSsimTaps; ++u) {
      const vec4 terms = vec4(
          term_of(moment, a[u], b[u]), term_of(moment, a[u + 1u], b[u + 1u]),
          term_of(moment, a[u + 2u], b[u + 2u]), term_of(moment, a[u + 3u], b[u + 3u]));
      precise const vec4 products = terms * kWeights[u];
      add_terms(high, low, products);
    }
    bvec4 certified;
    vec4 result = settle(high, low, anchor, certified);
    if (kAlwaysSerial != 0u || !all(certified)) {
      for (uint i = 0u; i < 4u; ++i) {
        if (kAlwaysSerial != 0u || !certified[i]) {
          result[i] = serial_sum(moment, a_row, b_row, x + i);
        }
      }
    }
    if (inside) sums[(moment * push.rows + row) * push.quads + quad] = result;
  }
}
