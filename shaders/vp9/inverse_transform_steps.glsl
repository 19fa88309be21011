// The one-dimensional transforms of VP9 (specification, section 8.7.1), in place, on 32-bit values.

layout(constant_id = kTransformValueRangeConstant) const uint kValueRange = kFitting;

// cos(n pi / 64) in 16384ths; sin(n pi / 64) is kCos(32 - n).
const int kCos1 = 16364;
const int kCos2 = 16305;
const int kCos3 = 16207;
const int kCos4 = 16069;
const int kCos5 = 15893;
const int kCos6 = 15679;
const int kCos7 = 15426;
const int kCos8 = 15137;
const int kCos9 = 14811;
const int kCos10 = 14449;
const int kCos11 = 14053;
const int kCos12 = 13623;
const int kCos13 = 13160;
const int kCos14 = 12665;
const int kCos15 = 12140;
const int kCos16 = 11585;
const int kCos17 = 11003;
const int kCos18 = 10394;
const int kCos19 = 9760;
const int kCos20 = 9102;
const int kCos21 = 8423;
const int kCos22 = 7723;
const int kCos23 = 7005;
const int kCos24 = 6270;
const int kCos25 = 5520;
const int kCos26 = 4756;
const int kCos27 = 3981;
const int kCos28 = 3196;
const int kCos29 = 2404;
const int kCos30 = 1606;
const int kCos31 = 804;

// Values that are transformed in place. They are variables, because the V3D compiler keeps arrays in memory.
int t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11, t12, t13, t14, t15;
int t16, t17, t18, t19, t20, t21, t22, t23, t24, t25, t26, t27, t28, t29, t30, t31;

// Wraps a value to 16 bits if kValueRange is kWrapping; otherwise returns it unchanged.
int kept(int value) { return kValueRange == kWrapping ? bitfieldExtract(value, 0, 16) : value; }

int rounded(int sum) { return kept((sum + 8192) >> 14); }

// Functions that split a value into parts, and that round sums of products of values and cosines. 32-bit
// values are split into a high part and a signed part of 16 bits, so that sums wrap exactly as those of the
// scalar definition.
int high(int value) { return (value >> 16) + ((value >> 15) & 1); }
int low(int value) { return bitfieldExtract(value, 0, 16); }
int joined(int high_sum, int low_sum) { return 4 * high_sum + ((low_sum + 8192) >> 14); }

int sum_of(int a, int p, int b, int q) {
  if (kValueRange == kWrapping32) {
    return joined(high(a) * p + high(b) * q, low(a) * p + low(b) * q);
  }
  return rounded(a * p + b * q);
}

// Returns (a + b) * p, rounded; correct also if a + b exceeds the range of values.
int scaled_sum(int a, int b, int p) {
  if (kValueRange == kWrapping32) return joined((high(a) + high(b)) * p, (low(a) + low(b)) * p);
  return rounded((a + b) * p);
}
int scaled_difference(int a, int b, int p) {
  if (kValueRange == kWrapping32) return joined((high(a) - high(b)) * p, (low(a) - low(b)) * p);
  return rounded((a - b) * p);
}

int sum_of(int a, int b, int c, int d, int p, int q, int r, int s) {
  if (kValueRange == kWrapping32) {
    return joined(high(a) * p + high(b) * q + high(c) * r + high(d) * s,
                  low(a) * p + low(b) * q + low(c) * r + low(d) * s);
  }
  return rounded(a * p + b * q + c * r + d * s);
}

