// Weights of a window's rows and columns: metrics::kSsimWeights.
const float kWeights[11] = float[](.001028, .007599, .036001, .109361, .213006, .266012, .213006,
                                   .109361, .036001, .007599, .001028);

// For products of samples, or of squares of samples (degree 2), with these weights. The weights add up to
// 1.000002, so a sum stays below 2.0001 * 2^e or 4.0001 * 2^2e; 12 and 24 times the power keep that
// far from where the quantum changes. What rounding takes off 11 terms, and a binary64 accumulator,
// come to less than 37 * 2^-24 quanta; the bound is 64.
Anchor window_anchor(float magnitude, int degree) {
  return make_anchor(magnitude, degree, degree == 2 ? 16.0 : 8.0, 3.814697265625e-6);
}
