// Tests if the horizontal and vertical coefficients (th, tv) of a distorted sample point within one degree
// of the reference's (oh, ov): product >= 0 and product^2 >= cos^2 * reference * distorted. The three sums
// are integers rounded to binary32; the right side is rounded to binary64.

#include "uint64.glsl"

const float kCosSquared = 0.99969541350954788;
const uint kCosMantissa = 16772106u;  // cos^2 of one degree, times 2^24

// A positive integer rounded to 24 significant bits: mantissa * 2^exponent.
struct Binary32 {
  uint mantissa;  // 2^23 to 2^24 - 1
  int exponent;
};

Binary32 binary32(uvec2 value) {
  if (highest_bit64(value) >= 24) value = round64(value, 24, false);
  const int top = highest_bit64(value);
  const uint mantissa =
      top > 23 ? shift_right64(value, uint(top - 23)).x : value.x << uint(23 - top);
  return Binary32(mantissa, top - 23);
}

uvec2 sum_of_products(int a, int b, int c, int d) {
  int high, high2;
  int low, low2;
  imulExtended(a, b, high, low);
  imulExtended(c, d, high2, low2);
  return add64(uvec2(low, high), uvec2(low2, high2));
}

// Compares two sides that are nearly equal. The left side is A = a^2 2^s. The right side before rounding is M
// = cos a' a''. In units in which M has 70 to 72 bits, s is 22 to 26, so A is an even multiple of the unit to
// which M is rounded. Therefore "A >= M rounded" means that M is at most half such a unit above A.
bool same_direction_exactly(int oh, int ov, int th, int tv) {
  const Binary32 product = binary32(sum_of_products(oh, th, ov, tv));
  const Binary32 reference = binary32(sum_of_products(oh, oh, ov, ov));
  const Binary32 distorted = binary32(sum_of_products(th, th, tv, tv));
  uvec2 square;
  umulExtended(product.mantissa, product.mantissa, square.y, square.x);
  square = shift_left64(square, uint(2 * product.exponent - reference.exponent - distorted.exponent + 24));
  uvec2 both;
  umulExtended(reference.mantissa, distorted.mantissa, both.y, both.x);
  uvec2 low;
  umulExtended(both.x, kCosMantissa, low.y, low.x);
  uvec2 high;
  umulExtended(both.y, kCosMantissa, high.y, high.x);
  const uint middle = low.y + high.x;
  const uint top = high.y + (middle < low.y ? 1u : 0u);  // bits 64 and up of M; not 0
  // The two sides differ by less than 2^56, so 64 bits suffice for the difference.
  const uvec2 excess = uvec2(low.x - square.x, middle - square.y - (low.x < square.x ? 1u : 0u));
  if (int(excess.y) < 0) return true;
  return excess.y == 0u && excess.x <= 1u << uint(findMSB(top) + 11);
}

// Compares the two sides in binary32. Returns 1 if the directions are within a degree, 0 otherwise, and 16 if
// both sides are nearly equal. Each step has an error of at most a few units of 2^-24 of the right side or of
// its root. All other products, also negative ones, differ by more.
uint approximate_direction(int oh, int ov, int th, int tv) {
  const vec2 o = vec2(oh, ov);
  const vec2 t = vec2(th, tv);
  const float product = dot(o, t);
  const float bound = kCosSquared * dot(o, o) * dot(t, t);
  if (bound == 0.0) return 1u;  // if the bound is 0, the product is 0 too
  const float excess = product * product - bound;
  if (product > 0.0 && abs(excess) <= bound * 3.814697265625e-6) return 16u;  // the decimal factor is 2^-18
  return product > 0.0 && excess > 0.0 ? 1u : 0u;
}

// Runs the test on four samples; the result of sample i is shifted left by i (0 to 3).
uint approximate_directions(ivec4 oh, ivec4 ov, ivec4 th, ivec4 tv) {
  return approximate_direction(oh.x, ov.x, th.x, tv.x) |
         approximate_direction(oh.y, ov.y, th.y, tv.y) << 1 |
         approximate_direction(oh.z, ov.z, th.z, tv.z) << 2 |
         approximate_direction(oh.w, ov.w, th.w, tv.w) << 3;
}
