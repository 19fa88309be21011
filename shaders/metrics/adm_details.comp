// adm: splits the distorted bands of a scale into restored detail and impairment, weights both by the
// contrast sensitivity, and computes their contributions to the masking thresholds. An invocation processes
// four samples of all bands.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/adm.interface.h"
#include "metrics/adm_direction.glsl"

layout(local_size_x = kIntegerAdmLanes, local_size_y = kIntegerAdmRows) in;
layout(constant_id = 0) const bool kFirst = true;

layout(set = 0, binding = 0, std430) readonly buffer Wavelets { ivec4 wavelets[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Details { ivec4 details[]; };
layout(push_constant, std430) uniform Push { AdmDetailsPush push; };

// Returns 2^30 / divisor, rounded down; divisor is 1 to 2^15. The device's estimate, refined once, has a
// relative error of less than 2^-21. The first quotient's remainder then gives a second quotient, which is
// off by at most 1.
uint reciprocal(uint divisor) {
  const float d = float(divisor);
  precise const float estimate = 1.0 / d;
  precise const float refined = estimate + estimate * (1.0 - d * estimate);
  uint quotient = uint(1073741824.0 * refined);
  int rest = int(1073741824u - quotient * divisor);
  quotient += uint(int(floor(float(rest) * refined)));
  rest = int(1073741824u - quotient * divisor);
  if (rest < 0) return quotient - 1u;
  return rest >= int(divisor) ? quotient + 1u : quotient;
}

// Returns t / o in units of 2^-15, clamped to 0 to 1. A divisor of more than 15 bits is rounded to 15 bits,
// which drops e bits. If t is at least twice as large, the quotient is more than 1; otherwise reciprocal *
// (t >> e) is below 2^32.
int restored_share(int o, int t) {
  if (o == 0) return 32768;
  if (t == 0 || (o ^ t) < 0) return 0;
  const uint divisor = uint(abs(o));
  const uint dividend = uint(abs(t));
  if (dividend >> 1 >= divisor) return 32768;
  if (kFirst) return int(min((reciprocal(divisor) * dividend + 16384u) >> 15, 32768u));
  const uint e = uint(max(findMSB(divisor) - 14, 0));
  const uint r = reciprocal((divisor + (1u << e >> 1)) >> e);
  const uint low = dividend & ((1u << e) - 1u);
  const uint ratio = (r * (dividend >> e) + (r * low >> e) + 16384u) >> 15;
  return int(min(ratio, 32768u));
}

// Returns the enhanced size of restored detail: size times the gain limit, rounded down, at most the size of
// the distorted detail (`limit`). The scalar definition rounds the product to binary64. This rounding lifts
// the product to the next whole number if at most half a unit in the last place is missing. For a whole part
// of 2^e to 2^(e + 1) - 1, that half unit is 2^(e - 53).
uint enhanced_size(uint size, uint limit) {
  uvec2 whole;
  umulExtended(size, push.gain_whole, whole.y, whole.x);
  if ((push.gain_fraction_high | push.gain_fraction_low) != 0u) {
    // Fraction of the product, in units of 2^-52 (low) and 2^-20 (high).
    uvec2 low, high;
    umulExtended(size, push.gain_fraction_low, low.y, low.x);
    umulExtended(size, push.gain_fraction_high, high.y, high.x);
    high = add64(high, low.y);
    whole = add64(whole, shift_right64(high, 20u));
    const int e = findMSB(whole.x);
    const bool almost = e > 0 && (high.x & 0xfffffu) == 0xfffffu && low.x >= 0u - (1u << uint(e - 1));
    if (almost && whole.y == 0u) ++whole.x;
  }
  return whole.y != 0u ? limit : min(whole.x, limit);
}

// Returns the restored detail of a coefficient. Bands have 16 bits in scale 0 and 31 bits in the others. An
// enhanced coefficient has the sign of the distorted detail.
int restored_detail(int o, int t, bool enhanced) {
  const int share = restored_share(o, t);
  const int restored = kFirst ? (share * o + 16384) >> 15
                              : share * (o >> 15) + ((share * (o & 32767) + 16384) >> 15);
  if (!enhanced || share == 0 || o == 0) return restored;
  const int size = int(enhanced_size(uint(abs(restored)), uint(abs(t))));
  return o > 0 ? size : -size;
}

// Multiplies a coefficient by its contrast sensitivity. In scale 0 all bits are kept, in the others the
// upper bits, rounded.
int weighed(int coefficient, uint factor) {
  if (kFirst) return int(factor) * coefficient;
  int high, low;
  imulExtended(int(factor), coefficient, high, low);
  const uint rounded = uint(low) + 0x8000000u;
  if (rounded < 0x8000000u) ++high;
  return high << 4 | int(rounded >> 28);
}

// Returns what a weighted detail adds to masking thresholds: x to each threshold of its 3x3 neighbourhood,
// and y in addition to its own threshold.
ivec2 masking(int detail, bool diagonal) {
  if (kFirst) {
    // The detail and its parts have 16 bits. The rounding term of the diagonal band is one less than a half.
    const int rounded = diagonal ? (detail + 65535) >> 17 : (detail + 16384) >> 15;
    const int size = abs(bitfieldExtract(rounded, 0, 16));
    const int share = bitfieldExtract((4369 * size + 2048) >> 12, 0, 16);
    return ivec2(share, bitfieldExtract((8738 * size + 2048) >> 12, 0, 16) - share);
  }
  // The parts are the upper words of 143165577 size - 2^31 and of 286331153 size - 2^31.
  const uint size = uint(abs(detail));
  uvec2 product;
  umulExtended(143165577u, size, product.y, product.x);
  const int share = int(product.y) - 1 + int(product.x >> 31);
  const uint low = product.x << 1;
  const uint own_low = low - size;
  const int own = int(product.y << 1 | product.x >> 31) - (low < size ? 1 : 0) - 1 + int(own_low >> 31);
  return ivec2(share, own - share);
}

struct Masking {
  ivec4 neighbour, own;
};

void add_masking(inout Masking to, ivec4 detail, bool diagonal) {
  const ivec2 m0 = masking(detail.x, diagonal);
  const ivec2 m1 = masking(detail.y, diagonal);
  const ivec2 m2 = masking(detail.z, diagonal);
  const ivec2 m3 = masking(detail.w, diagonal);
  to.neighbour += ivec4(m0.x, m1.x, m2.x, m3.x);
  to.own += ivec4(m0.y, m1.y, m2.y, m3.y);
}

// Repeats a band's last column as its own right neighbour.
ivec4 mirrored_end(ivec4 neighbour, uint inside) {
  if (inside == 1u) neighbour.y = neighbour.x;
  if (inside == 2u) neighbour.z = neighbour.y;
  if (inside == 3u) neighbour.w = neighbour.z;
  return neighbour;
}

void main() {
  const uint row = push.top + gl_GlobalInvocationID.y;
  const uint column = (push.left & ~3u) + kIntegerAdmColumns * gl_GlobalInvocationID.x;
  if (row >= push.bottom || column >= push.right) return;
  const uint plane = push.plane / 4u;
  const uint at = (row * push.pitch + column) / 4u;
  const uint reference = at + plane;
  const uint distorted = at + 5u * plane;

  uint same = approximate_directions(wavelets[reference], wavelets[reference + plane],
                                     wavelets[distorted], wavelets[distorted + plane]);
  if (same >= 16u) {
    // Bands are loaded again, so that this rare case takes no registers from other cases.
    for (uint i = 0u; i < 4u; ++i) {
      if ((same & 16u << i) == 0u) continue;
      if (same_direction_exactly(wavelets[reference][i], wavelets[reference + plane][i],
                                 wavelets[distorted][i], wavelets[distorted + plane][i])) {
        same |= 1u << i;
      }
    }
  }
  const bvec4 enhanced = notEqual(same & uvec4(1u, 2u, 4u, 8u), uvec4(0u));
  Masking by_restored = Masking(ivec4(0), ivec4(0));
  Masking by_impairment = by_restored;
#define SPLIT(band, factor)                                                                         \
  {                                                                                                 \
    const ivec4 o = wavelets[reference + band * plane];                                             \
    const ivec4 t = wavelets[distorted + band * plane];                                             \
    const ivec4 r = ivec4(                                                                          \
        restored_detail(o.x, t.x, enhanced.x), restored_detail(o.y, t.y, enhanced.y),               \
        restored_detail(o.z, t.z, enhanced.z), restored_detail(o.w, t.w, enhanced.w));              \
    const ivec4 i = t - r;                                                                          \
    const ivec4 restored = ivec4(weighed(r.x, factor), weighed(r.y, factor), weighed(r.z, factor),  \
                                 weighed(r.w, factor));                                             \
    const ivec4 impairment = ivec4(weighed(i.x, factor), weighed(i.y, factor),                      \
                                   weighed(i.z, factor), weighed(i.w, factor));                     \
    details[at + band * plane] = restored;                                                          \
    details[at + (kIntegerAdmBands + band) * plane] = impairment;                                   \
    add_masking(by_restored, restored, band == 2u);                                                 \
    add_masking(by_impairment, impairment, band == 2u);                                             \
  }
  SPLIT(0u, push.straight_factor)
  SPLIT(1u, push.straight_factor)
  SPLIT(2u, push.diagonal_factor)
  const uint inside = push.width - column;
  details[at + kIntegerAdmNeighbours * plane] = mirrored_end(by_restored.neighbour, inside);
  details[at + (kIntegerAdmNeighbours + 1u) * plane] = mirrored_end(by_impairment.neighbour, inside);
  details[at + kIntegerAdmOwn * plane] = by_restored.own;
  details[at + (kIntegerAdmOwn + 1u) * plane] = by_impairment.own;
}
