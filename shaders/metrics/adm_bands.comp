// adm, scales 1 to 3: wavelet transform of the previous scale's approximations. An invocation computes two
// samples of every band.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/adm.interface.h"
#include "metrics/adm_wavelet.glsl"

layout(constant_id = 0) const uint kScale = 1u;

layout(set = 0, binding = 0, std430) readonly buffer Reference { ivec4 reference_samples[]; };
layout(set = 0, binding = 1, std430) readonly buffer Distorted { ivec4 distorted_samples[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Wavelets { ivec2 wavelets[]; };

// Number of samples that an invocation loads: its four input samples, one before them and one after them.
const int kSamples = 6;

// Words of a row. A word outside the row is replaced by one inside it.
struct Row {
  int before;
  ivec4 four;
  int behind;
};

#define LOAD(plane)                                                    \
  Row load_##plane(uint start, uint pair) {                            \
    const uint last = (push.input_width - 1u) / 4u;                    \
    return Row(plane[start + max(pair, 1u) - 1u].w, plane[start + pair], \
               plane[start + min(pair + 1u, last)].x);                 \
  }
LOAD(reference_samples)
LOAD(distorted_samples)

Row load_row(uint picture, uint row, uint pair) {
  if (picture == 0u) return load_reference_samples(row * push.reference_stride, pair);
  return load_distorted_samples(row * push.distorted_stride, pair);
}

// Values of up to 31 bits are weighted in two halves: value = 2^16 high + low, with low from -2^15 to 2^15
// - 1. The taps' magnitudes add up to 54822, so the sums of halves fit into 32 bits.
int low_half(int value) { return bitfieldExtract(value, 0, 16); }
ivec4 low_halves(ivec4 values) {
  return ivec4(low_half(values.x), low_half(values.y), low_half(values.z), low_half(values.w));
}

// Returns the weighted sum of the values, rounded and shifted right by `shift`, 16 or 15.
int wide_sum(ivec4 taps, ivec4 values, int shift) {
  const ivec4 low = low_halves(values);
  const int high_sum = weighed_sum(taps, (values - low) >> 16);
  const int low_sum = weighed_sum(taps, low);
  return (high_sum << (16 - shift)) + ((low_sum + (1 << (shift - 1))) >> shift);
}

// Filters four samples of a column vertically. Samples of scale 1 have 16 bits and their sums 31; later
// scales need wide_sum().
int down(ivec4 taps, int s0, int s1, int s2, int s3) {
  const ivec4 values = ivec4(s0, s1, s2, s3);
  return kScale == 1u ? weighed_sum(taps, values) : wide_sum(taps, values, 16);
}

int[kSamples] all_down(ivec4 taps, Row r0, Row r1, Row r2, Row r3) {
  return int[kSamples](down(taps, r0.before, r1.before, r2.before, r3.before),
                       down(taps, r0.four.x, r1.four.x, r2.four.x, r3.four.x),
                       down(taps, r0.four.y, r1.four.y, r2.four.y, r3.four.y),
                       down(taps, r0.four.z, r1.four.z, r2.four.z, r3.four.z),
                       down(taps, r0.four.w, r1.four.w, r2.four.w, r3.four.w),
                       down(taps, r0.behind, r1.behind, r2.behind, r3.behind));
}

// Mirrors samples at the ends of a row. Samples `v` from index `inside` on lie outside the row.
void mirror_ends(bool left, int inside, inout int v[kSamples]) {
  if (left) v[0] = v[2];
#define MIRROR(i)                                \
  if (inside == i) {                             \
    v[i] = v[i - 1];                             \
    v[i < 5 ? i + 1 : i] = v[i < 5 ? i - 2 : i]; \
  }
  MIRROR(2) MIRROR(3) MIRROR(4) MIRROR(5)
}

ivec2 two_across(ivec4 taps, int v[kSamples]) {
  const int shift = kScale == 2u ? 16 : 15;
  return ivec2(wide_sum(taps, ivec4(v[0], v[1], v[2], v[3]), shift),
               wide_sum(taps, ivec4(v[2], v[3], v[4], v[5]), shift));
}

void main() {
  const uint row = gl_GlobalInvocationID.y;
  const uint pair = gl_GlobalInvocationID.x;
  if (row >= push.height || 2u * pair >= push.width) return;
  const uvec4 rows = input_rows(row);
  const uint picture = gl_WorkGroupID.z;
  const Row r0 = load_row(picture, rows.x, pair);
  const Row r1 = load_row(picture, rows.y, pair);
  const Row r2 = load_row(picture, rows.z, pair);
  const Row r3 = load_row(picture, rows.w, pair);
  int low[kSamples] = all_down(kLowTaps, r0, r1, r2, r3);
  int high[kSamples] = all_down(kHighTaps, r0, r1, r2, r3);
  const int inside = int(push.input_width) - int(4u * pair) + 1;
  const bool left = pair == 0u;
  if (left || inside < kSamples) {
    mirror_ends(left, inside, low);
    mirror_ends(left, inside, high);
  }
  const uint plane = push.plane / 2u;
  const uint at = picture * 4u * plane + row * (push.pitch / 2u) + pair;
  wavelets[at] = two_across(kLowTaps, low);
  wavelets[at + plane] = two_across(kLowTaps, high);
  wavelets[at + 2u * plane] = two_across(kHighTaps, low);
  wavelets[at + 3u * plane] = two_across(kHighTaps, high);
}
