// Computes the largest contrast of each sample that the image marks, like largest_contrast() in
// src/metrics/cambi_rows.cpp.
//
// A workgroup goes down a tile. For each value and each column of the tile's windows, shared memory has the
// number of samples of that value in the window's rows. This count is at most 65, so a byte holds it. From
// row to row one sample of a column enters and one leaves. A window's count of a value is the sum of 2 *
// kHalf + 1 bytes. There is no room for all values at once. So the values of the tile come in runs, in
// increasing order; the counts cover a run and the steps on both sides of it.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/cambi.interface.h"

const uint kInvocations = 64u;
const uint kSum64Invocations = kInvocations;
#include "sum64.glsl"
#include "metrics/cambi_fixed.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint kHalf = 16u;

layout(set = 0, binding = 0, std430) readonly buffer Images { uint images[]; };
layout(set = 0, binding = 1, std430) readonly buffer Tables { CambiTables tables; };
layout(set = 0, binding = 2, std430) writeonly buffer Contrasts { float contrasts[]; };
layout(set = 0, binding = 3, std430) buffer Sums { CambiSums sums[]; };
layout(push_constant, std430) uniform Push { CambiContrastsPush push; };

// Number of columns in half a window, rounded up to whole pairs of columns.
const uint kMargin = kHalf + (kHalf & 1u);
// Number of pairs of columns with counts: all columns of the tile's windows.
const uint kPairs = kCambiTileColumns / 2u + kMargin;
// Number of words that hold the columns of a window at any position; at least three.
const uint kWords = kHalf < 3u ? 3u : (3u + 2u * kHalf) / 4u + 1u;

shared uint counts[kCambiCountWords + 8u];

// Set of the tile's values, one bit per value.
const uint kPresentWords = 36u;
shared uint present[kPresentWords];
shared uint low_bits;
const int kNone = -0x10000;

// The sum of a tile's 2^12 contrasts takes 50 bits; the bits above count the contrasts other than 0.
const uint kOneContrast = 1u << 19;

struct Place {
  uint image;  // index of the scale's first word
  uint stride;
  int width;
  int height;
};

// Returns two samples of a row of the image. Samples outside the image are 0 and are not marked.
uint pair_at(Place place, int pair, int y) {
  const bool inside = uint(pair) < place.stride && uint(y) < uint(place.height);
  return inside ? images[place.image + uint(y) * place.stride + uint(pair)] : 0u;
}

// Returns the sample in `entry` minus the first counted value, or kNone if the sample is not marked.
int value_of(uint entry) {
  const int value = int(entry & 0x7fffu) - int(push.first_counted);
  return entry >= 0x8000u && uint(value) < push.counted ? value : kNone;
}
ivec2 values_of(uint pair) { return ivec2(value_of(pair & 0xffffu), value_of(pair >> 16)); }

// Returns the smallest value of the tile at or above `from`, or kNone if there is none.
int least_present(int from) {
  for (uint i = uint(from) >> 5; i < kPresentWords; ++i) {
    uint bits = present[i];
    if (i == uint(from) >> 5) bits &= 0xffffffffu << (uint(from) & 31u);
    if (bits != 0u) return int(i * 32u) + findLSB(bits);
  }
  return kNone;
}
// Returns the largest value of the tile at or below `to`; at least one such value must exist.
int largest_present(int to) {
  for (int i = to >> 5; i >= 0; --i) {
    uint bits = present[i];
    if (i == to >> 5) bits &= 0xffffffffu >> (31u - (uint(to) & 31u));
    if (bits != 0u) return i * 32 + findMSB(bits);
  }
  return kNone;
}

// Returns the byte offset in a row of counts at which this invocation's window begins.
uint window_begin() { return gl_LocalInvocationIndex + kMargin - kHalf; }

// Returns a mask of those bytes in word i that belong to the window.
uint window_mask(uint i) {
  const int begin = int(window_begin() & 3u) - 4 * int(i);
  const int end = begin + 2 * int(kHalf) + 1;
  uint mask = 0u;
  for (int j = 0; j < 4; ++j) {
    if (j >= begin && j < end) mask |= 0xffu << (8 * j);
  }
  return mask;
}

struct Masks {
  uint first, last_but_one, last;
};

// Returns the sums of the window's counts of two values, each from the word where the window begins. The
// bytes are at most 65. Both values are summed at once, so that the loads of one overlap with those of the
// other.
uvec2 window_counts(uvec2 at, Masks masks) {
  const uint kBytes = 0xff00ffu;
  const uint tail = kWords - 2u;
  const uvec2 first = uvec2(counts[at.x], counts[at.y]);
  const uvec2 last_but_one = uvec2(counts[at.x + tail], counts[at.y + tail]);
  const uvec2 last = uvec2(counts[at.x + tail + 1u], counts[at.y + tail + 1u]);
  const uvec2 ends = (first & masks.first) + (last_but_one & masks.last_but_one) + (last & masks.last);
  uvec2 sum = (ends & kBytes) + (ends >> 8 & kBytes);
  for (uint i = 1u; i < tail; ++i) {
    const uvec2 words = uvec2(counts[at.x + i], counts[at.y + i]);
    sum += (words & kBytes) + (words >> 8 & kBytes);
  }
  return (sum & 0xffffu) + (sum >> 16);
}

// Adds `one` to the count of `value` (if below `values`) in column `2 * pair + second`.
void count(uint pair, uint second, int value, uint values, uint one) {
  if (uint(value) >= values) return;
  atomicAdd(counts[uint(value) * push.count_stride + (pair >> 1)],
            one << ((pair & 1u) * 16u + second * 8u));
}