// Sets (a, b) to (a cos - b sin, a sin + b cos).
void rotate(inout int a, inout int b, int cosine, int sine) {
  const int turned = sum_of(a, cosine, b, -sine);
  b = sum_of(a, sine, b, cosine);
  a = turned;
}
// Sets (a, b) to (a sin + b cos, a cos - b sin).
void rotate_and_exchange(inout int a, inout int b, int cosine, int sine) {
  const int turned = sum_of(a, sine, b, cosine);
  b = sum_of(a, cosine, b, -sine);
  a = turned;
}
// Rotates by pi / 4: sets (a, b) to (a + b, a - b) cos.
void halve(inout int a, inout int b) {
  const int difference = scaled_difference(a, b, kCos16);
  a = scaled_sum(a, b, kCos16);
  b = difference;
}
void butterfly(inout int a, inout int b) {
  const int difference = kept(a - b);
  a = kept(a + b);
  b = difference;
}

// Functions for the DCT. A DCT of N values consists of the DCT of N / 2 on its even inputs, of steps on its
// odd inputs, and of butterflies between the two halves. Inputs come in bit-reversed order, outputs in
// natural order. `bias` is added to all outputs; it must be 0 unless kValueRange is kFitting.
void dct4(int bias) {
  if (kValueRange == kFitting) {
    const int sum = ((t0 + t1) * kCos16 + 8192 + (bias << 14)) >> 14;
    t1 = ((t0 - t1) * kCos16 + 8192 + (bias << 14)) >> 14;
    t0 = sum;
  } else {
    halve(t0, t1);
  }
  rotate(t2, t3, kCos24, kCos8);
  butterfly(t0, t3);
  butterfly(t1, t2);
}

void dct8(int bias) {
  dct4(bias);
  rotate(t4, t7, kCos28, kCos4);
  rotate(t5, t6, kCos12, kCos20);
  butterfly(t4, t5);
  butterfly(t7, t6);
  halve(t6, t5);
  butterfly(t0, t7);
  butterfly(t1, t6);
  butterfly(t2, t5);
  butterfly(t3, t4);
}

void dct16(int bias) {
  dct8(bias);
  rotate(t8, t15, kCos30, kCos2);
  rotate(t9, t14, kCos14, kCos18);
  rotate(t10, t13, kCos22, kCos10);
  rotate(t11, t12, kCos6, kCos26);
  butterfly(t8, t9);
  butterfly(t11, t10);
  butterfly(t12, t13);
  butterfly(t15, t14);
  rotate_and_exchange(t14, t9, kCos24, kCos8);
  rotate_and_exchange(t13, t10, -kCos8, kCos24);
  butterfly(t8, t11);
  butterfly(t9, t10);
  butterfly(t15, t12);
  butterfly(t14, t13);
  halve(t13, t10);
  halve(t12, t11);
  butterfly(t0, t15);
  butterfly(t1, t14);
  butterfly(t2, t13);
  butterfly(t3, t12);
  butterfly(t4, t11);
  butterfly(t5, t10);
  butterfly(t6, t9);
  butterfly(t7, t8);
}

