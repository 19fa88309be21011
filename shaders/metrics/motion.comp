// Sums the absolute values of the blurred difference of two luma planes exactly, strip by strip, like
// motion_sad() in src/metrics/motion.cpp. An invocation walks down a column of four samples, because V3D's
// registers suffice for four. It keeps the differences of four rows, two per word. The horizontal filter
// needs two samples on each side; the invocation blurs these vertically itself, because exchanging them costs
// more.
#version 450
#extension GL_GOOGLE_include_directive : require

#include "metrics/motion.interface.h"

const uint kInvocations = 64u;
const uint kSum64Invocations = kInvocations;
#include "sum64.glsl"

layout(local_size_x = 64) in;
layout(constant_id = 0) const uint kBits = 8u;

layout(set = 0, binding = 0, std430) readonly buffer Previous { uint previous[]; };
layout(set = 0, binding = 1, std430) readonly buffer Current { uint current[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Strips { uvec2 strips[]; };
layout(push_constant, std430) uniform Push { MotionPush push; };

// Taps of the filter: kOuter, kInner, kMiddle, kInner, kOuter.
const int kOuter = 3571;
const int kInner = 16004;
const int kMiddle = 26386;

// Number of samples per row that an invocation blurs vertically: the four samples of its column, and two on
// each side.
const int kSamples = 8;

// Positions of an invocation's samples in a row, in words from the start of the row. A position outside the
// row is replaced by one inside it.
struct Places {
  uint left, first, second, right;  // `second` is used only for 16-bit samples
};

// Words that hold the invocation's samples: the words of the column, the word before and the word after it.
struct Words {
  uvec2 column;  // words of the column; 8-bit samples use only x
  uint left, right;
};

Places places_of(uint column) {
  const uint a_word = kBits > 8u ? 2u : 4u;
  const uint last = (push.width - 1u) / a_word;
  const uint first = column * (kMotionColumn / a_word);
  const uint second = first + kMotionColumn / a_word - 1u;
  return Places(max(first, 1u) - 1u, first, second, min(second + 1u, last));
}

// Returns the index of a row's first word. Up to two rows outside the plane are mirrored. For rows further
// down, which are not used, it returns any row of the plane.
uint row_start(int row) {
  const int mirrored = min(abs(row), 2 * int(push.height) - 2 - abs(row));
  return uint(max(mirrored, 0)) * push.stride;
}

#define LOAD_WORDS(plane)                                                               \
  Words load_##plane(uint start, Places at) {                                           \
    const uint second = kBits > 8u ? plane[start + at.second] : 0u;                     \
    return Words(uvec2(plane[start + at.first], second), plane[start + at.left], plane[start + at.right]); \
  }
LOAD_WORDS(previous)
LOAD_WORDS(current)

// Row of 16-bit samples: two words of even index and two of odd index.
struct Row {
  uvec2 even, odd;
};

Row words_of(Words words) {
  return Row(uvec2(words.left, words.column.y), uvec2(words.column.x, words.right));
}

// Packs a row of 8-bit samples into two words. The last word holds two samples of each side.
uvec2 bytes_of(Words words) {
  return uvec2(words.column.x, words.left >> 16 | words.right << 16);
}

// Differences of two samples per word, plus kBias, so that no field borrows from the other. With 8 bits
// `even` holds samples 0 2, -2 4 and `odd` holds 1 3, -1 5. With more bits they hold -2 -1, 2 3 and 0 1, 4
// 5. Differences of 16-bit samples do not fit into a field.
const int kBias = (1 << (kBits > 12u ? 12u : kBits)) - 1;
const uint kFields = uint(kBias) * 0x10001u;

Row difference(Words a, Words b) {
  // A complement is kBias minus the sample.
  if (kBits > 8u) {
    const Row from = words_of(a);
    const Row less = words_of(b);
    return Row(from.even + (less.even ^ kFields), from.odd + (less.odd ^ kFields));
  }
  const uvec2 from = bytes_of(a);
  const uvec2 complement = ~bytes_of(b);
  return Row((from & kFields) + (complement & kFields),
             (from >> 8 & kFields) + (complement >> 8 & kFields));
}

// Vertically blurred samples: those of two words in `even`, those of the other two in `odd`.
struct Blurred {
  ivec2 even[2], odd[2];
};

// Offset that rounds the vertically blurred packed differences and removes their bias. Sums fit into 31
// bits, because the taps add up to 65536 and biased differences have at most 13 bits.
const int kRounding = int(1u << (kBits - 1u)) - (kBits > 12u ? 0 : 65536 * kBias);

ivec2 blurred(ivec2 outer, ivec2 inner, ivec2 middle) {
  return (kOuter * outer + kInner * inner + kMiddle * middle + kRounding) >> int(kBits);
}

ivec2[2] blurred_fields(uvec2 r0, uvec2 r1, uvec2 r2, uvec2 r3, uvec2 r4) {
  const uvec2 outer = r0 + r4;
  const uvec2 inner = r1 + r3;
  return ivec2[2](blurred(ivec2(outer & 0xffffu), ivec2(inner & 0xffffu), ivec2(r2 & 0xffffu)),
                  blurred(ivec2(outer >> 16), ivec2(inner >> 16), ivec2(r2 >> 16)));
}

// Returns (kOuter * outer + kInner * inner + kMiddle * middle + 2^15) >> 16. `outer` and `inner` are sums
// of two signed 17-bit values, `middle` is one such value. The whole sum has 34 bits, but no partial sum
// here has more than 32. Early shifts do not change the result: they drop only bits below the last shift.
#define BLURRED_WIDE(outer, inner, middle)                                                       \
  ((((((kOuter * (outer)) >> 1) + kMiddle / 2 * (middle)) >> 1) + kInner / 4 * (inner) + 8192) >> 14)

// Returns the differences of 16-bit samples in the order of Blurred.
Blurred deep_difference(int row, Places at) {
  const uint start = row_start(row);
  const Row a = words_of(load_previous(start, at));
  const Row b = words_of(load_current(start, at));
  return Blurred(
      ivec2[2](ivec2(a.even & 0xffffu) - ivec2(b.even & 0xffffu), ivec2(a.even >> 16) - ivec2(b.even >> 16)),
      ivec2[2](ivec2(a.odd & 0xffffu) - ivec2(b.odd & 0xffffu), ivec2(a.odd >> 16) - ivec2(b.odd >> 16)));
}

// Blurs differences of 16-bit samples vertically. Each row loads all five input rows, because registers do
// not suffice to keep them.
Blurred deep_blurred(int row, Places at) {
  const Blurred r0 = deep_difference(row - 2, at);
  const Blurred r1 = deep_difference(row - 1, at);
  const Blurred r2 = deep_difference(row, at);
  const Blurred r3 = deep_difference(row + 1, at);
  const Blurred r4 = deep_difference(row + 2, at);
#define DEEP(words, half) \
  BLURRED_WIDE(r0.words[half] + r4.words[half], r1.words[half] + r3.words[half], r2.words[half])
  return Blurred(ivec2[2](DEEP(even, 0), DEEP(even, 1)), ivec2[2](DEEP(odd, 0), DEEP(odd, 1)));
}

// Returns the samples in the order of the row: sample i of the column has index i + 2 in the result.
int[kSamples] in_order(Blurred b) {
  if (kBits > 8u) {
    return int[kSamples](b.even[0].x, b.even[1].x, b.odd[0].x, b.odd[1].x, b.even[0].y, b.even[1].y,
                         b.odd[0].y, b.odd[1].y);
  }
  return int[kSamples](b.even[0].y, b.odd[0].y, b.even[0].x, b.odd[0].x, b.even[1].x, b.odd[1].x,
                       b.even[1].y, b.odd[1].y);
}

#define MAGNITUDE(i) uint(abs(BLURRED_WIDE(v[i] + v[i + 4], v[i + 1] + v[i + 3], v[i + 2])))

// Mirrors samples of a row at the plane's border, into positions outside. `inside` is the number of the
// plane's samples from the column's first on. Returns the amount that the column's samples outside the plane
// would add to the sum.
uint mirror_ends(bool left, int inside, inout int v[kSamples]) {
  if (left) {
    v[0] = v[4];
    v[1] = v[3];
  }
#define MIRROR(i)                                \
  if (inside == i) {                             \
    v[i + 2] = v[i];                             \
    v[i < 5 ? i + 3 : i] = v[i < 5 ? i - 1 : i]; \
  }
  MIRROR(1) MIRROR(2) MIRROR(3) MIRROR(4) MIRROR(5)
  uint outside = 0u;
#define ADD_OUTSIDE(i) \
  if (inside <= i) outside += MAGNITUDE(i);
  ADD_OUTSIDE(1) ADD_OUTSIDE(2) ADD_OUTSIDE(3)
  return outside;
}

uint sum_of_magnitudes(int v[kSamples]) {
  return MAGNITUDE(0) + MAGNITUDE(1) + MAGNITUDE(2) + MAGNITUDE(3);
}

uint sum_of_column(uint column, int first_row, int rows) {
  const Places at = places_of(column);
  const int inside = int(push.width - column * kMotionColumn);
  const bool left = column == 0u;
  const bool edge = left || inside < kSamples - 2;
  uint sum = 0u;
  if (kBits > 12u) {
    for (int i = 0; i < rows; ++i) {
      int v[kSamples] = in_order(deep_blurred(first_row + i, at));
      if (edge) sum -= mirror_ends(left, inside, v);
      sum += sum_of_magnitudes(v);
    }
    return sum;
  }
#define DIFFERENCE(name, row)               \
  const uint start_##name = row_start(row); \
  Row name = difference(load_previous(start_##name, at), load_current(start_##name, at));
  DIFFERENCE(r0, first_row - 2)
  DIFFERENCE(r1, first_row - 1)
  DIFFERENCE(r2, first_row)
  DIFFERENCE(r3, first_row + 1)
  for (int i = 0; i < rows; ++i) {
    const uint start = row_start(first_row + i + 2);
    const Row r4 = difference(load_previous(start, at), load_current(start, at));
    int v[kSamples] = in_order(Blurred(blurred_fields(r0.even, r1.even, r2.even, r3.even, r4.even),
                                       blurred_fields(r0.odd, r1.odd, r2.odd, r3.odd, r4.odd)));
    if (edge) sum -= mirror_ends(left, inside, v);
    sum += sum_of_magnitudes(v);
    r0 = r1;
    r1 = r2;
    r2 = r3;
    r3 = r4;
  }
  return sum;
}

void main() {
  const int first_row = int(gl_WorkGroupID.x * kMotionStripRows);
  const int rows = min(int(kMotionStripRows), int(push.height) - first_row);
  // A row has at most 4096 columns and a lane sums at most 4096 samples, so a sum has 29 bits.
  uint sum = 0u;
  for (uint column = gl_LocalInvocationIndex; column * kMotionColumn < push.width;
       column += kInvocations) {
    sum += sum_of_column(column, first_row, rows);
  }
  const uvec2 total = workgroup_sum64(uvec2(sum, 0u));
  if (gl_LocalInvocationIndex == 0u) strips[gl_WorkGroupID.x] = total;
}
