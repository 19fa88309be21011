// Filters of vif (metrics::kVifFilters), selected by specialization constants, and the planes that they read.
layout(constant_id = 0) const uint kScale = 0u;
layout(constant_id = 1) const uint kBits = 8u;

#define OF_SCALE(a, b, c, d) (kScale == 0u ? a : kScale == 1u ? b : kScale == 2u ? c : d)
const uint kRadius = OF_SCALE(8u, 4u, 2u, 1u);
// Taps by their distance from the centre.
const uint kTap0 = OF_SCALE(7784u, 14692u, 26386u, 43728u);
const uint kTap1 = OF_SCALE(7455u, 12590u, 16004u, 10904u);
const uint kTap2 = OF_SCALE(6547u, 7925u, 3571u, 0u);
const uint kTap3 = OF_SCALE(5274u, 3663u, 0u, 0u);
const uint kTap4 = OF_SCALE(3896u, 1244u, 0u, 0u);
const uint kTap5 = 2640u;
const uint kTap6 = 1640u;
const uint kTap7 = 935u;
const uint kTap8 = 489u;

// Returns the tap at a distance that is known at run time, because loops over a filter's rows have a bound
// that the compiler does not know. If the compiler could unroll them, it would load many rows ahead, more
// than V3D's registers can hold.
uint tap_at(uint distance) {
  uint pair = kTap1 | kTap2 << 16;
  if (kRadius > 2u && distance > 2u) pair = kTap3 | kTap4 << 16;
  if (kRadius > 4u && distance > 4u) pair = distance > 6u ? kTap7 | kTap8 << 16 : kTap5 | kTap6 << 16;
  return (distance & 1u) != 0u ? pair & 0xffffu : pair >> 16;
}

// Calls PAIR(distance, tap) for each pair of taps. It is written out, because a loop's arrays would lie in
// memory.
#define EACH_PAIR(PAIR)                                                    \
  PAIR(1, kTap1)                                                           \
  if (kRadius >= 2u) { PAIR(2, kTap2) }                                    \
  if (kRadius >= 4u) { PAIR(3, kTap3) PAIR(4, kTap4) }                     \
  if (kRadius >= 8u) { PAIR(5, kTap5) PAIR(6, kTap6) PAIR(7, kTap7) PAIR(8, kTap8) }

layout(set = 0, binding = 0, std430) readonly buffer Reference { uint reference[]; };
layout(set = 0, binding = 1, std430) readonly buffer Distorted { uint distorted[]; };

// Returns the four samples of a quad.
uvec4 samples_of(uint first, uint second) {
  return kBits == 8u ? uvec4(first & 0xffu, (first >> 8) & 0xffu, (first >> 16) & 0xffu, first >> 24)
                     : uvec4(first & 0xffffu, first >> 16, second & 0xffffu, second >> 16);
}
uvec4 load_reference(uint quad) {
  return kBits == 8u ? samples_of(reference[quad], 0u)
                     : samples_of(reference[2u * quad], reference[2u * quad + 1u]);
}
uvec4 load_distorted(uint quad) {
  return kBits == 8u ? samples_of(distorted[quad], 0u)
                     : samples_of(distorted[2u * quad], distorted[2u * quad + 1u]);
}

// Returns the first quad of a row. Up to kRadius rows outside the plane are mirrored at the border row,
// which is not repeated.
uint row_start(int row, uint height, uint stride) {
  return uint(min(abs(row), 2 * int(height) - 2 - abs(row))) * stride;
}
