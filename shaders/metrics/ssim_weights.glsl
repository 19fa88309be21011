// Weights of a window's rows and columns: metrics::kSsimWeights.
const float kWeights[11] = float[](.001028, .007599, .036001, .109361, .213006, .266012, .213006,
                                   .109361, .036001, .007599, .001028);

// The same for an index that is no constant: by comparisons, because V3D's driver first writes an array that
// is indexed so into memory.
float weight_of(uint u) {
  const uint v = min(u, 10u - u);
  const float outer = v == 0u ? kWeights[0] : (v == 1u ? kWeights[1] : kWeights[2]);
  const float inner = v == 3u ? kWeights[3] : (v == 4u ? kWeights[4] : kWeights[5]);
  return v < 3u ? outer : inner;
}

// For products of values with these weights, `magnitudes` the least of the values that are not 0 and the
// largest, 2^e <= largest < 2^(e+1). The weights add up to 1.000002, so a sum stays below 2.0001 * 2^e;
// 12 times the power keeps that far from where the quantum changes, which is 2^(e-20). What rounding takes
// off 11 terms, and a binary64 accumulator, come to less than 37 * 2^-24 quanta; the bound is 64.
//
// With least >= 2^(e-8) every term is a multiple of 2^(e-41) and what the quantum cuts off 11 of them below
// 2^(e-17.5): nothing is rounded until the end, and the bound is 0. This is the rule, for samples and
// sums of them, and it also decides the ties, which numbers of few bits have many of.
Anchor window_anchor(vec2 magnitudes) {
  const Anchor anchor = make_anchor(magnitudes.y, 8.0, 3.814697265625e-6);
  return magnitudes.x * 256.0 >= magnitudes.y ? Anchor(anchor.value, 0.0) : anchor;
}

// The magnitudes of one value more; at first vec2(kNoLeast, 0.0).
const float kNoLeast = 3e38;
vec2 with_magnitude(vec2 magnitudes, float value) {
  const float size = abs(value);
  return vec2(min(magnitudes.x, size > 0.0 ? size : kNoLeast), max(magnitudes.y, size));
}
