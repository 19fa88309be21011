// Inverse transforms of 4x4 blocks: one invocation transforms one block.
#version 450
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require

#define OFFSET (kKind == kWalshHadamard ? 0x8000 : 2048)
#include "vp9/inverse_transform_common.glsl"

layout(set = 0, binding = 2, std430) readonly buffer Coefficients { uvec4 coefficients[]; };
layout(set = 0, binding = 3, std430) writeonly buffer Residuals { uvec4 residuals[]; };
layout(set = 0, binding = 4, std430) buffer Frame { uint frame[]; };
layout(set = 0, binding = 4, std430) buffer Frame2 { uvec2 frame_2[]; };

void never() { residuals[0] = uvec4(0u); }

ivec4 row(ivec4 v) {
  if (kKind == kWalshHadamard) {
    t0 = v.x, t1 = v.y, t2 = v.z, t3 = v.w;
    walsh_hadamard(2);
  } else if (kHasSineRows) {
    t0 = v.x, t1 = v.y, t2 = v.z, t3 = v.w;
    adst4();
  } else {
    t0 = v.x, t1 = v.z, t2 = v.y, t3 = v.w;
    dct4(0);
  }
  return ivec4(t0, t1, t2, t3);
}

// Transforms a column and returns its residuals, with kOffset added.
uvec4 column(int v0, int v1, int v2, int v3) {
  if (kKind == kWalshHadamard) {
    t0 = v0, t1 = v1, t2 = v2, t3 = v3;
    walsh_hadamard(0);
    // Clamping changes no result, because a residual of such a magnitude makes every sample 0 or the maximum.
    return uvec4(clamp(ivec4(t0, t1, t2, t3), -0x4000, 0x3fff) + kOffset);
  }
  const bool fits = kValueRange == kFitting;
  const int bias = kValueRange == kWrapping32 ? 0 : last_bias(4);
  if (kHasSineColumns) {
    t0 = v0, t1 = v1, t2 = v2, t3 = v3;
    adst4();
  } else {
    t0 = v0, t1 = v2, t2 = v1, t3 = v3;
    dct4(fits ? bias : 0);
  }
  const int rest = fits && !kHasSineColumns ? 0 : bias;
  return uvec4(residual_of(t0 + rest, 4), residual_of(t1 + rest, 4), residual_of(t2 + rest, 4),
               residual_of(t3 + rest, 4));
}

ivec4 values(uint low, uint high) {
  return ivec4(low_half(low), high_half(low), low_half(high), high_half(high));
}

void add_row(uint to, uint r0, uint r1, uint r2, uint r3) {
  if (!kHbd) {
    frame[to] = with_residuals(frame[to], r0 | r2 << 16, r1 | r3 << 16);
  } else {
    const uvec2 samples = frame_2[to >> 1];
    frame_2[to >> 1] =
        uvec2(clamped_sums(samples.x, r0 | r1 << 16), clamped_sums(samples.y, r2 | r3 << 16));
  }
}

uvec2 stored_halves(uint r0, uint r1, uint r2, uint r3) {
  return uvec2(as_stored(r0 | r1 << 16), as_stored(r2 | r3 << 16));
}
uvec4 stored_words(uint r0, uint r1, uint r2, uint r3) {
  return uvec4(ivec4(r0, r1, r2, r3) - kOffset);
}

void main() {
  const uint entry = list[push.first + gl_GlobalInvocationID.x];
  const Block block = unpacked(blocks[entry & kEntryBlock]);
  ivec4 row0, row1, row2, row3;
  const uint at = block.first_coefficient >> (!kHbd ? 3 : 2);
  if (!kHbd) {
    const uvec4 first = coefficients[at], second = coefficients[at + 1u];
    row0 = row(values(first.x, first.y));
    row1 = row(values(first.z, first.w));
    row2 = row(values(second.x, second.y));
    row3 = row(values(second.z, second.w));
  } else {
    row0 = row(ivec4(coefficients[at]));
    row1 = row(ivec4(coefficients[at + 1u]));
    row2 = row(ivec4(coefficients[at + 2u]));
    row3 = row(ivec4(coefficients[at + 3u]));
  }
  const uvec4 c0 = column(row0.x, row1.x, row2.x, row3.x);
  const uvec4 c1 = column(row0.y, row1.y, row2.y, row3.y);
  const uvec4 c2 = column(row0.z, row1.z, row2.z, row3.z);
  const uvec4 c3 = column(row0.w, row1.w, row2.w, row3.w);
  if ((entry & kNoEntry) != 0u) return;
  if ((entry & kStoreResidual) == 0u) {
    const uint to = place_of(block, 0u), stride = stride_of(block);
    add_row(to, c0.x, c1.x, c2.x, c3.x);
    add_row(to + stride, c0.y, c1.y, c2.y, c3.y);
    add_row(to + 2u * stride, c0.z, c1.z, c2.z, c3.z);
    add_row(to + 3u * stride, c0.w, c1.w, c2.w, c3.w);
  } else if (!kHbd) {
    residuals[at] = uvec4(stored_halves(c0.x, c1.x, c2.x, c3.x), stored_halves(c0.y, c1.y, c2.y, c3.y));
    residuals[at + 1u] =
        uvec4(stored_halves(c0.z, c1.z, c2.z, c3.z), stored_halves(c0.w, c1.w, c2.w, c3.w));
  } else {
    residuals[at] = stored_words(c0.x, c1.x, c2.x, c3.x);
    residuals[at + 1u] = stored_words(c0.y, c1.y, c2.y, c3.y);
    residuals[at + 2u] = stored_words(c0.z, c1.z, c2.z, c3.z);
    residuals[at + 3u] = stored_words(c0.w, c1.w, c2.w, c3.w);
  }
}
