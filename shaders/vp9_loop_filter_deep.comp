// vp9_loop_filter.comp for samples of 10 and 12 bits, two a word: across a horizontal boundary words of
// the picture already are what the filter works on.
#version 450
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require

#include "vp9_loop_filter.interface.h"
#define DEEP_SAMPLES
#include "vp9_loop_filter_halves.glsl"

layout(local_size_x = 64) in;
layout(constant_id = kKindsConstant) const uint kKinds = kAllKinds;

layout(set = 0, binding = 0, std430) buffer Planes { uint planes[]; };
layout(set = 0, binding = 1, std430) readonly buffer Edges { uvec2 edges[]; };
layout(set = 0, binding = 2, std430) readonly buffer Steps { uvec2 steps[]; };
layout(push_constant, std430) uniform Push { LoopFilterStepPush push; };

// Two samples of two rows, a word each, to two positions of two lines; and back.
void transpose(uint a, uint b, out uint s0, out uint s1) {
  s0 = (a & 0xffffu) | (b << 16);
  s1 = (a >> 16) | (b & 0xffff0000u);
}

// Across a vertical boundary: a line is a row. `at` is the word of q0 of the first of four lines.
void filter_rows(uint at, uint stride, int width, Limits limits) {
  const int reads = width == 16 ? 4 : 2;
  const int writes = width == 16 ? 4 : width == 8 ? 2 : 1;
  [[unroll]] for (int pair = 0; pair < 2; ++pair) {
    const uint next = at + stride;
    uint s[16];
    [[unroll]] for (int word = -reads; word < reads; ++word) {
      const int k = kQ0 + 2 * word;
      transpose(planes[at + uint(word)], planes[next + uint(word)], s[k], s[k + 1]);
    }
    filter_lines(s, width, limits);
    [[unroll]] for (int word = -writes; word < writes; ++word) {
      const int k = kQ0 + 2 * word;
      uint a, b;
      transpose(s[k], s[k + 1], a, b);
      planes[at + uint(word)] = a;
      planes[next + uint(word)] = b;
    }
    at = next + stride;
  }
}

// Across a horizontal boundary: a line is a column, and a word of the picture has two.
void filter_columns(uint at, uint stride, int width, Limits limits) {
  const int reads = width == 16 ? 8 : 4;
  const int writes = width == 16 ? 7 : width == 8 ? 3 : 2;
  [[unroll]] for (int pair = 0; pair < 2; ++pair, ++at) {
    uint s[16];
    uint row = at - uint(reads) * stride;
    [[unroll]] for (int k = kQ0 - reads; k < kQ0 + reads; ++k, row += stride) s[k] = planes[row];
    filter_lines(s, width, limits);
    row = at - uint(writes) * stride;
    // Zero, which the compiler does not know: these addresses wait for the samples. v3dv's would else
    // compute all of them first, and spill them.
    if (width == 16) row += s[kQ0] & (stride >> 31);
    [[unroll]] for (int k = kQ0 - writes; k < kQ0 + writes; ++k, row += stride) planes[row] = s[k];
  }
}

bool is_kind(uint kind, uint which) {
  return (kKinds & (1u << which)) != 0u && kind == which;
}

void main() {
  const uvec2 range = steps[push.step] << kInvocationsPerEdgeLog2;
  // The same number for all, as in vp9_loop_filter.comp.
  const uint rounds = (range.y - range.x + kLanes - 1u) >> kLanesLog2;
  uint index = range.x + gl_GlobalInvocationID.x;
  for (uint left = rounds; left != 0u; --left, index += kLanes) {
    const uvec2 edge = edges[min(index, range.y - 1u) >> kInvocationsPerEdgeLog2];
    const uint kind = index < range.y ? (edge.y >> kKindShift) & 7u : kNoKind;
    const uint stride = (edge.y >> kStrideShift) != 0u ? push.strides[1] : push.strides[0];
    const Limits limits = unpack_limits(edge.y);
    const uint half_edge = index & 1u;
    const uint rows_at = edge.x + 4u * half_edge * stride;
    const uint columns_at = edge.x + 2u * half_edge;
    if (is_kind(kind, 0u)) filter_rows(rows_at, stride, 4, limits);
    if (is_kind(kind, 1u)) filter_rows(rows_at, stride, 8, limits);
    if (is_kind(kind, 2u)) filter_rows(rows_at, stride, 16, limits);
    if (is_kind(kind, 4u)) filter_columns(columns_at, stride, 4, limits);
    if (is_kind(kind, 5u)) filter_columns(columns_at, stride, 8, limits);
    if (is_kind(kind, 6u)) filter_columns(columns_at, stride, 16, limits);
  }
}
