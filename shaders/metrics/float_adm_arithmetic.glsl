// Computes in binary32, to the same bits, what the scalar definition of float_adm computes in binary64 or
// by division. `precise` forbids the compiler to fuse or reorder these operations.

#include "uint64.glsl"

// ---- Quotients rounded to the nearest binary32 number. Vulkan's division may be off by some units in the
// last place, so the exact remainder corrects an estimate.

// Returns magnitude / divisor for 0 < magnitude < divisor. Both and the quotient must be normal numbers.
float exact_quotient(float magnitude, float divisor) {
  const uint t = floatBitsToUint(magnitude);
  const uint o = floatBitsToUint(divisor);
  const uint t_significand = (t & 0x7fffffu) | 0x800000u;
  const uint o_significand = (o & 0x7fffffu) | 0x800000u;
  // The dividend is scaled so that the quotient of the significands is in [1, 2).
  const uint halved = t_significand < o_significand ? 1u : 0u;
  const precise float dividend =
      uintBitsToFloat(((t & 0x7fffffu) | 0x3f800000u) + (halved << 23));
  const precise float unit = uintBitsToFloat((o & 0x7fffffu) | 0x3f800000u);
  precise float reciprocal = 1.0 / unit;
  reciprocal = reciprocal + reciprocal * (1.0 - unit * reciprocal);
  // The estimate is off by at most 4, so the remainder, a difference of 48-bit products, fits into 32 bits.
  int quotient = int(dividend * reciprocal * 8388608.0 + 0.5);
  int remainder = int((t_significand << (23u + halved)) - uint(quotient) * o_significand);
  const int divisor_significand = int(o_significand);
  const int step = int(round(float(remainder) * (reciprocal * (1.0 / 8388608.0))));
  quotient += step;
  remainder -= step * divisor_significand;
  // Rounds up if the remainder is more than half of the divisor; no quotient lies half-way between two
  // numbers of 24 bits.
  if (2 * remainder > divisor_significand) quotient += 1;
  if (2 * remainder < -divisor_significand) quotient -= 1;
  const int exponent = int(t >> 23) - int(o >> 23) - int(halved) - 23;
  return uintBitsToFloat(uint(floatBitsToInt(float(quotient)) + exponent * 0x800000));
}

// Returns the part of coefficient o that remains in t, before enhancement: o times t / o, clamped to [0,
// 1].
float restored_share(float o, float t) {
  const uint signs = floatBitsToUint(o) ^ floatBitsToUint(t);
  if (t == 0.0 || o == 0.0 || (signs & 0x80000000u) != 0u) return 0.0;
  if (abs(t) >= abs(o)) return o;
  const precise float restored = exact_quotient(abs(t), abs(o)) * o;
  return restored;
}

// ---- Products of a non-negative binary32 number and one of two binary64 constants. Each constant is split
// into two binary32 numbers, first + rest; `first` is also split into two numbers of 12 bits, high + low.

float high_part(float value) {
  return uintBitsToFloat(floatBitsToUint(value) & 0xfffff000u);
}

const float kNeighbour = 0.0333333351;
const float kNeighbourRest = 2.81978607e-11;
const float kNeighbourHigh = 0.0333251953;
const float kNeighbourLow = 8.1397593e-06;

// Returns 0.0333333351 * detail, computed in binary64 and rounded to binary32. It adds two numbers: the
// product with `first`, and everything beyond that product. This is exact for all 2^23 significands.
float neighbour_masking(float detail) {
  const float high = high_part(detail);
  const precise float low = detail - high;
  const precise float product = detail * kNeighbour;
  const precise float error =
      (((high * kNeighbourHigh - product) + high * kNeighbourLow) + low * kNeighbourHigh) +
      low * kNeighbourLow;
  const precise float rounded = product + (error + detail * kNeighbourRest);
  return rounded;
}

const float kCentre = 0.0666666701;
const float kCentreRest = -4.3604273e-11;
const float kCentreHigh = 0.0666503906;
const float kCentreLow = 1.62795186e-05;

// Computes sum + 0.0666666701 * detail in binary64, rounded to binary32. Returns a lower bound (x) and an
// upper bound (y), from an approximation to 46 bits. If both are equal, they are the value.
vec2 with_centre_masking(float sum, float detail) {
  const float high = high_part(detail);
  const precise float low = detail - high;
  const precise float product = detail * kCentre;
  const precise float error =
      (((high * kCentreHigh - product) + high * kCentreLow) + low * kCentreHigh) +
      low * kCentreLow;
  // total + lost equals sum + product exactly.
  const precise float total = sum + product;
  const precise float of_product = total - sum;
  const precise float lost = (sum - (total - of_product)) + (product - of_product);
  const precise float beyond = lost + (error + detail * kCentreRest);
  const precise float bound = total * (1.0 / 35184372088832.0);  // error bound: 2^-45 of `total`
  const precise float lower = total + (beyond - bound);
  const precise float upper = total + (beyond + bound);
  return vec2(lower, upper);
}

// Returns the exact value of with_centre_masking(), step by step as binary64 does it: product, sum,
// conversion. It serves the cases in which the bounds differ, about one in 2^20.
float with_centre_masking_exactly(float sum, float detail) {
  if (detail == 0.0) return sum;
  const uint kHighSignificand = 0x00111111u;  // significand of 0.0666666701: 53 bits, times 2^-56
  const uint kLowSignificand = 0x1fd00e7du;
  const uint d = floatBitsToUint(detail);
  const uint significand = (d & 0x7fffffu) | 0x800000u;
  uint w0, w1, w2, carried;
  umulExtended(significand, kLowSignificand, carried, w0);
  umulExtended(significand, kHighSignificand, w2, w1);
  w1 += carried;
  if (w1 < carried) w2 += 1u;
  // The product has 76 or 77 bits; 53 of them are kept.
  const uint excess = w2 >= 0x1000u ? 24u : 23u;
  uvec2 product = uvec2(w0 >> excess | w1 << (32u - excess), w1 >> excess | w2 << (32u - excess));
  const uint rest = w0 & ((1u << excess) - 1u);
  const uint half_unit = 1u << (excess - 1u);
  if (rest > half_unit || (rest == half_unit && (product.x & 1u) != 0u)) {
    product = add64(product, 1u);
  }
  // Numbers to add: each has 62 bits and an exponent; `first` has the larger exponent.
  uvec2 first = shift_left64(product, 9u);
  int exponent = int(d >> 23) - 150 - 56 + int(excess) - 9;
  uvec2 second = uvec2(0u);
  int second_exponent = exponent;
  if (sum != 0.0) {
    const uint s = floatBitsToUint(sum);
    second = shift_left64(uvec2((s & 0x7fffffu) | 0x800000u, 0u), 38u);
    second_exponent = int(s >> 23) - 150 - 38;
  }
  if (second_exponent > exponent) {
    const uvec2 other = first;
    first = second;
    second = other;
    const int other_exponent = exponent;
    exponent = second_exponent;
    second_exponent = other_exponent;
  }
  const uint shift = uint(min(exponent - second_exponent, 63));
  const uvec2 aligned = shift_right64(second, shift);
  const bool inexact = shift_left64(aligned, shift) != second;
  uvec2 total = round64(add64(first, aligned), 53, inexact);
  total = round64(total, 24, false);
  const int to_significand = highest_bit64(total) - 23;
  const uint result = shift_right64(total, uint(to_significand)).x;
  exponent += to_significand;
  return uintBitsToFloat(uint(floatBitsToInt(float(result)) + exponent * 0x800000));
}
