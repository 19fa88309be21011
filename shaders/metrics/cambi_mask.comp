// Marks the samples that have enough flat samples in the 7x7 around them: see mark_flat and mask of
// src/metrics/cambi.h. An invocation walks down a column of two samples. For each of the two samples it keeps
// the number of flat samples among the 7 around it in each of the last 7 rows, 3 bits per row.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/cambi.interface.h"

layout(local_size_x = 64) in;

layout(set = 0, binding = 0, std430) readonly buffer Samples { uint samples[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Image { uint image[]; };
layout(push_constant, std430) uniform Push { CambiMaskPush push; };

// Samples of columns x - 4 to x + 5 of a row; x is the column of the word's first sample. Samples outside the
// row are arbitrary.
struct Row {
  uint words[5];
};

Row load(int y, int word) {
  const int start = clamp(y, 0, int(push.height) - 1) * int(push.stride);
  const int last = int(push.stride) - 1;
  return Row(uint[5](samples[start + max(word - 2, 0)], samples[start + max(word - 1, 0)],
                     samples[start + word], samples[start + min(word + 1, last)],
                     samples[start + min(word + 2, last)]));
}

// Sets bit i if the sample of column x - 3 + i is flat.
uint flat_bits(Row row, Row below, int x) {
  uint bits = 0u;
#define WORD(i)                                                                                 \
  {                                                                                             \
    const uint next = row.words[i] >> 16 | row.words[i < 4 ? i + 1 : i] << 16;                  \
    const uint right = row.words[i] ^ next;                                                     \
    const uint down = row.words[i] ^ below.words[i];                                            \
    const int column = x - 4 + 2 * i;                                                           \
    const uint end = uint(int(push.width) - column);                                            \
    /* The last column has no right neighbour. */                                               \
    const uint low = (end == 1u ? 0u : right) | down;                                           \
    const uint high = (end == 2u ? 0u : right) | down;                                          \
    if (i > 0 && column >= 0 && (low & 0xffffu) == 0u && column < int(push.width)) {            \
      bits |= 1u << (i > 0 ? 2 * i - 1 : 0);                                                    \
    }                                                                                           \
    if (i < 4 && column >= -1 && (high >> 16) == 0u && column + 1 < int(push.width)) {          \
      bits |= 1u << (2 * i);                                                                    \
    }                                                                                           \
  }
  WORD(0) WORD(1) WORD(2) WORD(3) WORD(4)
  return bits;
}

void main() {
  const int word = int(gl_WorkGroupID.x * kCambiColumns + gl_LocalInvocationIndex);
  if (word >= int(push.stride)) return;
  const int first = int(gl_WorkGroupID.y * kCambiMaskRows);
  const int end = min(first + int(kCambiMaskRows), int(push.height));
  Row row = load(first - 3, word);
  uvec2 counts = uvec2(0u);  // counts of flat samples in the last rows, the latest row in the lowest bits
  uvec2 sums = uvec2(0u);
  for (int y = first - 3; y < end + 3; ++y) {
    // The last row is compared with itself.
    const Row below = load(y + 1, word);
    uint bits = 0u;
    if (y >= 0 && y < int(push.height)) bits = flat_bits(row, below, 2 * word);
    row = below;
    const uvec2 added = uvec2(bitCount(bits & 0x7fu), bitCount(bits & 0xfeu));
    sums += added - (counts >> 18);
    counts = (counts << 3 | added) & 0x1fffffu;
    if (y < first + 3) continue;
    const uint place = uint(y - 3) * push.stride + uint(word);
    const uint masked = (sums.x > push.flat_limit ? 0x8000u : 0u) |
                        (sums.y > push.flat_limit ? 0x80000000u : 0u);
    image[place] = samples[place] | (2u * uint(word) + 1u < push.width ? masked : masked & 0xffffu);
  }
}
