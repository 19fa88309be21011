// Weights of a window's rows and columns, equal to metrics::kSsimWeights.
const float kWeights[11] = float[](.001028, .007599, .036001, .109361, .213006, .266012, .213006,
                                   .109361, .036001, .007599, .001028);

// Returns the weight of a variable index. It uses comparisons, because V3D's driver copies an array with a
// variable index to memory.
float weight_of(uint u) {
  const uint v = min(u, 10u - u);
  const float outer = v == 0u ? kWeights[0] : (v == 1u ? kWeights[1] : kWeights[2]);
  const float inner = v == 3u ? kWeights[3] : (v == 4u ? kWeights[4] : kWeights[5]);
  return v < 3u ? outer : inner;
}

// Returns the anchor for products of values with these weights. `magnitudes` holds the smallest value other
// than 0 and the largest value, 2^e <= largest < 2^(e+1). The weights add up to 1.000002, so a sum stays
// below 2.0001 * 2^e. The anchor, 12 * 2^e, keeps the sum far from where the quantum of 2^(e-20) changes.
// Over 11 terms, rounding and a binary64 accumulator lose less than 37 * 2^-24 quanta; the bound is 64 *
// 2^-24.
//
// If least >= 2^(e-8), every term is a multiple of 2^(e-41), and the quantum drops less than 2^(e-17.5)
// from 11 terms: nothing is rounded until the end, and the bound is 0. This is the usual case for samples
// and for sums of samples. It also decides ties, which are frequent for numbers of few bits.
Anchor window_anchor(vec2 magnitudes) {
  const Anchor anchor = make_anchor(magnitudes.y, 8.0, 3.814697265625e-6);
  return magnitudes.x * 256.0 >= magnitudes.y ? Anchor(anchor.value, 0.0) : anchor;
}

// Smallest magnitude if there is no value. Magnitudes start as vec2(kNoSmallest, 0.0), and with_magnitude()
// includes one more value.
const float kNoSmallest = 3e38;
vec2 with_magnitude(vec2 magnitudes, float value) {
  const float size = abs(value);
  return vec2(min(magnitudes.x, size > 0.0 ? size : kNoSmallest), max(magnitudes.y, size));
}
