// Deblocking of a whole H.264 picture (ITU-T H.264, section 8.7) in one dispatch of one workgroup.
//
// The specification's order is serial by macroblock. These are all dependencies between macroblocks: the
// vertical edges of (x, y) come after the horizontal ones of (x - 1, y); its horizontal edges come after its
// own vertical ones, after the vertical ones of (x + 1, y - 1), and after the horizontal ones of (x, y - 1).
// So all macroblocks with equal x + y can be filtered at once: first their vertical edges, then their
// horizontal ones. The workgroup takes these diagonals in turn, and waits only for its own invocations.
//
// An invocation filters a strip of a macroblock: four rows or columns of luma, or of a chroma plane, through
// all edges of one direction, edge by edge. Four invocations serve luma, and four serve chroma.
#version 450

#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require

#include "h264/deblocking.interface.h"

layout(local_size_x = kDeblockingLanes) in;

layout(set = 0, binding = 0, std430) coherent buffer Words { uint words[]; };
layout(set = 0, binding = 1, std430) readonly buffer Macroblocks { uvec4 macroblocks[]; };
layout(push_constant, std430) uniform Push { DeblockingPush push; };

#include "h264/deblocking_lines.glsl"

// Loads four lines across an edge; `at` is the word of the first line's q0. lines[0..7] = p3 p2 p1 p0 q0 q1 q2
// q3 of four lines, one in each byte.
void load_lines(uint at, uint stride, bool horizontal, out uint lines[8]) {
  if (horizontal) {
    at -= 4u * stride;
    [[unroll]] for (int i = 0; i < 8; ++i, at += stride) lines[i] = words[at];
    return;
  }
  uint rows[8];
  [[unroll]] for (int i = 0; i < 4; ++i, at += stride) {
    rows[i] = words[at - 1u];
    rows[i + 4] = words[at];
  }
  [[unroll]] for (int side = 0; side < 8; side += 4) {
    uint odd[4];
    columns_of(rows[side], rows[side + 2], lines[side], lines[side + 1], lines[side + 2], lines[side + 3]);
    columns_of(rows[side + 1], rows[side + 3], odd[0], odd[1], odd[2], odd[3]);
    [[unroll]] for (int i = 0; i < 4; ++i) lines[side + i] |= odd[i] << 8;
  }
}

// Stores what the filter may have changed of four lines: p2 to q2 of a horizontal edge, or else all samples.
void store_lines(uint at, uint stride, bool horizontal, uint lines[8]) {
  if (horizontal) {
    at -= 3u * stride;
    [[unroll]] for (int i = 1; i < 7; ++i, at += stride) words[at] = lines[i];
    return;
  }
  uint rows[8];
  [[unroll]] for (int side = 0; side < 8; side += 4) {
    rows_of(lines[side] & kSamples, lines[side + 1] & kSamples, lines[side + 2] & kSamples, lines[side + 3] & kSamples,
            rows[side], rows[side + 2]);
    rows_of((lines[side] >> 8) & kSamples, (lines[side + 1] >> 8) & kSamples, (lines[side + 2] >> 8) & kSamples,
            (lines[side + 3] >> 8) & kSamples, rows[side + 1], rows[side + 3]);
  }
  [[unroll]] for (int i = 0; i < 4; ++i, at += stride) {
    words[at - 1u] = rows[i];
    words[at] = rows[i + 4];
  }
}

// Filters four lines across an edge, two at a time: lines 0 and 2, then 1 and 3. `strength` has the bS of
// lines 0 and 1, and of lines 2 and 3; both or none are 4. `luma` is as filter_normally() takes it.
void filter_edge(uint at, uint stride, bool horizontal, uvec2 strength, uint packed, uint luma) {
  const Thresholds thresholds = unpack_thresholds(packed);
  const uint tc0 = tc0_of(packed, strength.x) | (tc0_of(packed, strength.y) << 16);
  const uint not_0 = (strength.x == 0u ? 0u : 0xffffu) | (strength.y == 0u ? 0u : 0xffff0000u);
  uint lines[8];
  load_lines(at, stride, horizontal, lines);
  [[dont_unroll]] for (uint shift = 0u; shift < 16u; shift += 8u) {
    uint s[8];
    [[unroll]] for (int i = 0; i < 8; ++i) s[i] = (lines[i] >> shift) & kSamples;
    if (strength.x == 4u) {
      filter_strongly(s, thresholds, luma);
    } else {
      filter_normally(s, thresholds, tc0, not_0, luma);
    }
    [[unroll]] for (int i = 1; i < 7; ++i) lines[i] = (lines[i] & ~(kSamples << shift)) | (s[i] << shift);
  }
  store_lines(at, stride, horizontal, lines);
}

