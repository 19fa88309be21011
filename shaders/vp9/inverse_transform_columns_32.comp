// Second pass, over the columns, of blocks of 32x32. One invocation transforms one word of each row: two
// columns for samples of 8 bits, otherwise one. Residuals replace the rows; inverse_transform_add.comp adds
// them to the frame.
#version 450
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require

#define OFFSET 1024
#include "vp9/inverse_transform_common.glsl"

layout(set = 0, binding = 3, std430) buffer Rows { uint rows[]; };

void never() { rows[0] = 0u; }

const int kShift = 6;
int bias_of_values() { return kValueRange == kWrapping32 ? 0 : last_bias(kShift); }
const uint kStepLog2 = !kHbd ? 4u : 5u;  // log2 of the number of words per row

uint p0, p2, p4, p6, p8, p10, p12, p14, p16, p18, p20, p22, p24, p26, p28, p30;

uint at;
#define ADDRESS(row) (at + (uint(row) << kStepLog2))
#define LOAD_LOW(value, row) t##value = has_row(row) ? low_half(rows[ADDRESS(row)]) : 0;
#define LOAD_HIGH(value, row) t##value = has_row(row) ? high_half(rows[ADDRESS(row)]) : 0;
#define LOAD_HALF(value, row) t##value = has_row(row) ? int(rows[ADDRESS(row)] << up) >> 16 : 0;
#define LOAD(value, row) t##value = has_row(row) ? int(rows[ADDRESS(row)]) : 0;
bool has_row(int row) { return kKind != kCorner || row < 8; }
// Rows in the order of the DCT's inputs.
#define EVEN_ROWS(X) X(0, 0) X(1, 16) X(2, 8) X(3, 24) X(4, 4) X(5, 20) X(6, 12) X(7, 28) X(8, 2) X(9, 18) X(10, 10) X(11, 26) X(12, 6) X(13, 22) X(14, 14) X(15, 30)
#define ODD_ROWS(X) X(16, 1) X(17, 17) X(18, 9) X(19, 25) X(20, 5) X(21, 21) X(22, 13) X(23, 29) X(24, 3) X(25, 19) X(26, 11) X(27, 27) X(28, 7) X(29, 23) X(30, 15) X(31, 31)
#define EACH_ROW(X)                                                               \
  X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) \
  X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27)   \
  X(28) X(29) X(30) X(31)
#define EACH_PAIR(X)                                                              \
  X(0, 1) X(2, 3) X(4, 5) X(6, 7) X(8, 9) X(10, 11) X(12, 13) X(14, 15) X(16, 17) \
  X(18, 19) X(20, 21) X(22, 23) X(24, 25) X(26, 27) X(28, 29) X(30, 31)

#define TRANSFORM(LOAD_IT)                            \
  EVEN_ROWS(LOAD_IT)                                  \
  dct16(kValueRange == kFitting ? bias_of_values() : 0);  \
  STEP_ENDS                                           \
  ODD_ROWS(LOAD_IT)                                   \
  dct32_odd_inputs();                                 \
  finish();

void finish() {
  const int bias = kValueRange == kFitting ? 0 : bias_of_values();
  t0 = residual_of(t0 + bias, kShift), t1 = residual_of(t1 + bias, kShift), t2 = residual_of(t2 + bias, kShift), t3 = residual_of(t3 + bias, kShift), t4 = residual_of(t4 + bias, kShift), t5 = residual_of(t5 + bias, kShift), t6 = residual_of(t6 + bias, kShift), t7 = residual_of(t7 + bias, kShift), t8 = residual_of(t8 + bias, kShift), t9 = residual_of(t9 + bias, kShift), t10 = residual_of(t10 + bias, kShift), t11 = residual_of(t11 + bias, kShift), t12 = residual_of(t12 + bias, kShift), t13 = residual_of(t13 + bias, kShift), t14 = residual_of(t14 + bias, kShift), t15 = residual_of(t15 + bias, kShift), t16 = residual_of(t16 + bias, kShift), t17 = residual_of(t17 + bias, kShift), t18 = residual_of(t18 + bias, kShift), t19 = residual_of(t19 + bias, kShift), t20 = residual_of(t20 + bias, kShift), t21 = residual_of(t21 + bias, kShift), t22 = residual_of(t22 + bias, kShift), t23 = residual_of(t23 + bias, kShift), t24 = residual_of(t24 + bias, kShift), t25 = residual_of(t25 + bias, kShift), t26 = residual_of(t26 + bias, kShift), t27 = residual_of(t27 + bias, kShift), t28 = residual_of(t28 + bias, kShift), t29 = residual_of(t29 + bias, kShift), t30 = residual_of(t30 + bias, kShift), t31 = residual_of(t31 + bias, kShift);
}

// Keeps the first column, with two rows per word.
#define KEEP(row, next) p##row = uint(t##row) | uint(t##next) << 16;
#define STORE_BOTH(row, next)                                     \
  rows[at] = as_stored((p##row & 0xffffu) | uint(t##row) << 16);  \
  at += step;                                                     \
  rows[at] = as_stored((p##row >> 16) | uint(t##next) << 16);     \
  at += step;
#define STORE_HALF(row)                                                             \
  rows[at] = (rows[at] & (0xffffu << up)) | (uint(t##row - kOffset) << 16 >> up);  \
  at += step;
#define STORE(row)                    \
  rows[at] = uint(t##row - kOffset);  \
  at += step;

void main() {
  const uint entry = list[push.first + (gl_GlobalInvocationID.x >> kStepLog2)];
  const uint lane = gl_GlobalInvocationID.x & ((1u << kStepLog2) - 1u);
  at = (blocks[entry & kEntryBlock].x >> (!kHbd ? 1 : 0)) + lane;
  // `zero` is 0, but the compiler does not know that. Without it the compiler would compute all addresses
  // early and keep them in registers.
  const uint zero = push.first >> 31;
  const uint step = (1u << kStepLog2) + (kKind == kCorner ? 0u : zero);
  if (!kHbd && (kValueRange == kWrapping || kKind != kCorner)) {
    // The two columns are transformed one after the other, through memory, because both together need more
    // registers than there are. Spills by the V3D compiler would cost as much, and on V3D 4.2 the compiler
    // then loses values (docs/phases/11-inverse-transform).
    [[dont_unroll]] for (uint up = 16u;; up = 0u) {
      TRANSFORM(LOAD_HALF)
      STEP_ENDS
      if ((entry & kNoEntry) != 0u) return;
      const uint first = at;
      at += uint(t0) & zero;
      EACH_ROW(STORE_HALF)
      if (up == 0u) break;
      at = first;
    }
  } else if (!kHbd) {
    TRANSFORM(LOAD_LOW)
    EACH_PAIR(KEEP)
    STEP_ENDS
    // The words are read again, so that they occupy no register during the first transform.
    at += p0 & zero;
    TRANSFORM(LOAD_HIGH)
    STEP_ENDS
    if ((entry & kNoEntry) != 0u) return;
    at += uint(t0) & zero;
    EACH_PAIR(STORE_BOTH)
  } else {
    TRANSFORM(LOAD)
    STEP_ENDS
    if ((entry & kNoEntry) != 0u) return;
    at += uint(t0) & zero;
    EACH_ROW(STORE)
  }
}
