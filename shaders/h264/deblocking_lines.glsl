// The deblocking filter on two lines of samples at once, one in each 16-bit half of a word: section 8.7.2 of
// ITU-T H.264. A line is s[0..7] = p3 p2 p1 p0 q0 q1 q2 q3.

const uint kFlags = 0x80008000u;
const uint kSamples = 0x00ff00ffu;

#include "halves.glsl"
#include "rows_in_halves.glsl"

uint in_halves(uint value) { return value | (value << 16); }

const uint kOnes = 0x00010001u;
const uint kBias = 256u * kOnes;  // is added to changes of samples, because halves have no sign

// Thresholds of an edge: alpha - 1 and beta - 1 in the form that within() takes, and the packed word.
struct Thresholds {
  uint alpha;
  uint beta;
  uint packed;
};
Thresholds unpack_thresholds(uint packed) {
  return Thresholds(in_halves(packed & 0xffu) + kFlags - kOnes,
                    in_halves((packed >> 8) & 0xffu) + kFlags - kOnes, packed);
}

// Returns tC0 of an edge for a bS of 1 to 3; any number for others.
uint tc0_of(uint packed, uint strength) {
  return (packed >> ((kTc0Shift - kTc0Bits + kTc0Bits * strength) & 31u)) & 31u;
}

// Returns filterSamplesFlag of each line in kFlags, if bS is not 0.
uint filtered_lines(uint s[8], Thresholds thresholds) {
  return within(s[3], s[4], thresholds.alpha) & within(s[2], s[3], thresholds.beta) &
         within(s[5], s[4], thresholds.beta);
}

// Returns biased - kBias in each half, clamped to the samples' range.
uint unbiased_sample(uint biased) { return at_most(excess(biased, kBias), kSamples); }

// Returns a biased change, clamped to -limit .. limit.
uint clamped_change(uint change, uint limit) {
  return at_most(at_least(change, kBias - limit), kBias + limit);
}

// Changes p0 and q0 for a bS below 4, by tc at most.
void change_inner(inout uint s[8], uint tc) {
  const uint step = 4u * (s[4] + 2u * kBias - s[3]) + s[2] + 4u * kOnes - s[5];
  const uint change = clamped_change((step >> 3) & 0x1fff1fffu, tc);
  s[3] = unbiased_sample(s[3] + change);
  s[4] = unbiased_sample(s[4] + 2u * kBias - change);
}

// Returns sample 1 of a side for a bS below 4: the mean of `s2` and `mean`, at most tc0 from `s1`.
uint second_sample(uint s1, uint s2, uint mean, uint tc0) {
  const uint change = ((s2 + mean + 2u * kBias - 2u * s1) >> 1) & 0x7fff7fffu;
  return s1 + clamped_change(change, tc0) - kBias;
}

// Filters lines of a bS of 1 to 3 (section 8.7.2.3), or 0 where `not_0` is 0. `luma` is all ones for luma, and
// 0 for chroma, of which only p0 and q0 change.
void filter_normally(inout uint s[8], Thresholds thresholds, uint tc0, uint not_0, uint luma) {
  const uint flags = filtered_lines(s, thresholds);
  const uint all = half_mask(flags) & not_0;
  const uint near_p = half_mask(flags & within(s[1], s[3], thresholds.beta)) & luma;
  const uint near_q = half_mask(flags & within(s[6], s[4], thresholds.beta)) & luma;
  tc0 &= all;
  const uint mean = ((s[3] + s[4] + kOnes) >> 1) & kSamples;
  change_inner(s, tc0 + (near_p & kOnes) + (near_q & kOnes) + (kOnes & all & ~luma));
  s[2] = second_sample(s[2], s[1], mean, tc0 & near_p);
  s[5] = second_sample(s[5], s[6], mean, tc0 & near_q);
}

// Returns (2 * a + b + c + 2) >> 2.
uint weak_sample(uint a, uint b, uint c) { return ((2u * a + b + c + 2u * kOnes) >> 2) & kSamples; }

// Filters lines of a bS of 4 (section 8.7.2.4).
void filter_strongly(inout uint s[8], Thresholds thresholds, uint luma) {
  const uint flags = filtered_lines(s, thresholds);
  const uint small = flags & within(s[3], s[4], in_halves(((thresholds.packed & 0xffu) >> 2) + 1u) + kFlags);
  const uint all = half_mask(flags);
  const uint strong_p = half_mask(small & within(s[1], s[3], thresholds.beta)) & luma;
  const uint strong_q = half_mask(small & within(s[6], s[4], thresholds.beta)) & luma;
  const uint p = s[2] + s[3] + s[4];
  const uint q = s[3] + s[4] + s[5];
  const uint p0 = choose(strong_p, ((2u * p + s[1] + s[5] + 4u * kOnes) >> 3) & kSamples,
                         weak_sample(s[2], s[3], s[5]));
  const uint q0 = choose(strong_q, ((2u * q + s[6] + s[2] + 4u * kOnes) >> 3) & kSamples,
                         weak_sample(s[5], s[4], s[2]));
  s[2] = choose(strong_p, ((p + s[1] + 2u * kOnes) >> 2) & kSamples, s[2]);
  s[5] = choose(strong_q, ((q + s[6] + 2u * kOnes) >> 2) & kSamples, s[5]);
  s[1] = choose(strong_p, ((2u * (s[0] + s[1]) + p + s[1] + 4u * kOnes) >> 3) & kSamples, s[1]);
  s[6] = choose(strong_q, ((2u * (s[7] + s[6]) + q + s[6] + 4u * kOnes) >> 3) & kSamples, s[6]);
  s[3] = choose(all, p0, s[3]);
  s[4] = choose(all, q0, s[4]);
}