// Runs the steps on the odd inputs of the DCT of 32, after the DCT of 16 on its even inputs.
void dct32_odd_inputs() {
  rotate(t16, t31, kCos31, kCos1);
  rotate(t17, t30, kCos15, kCos17);
  rotate(t18, t29, kCos23, kCos9);
  rotate(t19, t28, kCos7, kCos25);
  rotate(t20, t27, kCos27, kCos5);
  rotate(t21, t26, kCos11, kCos21);
  rotate(t22, t25, kCos19, kCos13);
  rotate(t23, t24, kCos3, kCos29);
  butterfly(t16, t17);
  butterfly(t19, t18);
  butterfly(t20, t21);
  butterfly(t23, t22);
  butterfly(t24, t25);
  butterfly(t27, t26);
  butterfly(t28, t29);
  butterfly(t31, t30);
  rotate_and_exchange(t30, t17, kCos28, kCos4);
  rotate_and_exchange(t29, t18, -kCos4, kCos28);
  rotate_and_exchange(t26, t21, kCos12, kCos20);
  rotate_and_exchange(t25, t22, -kCos20, kCos12);
  butterfly(t16, t19);
  butterfly(t17, t18);
  butterfly(t23, t20);
  butterfly(t22, t21);
  butterfly(t24, t27);
  butterfly(t25, t26);
  butterfly(t31, t28);
  butterfly(t30, t29);
  rotate_and_exchange(t29, t18, kCos24, kCos8);
  rotate_and_exchange(t28, t19, kCos24, kCos8);
  rotate_and_exchange(t27, t20, -kCos8, kCos24);
  rotate_and_exchange(t26, t21, -kCos8, kCos24);
  butterfly(t16, t23);
  butterfly(t17, t22);
  butterfly(t18, t21);
  butterfly(t19, t20);
  butterfly(t31, t24);
  butterfly(t30, t25);
  butterfly(t29, t26);
  butterfly(t28, t27);
  halve(t27, t20);
  halve(t26, t21);
  halve(t25, t22);
  halve(t24, t23);
  butterfly(t0, t31);
  butterfly(t1, t30);
  butterfly(t2, t29);
  butterfly(t3, t28);
  butterfly(t4, t27);
  butterfly(t5, t26);
  butterfly(t6, t25);
  butterfly(t7, t24);
  butterfly(t8, t23);
  butterfly(t9, t22);
  butterfly(t10, t21);
  butterfly(t11, t20);
  butterfly(t12, t19);
  butterfly(t13, t18);
  butterfly(t14, t17);
  butterfly(t15, t16);
}

void dct32(int bias) {
  dct16(bias);
  dct32_odd_inputs();
}

// Rotates a and b by one angle, c and d by another, and adds and subtracts the results before rounding.
void rotate_and_cross(inout int a, inout int b, inout int c, inout int d, int cos1, int sin1, int cos2,
                      int sin2) {
  if (kValueRange == kWrapping32) {
    const int ph = high(a) * cos1 + high(b) * sin1, pl = low(a) * cos1 + low(b) * sin1;
    const int qh = high(a) * sin1 - high(b) * cos1, ql = low(a) * sin1 - low(b) * cos1;
    const int rh = high(c) * cos2 + high(d) * sin2, rl = low(c) * cos2 + low(d) * sin2;
    const int sh = high(c) * sin2 - high(d) * cos2, sl = low(c) * sin2 - low(d) * cos2;
    a = joined(ph + rh, pl + rl);
    b = joined(qh + sh, ql + sl);
    c = joined(ph - rh, pl - rl);
    d = joined(qh - sh, ql - sl);
  } else {
    const int p = a * cos1 + b * sin1, q = a * sin1 - b * cos1;
    const int r = c * cos2 + d * sin2, s = c * sin2 - d * cos2;
    a = rounded(p + r);
    b = rounded(q + s);
    c = rounded(p - r);
    d = rounded(q - s);
  }
}
// Rotates by pi / 4: sets (a, b) to ((a + b) cos, (a - b) cos).
void last_halves(inout int a, inout int b) {
  const int sum = scaled_sum(a, b, kCos16);
  b = scaled_difference(a, b, kCos16);
  a = sum;
}
// Functions that rotate by pi / 4. The first sets (a, b) to (-(a + b) cos, (a - b) cos), the second to ((a +
// b) cos, (b - a) cos).
void last_halves_negative_sum(inout int a, inout int b) {
  const int sum = scaled_sum(a, b, -kCos16);
  b = scaled_difference(a, b, kCos16);
  a = sum;
}
void last_halves_reversed(inout int a, inout int b) {
  const int sum = scaled_sum(a, b, kCos16);
  b = scaled_difference(b, a, kCos16);
  a = sum;
}

// Functions for the sine transforms (ADST). Inputs and outputs come in natural order.
void adst4() {
  const int a = t0, b = t1, c = t2, d = t3;
  t0 = sum_of(a, b, c, d, 5283, 13377, 15212, 9929);
  t1 = sum_of(a, b, c, d, 9929, 13377, -5283, -15212);
  t2 = sum_of(a, b, c, d, 13377, 0, -13377, 13377);
  t3 = sum_of(a, b, c, d, 15212, -13377, 9929, -5283);
}

