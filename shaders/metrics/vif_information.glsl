// Computes the integers that a window adds to vif's sums, in 32-bit integers and binary32. The results equal
// those that the scalar definition (src/metrics/vif_rows.cpp) computes in binary64. Include this file after
// vif.interface.h. A test includes it as C++, hence the suffixes: in C++ `precise` is empty, and the test
// defines VIF_RECIPROCAL.
//
// Ranges: samples have 16 bits, so a covariance is below 2^30 in magnitude. Rounding of the vertical means
// changes it by at most half of each mean, the other roundings by less than 2: in all at most 65,537. A
// window that is not flat has variance1 >= 2^17. By Cauchy and Schwarz both^2 / variance1 is then at most
// 1.5 * 2^30 + 2^24 < 2^31, so signal and noise have 31 bits.

// Returns 2048 log2(number) - 2048 * 15, for numbers of at least 16 bits. It uses the first 16 bits n, as
// the table of the scalar definition does, and adds 2048 for each further bit. With x = n - 32768 and t = x
// / 16384 - 1, the table's entry is x/16 + P(t) - 1/2, rounded; P is a polynomial. All operations are
// rounded sums and products, so every device gives the same result. A test compares all 32,768 results with
// the table.
int vif_log2(uint number) {
  const int last = findMSB(number);
  const uint x = ((number << uint(31 - last)) >> 16) & 0x7fffu;
  precise const float t = float(int(x) - 16384) * 6.103515625e-05f;
  precise const float p7 = -0.0693254545f * t + 0.236328691f;
  precise const float p6 = p7 * t + -0.665280044f;
  precise const float p5 = p6 * t + 2.39785051f;
  precise const float p4 = p5 * t + -9.12213612f;
  precise const float p3 = p4 * t + 36.4866638f;
  precise const float p2 = p3 * t + -164.146118f;
  precise const float p1 = p2 * t + -39.1209908f;
  precise const float p0 = p1 * t + 174.504105f;
  precise const float sum = p0 + float(x & 15u) * 0.0625f;
  return int(x >> 4) + int(sum) + 2048 * (last - 15);
}

// Returns the high word of a * b.
uint vif_high_product(uint a, uint b) {
  const uint a_high = a >> 16;
  const uint a_low = a & 0xffffu;
  const uint b_high = b >> 16;
  const uint b_low = b & 0xffffu;
  const uint middle = a_high * b_low + ((a_low * b_low) >> 16);
  const uint other = a_low * b_high + (middle & 0xffffu);
  return a_high * b_high + (middle >> 16) + (other >> 16);
}

// Returns E[ab] - E[a] E[b]: product - (mean1 * mean2 + 2^31) / 2^32. Means are in units of 2^-16 of a
// sample's unit. No sum of partial products has more than 32 bits.
int vif_covariance(uint product, uint mean1, uint mean2) {
  const uint high1 = mean1 >> 16;
  const uint low1 = mean1 & 0xffffu;
  const uint high2 = mean2 >> 16;
  const uint low2 = mean2 & 0xffffu;
  const uint middle = high1 * low2 + ((low1 * low2) >> 16);
  const uint other = low1 * high2 + (middle & 0xffffu);
  return int(product - high1 * high2 - (middle >> 16) - ((other + 0x8000u) >> 16));
}

// Product value * (whole + fraction / 2^64), as an integer and 32 fractional bits, rounded down. The integer
// must fit into a word.
struct VifProduct {
  uint whole;
  uint fraction;
};
VifProduct vif_product(uint value, uint whole, uint fraction_high, uint fraction_low) {
  VifProduct product;
  product.whole = value * whole;
  product.fraction = 0u;
  if ((fraction_high | fraction_low) != 0u) {
    const uint low = value * fraction_high;
    product.fraction = low + vif_high_product(value, fraction_low);
    product.whole += vif_high_product(value, fraction_high) + (product.fraction < low ? 1u : 0u);
  }
  return product;
}

