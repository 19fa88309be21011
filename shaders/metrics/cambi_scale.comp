// Computes the image of a scale. Takes every sample of the previous image, or every other one of every
// other row, then the modes of three samples, horizontally and vertically; see CambiScorer::halve() and
// filter_modes() in src/metrics/cambi.cpp. An invocation walks down a column of two samples.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/cambi.interface.h"

layout(local_size_x = 64) in;

layout(set = 0, binding = 0, std430) readonly buffer From { uint from[]; };
layout(set = 0, binding = 1, std430) writeonly buffer To { uint to[]; };
layout(push_constant, std430) uniform Push { CambiScalePush push; };

// Loads two columns of a row of the new image, and one on each side, before filtering. Positions outside the
// image give any sample of the image.
uvec4 load(int y, int word) {
  const uint start = uint(clamp(y, 0, int(push.height) - 1)) * push.factor * push.from_stride;
  const int last = int(push.from_stride) - 1;
  if (push.factor == 1u) {
    const uint left = from[start + uint(max(word - 1, 0))];
    const uint middle = from[start + uint(word)];
    const uint right = from[start + uint(min(word + 1, last))];
    return uvec4(left >> 16, middle & 0xffffu, middle >> 16, right & 0xffffu);
  }
  return uvec4(from[start + uint(max(2 * word - 1, 0))], from[start + uint(2 * word)],
               from[start + uint(min(2 * word + 1, last))], from[start + uint(min(2 * word + 2, last))]) &
         0xffffu;
}

uint mode(uint a, uint b, uint c) {
  if (a == b || a == c) return a;
  return b == c ? b : min(min(a, b), c);
}

// Filters horizontally. The outermost columns of the image stay unchanged.
uvec2 modes_across(uvec4 row, uint x) {
  row &= 0x7fffu;
  return uvec2(x == 0u || x + 1u == push.width ? row.y : mode(row.x, row.y, row.z),
               x + 2u == push.width ? row.z : mode(row.y, row.z, row.w));
}

void main() {
  const int word = int(gl_WorkGroupID.x * kCambiColumns + gl_LocalInvocationIndex);
  if (word >= int(push.stride)) return;
  const uint x = 2u * uint(word);
  const int first = int(gl_WorkGroupID.y * kCambiScaleRows);
  const int end = min(first + int(kCambiScaleRows), int(push.height));
  uvec2 above = modes_across(load(first - 1, word), x);
  uvec4 row = load(first, word);
  uvec2 own = modes_across(row, x);
  for (int y = first; y < end; ++y) {
    const uvec4 next = load(y + 1, word);
    const uvec2 below = modes_across(next, x);
    // The outermost rows are not filtered.
    uvec2 value = row.yz & 0x7fffu;
    if (y > 0 && y + 1 < int(push.height)) {
      value = uvec2(mode(above.x, own.x, below.x), mode(above.y, own.y, below.y));
    }
    value |= row.yz & 0x8000u;
    to[uint(y) * push.stride + uint(word)] =
        value.x | (x + 1u < push.width ? value.y << 16 : 0u);
    above = own;
    own = below;
    row = next;
  }
}
