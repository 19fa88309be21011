// Filters and reduces planes for speed_chroma that are not scaled first: src/metrics/speed_chroma_reduction.h
// defines the result. A reduced sample depends on 9x9 samples, which no other reduced sample needs, so one
// invocation computes it alone. It sums nine columns downwards, then these sums to the right. No value is
// denormal; V3D would treat such a value as 0. A sample is a multiple of 2^-8, a weight of 2^-27 (the
// smallest weight is 0.07). A product or sum of such multiples stays a multiple of a power of two when it is
// rounded. So column sums are multiples of 2^-35, and all later values multiples of 2^-62.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/speed_chroma.glsl"

layout(local_size_x = 16, local_size_y = 4) in;

layout(set = 0, binding = 0, std430) readonly buffer Plane0 { uvec2 plane0[]; };
layout(set = 0, binding = 1, std430) readonly buffer Plane1 { uvec2 plane1[]; };
layout(set = 0, binding = 2, std430) readonly buffer Plane2 { uvec2 plane2[]; };
layout(set = 0, binding = 3, std430) readonly buffer Plane3 { uvec2 plane3[]; };

// Samples of nine columns: `before` has the four before the middle column, `from` the middle column and the
// three after it, `last` the last column.
struct Row {
  vec4 before, from;
  float last;
};

// Words that hold the samples of a Row.
struct Words {
  uvec2 before, from, last;  // `last` is used only for 16-bit samples
};

#define LOAD(plane) \
  Words(plane[at.x], plane[at.y], kBits > 8u ? plane[at.z] : uvec2(0u))

Words load_words(int row, uvec3 columns) {
  const uvec3 at = uint(row) * push.stride + columns;
  if (gl_WorkGroupID.z == 0u) return LOAD(plane0);
  if (gl_WorkGroupID.z == 1u) return LOAD(plane1);
  if (gl_WorkGroupID.z == 2u) return LOAD(plane2);
  return LOAD(plane3);
}

uvec4 bytes_of(uint word) {
  return uvec4(word & 0xffu, word >> 8 & 0xffu, word >> 16 & 0xffu, word >> 24);
}
uvec4 halves_of(uvec2 words) {
  return uvec4(words.x & 0xffffu, words.x >> 16, words.y & 0xffffu, words.y >> 16);
}

Row samples_of(Words words) {
  if (kBits > 8u) {
    return Row(centred(halves_of(words.before)), centred(halves_of(words.from)),
               centred(uvec4(words.last.x & 0xffffu)).x);
  }
  return Row(centred(bytes_of(words.before.y)), centred(bytes_of(words.from.x)),
             centred(uvec4(words.from.y & 0xffu)).x);
}

void main() {
  const uvec2 at = gl_GlobalInvocationID.xy;
  if (at.x >= push.width || at.y >= push.height) return;
  const uint vectors = kBits > 8u ? 4u : 2u;  // number of 8-byte vectors per sixteen samples
  const uint first = at.x * vectors;
  const uvec3 columns = uvec3(max(first, 1u) - 1u, first, first + 1u);
  precise Row sums = Row(vec4(0.0), vec4(0.0), 0.0);
  for (int tap = 0; tap < int(kSpeedShaderTaps); ++tap) {
    const Row samples = samples_of(load_words(place_of(at.y, tap), columns));
    const float weight = weight_of(tap);
    sums.before = sums.before + weight * samples.before;
    sums.from = sums.from + weight * samples.from;
    sums.last = sums.last + weight * samples.last;
  }
  // Columns before the first one are its mirror images.
  if (at.x == 0u) sums.before = vec4(sums.last, sums.from.w, sums.from.z, sums.from.y);
  precise float sum = 0.0;
  sum = sum + push.weights[0] * sums.before.x;
  sum = sum + push.weights[1] * sums.before.y;
  sum = sum + push.weights[2] * sums.before.z;
  sum = sum + push.weights[3] * sums.before.w;
  sum = sum + push.weights[4] * sums.from.x;
  sum = sum + push.weights[3] * sums.from.y;
  sum = sum + push.weights[2] * sums.from.z;
  sum = sum + push.weights[1] * sums.from.w;
  sum = sum + push.weights[0] * sums.last;
  store(at, sum);
}
