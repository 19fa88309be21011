// First pass, over the rows, of blocks of 16x16 and 32x32, and of blocks of 8x8 whose values need 32 bits.
// One invocation transforms a row and stores it in another buffer, at the same position.
#version 450
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require

#define OFFSET 0
#include "vp9/inverse_transform_common.glsl"

layout(set = 0, binding = 2, std430) readonly buffer Coefficients { uvec4 coefficients[]; };
layout(set = 0, binding = 3, std430) writeonly buffer Rows { uvec4 rows[]; };

int v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15;
int v16, v17, v18, v19, v20, v21, v22, v23, v24, v25, v26, v27, v28, v29, v30, v31;

// Loads eight values.
void load(uint at, out int a, out int b, out int c, out int d, out int e, out int f, out int g,
          out int h) {
  if (!kHbd) {
    const uvec4 words = coefficients[at];
    a = low_half(words.x), b = high_half(words.x), c = low_half(words.y), d = high_half(words.y);
    e = low_half(words.z), f = high_half(words.z), g = low_half(words.w), h = high_half(words.w);
  } else {
    const uvec4 first = coefficients[2u * at], second = coefficients[2u * at + 1u];
    a = int(first.x), b = int(first.y), c = int(first.z), d = int(first.w);
    e = int(second.x), f = int(second.y), g = int(second.z), h = int(second.w);
  }
}
uint in_halves(int low, int high) { return (uint(low) & 0xffffu) | uint(high) << 16; }
void store(uint at, int a, int b, int c, int d, int e, int f, int g, int h) {
  if (!kHbd) {
    rows[at] = uvec4(in_halves(a, b), in_halves(c, d), in_halves(e, f), in_halves(g, h));
  } else {
    rows[2u * at] = uvec4(a, b, c, d);
    rows[2u * at + 1u] = uvec4(e, f, g, h);
  }
}

void main() {
  const uint entry = list[push.first + (gl_GlobalInvocationID.x >> 2)];
  if ((entry & kNoEntry) != 0u) return;
  const uint row = ((entry >> kRowsShift) & kEntryRows) * 4u + (gl_GlobalInvocationID.x & 3u);
  const uint at = (blocks[entry & kEntryBlock].x >> 3) + (row << (kSize - 1u));
  load(at, v0, v1, v2, v3, v4, v5, v6, v7);
  v8 = v9 = v10 = v11 = v12 = v13 = v14 = v15 = 0;
  v16 = v17 = v18 = v19 = v20 = v21 = v22 = v23 = 0;
  v24 = v25 = v26 = v27 = v28 = v29 = v30 = v31 = 0;
  if (kSize >= 2u && kKind != kCorner) load(at + 1u, v8, v9, v10, v11, v12, v13, v14, v15);
  if (kSize == 3u && kKind != kCorner) {
    load(at + 2u, v16, v17, v18, v19, v20, v21, v22, v23);
    load(at + 3u, v24, v25, v26, v27, v28, v29, v30, v31);
  }
  if (kHasSineRows) {
    t0 = v0, t1 = v1, t2 = v2, t3 = v3, t4 = v4, t5 = v5, t6 = v6, t7 = v7;
    if (kSize == 1u) {
      adst8();
    } else {
      t8 = v8, t9 = v9, t10 = v10, t11 = v11, t12 = v12, t13 = v13, t14 = v14, t15 = v15;
      adst16();
    }
  } else if (kSize == 1u) {
    t0 = v0, t1 = v4, t2 = v2, t3 = v6, t4 = v1, t5 = v5, t6 = v3, t7 = v7;
    dct8(0);
  } else if (kSize == 2u) {
    t0 = v0, t1 = v8, t2 = v4, t3 = v12, t4 = v2, t5 = v10, t6 = v6, t7 = v14, t8 = v1, t9 = v9, t10 = v5, t11 = v13, t12 = v3, t13 = v11, t14 = v7, t15 = v15;
    dct16(0);
  } else {
    t0 = v0, t1 = v16, t2 = v8, t3 = v24, t4 = v4, t5 = v20, t6 = v12, t7 = v28, t8 = v2, t9 = v18, t10 = v10, t11 = v26, t12 = v6, t13 = v22, t14 = v14, t15 = v30, t16 = v1, t17 = v17, t18 = v9, t19 = v25, t20 = v5, t21 = v21, t22 = v13, t23 = v29, t24 = v3, t25 = v19, t26 = v11, t27 = v27, t28 = v7, t29 = v23, t30 = v15, t31 = v31;
    dct32(0);
  }
  store(at, t0, t1, t2, t3, t4, t5, t6, t7);
  if (kSize >= 2u) store(at + 1u, t8, t9, t10, t11, t12, t13, t14, t15);
  if (kSize == 3u) {
    store(at + 2u, t16, t17, t18, t19, t20, t21, t22, t23);
    store(at + 3u, t24, t25, t26, t27, t28, t29, t30, t31);
  }
}
