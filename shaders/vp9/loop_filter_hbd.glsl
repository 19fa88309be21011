// Four lines of an edge, samples of 10 and 12 bits: a word of the planes has two. Across a horizontal
// boundary it already is what the filter works on.

const uint kWordsOfFourColumns = 2u;

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
    uint to[16] = s;
    filter_lines(s, width, limits, 0, to);
    [[unroll]] for (int word = -writes; word < writes; ++word) {
      const int k = kQ0 + 2 * word;
      uint a, b;
      transpose(to[k], to[k + 1], a, b);
      planes[at + uint(word)] = a;
      planes[next + uint(word)] = b;
    }
    at = next + stride;
  }
}

// Across a horizontal boundary: a line is a column, and a word of the picture has two.
void filter_columns(uint at, uint stride, int width, uint packed_limits) {
  const Limits limits = unpack_limits(packed_limits);
  const int reads = width == 16 ? 8 : 4;
  const int writes = width == 16 ? 7 : width == 8 ? 3 : 2;
  [[unroll]] for (int pair = 0; pair < 2; ++pair, ++at) {
    uint s[16];
    uint row = at - uint(reads) * stride;
    [[unroll]] for (int k = kQ0 - reads; k < kQ0 + reads; ++k, row += stride) s[k] = planes[row];
    uint to[16] = s;
    filter_lines(s, width, limits, 0, to);
    row = at - uint(writes) * stride;
    // Zero, which the compiler does not know: these addresses wait for the samples. v3dv's would else
    // compute all of them first, and spill them.
    if (width == 16) row += to[kQ0] & (stride >> 31);
    [[unroll]] for (int k = kQ0 - writes; k < kQ0 + writes; ++k, row += stride) planes[row] = to[k];
  }
}
