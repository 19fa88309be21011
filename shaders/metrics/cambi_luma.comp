// Computes the 10-bit samples of an encode from a luma plane: see CambiScorer::sample() and smooth() in
// src/metrics/cambi.cpp.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/cambi.interface.h"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint kBits = 8u;

layout(set = 0, binding = 0, std430) readonly buffer Plane { uint plane[]; };
layout(set = 0, binding = 1, std430) readonly buffer Places { uint places[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Samples { uint samples[]; };
layout(set = 0, binding = 3, std430) writeonly buffer Sums { uint sums[]; };
layout(set = 0, binding = 4, std430) writeonly buffer Histograms { uint histograms[]; };
layout(push_constant, std430) uniform Push { CambiLumaPush push; };

const uint kExtraBits = kBits > 10u ? kBits - 10u : 0u;
const uint kMissingBits = kBits < 10u ? 10u - kBits : 0u;
const uint kHalf = kExtraBits > 0u ? (1u << kExtraBits) >> 1 : 0u;

uint sample_at(uint row, uint x) {
  const uint word = plane[row + (kBits > 8u ? x >> 1 : x >> 2)];
  const uint value = kBits > 8u ? word >> ((x & 1u) * 16u) & 0xffffu : word >> ((x & 3u) * 8u) & 0xffu;
  return (value + kHalf) >> kExtraBits << kMissingBits;
}

// Returns the samples of two columns of the encode, and of the next column, which means need.
uvec3 samples_of(uint y, uvec3 columns) {
  const uint last = min(y, push.height - 1u);
  const uint row = (push.sampled != 0u ? places[push.width + last] : last) * push.plane_stride;
  return uvec3(sample_at(row, columns.x), sample_at(row, columns.y),
               push.smoothed != 0u ? sample_at(row, columns.z) : 0u);
}

void clear() {
  const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint invocations = gl_NumWorkGroups.x * gl_NumWorkGroups.y * kCambiColumns;
  const uint self = group * kCambiColumns + gl_LocalInvocationIndex;
  for (uint i = self; i < push.sum_words; i += invocations) sums[i] = 0u;
  for (uint i = self; i < push.histogram_words; i += invocations) histograms[i] = 0u;
}

void main() {
  clear();
  const uint word = gl_WorkGroupID.x * kCambiColumns + gl_LocalInvocationIndex;
  if (word >= push.stride) return;
  const uint first = gl_WorkGroupID.y * kCambiLumaRows;
  const uint end = min(first + kCambiLumaRows, push.height);
  // The last column and the last row are repeated. A mean that uses the repeated column or row is then a mean
  // of two samples.
  uvec3 columns = min(2u * word + uvec3(0u, 1u, 2u), uvec3(push.width - 1u));
  if (push.sampled != 0u) columns = uvec3(places[columns.x], places[columns.y], places[columns.z]);
  const bool odd_end = 2u * word + 1u == push.width;
  uvec3 row = samples_of(first, columns);
  for (uint y = first; y < end; ++y) {
    uvec2 value = row.xy;
    if (push.smoothed != 0u || y + 1u < end) {
      const uvec3 below = samples_of(y + 1u, columns);
      if (push.smoothed != 0u) value = (row.xy + row.yz + below.xy + below.yz) >> 2;
      row = below;
    }
    samples[y * push.stride + word] = value.x | (odd_end ? 0u : value.y << 16);
  }
}
