// Filters half an edge of any kind: four lines, two at a time. The including shader declares `planes` and
// `plane_pairs` (the same words, one by one and two by two) and kKinds, the kinds of edges in the dispatch.
// Shaders for samples of more than 8 bits also define HIGH_BIT_DEPTH.

#include "vp9/loop_filter_halves.glsl"
#ifdef HIGH_BIT_DEPTH
#include "vp9/loop_filter_hbd.glsl"
#else
#include "vp9/loop_filter_bytes.glsl"
#endif

bool is_kind(uint kind, uint which) {
  return (kKinds & (1u << which)) != 0u && kind == which;
}

// Filters lines 0 to 3 of the edge; lines 4 to 7 if `half_edge` is 1. Does nothing for kNoKind.
void filter_half_edge(uvec2 edge, uint kind, uint half_edge, uint stride) {
  const Limits limits = unpack_limits(edge.y);
  const uint rows_at = edge.x + 4u * half_edge * stride;
  const uint columns_at = edge.x + kWordsOfFourColumns * half_edge;
  if (is_kind(kind, 0u)) filter_rows(rows_at, stride, 4, limits);
  if (is_kind(kind, 1u)) filter_rows(rows_at, stride, 8, limits);
  if (is_kind(kind, 2u)) filter_rows(rows_at, stride, 16, limits);
  if (is_kind(kind, 4u)) filter_columns(columns_at, stride, 4, edge.y);
  if (is_kind(kind, 5u)) filter_columns(columns_at, stride, 8, edge.y);
  if (is_kind(kind, 6u)) filter_columns(columns_at, stride, 16, edge.y);
}
