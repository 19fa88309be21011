// The largest contrast of each sample that is looked at: see largest_contrast() in
// src/metrics/cambi_rows.cpp.
//
// A workgroup goes down a tile. Shared memory has, for each column that a window of the tile has and for
// each value, how many samples of that value the rows of the window have: at most 65, so that a byte holds
// them. From row to row one sample of a column enters and one leaves. What a window has of a value is the
// sum of 2 * kHalf + 1 bytes. There is no room for all values at once: the tile's own values come in
// runs, from the least on, and counts are of a run and of the steps on both sides of it.
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

// Columns of which there are counts: windows of the tile have them.
const uint kColumns = kCambiTileColumns + 2u * kHalf;
// Words that hold the columns of a window, wherever it begins; three at least.
const uint kWords = kHalf < 3u ? 3u : (3u + 2u * kHalf) / 4u + 1u;

shared uint counts[kCambiCountWords + 8u];

// Values of the tile, a bit each.
const uint kPresentWords = 36u;
shared uint present[kPresentWords];
shared uint low_bits;
const int kNone = -0x10000;

// The sum of a tile's 2^12 contrasts has 50 bits; above them it has how many are not 0.
const uint kOneContrast = 1u << 19;

struct Place {
  uint image;  // first word of the scale
  uint stride;
  int width;
  int height;
};

// From the first value that is counted; kNone where nothing is counted.
int value_at(Place place, int x, int y) {
  if (uint(x) >= uint(place.width) || uint(y) >= uint(place.height)) return kNone;
  const uint word = images[place.image + uint(y) * place.stride + (uint(x) >> 1)];
  const uint entry = word >> ((uint(x) & 1u) * 16u) & 0xffffu;
  const int value = int(entry & 0x7fffu) - int(push.first_counted);
  return entry >= 0x8000u && uint(value) < push.counted ? value : kNone;
}

// The least of the tile's values from `from` on, or kNone.
int least_present(int from) {
  for (uint i = uint(from) >> 5; i < kPresentWords; ++i) {
    uint bits = present[i];
    if (i == uint(from) >> 5) bits &= 0xffffffffu << (uint(from) & 31u);
    if (bits != 0u) return int(i * 32u) + findLSB(bits);
  }
  return kNone;
}
// The largest up to `to`; there is one.
int largest_present(int to) {
  for (int i = to >> 5; i >= 0; --i) {
    uint bits = present[i];
    if (i == to >> 5) bits &= 0xffffffffu >> (31u - (uint(to) & 31u));
    if (bits != 0u) return i * 32 + findMSB(bits);
  }
  return kNone;
}

// Bytes of the window's word i, as this invocation's column begins in its first word.
uint window_mask(uint i) {
  const int begin = int(gl_LocalInvocationIndex & 3u) - 4 * int(i);
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

// Sum of the window's counts, from the word that it begins in. Words hold bytes of at most 65.
uint window_count(uint at, Masks masks) {
  const uint kBytes = 0xff00ffu;
  const uint first = counts[at] & masks.first;
  const uint last_but_one = counts[at + kWords - 2u] & masks.last_but_one;
  const uint last = counts[at + kWords - 1u] & masks.last;
  const uint ends = first + last_but_one + last;
  uint sum = (ends & kBytes) + (ends >> 8 & kBytes);
  for (uint i = 1u; i < kWords - 2u; ++i) {
    const uint word = counts[at + i];
    sum += (word & kBytes) + (word >> 8 & kBytes);
  }
  return (sum & 0xffffu) + (sum >> 16);
}

void count(uint column, int value, uint one) {
  atomicAdd(counts[uint(value) * push.count_stride + (column >> 2)], one << ((column & 3u) * 8u));
}

// Of a value, whose counts begin at word `at`.
float largest_contrast(int value, uint at, Masks masks) {
  const int sample_value = value + int(push.first_counted);
  const uint own = window_count(at, masks);
  float largest = 0.0;
  for (uint step = 1u; step <= push.steps; ++step) {
    if (sample_value > int(tables.visible[step - 1u]) ||
        sample_value + int(push.steps + step) <= int(push.dark)) {
      continue;
    }
    const uint above = window_count(at + step * push.count_stride, masks);
    const uint below = window_count(at - step * push.count_stride, masks);
    const uint other = max(above, below);
    const uint product = tables.weights[step - 1u] * own * other;
    // Rounded once, by the addition: both parts have fewer than 24 bits.
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
  int noted = kNone;
  if (x < place.width) {
    for (int y = top; y < bottom; ++y) {
      const int value = value_at(place, x, y);
      if (value == kNone) {
        contrasts[scale.contrasts + uint(y * place.width + x)] = 0.0;
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
    // Counts are of values from `base` on.
    const int base = first - steps;
    const uint values = uint(last + steps + 1 - base);
    for (uint i = self; i < values * push.count_stride; i += kInvocations) counts[i] = 0u;
    barrier();
    for (int y = top - half_window; y < top + half_window; ++y) {
      for (uint column = self; column < kColumns; column += kInvocations) {
        const int entering = value_at(place, left + int(column) - half_window, y) - base;
        if (uint(entering) < values) count(column, entering, 1u);
      }
    }
    for (int y = top; y < bottom; ++y) {
      for (uint column = self; column < kColumns; column += kInvocations) {
        const int at = left + int(column) - half_window;
        const int entering = value_at(place, at, y + half_window) - base;
        const int leaving = y == top ? kNone : value_at(place, at, y - half_window - 1) - base;
        if (entering == leaving) continue;
        if (uint(entering) < values) count(column, entering, 1u);
        if (uint(leaving) < values) count(column, leaving, 0xffffffffu);
      }
      barrier();
      const int value = value_at(place, x, y);
      if (value >= first && value <= last) {
        const uint at = uint(value - base) * push.count_stride + (self >> 2);
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
