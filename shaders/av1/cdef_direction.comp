// Finds the direction of each block that CDEF filters, like find_cdef_direction() in bench/av1/cdef.cpp, and
// derives from it how the block is filtered. Sums of lines are two per word and use the samples themselves:
// the specification subtracts 128 first, which takes the same from the cost of every direction.
#version 450
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require

#include "av1/cdef.interface.h"

layout(local_size_x = kCdefDirectionLanes) in;

#if HBD
layout(set = 0, binding = 0, std430) readonly buffer Luma { uvec4 luma[]; };
const uint kRowWordsLog2 = 2u;  // log2 of the number of words in 8 samples
const uint kExtraBits = 2u;
#else
layout(set = 0, binding = 0, std430) readonly buffer Luma { uvec2 luma[]; };
const uint kRowWordsLog2 = 1u;
const uint kExtraBits = 0u;
#endif
layout(set = 0, binding = 1, std430) readonly buffer FilterBlocks { uvec4 filter_blocks[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Blocks { uvec2 blocks[]; };
layout(push_constant, std430) uniform Push { CdefDirectionPush push; };

const uint kBytes = 0x00ff00ffu;

// Eight samples of 8 bits, two per word: 0 and 2, 1 and 3, 4 and 6, 5 and 7.
struct Row {
  uint s02, s13, s46, s57;
};

Row load_row(uint at) {
#if HBD
  const uvec4 w = luma[at];
  return Row((((w.x & 0xffffu) | (w.y << 16)) >> 2) & kBytes, (((w.x >> 16) | (w.y & 0xffff0000u)) >> 2) & kBytes,
             (((w.z & 0xffffu) | (w.w << 16)) >> 2) & kBytes, (((w.z >> 16) | (w.w & 0xffff0000u)) >> 2) & kBytes);
#else
  const uvec2 w = luma[at];
  return Row(w.x & kBytes, (w.x >> 8) & kBytes, w.y & kBytes, (w.y >> 8) & kBytes);
#endif
}

uint square(uint line) { return line * line; }

// Sum of line k from sums of pairs: the low halves are lines k, the high halves lines k + distance.
#define LINE(pairs, count, distance, k) \
  ((k < count ? pairs[min(k, count - 1)] & 0xffffu : 0u) + \
   (k >= distance ? pairs[clamp(k - distance, 0, count - 1)] >> 16 : 0u))

// 840 divided by the number of samples of a line.
const uint kDiagonalWeights[15] =
    uint[15](840u, 420u, 280u, 210u, 168u, 140u, 120u, 105u, 120u, 140u, 168u, 210u, 280u, 420u, 840u);
const uint kSteepWeights[11] = uint[11](420u, 210u, 140u, 105u, 105u, 105u, 105u, 105u, 140u, 210u, 420u);

#define DIAGONAL(pairs, k) (kDiagonalWeights[k] * square(LINE(pairs, 13, 2, k)))
#define STEEP(pairs, count, distance, k) (kSteepWeights[k] * square(LINE(pairs, count, distance, k)))

// The functions below return costs: the sums of the lines' squares times their weights. Each goes through the
// rows once, adds a line's square as soon as the line is complete, and loads the rows again, because
// registers hold neither the block nor all lines.

// Lines at 45 degrees. Each row begins one line after the one above it; for lines downwards, `at` is the last
// row and `step` negative.
uint diagonals(uint at, uint step) {
  uint pairs[13] = uint[13](0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
  uint cost = 0u;
  [[unroll]] for (int i = 0; i < 8; ++i, at += step) {
    const Row row = load_row(at);
    pairs[i] += row.s02;
    pairs[i + 1] += row.s13;
    pairs[i + 4] += row.s46;
    pairs[i + 5] += row.s57;
    cost += DIAGONAL(pairs, i);
  }
  [[unroll]] for (int k = 8; k < 15; ++k) cost += DIAGONAL(pairs, k);
  return cost;
}

// Lines near the horizontal: every second sample begins a line. Sums of two samples are lines 0 and 1, then 2
// and 3, of a row. The cost of lines upwards is in x, that of lines downwards in y, that of rows in z.
uvec3 rows_and_neighbours(uint at, uint stride) {
  uint up[10] = uint[10](0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
  uint down[10] = up;
  uvec3 cost = uvec3(0u);
  [[unroll]] for (int i = 0; i < 8; ++i, at += stride) {
    const Row row = load_row(at);
    const uint q01 = row.s02 + row.s13;
    const uint q23 = row.s46 + row.s57;
    up[i] += q01;
    up[i + 2] += q23;
    down[7 - i] += q01;
    down[9 - i] += q23;
    const uint both = q01 + q23;
    cost += uvec3(STEEP(up, 10, 1, i), STEEP(down, 10, 1, (10 - i)), square((both & 0xffffu) + (both >> 16)));
  }
  [[unroll]] for (int k = 8; k < 11; ++k) {
    cost.x += STEEP(up, 10, 1, k);
    cost.y += STEEP(down, 10, 1, (10 - k));
  }
  return uvec3(cost.xy, 105u * cost.z);
}

// Lines near the vertical: every second row begins a line. For lines to the left, `at` is the last row and
// `step` negative. The cost of the columns is in y.
uvec2 columns_and_neighbours(uint at, uint step) {
  uint pairs[9] = uint[9](0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u, 0u);
  Row all = Row(0u, 0u, 0u, 0u);
  uint cost = 0u;
  [[unroll]] for (int i = 0; i < 4; ++i, at += 2u * step) {
    const Row a = load_row(at);
    const Row b = load_row(at + step);
    const Row sum = Row(a.s02 + b.s02, a.s13 + b.s13, a.s46 + b.s46, a.s57 + b.s57);
    pairs[i] += sum.s02;
    pairs[i + 1] += sum.s13;
    pairs[i + 4] += sum.s46;
    pairs[i + 5] += sum.s57;
    all = Row(all.s02 + sum.s02, all.s13 + sum.s13, all.s46 + sum.s46, all.s57 + sum.s57);
    cost += STEEP(pairs, 9, 2, i);
  }
  [[unroll]] for (int k = 4; k < 11; ++k) cost += STEEP(pairs, 9, 2, k);
  const uint upright = square(all.s02 & 0xffffu) + square(all.s02 >> 16) + square(all.s13 & 0xffffu) +
                       square(all.s13 >> 16) + square(all.s46 & 0xffffu) + square(all.s46 >> 16) +
                       square(all.s57 & 0xffffu) + square(all.s57 >> 16);
  return uvec2(cost, 105u * upright);
}

// Returns `at`. The added expression is always 0, but the compiler does not know that; it makes the address
// wait for a cost, so that rows are not kept from one function to the next.
uint after(uint cost, uint at) { return at + (cost & (push.luma_stride >> 31)); }

// Returns the direction in x and the variance in y.
uvec2 find_direction(uint at, uint stride) {
  const uint last = at + 7u * stride;
  const uint cost_0 = diagonals(at, stride);
  const uint cost_4 = diagonals(after(cost_0, last), -stride);
  const uvec3 cost_132 = rows_and_neighbours(after(cost_4, at), stride);
  const uvec2 cost_76 = columns_and_neighbours(after(cost_132.x, at), stride);
  const uint cost_5 = columns_and_neighbours(after(cost_76.x, last), -stride).x;
  uvec3 best = uvec3(cost_0, cost_4, 0u);  // cost, that of the opposite direction, direction
  if (cost_132.x > best.x) best = uvec3(cost_132.x, cost_5, 1u);
  if (cost_132.z > best.x) best = uvec3(cost_132.z, cost_76.y, 2u);
  if (cost_132.y > best.x) best = uvec3(cost_132.y, cost_76.x, 3u);
  if (cost_4 > best.x) best = uvec3(cost_4, cost_0, 4u);
  if (cost_5 > best.x) best = uvec3(cost_5, cost_132.x, 5u);
  if (cost_76.y > best.x) best = uvec3(cost_76.y, cost_132.z, 6u);
  if (cost_76.x > best.x) best = uvec3(cost_76.x, cost_132.y, 7u);
  return uvec2(best.z, (best.x - best.y) >> 10);
}

uint shift_of(uint strength, uint damping) {
  return strength == 0u ? 0u : uint(max(int(damping) - findMSB(int(strength)), 0));
}

uint packed(uint primary, uint secondary, uint damping, uint direction) {
  if ((primary | secondary) == 0u) return 0u;
  return (primary << kCdefPrimary) | (secondary << kCdefSecondary) |
         (shift_of(primary, damping) << kCdefPrimaryShift) |
         (shift_of(secondary, damping) << kCdefSecondaryShift) | (direction << kCdefTurn);
}

uvec2 filter_of(uint strengths, uvec2 found) {
  const uint luma_primary = ((strengths >> kCdefLumaPrimary) & 15u) << kExtraBits;
  const uint luma_secondary = ((strengths >> kCdefLumaSecondary) & 7u) << kExtraBits;
  const uint chroma_primary = ((strengths >> kCdefChromaPrimary) & 15u) << kExtraBits;
  const uint chroma_secondary = ((strengths >> kCdefChromaSecondary) & 7u) << kExtraBits;
  const uint damping = push.damping + kExtraBits;
  const uint variance = found.y;
  const uint pronounced = uint(clamp(findMSB(int(variance)) - 6, 0, 12));
  const uint adjusted = variance != 0u ? (luma_primary * (4u + pronounced) + 8u) >> 4 : 0u;
  return uvec2(packed(adjusted, luma_secondary, damping, luma_primary != 0u ? found.x : 0u),
               packed(chroma_primary, chroma_secondary, damping - 1u, chroma_primary != 0u ? found.x : 0u));
}

void main() {
  const uint lane = gl_LocalInvocationIndex % kCdefFilterBlockLanes;
  const uint filter_column =
      gl_WorkGroupID.x * (kCdefDirectionLanes / kCdefFilterBlockLanes) + gl_LocalInvocationIndex / kCdefFilterBlockLanes;
  if (filter_column >= push.filter_columns) return;
  const uvec4 filter_block = filter_blocks[gl_WorkGroupID.y * push.filter_columns + filter_column];
  const uint column = filter_column * kCdefFilterBlockSide + (lane & 7u);
  const uint row = gl_WorkGroupID.y * kCdefFilterBlockSide + (lane >> 3);
  const uint mask = lane < 32u ? filter_block.y : filter_block.z;
  uvec2 result = uvec2(0u);
  if (((mask >> (lane & 31u)) & 1u) != 0u) {
    uvec2 found = uvec2(0u);
    if ((filter_block.x & ((15u << kCdefLumaPrimary) | (15u << kCdefChromaPrimary))) != 0u) {
      const uint stride = push.luma_stride >> kRowWordsLog2;
      found = find_direction(8u * row * stride + column, stride);
    }
    result = filter_of(filter_block.x, found);
  }
  blocks[row * push.filter_columns * kCdefFilterBlockSide + column] = result;
}
