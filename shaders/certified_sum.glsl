// Sums of binary32 terms, computed in binary32 only, that equal a binary64 accumulator rounded to binary32.
//
// A sum starts at an anchor 1.5 * 2^k, so large that it stays between 2^k and 2^(k+1). Every addition then
// rounds the term to a multiple of one quantum 2^(k-23). These parts add up exactly. The bits that rounding
// removes from each term are added up in a second sum. Its error is at most 2^-24 of its partial sums, and
// each partial sum is at most half a quantum per term. This error and the rounding of a binary64
// accumulator define an interval. If both its ends round to the same binary32 number, the sum is certified
// and is that number. Otherwise, about once in 2^14 sums, the caller adds again with binary64_sum.glsl.
//
// Loops over these additions must not be marked [[unroll]]: spirv-opt would unroll them, and drivers then
// treat the copied additions' rounding errors as 0.

struct Anchor {
  float value;
  float bound;  // bound of the sum's error; includes the roundings of the test itself
};

// Returns the anchor for terms whose factors are at most `magnitude`. With 2^e <= magnitude < 2^(e+1), 2^k
// is headroom * 2^e, and the bound is `quanta` quanta. If a term could underflow, nothing is certified.
Anchor make_anchor(float magnitude, float headroom, float quanta) {
  precise const float base = uintBitsToFloat(floatBitsToUint(magnitude) & 0x7f800000u) * headroom;
  precise const float value = 1.5 * base;
  precise const float bound = base * (quanta * 1.1920928955078125e-7);
  const bool tiny = magnitude > 0.0 && magnitude < 1e-12;
  return Anchor(value, tiny ? 1e30 : bound);
}

// Functions that add a term to each of four, two or one sums.
void add_terms(inout vec4 high, inout vec4 low, vec4 terms) {
  precise const vec4 sum = high + terms;
  precise const vec4 rest = terms - (sum - high);
  precise const vec4 low_sum = low + rest;
  high = sum;
  low = low_sum;
}

void add_terms(inout vec2 high, inout vec2 low, vec2 terms) {
  precise const vec2 sum = high + terms;
  precise const vec2 rest = terms - (sum - high);
  precise const vec2 low_sum = low + rest;
  high = sum;
  low = low_sum;
}

void add_terms(inout float high, inout float low, float term) {
  precise const float sum = high + term;
  precise const float rest = term - (sum - high);
  precise const float low_sum = low + rest;
  high = sum;
  low = low_sum;
}

// Returns the sums, and in `certified` which of them are certified.
vec4 certified_sums(vec4 high, vec4 low, Anchor anchor, out bvec4 certified) {
  precise const vec4 main = high - vec4(anchor.value);
  precise const vec4 below = main + (low - vec4(anchor.bound));
  precise const vec4 above = main + (low + vec4(anchor.bound));
  certified = equal(below, above);
  return below;
}

vec2 certified_sums(vec2 high, vec2 low, Anchor anchor, out bvec2 certified) {
  precise const vec2 main = high - vec2(anchor.value);
  precise const vec2 below = main + (low - vec2(anchor.bound));
  precise const vec2 above = main + (low + vec2(anchor.bound));
  certified = equal(below, above);
  return below;
}

float certified_sums(float high, float low, Anchor anchor, out bool certified) {
  precise const float main = high - anchor.value;
  precise const float below = main + (low - anchor.bound);
  precise const float above = main + (low + anchor.bound);
  certified = below == above;
  return below;
}
