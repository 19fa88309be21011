// Filters four lines of an edge of 8-bit samples. Loads four samples per word from the planes, unpacks them
// into halves of words, and packs and stores the results.

const uint kWordsOfFourColumns = 1u;

#include "rows_in_halves.glsl"

// Loads two consecutive words of each of two rows and unpacks their samples; store_pair() packs and stores
// them.
void load_pair(uint at, uint next, int k, inout uint s[16]) {
  const uvec2 a = plane_pairs[at];
  const uvec2 b = plane_pairs[next];
  columns_of(a.x, b.x, s[k], s[k + 1], s[k + 2], s[k + 3]);
  columns_of(a.y, b.y, s[k + 4], s[k + 5], s[k + 6], s[k + 7]);
}
void store_pair(uint at, uint next, int k, uint s[16]) {
  uvec2 a, b;
  rows_of(s[k], s[k + 1], s[k + 2], s[k + 3], a.x, b.x);
  rows_of(s[k + 4], s[k + 5], s[k + 6], s[k + 7], a.y, b.y);
  plane_pairs[at] = a;
  plane_pairs[next] = b;
}

// Filters across a vertical boundary: a line is a row. `at` is the index of the word that holds q0 of the
// first of four lines. For edges 16 wide it must be even, and a request takes two words.
void filter_rows(uint at, uint stride, int width, Limits limits) {
  [[unroll]] for (int pair = 0; pair < 2; ++pair) {
    const uint next = at + stride;
    uint s[16];
    if (width == 16) {
      load_pair((at >> 1) - 1u, (next >> 1) - 1u, 0, s);
      load_pair(at >> 1, next >> 1, kQ0, s);
    } else {
      columns_of(planes[at - 1u], planes[next - 1u], s[4], s[5], s[6], s[7]);
      columns_of(planes[at], planes[next], s[8], s[9], s[10], s[11]);
    }
    uint to[16] = s;
    filter_lines(s, width, limits, 0, to);
    if (width == 16) {
      store_pair((at >> 1) - 1u, (next >> 1) - 1u, 0, to);
      store_pair(at >> 1, next >> 1, kQ0, to);
    } else {
      uint a, b;
      rows_of(to[4], to[5], to[6], to[7], a, b);
      planes[at - 1u] = a;
      planes[next - 1u] = b;
      rows_of(to[8], to[9], to[10], to[11], a, b);
      planes[at] = a;
      planes[next] = b;
    }
    at = next + stride;
  }
}

// Filters across a horizontal boundary: a line is a column, and a word of the planes has four columns.
void filter_columns(uint at, uint stride, int width, uint packed_limits) {
  const int reads = width == 16 ? 8 : 4;
  const int writes = width == 16 ? 7 : width == 8 ? 3 : 2;
  uint rows[16];
  uint row = at - uint(reads) * stride;
  [[unroll]] for (int k = kQ0 - reads; k < kQ0 + reads; ++k, row += stride) rows[k] = planes[row];
  // The expression added below is always 0, but the compiler does not know that; it makes the limits wait
  // for the samples.
  [[unroll]] for (int shift = 0; shift < 16; shift += 8) {
    uint s[16];
    [[unroll]] for (int k = kQ0 - reads; k < kQ0 + reads; ++k) s[k] = (rows[k] >> shift) & kSamples;
    // The limits are unpacked again, because keeping them through the first two lines would spill three
    // words.
    const Limits limits =
        unpack_limits(shift == 0 ? packed_limits : packed_limits + (rows[kQ0] & (stride >> 31)));
    filter_lines(s, width, limits, shift, rows);
  }
  row = at - uint(writes) * stride;
  // The added term is 0, so that these addresses wait for the samples. The V3D compiler would otherwise
  // compute the addresses first.
  if (width == 16) row += rows[kQ0] & (stride >> 31);
  [[unroll]] for (int k = kQ0 - writes; k < kQ0 + writes; ++k, row += stride) planes[row] = rows[k];
}
