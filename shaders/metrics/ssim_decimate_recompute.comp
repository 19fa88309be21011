// Recomputes the samples that ssim_box.comp or ssim_halve.comp left undecided. An invocation processes
// kSsimRecomputeRows samples of a column.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/ssim.interface.h"
#include "binary64_sum.glsl"
#include "certified_sum.glsl"
#include "metrics/ssim_samples.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 0) const uint kKind = 0u;
layout(constant_id = 1) const uint kAlwaysSerial = 0u;
layout(constant_id = 2) const uint kFactor = 0u;

layout(set = 0, binding = 0, std430) readonly buffer From { uint words[]; };
layout(set = 0, binding = 1, std430) buffer To { uint to[]; };
layout(push_constant, std430) uniform Push { SsimDecimatePush push; };

#include "metrics/ssim_decimation.glsl"

float serial_sum(int left, int top) {
  Binary64Sum sum = binary64_zero();
  for (int v = 0; v < kTaps; ++v) {
    const HalvingRow row = halving_row(v);
    for (int u = 0; u < kTaps; ++u) {
      precise const float product = sample_at(left + u, top + v) * weight(row, u);
      add_term(sum, product);
    }
  }
  return to_binary32(sum);
}

void main() {
  const uint column = gl_WorkGroupID.x * kSsimGroupColumns + (gl_LocalInvocationIndex & 15u);
  const uint first =
      (gl_WorkGroupID.y * kSsimGroupRows + (gl_LocalInvocationIndex >> 4)) * kSsimRecomputeRows;
  // This loop finds the undecided rows, as in ssim_rows_recompute.comp.
  uint rows = 0u;
  for (uint k = 0u; k < kSsimRecomputeRows; ++k) {
    if (column < push.out_width && first + k < push.out_height &&
        (kAlwaysSerial != 0u || to[(first + k) * push.out_stride + column] == kSsimUndecided)) {
      rows |= 1u << k;
    }
  }
  for (; rows != 0u; rows &= rows - 1u) {
    const uint row = first + uint(findLSB(rows));
    const int left = int(column) * kStep - kBefore;
    const int top = int(row) * kStep - kBefore;
    // `certified` is false at a picture's border, where ssim_halve.comp has not tried to certify the sum.
    bool certified = false;
    float sum = 0.0;
    if (kAlwaysSerial == 0u) sum = certified_sum(left, top, certified);
    if (!certified) sum = serial_sum(left, top);
    to[row * push.out_stride + column] = floatBitsToUint(sum);
  }
}
