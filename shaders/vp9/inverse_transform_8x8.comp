// Inverse transforms of 8x8 blocks whose values fit or wrap to 16 bits: one invocation transforms one
// block.
#version 450
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require

#define OFFSET 1024
#include "vp9/inverse_transform_common.glsl"

layout(set = 0, binding = 2, std430) readonly buffer Coefficients { uvec4 coefficients[]; };
layout(set = 0, binding = 2, std430) readonly buffer Coefficients2 { uvec2 coefficients_2[]; };
layout(set = 0, binding = 3, std430) writeonly buffer Residuals { uvec4 residuals[]; };
layout(set = 0, binding = 4, std430) buffer Frame { uvec2 frame[]; };

void never() { residuals[0] = uvec4(0u); }

// Results of the first pass. Word p of row r holds two of the row's columns: (0, 2), (1, 3), (4, 6) and (5,
// 7) for samples of 8 bits; (0, 1), (2, 3), ... for longer ones.
uint w00, w01, w02, w03, w10, w11, w12, w13, w20, w21, w22, w23, w30, w31, w32, w33;
uint w40, w41, w42, w43, w50, w51, w52, w53, w60, w61, w62, w63, w70, w71, w72, w73;

// v0 to v7 are the values in natural order.
#define TRANSFORM(sine, bias, v0, v1, v2, v3, v4, v5, v6, v7)                                  \
  if (sine) {                                                                                  \
    t0 = v0, t1 = v1, t2 = v2, t3 = v3, t4 = v4, t5 = v5, t6 = v6, t7 = v7;                    \
    adst8();                                                                                   \
  } else {                                                                                     \
    t0 = v0, t1 = v4, t2 = v2, t3 = v6, t4 = v1, t5 = v5, t6 = v3, t7 = v7;                    \
    dct8(kValueRange == kFitting ? bias : 0);                                                      \
  }                                                                                            \
  if (sine || kValueRange != kFitting) {                                                           \
    t0 += bias, t1 += bias, t2 += bias, t3 += bias;                                            \
    t4 += bias, t5 += bias, t6 += bias, t7 += bias;                                            \
  }

// If `corner` is true, all inputs after the first four must be 0.
#define ROW(sine, row, corner)                                                                  \
  {                                                                                            \
    uvec4 l, h;                                                                                \
    if (!kHbd) {                                                                         \
      if (corner) {                                                                            \
        l = uvec4(coefficients_2[2u * (at + row)], 0u, 0u);                                      \
      } else {                                                                                 \
        l = coefficients[at + row];                                                            \
      }                                                                                        \
      TRANSFORM(sine, 0, low_half(l.x), high_half(l.x), low_half(l.y), high_half(l.y),         \
                low_half(l.z), high_half(l.z), low_half(l.w), high_half(l.w))                  \
      w##row##0 = packed_values(t0, t2);                                                       \
      w##row##1 = packed_values(t1, t3);                                                       \
      w##row##2 = packed_values(t4, t6);                                                       \
      w##row##3 = packed_values(t5, t7);                                                       \
    } else {                                                                                   \
      l = coefficients[2u * (at + row)];                                                       \
      h = uvec4(0u);                                                                           \
      if (!corner) h = coefficients[2u * (at + row) + 1u];                                     \
      TRANSFORM(sine, 0, int(l.x), int(l.y), int(l.z), int(l.w), int(h.x), int(h.y), int(h.z), \
                int(h.w))                                                                      \
      w##row##0 = packed_values(t0, t1);                                                       \
      w##row##1 = packed_values(t2, t3);                                                       \
      w##row##2 = packed_values(t4, t5);                                                       \
      w##row##3 = packed_values(t6, t7);                                                       \
    }                                                                                          \
  }

#define FIRST_ROWS(sine, corner) \
  ROW(sine, 0, corner) ROW(sine, 1, corner) ROW(sine, 2, corner) ROW(sine, 3, corner)
#define LAST_ROWS(sine) ROW(sine, 4, false) ROW(sine, 5, false) ROW(sine, 6, false) ROW(sine, 7, false)

