// Sums vif's windows, one tile per workgroup. Every invocation filters a quad of columns vertically, with
// both means in one word, and stores the four words of each column in shared memory. Then most invocations
// filter a quad of windows horizontally and add their results.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/vif.interface.h"
#include "metrics/vif_filter.glsl"

#define VIF_RECIPROCAL(x) (1.0f / (x))
#include "metrics/vif_information.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 2) const float kErrorBoundFactor = 1.0;

layout(set = 0, binding = 2, std430) writeonly buffer Tiles { VifTile tiles[]; };
layout(set = 0, binding = 3, std430) buffer Undecided { VifUndecidedList undecided; };
layout(push_constant, std430) uniform Push { VifWindowsPush push; };

// Number of quads on each side of the tile that have no windows of the tile.
const uint kPaddingQuads = (kScale == 0u ? kVifPadding0 : kVifPadding) / 4u;
const uint kQuads = kVifTileColumns / 4u;
const uint kWindowQuads = kQuads - 2u * kPaddingQuads;

// Moments of each quad: both means, with the second one in the upper halves of the words; squares; products.
// Later: sums of invocations.
shared uvec4 moments[4u * kVifTileRows * kQuads];

uint place_of(uint moment, uint row, uint quad) {
  return (moment * kVifTileRows + row) * kQuads + quad;
}

// Sums of products in two halves of 16 bits. The taps add up to 65536, so neither half needs more than 32
// bits.
struct Halves {
  uvec4 low, high;
};

// Returns the sum shifted right by 2 (kBits - 8), rounded.
uvec4 shifted(Halves sum) {
  const uint shift = 2u * (kBits - 8u);
  return (sum.high << (16u - shift)) + ((sum.low + (1u << (shift - 1u))) >> shift);
}

// Adds tap * (p + q) to the sum, where p and q are products of two samples.
void add_products(inout Halves sum, uint tap, uvec4 p, uvec4 q) {
  if (kBits > 12u) {
    sum.low += tap * ((p & 0xffffu) + (q & 0xffffu));
    sum.high += tap * ((p >> 16) + (q >> 16));
  } else {
    const uvec4 both = p + q;
    sum.low += tap * (both & 0xffffu);
    sum.high += tap * (both >> 16);
  }
}

void store_moments(uint row, uint quad, uvec4 mean1, uvec4 mean2, uvec4 square1, uvec4 square2, uvec4 product) {
  const uint rounding = 1u << (kBits - 1u);
  moments[place_of(0u, row, quad)] =
      ((mean1 + rounding) >> kBits) | (((mean2 + rounding) >> kBits) << 16);
  moments[place_of(1u, row, quad)] = square1;
  moments[place_of(2u, row, quad)] = square2;
  moments[place_of(3u, row, quad)] = product;
}

// Filters 8-bit samples vertically; their sums of squares have 32 bits.
void filter_bytes(int y, uint from, uint row, uint quad) {
  const uint centre = from + row_start(y, push.height, push.stride);
  const uvec4 a = load_reference(centre);
  const uvec4 b = load_distorted(centre);
  uvec4 mean1 = kTap0 * a;
  uvec4 mean2 = kTap0 * b;
  uvec4 square1 = kTap0 * (a * a);
  uvec4 square2 = kTap0 * (b * b);
  uvec4 product = kTap0 * (a * b);
  for (uint distance = 1u; distance <= push.radius; ++distance) {
    const uint tap = tap_at(distance);
    const uint above = from + row_start(y - int(distance), push.height, push.stride);
    const uint below = from + row_start(y + int(distance), push.height, push.stride);
    const uvec4 a0 = load_reference(above);
    const uvec4 a1 = load_reference(below);
    const uvec4 b0 = load_distorted(above);
    const uvec4 b1 = load_distorted(below);
    mean1 += tap * (a0 + a1);
    mean2 += tap * (b0 + b1);
    square1 += tap * (a0 * a0 + a1 * a1);
    square2 += tap * (b0 * b0 + b1 * b1);
    product += tap * (a0 * b0 + a1 * b1);
  }
  store_moments(row, quad, mean1, mean2, square1, square2, product);
}

