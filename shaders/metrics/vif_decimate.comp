// Computes the planes of vif's next scale: every other sample of every other row, blurred. An invocation
// filters sixteen columns vertically: two quads of its own, and their neighbours. Then it filters four
// columns horizontally.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/vif.interface.h"
#include "metrics/vif_filter.glsl"

layout(local_size_x = 32, local_size_y = 8) in;

layout(set = 0, binding = 2, std430) writeonly buffer Planes { uvec2 planes[]; };
layout(set = 0, binding = 3, std430) writeonly buffer Lists { VifUndecidedList lists[]; };
layout(push_constant, std430) uniform Push { VifDecimatePush push; };

#define FILTER_PLANE(name)                                                                         \
  uvec4[4] filter_##name(int row, uint quad[4]) {                                                  \
    const uint centre = row_start(row, push.height, push.stride);                                  \
    uvec4 s0 = kTap0 * load_##name(centre + quad[0]);                                              \
    uvec4 s1 = kTap0 * load_##name(centre + quad[1]);                                              \
    uvec4 s2 = kTap0 * load_##name(centre + quad[2]);                                              \
    uvec4 s3 = kTap0 * load_##name(centre + quad[3]);                                              \
    for (uint distance = 1u; distance <= push.radius; ++distance) {                                \
      PAIR_OF(name, int(distance), tap_at(distance))                                               \
    }                                                                                              \
    return uvec4[4](s0, s1, s2, s3);                                                               \
  }
#define PAIR_OF(name, distance, tap_)                                           \
  {                                                                             \
    const uint tap = tap_;                                                      \
    const uint above = row_start(row - distance, push.height, push.stride);     \
    const uint below = row_start(row + distance, push.height, push.stride);     \
    s0 += tap * (load_##name(above + quad[0]) + load_##name(below + quad[0]));  \
    s1 += tap * (load_##name(above + quad[1]) + load_##name(below + quad[1]));  \
    s2 += tap * (load_##name(above + quad[2]) + load_##name(below + quad[2]));  \
    s3 += tap * (load_##name(above + quad[3]) + load_##name(below + quad[3]));  \
  }
FILTER_PLANE(reference)
FILTER_PLANE(distorted)

void main() {
  if (kScale == 1u && gl_WorkGroupID == uvec3(0u)) {
    for (uint i = gl_LocalInvocationIndex; i < push.lists; i += kVifDecimateQuads * kVifDecimateRows) {
      lists[i].count = 0u;
    }
  }
  const uint to_quad = gl_GlobalInvocationID.x;
  const uint to_row = gl_GlobalInvocationID.y;
  if (4u * to_quad >= push.to_width || to_row >= push.to_height) return;

  // Loads columns from four columns before the first on. Quads outside the row have any value, because they
  // are mirrored below.
  const uint last = (push.width - 1u) >> 2;
  const uint first = 2u * to_quad;
  const uint quad[4] = uint[4](max(first, 1u) - 1u, first, min(first + 1u, last), min(first + 2u, last));
  const int row = int(2u * to_row);
  uvec4 sums[4];
  if (gl_WorkGroupID.z == 0u) {
    sums = filter_reference(row, quad);
  } else {
    sums = filter_distorted(row, quad);
  }
  // Means have 16 bits. No sum exceeds 32 bits, because the taps add up to 65536.
#define MEAN(sum, bits) (((sum) + (1u << (bits - 1u))) >> bits)
  const uvec4 m0 = MEAN(sums[0], kBits);
  const uvec4 m1 = MEAN(sums[1], kBits);
  const uvec4 m2 = MEAN(sums[2], kBits);
  const uvec4 m3 = MEAN(sums[3], kBits);
  uint v[16] = uint[16](m0.x, m0.y, m0.z, m0.w, m1.x, m1.y, m1.z, m1.w,
                        m2.x, m2.y, m2.z, m2.w, m3.x, m3.y, m3.z, m3.w);
  if (to_quad == 0u) {
    v[0] = v[8];
    v[1] = v[7];
    v[2] = v[6];
    v[3] = v[5];
  }
  // Index in `v` of the row's last sample. Later samples are mirrored.
  const uint end = push.width + 3u - 8u * to_quad;
#define MIRROR_AT(i)                                  \
  if (end == i) {                                     \
    v[i + 1] = v[i - 1];                              \
    v[i < 14 ? i + 2 : i] = v[i < 14 ? i - 2 : i];    \
    v[i < 13 ? i + 3 : i] = v[i < 13 ? i - 3 : i];    \
    v[i < 12 ? i + 4 : i] = v[i < 12 ? i - 4 : i];    \
  }
  if (end < 15u) {
    MIRROR_AT(5) MIRROR_AT(6) MIRROR_AT(7) MIRROR_AT(8) MIRROR_AT(9)
    MIRROR_AT(10) MIRROR_AT(11) MIRROR_AT(12) MIRROR_AT(13) MIRROR_AT(14)
  }
#define EVEN(i) uvec4(v[i], v[(i) + 2], v[(i) + 4], v[(i) + 6])
  uvec4 sum = kTap0 * EVEN(4);
#define PAIR_OF_MEANS(distance, tap) sum += tap * (EVEN(4 - distance) + EVEN(4 + distance));
#define EVEN_PAIRS                                                  \
  PAIR_OF_MEANS(1, kTap1)                                           \
  if (kRadius >= 2u) { PAIR_OF_MEANS(2, kTap2) }                    \
  if (kRadius >= 4u) { PAIR_OF_MEANS(3, kTap3) PAIR_OF_MEANS(4, kTap4) }
  EVEN_PAIRS
  const uvec4 blurred = MEAN(sum, 16u);
  planes[gl_WorkGroupID.z * push.to_plane + to_row * push.to_stride + to_quad] =
      uvec2(blurred.x | blurred.y << 16, blurred.z | blurred.w << 16);
}
