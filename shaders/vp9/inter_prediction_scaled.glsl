// VP9 prediction from a reference of another size (VP9 specification, section 8.5.2.4). One invocation
// predicts a strip of 4x4 samples. Such references are rare, and every sample has its own position, so
// samples are fetched one by one. Shaders for samples of more than 8 bits define HIGH_BIT_DEPTH.

#include "vp9/inter_prediction.interface.h"

layout(local_size_x = kInterLanes) in;
layout(constant_id = kAverageConstant) const uint kAverage = 0u;
#ifdef HIGH_BIT_DEPTH
layout(constant_id = kInterBitsConstant) const uint kBits = 10u;
const uint kSampleBytesLog2 = 1u;
#else
const uint kBits = 8u;
const uint kSampleBytesLog2 = 0u;
#endif
const uint kSampleBits = 8u << kSampleBytesLog2;
const uint kStripSize = 4u;
const uint kSamplesOfWordLog2 = 2u - kSampleBytesLog2;
const uint kSamplesOfWord = 1u << kSamplesOfWordLog2;

layout(set = 0, binding = 0, std430) buffer Frame { uint frame[]; };
layout(set = 0, binding = 1, std430) readonly buffer Reference { uint reference[]; };
layout(set = 0, binding = 2, std430) readonly buffer Filters { uvec4 filters[]; };
layout(set = 0, binding = 3, std430) readonly buffer Strips { InterStrip strips[]; };
layout(push_constant, std430) uniform Push { InterScaledPush push; };

struct Plane {
  uint begin;  // index of the plane's first word
  uint stride;
  int most_x;
  int most_y;
};

float sample_at(Plane plane, int x, int y) {
  const uint column = uint(clamp(x, 0, plane.most_x));
  const uint row = uint(clamp(y, 0, plane.most_y));
  const uint word = reference[plane.begin + row * plane.stride + (column >> kSamplesOfWordLog2)];
  const uint place = (column & (kSamplesOfWord - 1u)) * kSampleBits;
  return float((word >> place) & ((1u << kSampleBits) - 1u));
}

float tap(uvec4 taps, int index) {
  const vec2 pair = unpackHalf2x16(taps[index >> 1]);
  return (index & 1) == 0 ? pair.x : pair.y;
}

// Rounds and clamps a sum of taps times samples. No rounding occurs before, because such sums are multiples
// of 1/128.
float rounded(float sum) { return floor(clamp(sum + 0.5, 0.0, float((1u << kBits) - 1u) + 0.5)); }

// Predicts the sample at x and y of the reference, in 16ths of a sample.
uint predicted_sample(Plane plane, uint filter_row, int x, int y) {
  const uvec4 along_x = filters[filter_row + uint(x & 15)];
  const uvec4 along_y = filters[filter_row + uint(y & 15)];
  float sum = 0.0;
  [[dont_unroll]] for (int row = 0; row < 8; ++row) {
    float of_row = 0.0;
    [[dont_unroll]] for (int column = 0; column < 8; ++column) {
      of_row += tap(along_x, column) * sample_at(plane, (x >> 4) + column - 3, (y >> 4) + row - 3);
    }
    sum += tap(along_y, row) * rounded(of_row);
  }
  return uint(rounded(sum));
}

uint mean(uint a, uint b) {
  const uint halves = kSampleBytesLog2 == 0u ? 0x7f7f7f7fu : 0x7fff7fffu;
  return (a | b) - (((a ^ b) >> 1) & halves);
}

void main() {
  const uint index = push.first + gl_GlobalInvocationID.x;
  if (index >= push.last) return;
  const InterStrip strip = strips[index];
  const uint plane_index = (strip.choice >> kPlaneShift) & 3u;
  const int step_x = int((strip.choice >> kStepXShift) & 63u);
  const int step_y = int(strip.choice >> kStepYShift);
  const bool luma = plane_index == 0u;
  const Plane plane = Plane(luma ? push.planes[0] : plane_index == 1u ? push.planes[1] : push.planes[2],
                            luma ? push.from_strides[0] : push.from_strides[1],
                            int(luma ? push.most_x[0] : push.most_x[1]),
                            int(luma ? push.most_y[0] : push.most_y[1]));
  const uint to_stride = luma ? push.to_strides[0] : push.to_strides[1];
  uint to = strip.to;
  int y = int(strip.place);
  [[dont_unroll]] for (uint row = 0u; row < kStripSize; ++row) {
    int x = int(strip.from);
    [[dont_unroll]] for (uint at = 0u; at < kStripSize >> kSamplesOfWordLog2; ++at) {
      uint word = 0u;
      [[dont_unroll]] for (uint place = 0u; place < kSamplesOfWord; ++place) {
        const uint value = predicted_sample(plane, strip.choice & (kFilterRows - 1u), x, y);
        word |= value << (place * kSampleBits);
        x += step_x;
      }
      frame[to + at] = kAverage != 0u ? mean(frame[to + at], word) : word;
    }
    to += to_stride;
    y += step_y;
  }
}