// Quotient and remainder: both^2 = quotient * variance + rest.
struct VifQuotient {
  uint quotient;
  uint rest;
};
VifQuotient vif_quotient(uint both, uint variance) {
  const float divisor = float(variance);
  precise const float estimate = VIF_RECIPROCAL(divisor);
  precise const float reciprocal = estimate + estimate * (1.0f - divisor * estimate);
  // The quotient's relative error is less than 2^-19, so the remainder of both^2 has at most 42 bits and
  // the sign.
  precise const float first_quotient = float(both) * (float(both) * reciprocal);
  const uint first = uint(first_quotient);
  // Computes the remainder as middle * 2^16 + (square - part), without the bits above.
  const uint both_high = both >> 16;
  const uint both_low = both & 0xffffu;
  const uint first_high = first >> 16;
  const uint first_low = first & 0xffffu;
  const uint variance_high = variance >> 16;
  const uint variance_low = variance & 0xffffu;
  const uint square = both_low * both_low;
  const uint part = first_low * variance_low;
  const uint middle = 2u * both_high * both_low - first_high * variance_low - first_low * variance_high +
                      ((both_high * both_high - first_high * variance_high) << 16);
  precise const float left = float(int(middle)) * 65536.0f + (float(square) - float(part));
  // Corrects the quotient by at most 2^12, with an error of less than 0.02 before rounding. The new remainder
  // is within 0.52 of the variance, and 32 bits hold it.
  precise const float steps = left * reciprocal;
  const int correction = int(steps + (steps < 0.0f ? -0.5f : 0.5f));
  int rest = int((middle << 16) + square - part - uint(correction) * variance);
  VifQuotient result;
  result.quotient = first + uint(correction);
  if (rest < 0) {
    rest += int(variance);
    result.quotient -= 1u;
  }
  result.rest = uint(rest);
  return result;
}

// Returns the information that the window keeps, in units of 2^-11 bits, or -1 if binary64's roundings
// decide it (vif_binary64.glsl). The window must not be flat, and variance2 and both must be positive.
//
// The scalar definition computes g = both / (variance1 + e), e = 6.5536e-6. It then computes
// trunc(variance2 - g both) if that is positive, and trunc(g g variance1), all in binary64. Let both^2 = q
// variance1 + r.
//
// Without roundings, g both is q + (r - q e) / (variance1 + e). q e < 14,074 is less than a ninth of
// variance1. So g both is between q - 1/9 and q if r < q e, and between q and q + 1 otherwise. Three
// roundings (sum, quotient, product) change it by less than 2^-51 of it: it stays on the same side of q if
// |r - q e| > q (variance1 + e) 2^-51. It never reaches q + 1, because it stays (1 + q e) / (variance1 + e)
// below. The difference to variance2 > q is rounded once more. This rounding cannot cross a whole number,
// but from below it can reach variance2 - q, by at most variance2 2^-53: the upper bound is larger by that.
// If variance2 <= q, the result is 0 on either side.
//
// Without roundings, g g variance1 is q + (r - 2 q e - q e^2 / variance1) / (variance1 + 2 e + e^2 /
// variance1). Six roundings change it by less than 2^-50 of it; q e^2 / variance1 is below q 2^-51.
//
// Errors of binary32 here: `shift`, which is q e, has a relative error of less than 2^-22; the bounds
// contain a 2^-20th part of it. So has `above`, which is r - q e, unless it is far beyond the bounds. The
// bounds are twice the required size. r = 0, the case of equal pictures, is always on the lower side: e >
// 2^-18 is more than variance1 2^-49 < 2^-18.9.
int vif_kept(uint variance1, uint variance2, uint both, VifLimit gain, float error_scale) {
  const VifQuotient of = vif_quotient(both, variance1);
  const uint q = of.quotient;
  const float quotient = float(q);
  const float divisor = float(variance1);
  precise const float shift = quotient * 6.5536e-6f;
  precise const float above = float(of.rest) - shift;
  precise const float slack = shift * 9.5367431640625e-07f * error_scale;
  bool undecided = false;

  uint noise = 131072u;
  if (variance2 > q) {
    precise const float up =
        divisor * (float(variance2) + 1.0f) * 8.8817841970012523e-16f * error_scale + slack;
    precise const float down = divisor * quotient * 8.8817841970012523e-16f * error_scale + slack;
    undecided = above <= up && above >= -down;
    noise += variance2 - q - (above > 0.0f ? 1u : 0u);
  }

  uint explained = 0u;
  bool limited = false;
  if (float(both) > gain.limit_below * divisor) {
    // Here limit * variance1 and the product with its square are below 2^31. The gain exceeds the limit if
    // both exceeds limit * (variance1 + e); 100 e is less than 2^-10.
    const VifProduct bound = vif_product(variance1, gain.limit, gain.limit_high, gain.limit_low);
    limited = both > bound.whole;
    undecided = undecided || (both == bound.whole + 1u && bound.fraction >= 0xff800000u);
    if (limited) {
      // The scalar definition rounds this product once, by at most 2^-23.
      const VifProduct product = vif_product(variance1, gain.square, gain.square_high, gain.square_low);
      explained = product.whole;
      undecided = undecided || product.fraction >= 0xfffffc00u;
    }
  }
  if (!limited) {
    precise const float higher = above - shift;
    precise const float bound =
        divisor * (quotient + 1.0f) * 1.7763568394002505e-15f * error_scale + 2.0f * slack;
    undecided = undecided || abs(higher) <= bound;
    explained = q - (higher > 0.0f ? 0u : 1u);
  }
  return undecided ? -1 : vif_log2(explained + noise) - vif_log2(noise);
}