#define EACH_ROW(p, X) X(0, p) X(1, p) X(2, p) X(3, p) X(4, p) X(5, p) X(6, p) X(7, p)
#define FIRST_OF_PAIR(row, p) const uint first##row = uint(residual_of(t##row, 5));
#define PAIR(row, p) w##row##p = first##row + (uint(residual_of(t##row, 5)) << 16);
// Transforms the two columns of word p.
#define COLUMNS(sine, p, corner)                                                               \
  {                                                                                            \
    TRANSFORM(sine, last_bias(5), low_value(w0##p), low_value(w1##p), low_value(w2##p),        \
              low_value(w3##p), corner ? 0 : low_value(w4##p), corner ? 0 : low_value(w5##p),  \
              corner ? 0 : low_value(w6##p), corner ? 0 : low_value(w7##p))                    \
    EACH_ROW(p, FIRST_OF_PAIR)                                                                 \
    TRANSFORM(sine, last_bias(5), high_value(w0##p), high_value(w1##p), high_value(w2##p),     \
              high_value(w3##p), corner ? 0 : high_value(w4##p),                               \
              corner ? 0 : high_value(w5##p), corner ? 0 : high_value(w6##p),                  \
              corner ? 0 : high_value(w7##p))                                                  \
    EACH_ROW(p, PAIR)                                                                          \
  }                                                                                            \
  STEP_ENDS
#define ALL_COLUMNS(sine, corner) \
  COLUMNS(sine, 0, corner) COLUMNS(sine, 1, corner) COLUMNS(sine, 2, corner) COLUMNS(sine, 3, corner)

void add_row(uint at, uint r0, uint r1, uint r2, uint r3) {
  if (!kHbd) {
    const uvec2 samples = frame[at];
    frame[at] = uvec2(with_residuals(samples.x, r0, r1), with_residuals(samples.y, r2, r3));
  } else {
    const uvec2 left = frame[at], right = frame[at + 1u];
    frame[at] = uvec2(clamped_sums(left.x, r0), clamped_sums(left.y, r1));
    frame[at + 1u] = uvec2(clamped_sums(right.x, r2), clamped_sums(right.y, r3));
  }
}

void store_row(uint at, uint r0, uint r1, uint r2, uint r3) {
  const uvec4 r = uvec4(as_stored(r0), as_stored(r1), as_stored(r2), as_stored(r3));
  if (!kHbd) {
    residuals[at] = uvec4((r.x & 0xffffu) | r.y << 16, (r.x >> 16) | (r.y & 0xffff0000u),
                          (r.z & 0xffffu) | r.w << 16, (r.z >> 16) | (r.w & 0xffff0000u));
  } else {
    residuals[2u * at] = uvec4(low_half(r.x), high_half(r.x), low_half(r.y), high_half(r.y));
    residuals[2u * at + 1u] = uvec4(low_half(r.z), high_half(r.z), low_half(r.w), high_half(r.w));
  }
}

void main() {
  const uint lane = push.first + gl_GlobalInvocationID.x;
  const uint at = unpacked(blocks[list[lane] & kEntryBlock]).first_coefficient >> 3;
  if (kKind == kCorner) {
    FIRST_ROWS(false, true)
    STEP_ENDS
    ALL_COLUMNS(false, true)
  } else {
    FIRST_ROWS(kHasSineRows, false)
    STEP_ENDS
    LAST_ROWS(kHasSineRows)
    STEP_ENDS
    ALL_COLUMNS(kHasSineColumns, false)
  }
  // The entry is loaded again, so that it occupies no register during the transform. The index equals `lane`,
  // but the compiler does not know that.
  const uint entry = list[lane + (w73 & (push.first >> 31))];
  if ((entry & kNoEntry) != 0u) return;
  const Block block = unpacked(blocks[entry & kEntryBlock]);
  if ((entry & kStoreResidual) != 0u) {
    const uint to = block.first_coefficient >> 3;
#define STORE_ROW(row, p) store_row(to + row, w##row##0, w##row##1, w##row##2, w##row##3);
    EACH_ROW(0, STORE_ROW)
  } else {
    uint to = place_of(block, 0u) >> 1;
    const uint stride = stride_of(block) >> 1;
#define ADD_ROW(row, p)                                    \
  add_row(to, w##row##0, w##row##1, w##row##2, w##row##3); \
  to += stride;
    EACH_ROW(0, ADD_ROW)
  }
}