// Returns the largest contrast of a sample of `value`, whose counts begin at word `at`.
float largest_contrast(int value, uint at, Masks masks) {
  const int sample_value = value + int(push.first_counted);
  const uint own = window_counts(uvec2(at), masks).x;
  float largest = 0.0;
  for (uint step = 1u; step <= push.steps; ++step) {
    if (sample_value > int(tables.visible[step - 1u]) ||
        sample_value + int(push.steps + step) <= int(push.dark)) {
      continue;
    }
    const uint distance = step * push.count_stride;
    const uvec2 others = window_counts(uvec2(at + distance, at - distance), masks);
    const uint other = max(others.x, others.y);
    const uint product = tables.weights[step - 1u] * own * other;
    // Only this addition rounds, because both parts have fewer than 24 bits.
    precise const float rounded = float(product >> 12) * 4096.0 + float(product & 4095u);
    precise const float contrast = rounded * tables.reciprocals[own + other];
    largest = max(largest, contrast);
  }
  return largest;
}

void main() {
  const uint self = gl_LocalInvocationIndex;
  uint number = 0u;
  for (uint i = 1u; i < kCambiShaderScales; ++i) {
    if (gl_WorkGroupID.y >= tables.scales[i].first_strip) number = i;
  }
  const CambiScale scale = tables.scales[number];
  if (gl_WorkGroupID.x * kCambiTileColumns >= scale.width) return;
  const Place place = Place(scale.image, scale.stride, int(scale.width), int(scale.height));
  const int left = int(gl_WorkGroupID.x * kCambiTileColumns);
  const int top = int((gl_WorkGroupID.y - scale.first_strip) * kCambiTileRows);
  const int bottom = min(top + int(kCambiTileRows), place.height);
  const int half_window = int(kHalf);
  const int x = left + int(self);

  for (uint i = self; i < kPresentWords; i += kInvocations) present[i] = 0u;
  if (self == 0u) low_bits = 0u;
  barrier();
  // Marks in `present` the values of the tile's own samples. The workgroup reads two rows at a time, each
  // invocation one pair of columns.
  const int own_pair = (left >> 1) + int(self & 31u);
  int noted = kNone;
  for (int y = top + int(self >> 5); y < bottom; y += 2) {
    const ivec2 pair = values_of(pair_at(place, own_pair, y));
    for (int i = 0; i < 2; ++i) {
      const int value = i == 0 ? pair.x : pair.y;
      if (value == kNone) {
        const int column = 2 * own_pair + i;
        if (column < place.width) contrasts[scale.contrasts + uint(y * place.width + column)] = 0.0;
      } else if (value != noted) {
        atomicOr(present[value >> 5], 1u << (uint(value) & 31u));
        noted = value;
      }
    }
  }
  barrier();

  const Masks masks = Masks(window_mask(0u), window_mask(kWords - 2u), window_mask(kWords - 1u));
  const int steps = int(push.steps);
  uvec2 sum = uvec2(0u);
  uint own_low_bits = 0u;
  int first = least_present(0);
  while (first != kNone) {
    const int last = largest_present(
        min(first + int(push.values) - 2 * steps, int(32u * kPresentWords)) - 1);
    // Counts hold `values` values from `base` on.
    const int base = first - steps;
    const uint values = uint(last + steps + 1 - base);
    for (uint i = self; i < values * push.count_stride; i += kInvocations) counts[i] = 0u;
    barrier();
    // Each invocation handles at most one pair, because there are at most as many pairs as invocations.
    const int pair = ((left - int(kMargin)) >> 1) + int(self);
    if (self < kPairs) {
      for (int y = top - half_window; y < top + half_window; ++y) {
        const ivec2 entering = values_of(pair_at(place, pair, y)) - base;
        count(self, 0u, entering.x, values, 1u);
        count(self, 1u, entering.y, values, 1u);
      }
    }
    for (int y = top; y < bottom; ++y) {
      if (self < kPairs) {
        const uint in_pair = pair_at(place, pair, y + half_window);
        const uint out_pair = y == top ? 0u : pair_at(place, pair, y - half_window - 1);
        if (in_pair != out_pair) {
          const ivec2 entering = values_of(in_pair) - base;
          const ivec2 leaving = values_of(out_pair) - base;
          count(self, 0u, entering.x, values, 1u);
          count(self, 1u, entering.y, values, 1u);
          count(self, 0u, leaving.x, values, 0xffffffffu);
          count(self, 1u, leaving.y, values, 0xffffffffu);
        }
      }
      barrier();
      const uint own = pair_at(place, x >> 1, y);
      const int value = value_of((x & 1) == 0 ? own & 0xffffu : own >> 16);
      if (value >= first && value <= last) {
        const uint at = uint(value - base) * push.count_stride + (window_begin() >> 2);
        const float contrast = largest_contrast(value, at, masks);
        contrasts[scale.contrasts + uint(y * place.width + x)] = contrast;
        const uvec2 units = contrast_units(floatBitsToUint(contrast));
        sum = add64(sum, units);
        own_low_bits |= units.x;
        if (contrast != 0.0) sum.y += kOneContrast;
      }
      barrier();
    }
    first = least_present(last + 1);
  }

  if (own_low_bits != 0u) atomicOr(low_bits, own_low_bits);
  const uvec2 total = workgroup_sum64(sum);
  if (self == 0u && total.y != 0u) {
    const uint high = total.y & (kOneContrast - 1u);
    atomicAdd(sums[number].contrasts, total.y / kOneContrast);
    atomicAdd(sums[number].sum[0], total.x & 0xffffu);
    atomicAdd(sums[number].sum[1], total.x >> 16);
    atomicAdd(sums[number].sum[2], high & 0xffffu);
    atomicAdd(sums[number].sum[3], high >> 16);
    atomicOr(sums[number].low_bits, low_bits);
  }
}