void adst8() {
  int x0 = t7, x1 = t0, x2 = t5, x3 = t2, x4 = t3, x5 = t4, x6 = t1, x7 = t6;
  rotate_and_cross(x0, x1, x4, x5, kCos2, kCos30, kCos18, kCos14);
  rotate_and_cross(x2, x3, x6, x7, kCos10, kCos22, kCos26, kCos6);
  butterfly(x0, x2);
  butterfly(x1, x3);
  rotate_and_cross(x4, x5, x6, x7, kCos8, kCos24, -kCos24, kCos8);
  last_halves(x2, x3);
  last_halves(x6, x7);
  t0 = x0;
  t1 = kept(-x4);
  t2 = x6;
  t3 = kept(-x2);
  t4 = x3;
  t5 = kept(-x7);
  t6 = x5;
  t7 = kept(-x1);
}

void adst16() {
  int x0 = t15, x1 = t0;
  int x2 = t13, x3 = t2;
  int x4 = t11, x5 = t4;
  int x6 = t9, x7 = t6;
  int x8 = t7, x9 = t8;
  int x10 = t5, x11 = t10;
  int x12 = t3, x13 = t12;
  int x14 = t1, x15 = t14;
  rotate_and_cross(x0, x1, x8, x9, kCos1, kCos31, kCos17, kCos15);
  rotate_and_cross(x2, x3, x10, x11, kCos5, kCos27, kCos21, kCos11);
  rotate_and_cross(x4, x5, x12, x13, kCos9, kCos23, kCos25, kCos7);
  rotate_and_cross(x6, x7, x14, x15, kCos13, kCos19, kCos29, kCos3);
  butterfly(x0, x4);
  butterfly(x1, x5);
  butterfly(x2, x6);
  butterfly(x3, x7);
  rotate_and_cross(x8, x9, x12, x13, kCos4, kCos28, -kCos28, kCos4);
  rotate_and_cross(x10, x11, x14, x15, kCos20, kCos12, -kCos12, kCos20);
  butterfly(x0, x2);
  butterfly(x1, x3);
  rotate_and_cross(x4, x5, x6, x7, kCos8, kCos24, -kCos24, kCos8);
  butterfly(x8, x10);
  butterfly(x9, x11);
  rotate_and_cross(x12, x13, x14, x15, kCos8, kCos24, -kCos24, kCos8);
  last_halves_negative_sum(x2, x3);
  last_halves_reversed(x6, x7);
  last_halves_reversed(x10, x11);
  last_halves_negative_sum(x14, x15);
  t0 = x0;
  t1 = kept(-x8);
  t2 = x12;
  t3 = kept(-x4);
  t4 = x6;
  t5 = x14;
  t6 = x10;
  t7 = x2;
  t8 = x3;
  t9 = x11;
  t10 = x15;
  t11 = x7;
  t12 = x5;
  t13 = kept(-x13);
  t14 = x9;
  t15 = kept(-x1);
}

// Walsh-Hadamard transform (section 8.7.1.10). Values are halved before they are added, so that no sum
// overflows 32 bits; the dropped bits are then added.
void walsh_hadamard(int shift) {
  int a = t0 >> shift, c = t1 >> shift, d = t2 >> shift, b = t3 >> shift;
  const int half_of_all =
      (a >> 1) + (c >> 1) - (d >> 1) + (b >> 1) + (((a & 1) + (c & 1) - (d & 1) + (b & 1)) >> 1);
  a += c;
  d -= b;
  b = half_of_all - b;
  c = half_of_all - c;
  t0 = kept(a - b);
  t1 = kept(b);
  t2 = kept(c);
  t3 = kept(d + c);
}
