// The loop filter of VP9 on two lines of samples at once: "Sample filtering process" of the VP9
// specification's section 8.8.5. A word holds the samples of two lines at one position, one in each 16-bit
// half. A half has room for the sum of 16 samples, also of 12 bits. V3D has no arithmetic on bytes, but an
// addition costs the same for two halves as for one number. Shaders for samples of more than 8 bits define
// HIGH_BIT_DEPTH.

#ifdef HIGH_BIT_DEPTH
layout(constant_id = kExtraBitsConstant) const uint kExtraBits = 2u;
#else
const uint kExtraBits = 0u;
#endif

const uint kSamples = 0x00010001u * ((256u << kExtraBits) - 1u);
const uint kFlags = 0x80008000u;  // highest bit of each half; comparisons store their result in it

// Indices of a line's samples: s[0..15] = p7 ... p0 q0 ... q7. Narrower filters use the middle 8.
const int kP0 = 7;
const int kQ0 = 8;

uint in_halves(uint value) { return value | (value << 16); }

// E, I and H of an edge, in the form that within() takes.
struct Limits {
  uint across;    // 2E + 1: limit of steps across the boundary
  uint step;      // I: limit of steps on either side
  uint variance;  // H: threshold of high edge variance
};

Limits unpack_limits(uint packed_limits) {
  return Limits(in_halves((2u * (packed_limits & 0xffu) << kExtraBits) + 1u) + kFlags,
                in_halves(((packed_limits >> 8) & 0xffu) << kExtraBits) + kFlags,
                in_halves(((packed_limits >> 16) & 0xffu) << kExtraBits) + kFlags);
}

#include "halves.glsl"

// Returns the filter mask in kFlags. The condition 2|p0-q0| + |p1-q1|/2 <= E, rounded down, equals 4|p0-q0|
// + |p1-q1| <= 2E + 1. A sum of two magnitudes is the larger magnitude of sum and difference.
uint filter_mask(uint s[16], Limits limits) {
  uint mask = within(4u * s[kP0] + s[kP0 - 1], 4u * s[kQ0] + s[kQ0 + 1], limits.across) &
              within(4u * s[kP0] + s[kQ0 + 1], 4u * s[kQ0] + s[kP0 - 1], limits.across);
  [[unroll]] for (int i = 0; i < 3; ++i) {
    mask &= within(s[kP0 - i], s[kP0 - i - 1], limits.step) &
            within(s[kQ0 + i], s[kQ0 + i + 1], limits.step);
  }
  return mask;
}

// Sets the flags of halves where samples `first` to `last` of both sides are within 1 (at 8 bits) of p0 and
// q0.
uint all_near(uint s[16], int first, int last) {
  const uint one = kFlags + (0x00010001u << kExtraBits);
  uint near = kFlags;
  [[unroll]] for (int i = first; i <= last; ++i) {
    near &= within(s[kP0 - i], s[kP0], one) & within(s[kQ0 + i], s[kQ0], one);
  }
  return near;
}

// Returns biased - bias in each half, clamped to the samples' range.
uint corrected(uint biased, uint bias) { return at_most(excess(biased, bias), kSamples); }

// Applies the narrow filter where `mask` has ones. Numbers in this comment are for 8 bits. Differences of
// samples equal differences of the specification's signed samples (value - 128), so only the final clamp
// changes: to 0..255 instead of -128..127. A bias is added to signed values; a shift divides it too. Where
// the mask clears `base`, all corrections are 0.
void narrow_filter(uint s[16], uint mask, uint hev, int shift, inout uint to[16]) {
  const uint kBias = 0x04000400u << kExtraBits;
  const uint kHalf = 0x00800080u << kExtraBits;
  const uint kBias8 = kBias >> 3;
  const uint kBias16 = kBias >> 4;
  const uint p1 = s[kP0 - 1];
  const uint p0 = s[kP0];
  const uint q0 = s[kQ0];
  const uint q1 = s[kQ0 + 1];
  const uint outer = at_most(at_least((p1 & hev) + kBias - (q1 & hev), kBias - kHalf),
                             kBias + kHalf - 0x00010001u);
  // The step is clamped so that, for a step of 124 or more, both sums below (with 4 and with 3) give 15 after
  // the shift, as for a step of 123.
  const uint step = at_most(at_least(outer + 2u * q0 + q0 - (2u * p0 + p0), kBias - kHalf),
                            kBias + kHalf - 0x00050005u);
  const uint base = choose(mask, step, kBias);
  const uint filter1 = ((base + 0x00040004u) >> 3) & 0x1fff1fffu;
  const uint filter2 = ((base + 0x00030003u) >> 3) & 0x1fff1fffu;
  const uint inner = choose(hev, kBias16, ((filter1 + 0x00010001u) >> 1) & 0x7fff7fffu);
  to[kP0 - 1] += (corrected(p1 + inner, kBias16) - p1) << shift;
  to[kP0] += (corrected(p0 + filter2, kBias8) - p0) << shift;
  to[kQ0] += (corrected(q0 + 2u * kBias8 - filter1, kBias8) - q0) << shift;
  to[kQ0 + 1] += (corrected(q1 + 2u * kBias16 - inner, kBias16) - q1) << shift;
}

// Applies the wide filter over a box of `radius` 3 or 7 on each side, where `mask` has ones. It keeps a
// running sum of the box, with the rounding constant, like wide_filter() in src/vp9/loop_filter.cpp.
void wide_filter(uint s[16], int radius, uint mask, int shift, inout uint to[16]) {
  const int first = kP0 - radius;
  const int last = kQ0 + radius;
  const int scale = radius == 3 ? 3 : 4;
  const uint samples = (mask & kSamples) << shift;
  uint sum = in_halves(uint(radius) + 1u);
  sum += radius == 3 ? 2u * s[first] + s[first] : 8u * s[first] - s[first];
  [[unroll]] for (int k = first + 1; k <= first + radius + 1; ++k) sum += s[k];
  [[unroll]] for (int k = first + 1; k < last; ++k) {
    const uint total = sum + s[k];
    const uint mean = shift == 0 ? total >> scale : total << (shift - scale);
    to[k] = choose(samples, mean, to[k]);
    sum += s[min(k + 1 + radius, last)];
    sum -= s[max(k - radius, first)];
#ifdef HIGH_BIT_DEPTH
    // The added term is always 0, but the compiler does not know that, so the sums wait for the means. The
    // V3D compiler would otherwise compute the sums early and spill them.
    if (radius == 7 && k % 4 == 0) sum += to[k] & ~kSamples;
#endif
  }
}

// Filters an edge `width` wide. Writes the samples of `s` that change to `to`, `shift` bits (0 or 8)
// further up.
void filter_lines(uint s[16], int width, Limits limits, int shift, inout uint to[16]) {
  const uint flags = filter_mask(s, limits);
  const uint hev = half_mask(~(within(s[kP0 - 1], s[kP0], limits.variance) &
                               within(s[kQ0 + 1], s[kQ0], limits.variance)));
  narrow_filter(s, half_mask(flags), hev, shift, to);
  if (width >= 8) {
    const uint near = flags & all_near(s, 1, 3);
    wide_filter(s, 3, half_mask(near), shift, to);
    // The branch is never taken. It is there because the V3D compiler moves no code across it: otherwise it
    // would begin the widest filter early and spill the registers that this needs.
    if (width == 16 && push.strides[0] == 0xffffffffu) planes[0] = 0u;
    if (width == 16) wide_filter(s, 7, half_mask(near & all_near(s, 4, 7)), shift, to);
  }
}
