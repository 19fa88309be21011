// adm, scale 0: wavelet transform of luma samples, read in the picture's layout. An invocation computes
// four samples of every band. All sums fit into 32 bits: samples minus half their range, weighted by taps
// whose magnitudes add up to 54822, become at most 27411; a second pass makes these at most 22929.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/adm.interface.h"
#include "metrics/adm_wavelet.glsl"

layout(constant_id = 0) const uint kBits = 8u;

layout(set = 0, binding = 0, std430) readonly buffer Reference { uvec2 reference_luma[]; };
layout(set = 0, binding = 1, std430) readonly buffer Distorted { uvec2 distorted_luma[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Wavelets { ivec4 wavelets[]; };

// Number of samples that an invocation loads: its eight input samples, one before them and one after them.
const int kSamples = 10;

// Words of four rows: the two or four words with the eight samples, and one word on each side.
struct Words {
  uvec4 left, a, b, c, d, right;
};

// Loads words of four rows. A word outside the row is replaced by one inside it.
#define LOAD(plane)                                                        \
  Words load_##plane(uvec4 rows, uint stride, uint quad) {                 \
    const uint vectors = kBits > 8u ? 2u : 1u;                             \
    const uint last = (push.input_width - 1u) / (kBits > 8u ? 4u : 8u);    \
    const uvec4 at = rows * stride;                                        \
    const uvec4 first = at + quad * vectors;                               \
    const uvec4 before = at + max(quad * vectors, 1u) - 1u;                \
    const uvec4 behind = at + min((quad + 1u) * vectors, last);            \
    Words w;                                                               \
    w.left = uvec4(plane[before.x].y, plane[before.y].y, plane[before.z].y, plane[before.w].y); \
    uvec2 x = plane[first.x], y = plane[first.y], z = plane[first.z], u = plane[first.w];       \
    w.a = uvec4(x.x, y.x, z.x, u.x);                                       \
    w.b = uvec4(x.y, y.y, z.y, u.y);                                       \
    w.c = w.d = uvec4(0u);                                                 \
    if (kBits > 8u) {                                                      \
      x = plane[first.x + 1u];                                             \
      y = plane[first.y + 1u];                                             \
      z = plane[first.z + 1u];                                             \
      u = plane[first.w + 1u];                                             \
      w.c = uvec4(x.x, y.x, z.x, u.x);                                     \
      w.d = uvec4(x.y, y.y, z.y, u.y);                                     \
    }                                                                      \
    w.right = uvec4(plane[behind.x].x, plane[behind.y].x, plane[behind.z].x, plane[behind.w].x); \
    return w;                                                              \
  }
LOAD(reference_luma)
LOAD(distorted_luma)

// Rounding and offset of the vertical filter. Half the range is subtracted from the sum; the high-pass
// filter is not affected by it.
const int kHalfRange = (15826 + 27411 + 7345 - 4240) << (kBits - 1u);
const int kRound = 1 << (kBits - 1u);
int low_of(uvec4 s) { return (weighed_sum(kLowTaps, ivec4(s)) - kHalfRange + kRound) >> int(kBits); }
int high_of(uvec4 s) { return (weighed_sum(kHighTaps, ivec4(s)) + kRound) >> int(kBits); }

// Mirrors samples at the ends of a row. Samples `v` from index `inside` on lie outside the row.
void mirror_ends(bool left, int inside, inout int v[kSamples]) {
  if (left) v[0] = v[2];
#define MIRROR(i)                                \
  if (inside == i) {                             \
    v[i] = v[i - 1];                             \
    v[i < 9 ? i + 1 : i] = v[i < 9 ? i - 2 : i]; \
  }
  MIRROR(2) MIRROR(3) MIRROR(4) MIRROR(5) MIRROR(6) MIRROR(7) MIRROR(8) MIRROR(9)
}

int across(ivec4 taps, int s0, int s1, int s2, int s3) {
  return (weighed_sum(taps, ivec4(s0, s1, s2, s3)) + 32768) >> 16;
}

ivec4 four_across(ivec4 taps, int v[kSamples]) {
  return ivec4(across(taps, v[0], v[1], v[2], v[3]), across(taps, v[2], v[3], v[4], v[5]),
               across(taps, v[4], v[5], v[6], v[7]), across(taps, v[6], v[7], v[8], v[9]));
}

void main() {
  const uint row = gl_GlobalInvocationID.y;
  const uint quad = gl_GlobalInvocationID.x;
  if (row >= push.height || quad * kIntegerAdmColumns >= push.width) return;
  const uvec4 rows = input_rows(row);
  const uint picture = gl_WorkGroupID.z;
  Words w;
  if (picture == 0u) {
    w = load_reference_luma(rows, push.reference_stride, quad);
  } else {
    w = load_distorted_luma(rows, push.distorted_stride, quad);
  }
#define BYTE(word, i) bitfieldExtract(word, 8 * i, 8)
#define FILTER_BYTES(filter)                                                             \
  int[kSamples](filter(BYTE(w.left, 3)), filter(BYTE(w.a, 0)), filter(BYTE(w.a, 1)),     \
                filter(BYTE(w.a, 2)), filter(BYTE(w.a, 3)), filter(BYTE(w.b, 0)),        \
                filter(BYTE(w.b, 1)), filter(BYTE(w.b, 2)), filter(BYTE(w.b, 3)),        \
                filter(BYTE(w.right, 0)))
#define FILTER_WORDS(filter)                                                             \
  int[kSamples](filter(w.left >> 16), filter(w.a & 0xffffu), filter(w.a >> 16),          \
                filter(w.b & 0xffffu), filter(w.b >> 16), filter(w.c & 0xffffu),         \
                filter(w.c >> 16), filter(w.d & 0xffffu), filter(w.d >> 16),             \
                filter(w.right & 0xffffu))
  int low[kSamples];
  int high[kSamples];
  if (kBits > 8u) {
    low = FILTER_WORDS(low_of);
    high = FILTER_WORDS(high_of);
  } else {
    low = FILTER_BYTES(low_of);
    high = FILTER_BYTES(high_of);
  }
  const int inside = int(push.input_width) - int(8u * quad) + 1;
  const bool left = quad == 0u;
  if (left || inside < kSamples) {
    mirror_ends(left, inside, low);
    mirror_ends(left, inside, high);
  }
  const uint plane = push.plane / 4u;
  const uint at = picture * 4u * plane + row * (push.pitch / 4u) + quad;
  wavelets[at] = four_across(kLowTaps, low);
  wavelets[at + plane] = four_across(kLowTaps, high);
  wavelets[at + 2u * plane] = four_across(kHighTaps, low);
  wavelets[at + 3u * plane] = four_across(kHighTaps, high);
}