// Returns the strengths of a segment, 4 bits for each edge.
uint segment_of(uvec2 strengths, uint segment) {
  const uvec2 edges = (strengths >> (8u * segment)) & 0xffu;
  return edges.x | (edges.y << 8);
}

// Filters a strip of a macroblock through all edges of one direction. Strips 0 to 3 are luma's, 4 and 5 the
// halves of Cb, and 6 and 7 those of Cr. Every strip takes the same number of steps, because the V3D compiler
// makes all moves conditional in a loop that lanes can leave one by one.
void filter_strip(uint macroblock, uvec2 place, uint strip, bool horizontal) {
  const uint record = macroblock * (kMacroblockWords / 4u);
  const uvec4 all = macroblocks[record];
  const uvec2 strengths = horizontal ? all.zw : all.xy;
  const uint plane = strip < 4u ? 0u : (strip >> 1) - 1u;
  const uint part = plane == 0u ? strip : strip & 1u;
  const uint stride = plane == 0u ? push.strides[0] : push.strides[1];
  const uint words_per_macroblock = plane == 0u ? 4u : 2u;
  uint at = plane == 0u ? push.offsets[0] : plane == 1u ? push.offsets[1] : push.offsets[2];
  at += words_per_macroblock * (4u * place.y * stride + place.x) + part * (horizontal ? 1u : 4u * stride);
  // A half of a chroma plane has two segments, and only edges 0 and 2.
  uvec2 left = plane == 0u ? uvec2(segment_of(strengths, part))
                           : uvec2(segment_of(strengths, 2u * part), segment_of(strengths, 2u * part + 1u));
  if (plane != 0u) left = (left & 15u) | ((left >> 4) & 0xf0u);
  [[dont_unroll]] for (uint edge = 0u; edge < 4u; ++edge) {
    const uvec2 strength = left & 15u;
    if ((strength.x | strength.y) != 0u) {
      const uvec4 packed = macroblocks[record + 1u + plane];
      filter_edge(at, stride, horizontal, strength, edge != 0u ? packed.z : horizontal ? packed.y : packed.x,
                  plane == 0u ? 0xffffffffu : 0u);
    }
    left >>= 4;
    at += horizontal ? 4u * stride : 1u;
  }
}

// Filters all edges of one direction of the macroblocks of a diagonal. The strips of luma come first; those
// of chroma begin at a multiple of 16, so that the 16 lanes of a V3D have either.
void filter_diagonal(uint diagonal, bool horizontal) {
  const uint first_row = diagonal < push.columns ? 0u : diagonal - push.columns + 1u;
  const uint strips = 4u * (min(diagonal, push.rows - 1u) - first_row + 1u);
  const uint chroma = (strips + 15u) & ~15u;
  for (uint first = 0u; first < chroma + strips; first += kDeblockingLanes) {
    const uint task = first + gl_LocalInvocationID.x;
    const uint strip = task < chroma ? task : task - chroma;
    if (strip < strips) {
      const uint y = first_row + (strip >> 2);
      const uint x = diagonal - y;
      filter_strip(y * push.columns + x, uvec2(x, y), (strip & 3u) + (task < chroma ? 0u : 4u), horizontal);
    }
  }
  memoryBarrierBuffer();
  barrier();
}

void main() {
  const uint diagonals = push.columns + push.rows - 1u;
  [[dont_unroll]] for (uint phase = 0u; phase < 2u * diagonals; ++phase) {
    filter_diagonal(phase >> 1, (phase & 1u) != 0u);
  }
}