// Filters samples of more than 8 bits vertically, with sums in halves. Registers suffice for one or two such
// sums at a time.
void filter_words(int y, uint from, uint row, uint quad) {
  const uint centre = from + row_start(y, push.height, push.stride);
  const Halves none = Halves(uvec4(0u), uvec4(0u));
  const uint rounding = 1u << (kBits - 1u);
  {
    const uvec4 a = load_reference(centre);
    const uvec4 b = load_distorted(centre);
    uvec4 mean1 = kTap0 * a;
    uvec4 mean2 = kTap0 * b;
    Halves product = none;
    add_products(product, kTap0, a * b, uvec4(0u));
    for (uint distance = 1u; distance <= push.radius; ++distance) {
    const uint tap = tap_at(distance);
    const uint above = from + row_start(y - int(distance), push.height, push.stride);
    const uint below = from + row_start(y + int(distance), push.height, push.stride);
    const uvec4 a0 = load_reference(above);
    const uvec4 a1 = load_reference(below);
    const uvec4 b0 = load_distorted(above);
    const uvec4 b1 = load_distorted(below);
    mean1 += tap * (a0 + a1);
    mean2 += tap * (b0 + b1);
    add_products(product, tap, a0 * b0, a1 * b1);
    }
    moments[place_of(0u, row, quad)] =
        ((mean1 + rounding) >> kBits) | (((mean2 + rounding) >> kBits) << 16);
    moments[place_of(3u, row, quad)] = shifted(product);
  }
  {
    const uvec4 a = load_reference(centre);
    Halves square = none;
    add_products(square, kTap0, a * a, uvec4(0u));
    for (uint distance = 1u; distance <= push.radius; ++distance) {
      const uvec4 a0 = load_reference(from + row_start(y - int(distance), push.height, push.stride));
      const uvec4 a1 = load_reference(from + row_start(y + int(distance), push.height, push.stride));
      add_products(square, tap_at(distance), a0 * a0, a1 * a1);
    }
    moments[place_of(1u, row, quad)] = shifted(square);
  }
  {
    const uvec4 b = load_distorted(centre);
    Halves square = none;
    add_products(square, kTap0, b * b, uvec4(0u));
    for (uint distance = 1u; distance <= push.radius; ++distance) {
      const uvec4 b0 = load_distorted(from + row_start(y - int(distance), push.height, push.stride));
      const uvec4 b1 = load_distorted(from + row_start(y + int(distance), push.height, push.stride));
      add_products(square, tap_at(distance), b0 * b0, b1 * b1);
    }
    moments[place_of(2u, row, quad)] = shifted(square);
  }
}

// Mirrors columns at the plane's border. `left` is the plane's first column and `right` its last, as
// columns of the tile, or a number beyond the tile.
void mirror_ends(uint left, uint right, bool mirrors_left, bool mirrors_right) {
  // Each invocation mirrors for one row, moment and distance.
  const uint distance = 1u + (gl_LocalInvocationIndex & 7u);
  const uint line = (gl_LocalInvocationIndex >> 3) * kQuads;
  if (distance > kRadius) return;
  if (mirrors_left) {
    const uint from = left + distance;
    const uint to = left - distance;
    moments[line + (to >> 2)][to & 3u] = moments[line + (from >> 2)][from & 3u];
  }
  const uint to = right + distance;
  if (mirrors_right && to < kVifTileColumns) {
    const uint from = right - distance;
    moments[line + (to >> 2)][to & 3u] = moments[line + (from >> 2)][from & 3u];
  }
}

#define FOUR(i) uvec4(v[i], v[(i) + 1], v[(i) + 2], v[(i) + 3])
#define COLUMNS(distance, tap) sum += tap * (FOUR(8 - distance) + FOUR(8 + distance));
// Filters one half of a moment horizontally, for the four windows of the quad.
#define FILTER_HALF(name, half_of)                                                                 \
  uvec4 filter_##name(uint moment, uint row, uint quad) {                                          \
    const uint centre = place_of(moment, row, quad);                                               \
    const uvec4 q1 = half_of(moments[centre - 1u]);                                                \
    const uvec4 q2 = half_of(moments[centre]);                                                     \
    const uvec4 q3 = half_of(moments[centre + 1u]);                                                \
    uvec4 q0 = uvec4(0u);                                                                          \
    uvec4 q4 = uvec4(0u);                                                                          \
    if (kRadius > 4u) {                                                                            \
      q0 = half_of(moments[centre - 2u]);                                                          \
      q4 = half_of(moments[centre + 2u]);                                                          \
    }                                                                                              \
    const uint v[20] = uint[20](q0.x, q0.y, q0.z, q0.w, q1.x, q1.y, q1.z, q1.w, q2.x, q2.y,        \
                                q2.z, q2.w, q3.x, q3.y, q3.z, q3.w, q4.x, q4.y, q4.z, q4.w);       \
    uvec4 sum = kTap0 * q2;                                                                        \
    EACH_PAIR(COLUMNS)                                                                             \
    return sum;                                                                                    \
  }
#define LOW_HALF(words) ((words) & 0xffffu)
#define HIGH_HALF(words) ((words) >> 16)
FILTER_HALF(low, LOW_HALF)
FILTER_HALF(high, HIGH_HALF)

Halves filter_columns(uint moment, uint row, uint quad) {
  return Halves(filter_low(moment, row, quad), filter_high(moment, row, quad));
}

// Filters squares or products horizontally, divides them by 2^16 and rounds.
uvec4 filter_squares(uint moment, uint row, uint quad) {
  const Halves sum = filter_columns(moment, row, quad);
  return sum.high + ((sum.low + 0x8000u) >> 16);
}

