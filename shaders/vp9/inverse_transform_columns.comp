// Second pass, over the columns, of blocks of 16x16, and of blocks of 8x8 whose values need 32 bits. One
// invocation transforms two words of each row: four columns for samples of 8 bits, otherwise two. The samples
// of these columns are one word.
#version 450
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require

#define OFFSET 1024
#include "vp9/inverse_transform_common.glsl"

// Input: the results of the first pass, over rows. The residuals overwrite them.
layout(set = 0, binding = 3, std430) buffer Rows { uvec2 rows[]; };
layout(set = 0, binding = 4, std430) buffer Frame { uint frame[]; };

void never() { rows[0] = uvec2(0u); }

uvec2 w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13, w14, w15;

#define EACH_ROW(X) \
  X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) if (kSize == 2u) { X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) }

const int kShift = kSize == 1u ? 5 : 6;
int bias_of_values() { return kValueRange == kWrapping32 ? 0 : last_bias(kShift); }

void transform() {
  if (kHasSineColumns) {
    if (kSize == 1u) adst8(); else adst16();
  } else if (kSize == 1u) {
    dct8(0);
  } else {
    dct16(kValueRange == kFitting ? bias_of_values() : 0);
  }
  const int bias = kHasSineColumns || kValueRange != kFitting || kSize == 1u ? bias_of_values() : 0;
  t0 = residual_of(t0 + bias, kShift), t1 = residual_of(t1 + bias, kShift), t2 = residual_of(t2 + bias, kShift), t3 = residual_of(t3 + bias, kShift), t4 = residual_of(t4 + bias, kShift), t5 = residual_of(t5 + bias, kShift), t6 = residual_of(t6 + bias, kShift), t7 = residual_of(t7 + bias, kShift), t8 = residual_of(t8 + bias, kShift), t9 = residual_of(t9 + bias, kShift), t10 = residual_of(t10 + bias, kShift), t11 = residual_of(t11 + bias, kShift), t12 = residual_of(t12 + bias, kShift), t13 = residual_of(t13 + bias, kShift), t14 = residual_of(t14 + bias, kShift), t15 = residual_of(t15 + bias, kShift);
}

#define IN_ORDER(V)                                                       \
  if (kHasSineColumns) {                                                  \
    t0 = V(0), t1 = V(1), t2 = V(2), t3 = V(3), t4 = V(4), t5 = V(5), t6 = V(6), t7 = V(7);                                                                   \
    if (kSize == 2u) { t8 = V(8), t9 = V(9), t10 = V(10), t11 = V(11), t12 = V(12), t13 = V(13), t14 = V(14), t15 = V(15); }                                              \
  } else if (kSize == 1u) {                                               \
    t0 = V(0), t1 = V(4), t2 = V(2), t3 = V(6), t4 = V(1), t5 = V(5), t6 = V(3), t7 = V(7);                                                                   \
  } else {                                                                \
    t0 = V(0), t1 = V(8), t2 = V(4), t3 = V(12), t4 = V(2), t5 = V(10), t6 = V(6), t7 = V(14), t8 = V(1), t9 = V(9), t10 = V(5), t11 = V(13), t12 = V(3), t13 = V(11), t14 = V(7), t15 = V(15);                                                                   \
  }                                                                       \
  transform();

#define LOW_X(row) low_half(w##row.x)
#define HIGH_X(row) high_half(w##row.x)
#define LOW_Y(row) low_half(w##row.y)
#define HIGH_Y(row) high_half(w##row.y)
#define ALL_X(row) int(w##row.x)
#define ALL_Y(row) int(w##row.y)

#define KEEP_LOW_X(row) w##row.x = (w##row.x & 0xffff0000u) | uint(t##row);
#define KEEP_HIGH_X(row) w##row.x = (w##row.x & 0xffffu) | uint(t##row) << 16;
#define KEEP_LOW_Y(row) w##row.y = (w##row.y & 0xffff0000u) | uint(t##row);
#define KEEP_HIGH_Y(row) w##row.y = (w##row.y & 0xffffu) | uint(t##row) << 16;
#define KEEP_X(row) w##row.x = uint(t##row);
#define KEEP_Y(row) w##row.x |= uint(t##row) << 16;

#define LOAD(row) \
  if (kKind != kCorner || row < 8) { w##row = rows[at + uint(row) * step]; } else { w##row = uvec2(0u); }
#define STORE(row)                                                                              \
  rows[at + uint(row) * step] =                                                                 \
      !kHbd ? uvec2(as_stored(w##row.x), as_stored(w##row.y))                             \
                  : uvec2(low_half(as_stored(w##row.x)), high_half(as_stored(w##row.x)));
#define ADD(row)                                                                                \
  frame[to] = !kHbd                                                                       \
                  ? with_residuals(frame[to], (w##row.x & 0xffffu) | w##row.y << 16,             \
                                   (w##row.x >> 16) | (w##row.y & 0xffff0000u))                  \
                  : clamped_sums(frame[to], w##row.x);                                           \
  to += stride;

void main() {
  const uint kLanesLog2 = !kHbd ? kSize : kSize + 1u;  // log2 of the number of lanes per block
  const uint kWordsLog2 = !kHbd ? 2u : 1u;             // log2 of the number of coefficients per row of a lane
  const uint kLane = (1u << kLanesLog2) - 1u;
  const uint step = 1u << kLanesLog2;
  uint id = gl_GlobalInvocationID.x;
  uint at = (blocks[list[push.first + (id >> kLanesLog2)] & kEntryBlock].x >> kWordsLog2) + (id & kLane);
  EACH_ROW(LOAD)
  STEP_ENDS
  if (!kHbd) {
    IN_ORDER(LOW_X)
    EACH_ROW(KEEP_LOW_X)
    STEP_ENDS
    IN_ORDER(HIGH_X)
    EACH_ROW(KEEP_HIGH_X)
    STEP_ENDS
    IN_ORDER(LOW_Y)
    EACH_ROW(KEEP_LOW_Y)
    STEP_ENDS
    IN_ORDER(HIGH_Y)
    EACH_ROW(KEEP_HIGH_Y)
  } else {
    IN_ORDER(ALL_X)
    EACH_ROW(KEEP_X)
    STEP_ENDS
    IN_ORDER(ALL_Y)
    EACH_ROW(KEEP_Y)
  }
  STEP_ENDS
  // The entry is loaded again, so that it occupies no register during the transform. The value added is 0,
  // but the compiler does not know that.
  id += w0.x & (push.first >> 31);
  const uint entry = list[push.first + (id >> kLanesLog2)];
  if ((entry & kNoEntry) != 0u) return;
  const Block block = unpacked(blocks[entry & kEntryBlock]);
  if ((entry & kStoreResidual) != 0u) {
    at = (block.first_coefficient >> kWordsLog2) + (id & kLane);
    EACH_ROW(STORE)
  } else {
    const uint stride = stride_of(block);
    uint to = place_of(block, 0u) + (id & kLane);
    EACH_ROW(ADD)
  }
}
