// Code shared by the two shaders that compute psnr_hvs's terms: the transform, and the term of a
// coefficient.

// Returns half of the value, rounded towards zero.
int half_of(int value) { return (value + int(uint(value) >> 31)) >> 1; }

// Returns value * factor / 2^shift, rounded to nearest, halves up.
int scaled(int value, int factor, int shift) { return (value * factor + (1 << (shift - 1))) >> shift; }

// Transforms eight samples to eight coefficients, in place. A variable has the number of the coefficient
// that it becomes.
void transform(inout int v[8]) {
  int t0 = v[0], t4 = v[1], t2 = v[2], t6 = v[3], t7 = v[4], t3 = v[5], t5 = v[6], t1 = v[7];

  t1 = t0 - t1;
  const int half1 = half_of(t1);
  t0 -= half1;
  t4 += t5;
  const int half4 = half_of(t4);
  t5 -= half4;
  t3 = t2 - t3;
  t2 -= half_of(t3);
  t6 += t7;
  const int half6 = half_of(t6);
  t7 = half6 - t7;

  t0 += half6;
  t6 = t0 - t6;
  t2 = half4 - t2;
  t4 = t2 - t4;

  t0 -= scaled(t4, 13573, 15);
  t4 += scaled(t0, 11585, 14);
  t0 -= scaled(t4, 13573, 15);
  t6 -= scaled(t2, 21895, 15);
  t2 += scaled(t6, 15137, 14);
  t6 -= scaled(t2, 21895, 15);

  t3 += scaled(t5, 19195, 15);
  t5 += scaled(t3, 11585, 14);
  t3 -= scaled(t5, 7489, 13);
  t7 = half_of(t5) - t7;
  t5 -= t7;
  t3 = half1 - t3;
  t1 -= t3;
  t7 += scaled(t1, 3227, 15);
  t1 -= scaled(t7, 6393, 15);
  t7 += scaled(t1, 3227, 15);
  t5 += scaled(t3, 2485, 13);
  t3 -= scaled(t5, 18205, 15);
  t5 += scaled(t3, 2485, 13);

  v[0] = t0, v[1] = t1, v[2] = t2, v[3] = t3, v[4] = t4, v[5] = t5, v[6] = t6, v[7] = t7;
}

// Returns a / b, rounded as IEEE 754 requires. b must be from a table, with its reciprocal in two parts.
// The remainder of an estimate is exact, and the correction from it is known to 36 bits. A test has tried
// every a with every b of the tables: 36 bits are enough (tests/metrics/test_psnr_hvs_qpu.cpp).
float quotient_by(float a, float b, float reciprocal_high, float reciprocal_low) {
  precise const float estimate = a * (reciprocal_high + reciprocal_low);
  precise const float remainder = exact_remainder(a, estimate, b);
  precise const float high = leading_bits(remainder);
  precise const float low = remainder - high;
  precise const float quotient =
      estimate + (high * reciprocal_high + (low * reciprocal_high + remainder * reciprocal_low));
  return quotient;
}

float term_of(uint entry, int difference, float threshold) {
  const vec4 of_coefficient = tables[entry];
  const float hidden = quotient_by(threshold, of_coefficient.y, of_coefficient.z, of_coefficient.w);
  const float size = float(abs(difference));
  precise const float visible = size < hidden ? 0.0 : size - hidden;
  precise const float weighted = visible * of_coefficient.x;
  precise const float term = weighted * weighted;
  return term;
}
