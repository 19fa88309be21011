// Filters a picture by CDEF, like cdef_block() in bench/av1/cdef.cpp: four samples of a row per invocation,
// and a thread of 16 invocations per 8x8 block of luma. Floats do the arithmetic, exactly: V3D reads halves of
// words, magnitudes and products by constants in the instruction that uses them. A sample s is the binary16
// number 1024 + s, whose bits are 0x6400 + s.
#version 450
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require

#include "av1/cdef.interface.h"

layout(local_size_x = kCdefFilterLanes) in;

layout(set = 0, binding = 0, std430) readonly buffer Source { uint source[]; };
layout(set = 0, binding = 1, std430) writeonly buffer Target { uint target[]; };
layout(set = 0, binding = 2, std430) readonly buffer Blocks { uvec2 blocks[]; };
layout(set = 0, binding = 3, std430) readonly buffer Steps { ivec4 steps[]; };
layout(push_constant, std430) uniform Push { CdefFilterPush push; };

const uint kBias = 0x64006400u;

#if HBD
#define Words uvec2  // four samples of a row
const uint kSampleBytes = 2u;
const uint kExtraBits = 2u;
#else
#define Words uint
const uint kSampleBytes = 1u;
const uint kExtraBits = 0u;
#endif

// Returns the samples plus 1024, in the order of samples_of()'s reverse, words_of().
vec4 samples_of(Words words) {
#if HBD
  return vec4(unpackHalf2x16(words.x | kBias), unpackHalf2x16(words.y | kBias));
#else
  return vec4(unpackHalf2x16((words & 0x00ff00ffu) | kBias),
              unpackHalf2x16(((words >> 8) & 0x00ff00ffu) | kBias));
#endif
}

Words words_of(vec4 samples) {
  const uint a = packHalf2x16(samples.xy);
  const uint b = packHalf2x16(samples.zw);
#if HBD
  return uvec2(a ^ kBias, b ^ kBias);
#else
  return (a ^ kBias) | ((b ^ kBias) << 8);
#endif
}

// Bits from bit `shift` on of two words.
uint funnel(uint low, uint high, uint shift) {
  return (low >> (shift & 31u)) | ((high << 1) << (~shift & 31u));
}

// Loads four samples that begin at a word.
Words load_words(uint address) {
  const uint word = address >> 2;
#if HBD
  return uvec2(source[word], source[word + 1u]);
#else
  return source[word];
#endif
}

// Loads four samples that begin at any sample.
Words load_window(uint address) {
  const uint word = address >> 2;
  const uint shift = address << 3;
#if HBD
  const uint middle = source[word + 1u];
  return uvec2(funnel(source[word], middle, shift), funnel(middle, source[word + 2u], shift));
#else
  return funnel(source[word], source[word + 1u], shift);
#endif
}

// Where the invocation's samples are in a plane.
struct Place {
  uint address;  // address in bytes
  int x, y;      // position of the first sample
  int width, height;
};

// Like load_window(), for a window at a step from `place`. Samples outside the picture become `centre`, which
// neither moves nor limits the result.
Words load_at_border(Place place, int address, ivec2 step, Words centre) {
  const bool row_exists = uint(place.y + step.y) < uint(place.height);
  const uint last = push.last_word;
  const int start = row_exists ? address : int(place.address);
  const int word = start >> 2;
  const uint shift = uint(start) << 3;
  const int left = max(-step.x - place.x, 0);                    // number of samples left of the picture
  const int right = max(place.x + step.x + 4 - place.width, 0);  // the same at its right
#if HBD
  const uint first = source[max(word, 0)];
  const uint middle = source[min(uint(word + 1), last)];
  const uint third = source[min(uint(word + 2), last)];
  const uvec2 window = uvec2(funnel(first, middle, shift), funnel(middle, third, shift));
  uvec2 exists = uvec2(left == 0 ? 0xffffffffu : left == 1 ? 0xffff0000u : 0u,
                       right == 0 ? 0xffffffffu : right == 1 ? 0xffffu : 0u);
#else
  const uint window = funnel(source[max(word, 0)], source[min(uint(word + 1), last)], shift);
  uint exists = (0xffffffffu << uint(8 * left)) & (0xffffffffu >> uint(8 * right));
#endif
  if (!row_exists) exists = Words(0u);
  return (window & exists) | (centre & ~exists);
}

struct Taps {
  vec4 centre;       // samples plus 1024
  vec4 sum;          // weighted differences, limited
  vec4 least, most;  // differences
};

void add(inout Taps taps, Words words, float weight, float strength, float scale) {
  const vec4 difference = samples_of(words) - taps.centre;
  const vec4 limit = max(strength - floor(abs(difference) * scale), 0.0);
  taps.sum += weight * max(min(difference, limit), -limit);
  taps.least = min(taps.least, difference);
  taps.most = max(taps.most, difference);
}

vec4 filtered(Taps taps) {
  // Rounds the sum's sixteenth to the nearest integer, halves away from zero.
  const vec4 size = floor(abs(taps.sum) * (1.0 / 16.0) + 0.5);
  const vec4 moved = max(min(taps.sum, size), -size);
  return taps.centre + max(min(moved, taps.most), taps.least);
}

// How a block is filtered, from its word.
struct Filter {
  float primary, secondary;              // strengths
  float primary_scale, secondary_scale;  // 2^-shift
  float near_weight, far_weight;         // weights of the primary taps
  uint steps;                            // index of the direction's steps
};

float scale_of(uint shift) { return uintBitsToFloat((127u - shift) << 23); }

