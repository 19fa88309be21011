// The second pass over blocks of 32x32: a lane takes a word of each row, which is two columns of samples
// of 8 bits, one of others. Residuals take their place; inverse_transform_add.comp adds them.
#version 450
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require

#define OFFSET 1024
#include "vp9/inverse_transform_common.glsl"

layout(set = 0, binding = 3, std430) buffer Rows { uint rows[]; };

void never() { rows[0] = 0u; }

const int kShift = 6;
int bias_of_values() { return kValues == kWrapping32 ? 0 : last_bias(kShift); }
const uint kStepLog2 = kBits == 8u ? 4u : 5u;  // words of a row

int v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15;
int v16, v17, v18, v19, v20, v21, v22, v23, v24, v25, v26, v27, v28, v29, v30, v31;
uint p0, p2, p4, p6, p8, p10, p12, p14, p16, p18, p20, p22, p24, p26, p28, p30;

uint at;
#define ADDRESS(row) at + (uint(row) << kStepLog2)
#define LOAD_LOW(row) \
  if (kKind != kCorner || row < 8) v##row = low_half(rows[ADDRESS(row)]); else v##row = 0;
#define LOAD_HIGH(row) \
  if (kKind != kCorner || row < 8) v##row = high_half(rows[ADDRESS(row)]); else v##row = 0;
#define LOAD(row) \
  if (kKind != kCorner || row < 8) v##row = int(rows[ADDRESS(row)]); else v##row = 0;
#define EACH_ROW(X)                                                               \
  X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) \
  X(15) X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27)   \
  X(28) X(29) X(30) X(31)
#define EACH_PAIR(X)                                                                     \
  X(0, 1) X(2, 3) X(4, 5) X(6, 7) X(8, 9) X(10, 11) X(12, 13) X(14, 15) X(16, 17)        \
  X(18, 19) X(20, 21) X(22, 23) X(24, 25) X(26, 27) X(28, 29) X(30, 31)

void transform() {
  t0 = v0, t1 = v16, t2 = v8, t3 = v24, t4 = v4, t5 = v20, t6 = v12, t7 = v28, t8 = v2, t9 = v18, t10 = v10, t11 = v26, t12 = v6, t13 = v22, t14 = v14, t15 = v30, t16 = v1, t17 = v17, t18 = v9, t19 = v25, t20 = v5, t21 = v21, t22 = v13, t23 = v29, t24 = v3, t25 = v19, t26 = v11, t27 = v27, t28 = v7, t29 = v23, t30 = v15, t31 = v31;
  dct32(kValues == kFitting ? bias_of_values() : 0);
  const int bias = kValues == kFitting ? 0 : bias_of_values();
  t0 = residual_of(t0 + bias, kShift), t1 = residual_of(t1 + bias, kShift), t2 = residual_of(t2 + bias, kShift), t3 = residual_of(t3 + bias, kShift), t4 = residual_of(t4 + bias, kShift), t5 = residual_of(t5 + bias, kShift), t6 = residual_of(t6 + bias, kShift), t7 = residual_of(t7 + bias, kShift), t8 = residual_of(t8 + bias, kShift), t9 = residual_of(t9 + bias, kShift), t10 = residual_of(t10 + bias, kShift), t11 = residual_of(t11 + bias, kShift), t12 = residual_of(t12 + bias, kShift), t13 = residual_of(t13 + bias, kShift), t14 = residual_of(t14 + bias, kShift), t15 = residual_of(t15 + bias, kShift), t16 = residual_of(t16 + bias, kShift), t17 = residual_of(t17 + bias, kShift), t18 = residual_of(t18 + bias, kShift), t19 = residual_of(t19 + bias, kShift), t20 = residual_of(t20 + bias, kShift), t21 = residual_of(t21 + bias, kShift), t22 = residual_of(t22 + bias, kShift), t23 = residual_of(t23 + bias, kShift), t24 = residual_of(t24 + bias, kShift), t25 = residual_of(t25 + bias, kShift), t26 = residual_of(t26 + bias, kShift), t27 = residual_of(t27 + bias, kShift), t28 = residual_of(t28 + bias, kShift), t29 = residual_of(t29 + bias, kShift), t30 = residual_of(t30 + bias, kShift), t31 = residual_of(t31 + bias, kShift);
}

// Of the first column: two rows in a word.
#define KEEP(row, next) p##row = uint(t##row) | uint(t##next) << 16;
#define STORE_BOTH(row, next)                                                            \
  rows[ADDRESS(row)] = as_stored((p##row & 0xffffu) | uint(t##row) << 16);               \
  rows[ADDRESS(next)] = as_stored((p##row >> 16) | uint(t##next) << 16);
#define STORE(row) rows[ADDRESS(row)] = uint(t##row - kOffset);

void main() {
  const uint entry = list[push.first + (gl_GlobalInvocationID.x >> kStepLog2)];
  if ((entry & kNoEntry) != 0u) return;
  const uint lane = gl_GlobalInvocationID.x & ((1u << kStepLog2) - 1u);
  at = (blocks[entry & kEntryBlock].x >> (kBits == 8u ? 1 : 0)) + lane;
  if (kBits == 8u) {
    EACH_ROW(LOAD_LOW)
    transform();
    EACH_PAIR(KEEP)
    STEP_ENDS
    // Read once more, so that no register keeps it meanwhile: 0 is added, which the compiler does not
    // know.
    at += p0 & (push.first >> 31);
    EACH_ROW(LOAD_HIGH)
    transform();
    STEP_ENDS
    at += uint(t0) & (push.first >> 31);  // 0 again, or all addresses stay in registers
    EACH_PAIR(STORE_BOTH)
  } else {
    EACH_ROW(LOAD)
    transform();
    STEP_ENDS
    at += uint(t0) & (push.first >> 31);
    EACH_ROW(STORE)
  }
}
