// The two decimations of SSIM (metrics/decimation.h), one sample an invocation.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "ssim.interface.h"
#include "binary64_sum.glsl"
#include "certified_sum.glsl"
#include "ssim_samples.glsl"

layout(local_size_x = 256) in;
layout(constant_id = 0) const uint kKind = 0u;
layout(constant_id = 1) const uint kAlwaysSerial = 0u;
layout(constant_id = 2) const uint kFactor = 0u;

layout(set = 0, binding = 0, std430) readonly buffer From { uint words[]; };
layout(set = 0, binding = 1, std430) writeonly buffer To { float to[]; };
layout(push_constant, std430) uniform Push { SsimDecimatePush push; };

const float kHalving[25] =
    float[](.000714, -.000450, -.002090, .007132, .016114,     //
            -.000450, .000283, .001316, -.004490, -.010146,    //
            -.002090, .001316, .006115, -.020867, -.047149,    //
            .007132, -.004490, -.020867, .071207, .160885,     //
            .016114, -.010146, -.047149, .160885, .363505);

const int kStep = kFactor == 0u ? 2 : int(kFactor);
const int kTaps = kFactor == 0u ? 9 : int(kFactor);
const int kBefore = kTaps / 2;

float weight(int v, int u) {
  return kFactor == 0u ? kHalving[(4 - abs(v - 4)) * 5 + (4 - abs(u - 4))] : push.weight;
}

// With the edge sample repeated.
int mirror(int index, int size) {
  const int from_start = index < 0 ? -1 - index : index;
  return from_start < size ? from_start : 2 * size - 1 - from_start;
}

float sample_at(int x, int y) {
  const uint column = uint(mirror(x, int(push.width)));
  const uint row = uint(mirror(y, int(push.height)));
  const uint shift = samples_shift(kKind);
  const uint word = words[row * push.stride + (column >> shift)];
  return sample_of(kKind, word, column & ((1u << shift) - 1u), push.unit);
}

float serial_sum(int left, int top) {
  Binary64Sum sum = binary64_zero();
  for (int v = 0; v < kTaps; ++v) {
    for (int u = 0; u < kTaps; ++u) {
      precise const float product = sample_at(left + u, top + v) * weight(v, u);
      add_term(sum, product);
    }
  }
  return to_binary32(sum);
}

void main() {
  const uint column = gl_WorkGroupID.x * kSsimGroupColumns + (gl_LocalInvocationIndex & 15u);
  const uint row = gl_WorkGroupID.y * kSsimGroupRows + (gl_LocalInvocationIndex >> 4);
  if (column < push.out_width && row < push.out_height) {
    const int left = int(column) * kStep - kBefore;
    const int top = int(row) * kStep - kBefore;
    float magnitude = 0.0;
    for (int v = 0; v < kTaps; ++v) {
      for (int u = 0; u < kTaps; ++u) {
        magnitude = max(magnitude, abs(sample_at(left + u, top + v)));
      }
    }
    // Magnitudes of the weights add up to less than 1.91, so the sum stays below 3.82 * 2^e. Rounding takes
    // less than 2600 * 2^-24 quanta off 100 terms; the bound is 4096.
    const Anchor anchor = make_anchor(magnitude, 1, 8.0, 2.44140625e-4);
    float high = anchor.value;
    float low = 0.0;
    for (int v = 0; v < kTaps; ++v) {
      for (int u = 0; u < kTaps; ++u) {
        precise const float product = sample_at(left + u, top + v) * weight(v, u);
        add_terms(high, low, product);
      }
    }
    bool certified;
    float result = settle(high, low, anchor, certified);
    if (kAlwaysSerial != 0u || !certified) result = serial_sum(left, top);
    to[row * push.out_stride + column] = result;
  }
}