Filter filter_of(uint block, uint plane) {
  const bool odd = ((block >> (kCdefPrimary + kExtraBits)) & 1u) != 0u;
  const uint direction = (plane == 0u ? 0u : 8u) + ((block >> kCdefTurn) & 7u);
  return Filter(float((block >> kCdefPrimary) & 63u), float((block >> kCdefSecondary) & 31u),
                scale_of((block >> kCdefPrimaryShift) & 15u), scale_of((block >> kCdefSecondaryShift) & 15u),
                odd ? 3.0 : 4.0, odd ? 3.0 : 2.0, direction * kCdefStepVectors);
}

// Returns `address`. The added expression is always 0, but the compiler does not know that; it makes the
// address wait for the sums, so that no later window is loaded before.
uint after(Taps taps, uint address) {
  return address + (floatBitsToUint(taps.sum.x) & (push.last_word >> 31));
}

Taps taps_of(Words centre) { return Taps(samples_of(centre), vec4(0.0), vec4(0.0), vec4(0.0)); }

// Filters four samples of a block whose neighbours all exist. Four windows are loaded before the first is
// used, because a thread is alone on its QPU and has to wait for memory; registers do not hold twelve.
Words filter_inside(uint address, Filter how, Words centre) {
  const ivec4 turned = steps[how.steps];
  const ivec2 others = steps[how.steps + 1u].xy;
  Taps taps = taps_of(centre);
  Words windows[4];
#define LOAD(near, far)                                  \
  windows[0] = load_window(address + uint(near));        \
  windows[1] = load_window(address - uint(near));        \
  windows[2] = load_window(address + uint(far));         \
  windows[3] = load_window(address - uint(far));
#define ADD(near_weight, far_weight, strength, scale)    \
  add(taps, windows[0], near_weight, strength, scale);   \
  add(taps, windows[1], near_weight, strength, scale);   \
  add(taps, windows[2], far_weight, strength, scale);    \
  add(taps, windows[3], far_weight, strength, scale);
  if (how.primary != 0.0) {
    LOAD(turned.x, turned.y)
    ADD(how.near_weight, how.far_weight, how.primary, how.primary_scale)
  }
  if (how.secondary != 0.0) {
    LOAD(turned.z, turned.w)
    ADD(2.0, 1.0, how.secondary, how.secondary_scale)
#if HBD
    address = after(taps, address);  // registers do not hold eight windows of two words
#endif
    LOAD(others.x, others.y)
    ADD(2.0, 1.0, how.secondary, how.secondary_scale)
  }
  return words_of(filtered(taps));
}

// Filters four samples of a block at the picture's border. Few blocks are there, so a loop keeps the program
// short.
Words filter_border(Place place, Filter how, Words centre) {
  Taps taps = taps_of(centre);
  [[dont_unroll]] for (int tap = 0; tap < 12; ++tap) {
    const int k = tap >> 1;
    const int sign = 1 - 2 * (tap & 1);
    const int distance = steps[how.steps + uint(k >> 2)][k & 3];
    const ivec4 others = steps[how.steps + 1u];
    const int both = (k < 4 ? others.z : others.w) >> (8 * (k & 3));
    const ivec2 step = sign * ivec2(((both >> 4) & 15) - 2, (both & 15) - 2);
    const Words window = load_at_border(place, int(place.address) + sign * distance, step, centre);
    const bool near = (k & 1) == 0;
    if (k < 2) {
      add(taps, window, near ? how.near_weight : how.far_weight, how.primary, how.primary_scale);
    } else {
      add(taps, window, near ? 2.0 : 1.0, how.secondary, how.secondary_scale);
    }
  }
  return words_of(filtered(taps));
}

void store(uint address, Words words) {
#if HBD
  target[address >> 2] = words.x;
  target[(address >> 2) + 1u] = words.y;
#else
  target[address >> 2] = words;
#endif
}

void main() {
  uint group = gl_WorkGroupID.x;
  uint plane = 0u;
  if (group >= push.luma_groups) {
    group -= push.luma_groups;
    plane = 1u;
    if (group >= push.chroma_groups) {
      group -= push.chroma_groups;
      plane = 2u;
    }
  }
  const uint lane = gl_LocalInvocationIndex;
  const uint side = plane == 0u ? 8u : 4u;
  const uint column = plane == 0u ? group * (kCdefFilterLanes / kCdefLumaLanes) + (lane >> 4)
                                    : group * (kCdefFilterLanes / kCdefChromaLanes) + (lane >> 2);
  if (column >= push.columns) return;
  Place place;
  place.x = int(column * side + (plane == 0u ? 4u * (lane & 1u) : 0u));
  place.y = int(gl_WorkGroupID.y * side + (plane == 0u ? (lane >> 1) & 7u : lane & 3u));
  place.width = int(push.columns * side);
  place.height = int(push.rows * side);
  const uint offset = plane == 0u ? push.plane_offsets[0] : plane == 1u ? push.plane_offsets[1] : push.plane_offsets[2];
  const uint stride = plane == 0u ? push.strides[0] : push.strides[1];
  place.address = offset + uint(place.y) * stride + uint(place.x) * kSampleBytes;
  const uvec2 both = blocks[gl_WorkGroupID.y * push.block_stride + column];
  const uint block = plane == 0u ? both.x : both.y;
  const Words centre = load_words(place.address);
  if (block == 0u) {
    store(place.address, centre);
    return;
  }
  const Filter how = filter_of(block, plane);
  const bool border = column == 0u || column + 1u == push.columns || gl_WorkGroupID.y == 0u ||
                      gl_WorkGroupID.y + 1u == push.rows;
  Words result;
  if (border) {
    result = filter_border(place, how, centre);
  } else {
    result = filter_inside(place.address, how, centre);
  }
  store(place.address, result);
}
