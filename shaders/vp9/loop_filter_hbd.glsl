// Filters four lines of an edge of samples of 10 and 12 bits. A word of the planes has two samples. Across
// a horizontal boundary that word already has the form that filter_lines() takes.

const uint kWordsOfFourColumns = 2u;

// Transposes two samples of two rows, which are one word each, into two positions of two lines. The same
// operation reverses this.
void transpose(uint a, uint b, out uint s0, out uint s1) {
  s0 = (a & 0xffffu) | (b << 16);
  s1 = (a >> 16) | (b & 0xffff0000u);
}

// Separates code by a branch that is never taken, because the V3D compiler moves no code across it.
void keep_apart() {
  if (push.strides[0] == 0xffffffffu) planes[0] = 0u;
}

// Filters across a vertical boundary: a line is a row. `at` is the index of the word that holds q0 of the
// first of four lines. It must be even, because a request takes two words.
void filter_rows(uint at, uint stride, int width, Limits limits) {
  const int reads = width == 16 ? 2 : 1;
  at >>= 1;
  stride >>= 1;
  [[unroll]] for (int pair = 0; pair < 2; ++pair) {
    if (pair == 1 && width == 16) keep_apart();
    const uint next = at + stride;
    uint s[16];
    [[unroll]] for (int two = -reads; two < reads; ++two) {
      const int k = kQ0 + 4 * two;
      const uvec2 a = plane_pairs[at + uint(two)];
      const uvec2 b = plane_pairs[next + uint(two)];
      transpose(a.x, b.x, s[k], s[k + 1]);
      transpose(a.y, b.y, s[k + 2], s[k + 3]);
    }
    uint to[16] = s;
    filter_lines(s, width, limits, 0, to);
    [[unroll]] for (int two = -reads; two < reads; ++two) {
      const int k = kQ0 + 4 * two;
      uvec2 a, b;
      transpose(to[k], to[k + 1], a.x, b.x);
      transpose(to[k + 2], to[k + 3], a.y, b.y);
      plane_pairs[at + uint(two)] = a;
      plane_pairs[next + uint(two)] = b;
    }
    at = next + stride;
  }
}

// Filters across a horizontal boundary: a line is a column, and a word of the planes has two columns. Edges
// 4 wide take two words per request. If edges 8 wide did too, the registers would not suffice for all kinds
// together.
void filter_columns(uint at, uint stride, int width, uint packed_limits) {
  const Limits limits = unpack_limits(packed_limits);
  const int reads = width == 16 ? 8 : 4;
  const int writes = width == 16 ? 7 : width == 8 ? 3 : 2;
  if (width == 4) {
    at >>= 1;
    stride >>= 1;
    uvec2 rows[16];
    uint row = at - uint(reads) * stride;
    [[unroll]] for (int k = kQ0 - reads; k < kQ0 + reads; ++k, row += stride) rows[k] = plane_pairs[row];
    [[unroll]] for (int pair = 0; pair < 2; ++pair) {
      uint s[16];
      [[unroll]] for (int k = kQ0 - reads; k < kQ0 + reads; ++k) s[k] = rows[k][pair];
      uint to[16] = s;
      filter_lines(s, width, limits, 0, to);
      [[unroll]] for (int k = kQ0 - writes; k < kQ0 + writes; ++k) rows[k][pair] = to[k];
    }
    row = at - uint(writes) * stride;
    [[unroll]] for (int k = kQ0 - writes; k < kQ0 + writes; ++k, row += stride) plane_pairs[row] = rows[k];
    return;
  }
  [[unroll]] for (int pair = 0; pair < 2; ++pair, ++at) {
    uint s[16];
    uint row = at - uint(reads) * stride;
    [[unroll]] for (int k = kQ0 - reads; k < kQ0 + reads; ++k, row += stride) s[k] = planes[row];
    uint to[16] = s;
    filter_lines(s, width, limits, 0, to);
    row = at - uint(writes) * stride;
    // The added term is always 0, but the compiler does not know that, so these addresses wait for the
    // samples. The V3D compiler would otherwise compute all of them first and spill them.
    if (width == 16) row += to[kQ0] & (stride >> 31);
    [[unroll]] for (int k = kQ0 - writes; k < kQ0 + writes; ++k, row += stride) planes[row] = to[k];
  }
}
