// Sums of binary32 terms as a binary64 accumulator rounded to binary32 gives them, in binary32 only.
//
// A sum starts at an anchor 1.5 * 2^k, so large that it stays between 2^k and 2^(k+1): every addition
// then rounds the term to a multiple of one quantum 2^(k-23), these parts add up exactly, and what rounding
// took off each is added up beside them. That second sum is off by at most 2^-24 of its partial sums,
// each at most half a quantum a term. When the result rounds to the same binary32 at both ends of
// that interval, which also holds the rounding of a binary64 accumulator, it is the number looked for;
// otherwise, about once in 2^14, the caller adds again as binary64_sum.glsl does.
//
// No loop over these may be marked [[unroll]]: spirv-opt then unrolls it, and drivers take the copied
// additions' rounding errors for 0.

struct Anchor {
  float value;
  float bound;  // of the error; also holds the roundings of the test itself
};

// For terms whose factors are at most `magnitude`, 2^e <= magnitude < 2^(e+1): k is that of headroom * 2^e,
// and the bound `quanta` quanta. Nothing is certified where it could underflow.
Anchor make_anchor(float magnitude, float headroom, float quanta) {
  precise const float base = uintBitsToFloat(floatBitsToUint(magnitude) & 0x7f800000u) * headroom;
  precise const float value = 1.5 * base;
  precise const float bound = base * (quanta * 1.1920928955078125e-7);
  const bool tiny = magnitude > 0.0 && magnitude < 1e-12;
  return Anchor(value, tiny ? 1e30 : bound);
}

// Adds a term to each of four sums, of two, or to one.
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

// The sums, and which of them are certified.
vec4 settle(vec4 high, vec4 low, Anchor anchor, out bvec4 certified) {
  precise const vec4 main = high - vec4(anchor.value);
  precise const vec4 below = main + (low - vec4(anchor.bound));
  precise const vec4 above = main + (low + vec4(anchor.bound));
  certified = equal(below, above);
  return below;
}

vec2 settle(vec2 high, vec2 low, Anchor anchor, out bvec2 certified) {
  precise const vec2 main = high - vec2(anchor.value);
  precise const vec2 below = main + (low - vec2(anchor.bound));
  precise const vec2 above = main + (low + vec2(anchor.bound));
  certified = equal(below, above);
  return below;
}

float settle(float high, float low, Anchor anchor, out bool certified) {
  precise const float main = high - anchor.value;
  precise const float below = main + (low - anchor.bound);
  precise const float above = main + (low + anchor.bound);
  certified = below == above;
  return below;
}
