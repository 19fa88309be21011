// Scales planes bilinearly, then filters and reduces them for speed_chroma;
// src/metrics/speed_chroma_reduction.h defines the result. A workgroup computes 16 samples of a reduced row.
// An invocation scales and sums one column of the filter; then the first sixteen invocations sum nine of
// these columns each. Only samples that the filter reads are scaled. No value is denormal. A share and 1
// minus a share are multiples of 2^-26, a product of two shares of 2^-52, a scaled sample of 2^-60, and
// filtered sums of 2^-87 and 2^-114 (see speed_chroma.comp).
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/speed_chroma.glsl"

layout(local_size_x = 16, local_size_y = 9) in;

layout(set = 0, binding = 0, std430) readonly buffer Plane0 { uint plane0[]; };
layout(set = 0, binding = 1, std430) readonly buffer Plane1 { uint plane1[]; };
layout(set = 0, binding = 2, std430) readonly buffer Plane2 { uint plane2[]; };
layout(set = 0, binding = 3, std430) readonly buffer Plane3 { uint plane3[]; };
layout(set = 0, binding = 5, std430) readonly buffer Places { uvec2 places[]; };

shared float column_sums[kSpeedShaderTaps * kSpeedGroupColumns];

#define LOAD(plane) uvec4(plane[at.x], plane[at.y], plane[at.z], plane[at.w])

uvec4 load_words(uvec4 at) {
  if (gl_WorkGroupID.z == 0u) return LOAD(plane0);
  if (gl_WorkGroupID.z == 1u) return LOAD(plane1);
  if (gl_WorkGroupID.z == 2u) return LOAD(plane2);
  return LOAD(plane3);
}

// Loads four samples: above left, above right, below left and below right.
vec4 load_samples(uint rows, uvec2 columns) {
  const uint word_bits = kBits > 8u ? 1u : 2u;  // log2 of the number of samples per word
  const uvec2 starts = uvec2(rows & 0xffffu, rows >> 16) * (2u * push.stride);
  const uvec2 words = columns >> word_bits;
  const uvec2 shifts = (columns << (5u - word_bits)) & 31u;
  const uvec4 loaded = load_words(uvec4(starts.x + words, starts.y + words));
  return centred((loaded >> shifts.xyxy) & (kBits > 8u ? 0xffffu : 0xffu));
}

float column_sum(uint column, uint row) {
  const uvec2 across = places[kSpeedShaderTaps * column + gl_LocalInvocationID.y];
  const uvec2 columns = uvec2(across.x & 0xffffu, across.x >> 16);
  const float dx = uintBitsToFloat(across.y);
  precise const float left = 1.0 - dx;
  const uint first = kSpeedShaderTaps * (push.width + row);
  precise float sum = 0.0;
  for (int tap = 0; tap < int(kSpeedShaderTaps); ++tap) {
    const uvec2 down = places[first + uint(tap)];
    const float dy = uintBitsToFloat(down.y);
    precise const float upper = 1.0 - dy;
    const vec4 samples = load_samples(down.x, columns);
    precise const vec4 parts = vec4(upper * left, upper * dx, dy * left, dy * dx) * samples;
    precise const float scaled = ((parts.x + parts.y) + parts.z) + parts.w;
    sum = sum + weight_of(tap) * scaled;
  }
  return sum;
}

void main() {
  const uint column = gl_GlobalInvocationID.x;
  const uint row = gl_WorkGroupID.y;
  column_sums[gl_LocalInvocationIndex] = column_sum(min(column, push.width - 1u), row);
  barrier();
  if (gl_LocalInvocationID.y != 0u || column >= push.width) return;
  precise float sum = 0.0;
  for (int tap = 0; tap < int(kSpeedShaderTaps); ++tap) {
    sum = sum + weight_of(tap) * column_sums[uint(tap) * kSpeedGroupColumns + gl_LocalInvocationID.x];
  }
  store(uvec2(column, row), sum);
}
