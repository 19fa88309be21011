// Computes the similarities of a window from its moments. constant_id 0 is the set of similarities needed.

layout(constant_id = 0) const uint kParts = 15u;

bool needs(uint part) { return (kParts & part) != 0u; }

// Similarities of a window, each as a pair, with an error of less than 2^-40. They approximate those of
// metrics::window_similarity(), whose quotients are in binary64. Deviations and structure are rounded as in
// that function.
struct Similarity {
  Pair luminance, contrast, ssim;
  float structure;
};

Similarity similarity(float mu1, float mu2, float s11, float s22, float s12) {
  precise const float square1 = mu1 * mu1;
  precise const float square2 = mu2 * mu2;
  precise const float difference1 = s11 - square1;
  precise const float difference2 = s22 - square2;
  const float variance1 = max(0.0, difference1);
  const float variance2 = max(0.0, difference2);
  precise const float covariance = s12 - mu1 * mu2;
  precise const float variances = variance1 * variance2;
  const float deviations = rounded_root(variances);
  precise const float luminance_divisor = (square1 + square2) + kSsimDivisor1;
  precise const float contrast_divisor = (variance1 + variance2) + kSsimDivisor2;

  const Pair product = two_product(2.0 * mu1, mu2);
  Pair luminance_dividend = two_sum(product.x, kSsimDivisor1);
  luminance_dividend.y += product.y;
  const Pair contrast_dividend = two_sum(2.0 * deviations, kSsimDivisor2);
  const bool flat_window = covariance < 0.0 && deviations <= 0.0;
  precise const float structure_dividend = (flat_window ? 0.0 : covariance) + kSsimDivisor3;
  precise const float structure_divisor = deviations + kSsimDivisor3;

  Similarity result = Similarity(Pair(0.0), Pair(0.0), Pair(0.0), 0.0);
  if (needs(kSsimLuminance | kSsimProduct)) {
    result.luminance = pair_quotient(luminance_dividend, luminance_divisor);
  }
  if (needs(kSsimContrast | kSsimProduct)) {
    result.contrast = pair_quotient(contrast_dividend, contrast_divisor);
  }
  if (needs(kSsimStructure | kSsimProduct)) {
    result.structure = rounded_quotient(structure_dividend, structure_divisor);
  }
  if (!needs(kSsimProduct)) return result;
  const Pair l = result.luminance;
  const Pair c = result.contrast;
  const Pair lc = two_product(l.x, c.x);
  precise const float lc_low = lc.y + (l.x * c.y + l.y * c.x);
  const Pair lcs = two_product(lc.x, result.structure);
  precise const float lcs_low = lcs.y + lc_low * result.structure;
  result.ssim = Pair(lcs.x, lcs_low);
  return result;
}