uint tile_number() { return gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x; }

// Sums of this invocation. The variance's halves are summed separately, so that no sum over the tile
// exceeds 32 bits.
struct Sums {
  uint kept, there, variance_low, variance_high, flats;
};
Sums sums = Sums(0u, 0u, 0u, 0u, 0u);

void add_window(uint mean1, uint mean2, uint square1, uint square2, uint product) {
  const int variance1 = vif_covariance(square1, mean1, mean1);
  const uint variance2 = uint(max(vif_covariance(square2, mean2, mean2), 0));
  if (variance1 < 131072) {
    sums.flats += 1u;
    sums.variance_low += variance2 & 0xffffu;
    sums.variance_high += variance2 >> 16;
    return;
  }
  sums.there += uint(vif_log2(uint(variance1) + 131072u) - 2048 * 2);
  const int both = vif_covariance(product, mean1, mean2);
  if (both <= 0 || variance2 == 0u) return;
  const int kept = vif_kept(uint(variance1), variance2, uint(both), push.gain, kErrorBoundFactor);
  if (kept >= 0) {
    sums.kept += uint(kept);
    return;
  }
  const uint place = atomicAdd(undecided.count, 1u);
  if (place < kVifUndecidedWindows) {
    undecided.windows[place] =
        VifUndecidedWindow(uint(variance1), variance2, uint(both), push.first + tile_number());
  }
}

void main() {
  const uint self = gl_LocalInvocationIndex;
  const uint tile_y = gl_WorkGroupID.y * kVifTileRows;
  // First quad of the tile's windows, without the padding.
  const uint tile_quad = gl_WorkGroupID.x * kWindowQuads;
  {
    const uint row = self / kQuads;
    const uint quad = self % kQuads;
    // Rows and quads outside the plane repeat rows and quads of the plane.
    const int y = int(min(tile_y + row, push.height - 1u));
    const uint from = min(max(tile_quad + quad, kPaddingQuads) - kPaddingQuads, (push.width - 1u) >> 2);
    if (kBits == 8u) {
      filter_bytes(y, from, row, quad);
    } else {
      filter_words(y, from, row, quad);
    }
  }
  barrier();
  const uint left = 4u * kPaddingQuads;
  const uint right = push.width - 1u + left - 4u * tile_quad;
  const bool mirrors_left = gl_WorkGroupID.x == 0u;
  const bool mirrors_right = right < kVifTileColumns - 1u;
  if (mirrors_left || mirrors_right) {
    mirror_ends(left, right, mirrors_left, mirrors_right);
    barrier();
  }

  const uint row = self / kQuads;
  const uint window_quad = self % kQuads;
  const uint x = 4u * (tile_quad + window_quad);
  const bool has_windows = window_quad < kWindowQuads && x < push.width && tile_y + row < push.height;
  // Invocations without windows also process a quad. A result replaces its own moment after all invocations
  // have read it, because registers do not hold one filter's samples together with the results of the others.
  const uint quad = min(window_quad, kWindowQuads - 1u) + kPaddingQuads;
  const uvec4 product = filter_squares(3u, row, quad);
  barrier();
  if (has_windows) moments[place_of(3u, row, quad)] = product;
  const uvec4 square2 = filter_squares(2u, row, quad);
  barrier();
  if (has_windows) moments[place_of(2u, row, quad)] = square2;
  const uvec4 square1 = filter_squares(1u, row, quad);
  barrier();
  if (has_windows) moments[place_of(1u, row, quad)] = square1;
  if (has_windows) {
    const Halves means = filter_columns(0u, row, quad);
    const uvec4 s1 = moments[place_of(1u, row, quad)];
    const uvec4 s2 = moments[place_of(2u, row, quad)];
    const uvec4 p = moments[place_of(3u, row, quad)];
#define WINDOW(i) add_window(means.low[i], means.high[i], s1[i], s2[i], p[i]);
    WINDOW(0)
    if (x + 1u < push.width) WINDOW(1)
    if (x + 2u < push.width) WINDOW(2)
    if (x + 3u < push.width) WINDOW(3)
  }

  barrier();
  moments[self] = uvec4(sums.kept, sums.there, sums.variance_low, sums.variance_high);
  moments[256u + self].x = sums.flats;
  for (uint half_width = 128u; half_width > 0u; half_width >>= 1) {
    barrier();
    if (self < half_width) {
      moments[self] += moments[self + half_width];
      moments[256u + self].x += moments[256u + self + half_width].x;
    }
  }
  barrier();
  if (self == 0u) {
    const uvec4 sum = moments[0];
    const uint low = sum.z + (sum.w << 16);
    const uint high = (sum.w >> 16) + (low < sum.z ? 1u : 0u);
    tiles[tile_number()] = VifTile(sum.x, sum.y, low, high | moments[256].x << 16);
  }
}
