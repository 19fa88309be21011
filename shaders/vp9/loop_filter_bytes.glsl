// Four lines of an edge, samples of 8 bits: from the planes, four samples a word, into halves of words,
// and back.

const uint kWordsOfFourColumns = 1u;

// Four samples of two rows, a word each, to four positions of two lines.
void columns_of(uint a, uint b, out uint s0, out uint s1, out uint s2, out uint s3) {
  const uint a02 = a & kSamples;
  const uint a13 = (a >> 8) & kSamples;
  const uint b02 = b & kSamples;
  const uint b13 = (b >> 8) & kSamples;
  s0 = (a02 & 0xffffu) | (b02 << 16);
  s1 = (a13 & 0xffffu) | (b13 << 16);
  s2 = (a02 >> 16) | (b02 & 0xffff0000u);
  s3 = (a13 >> 16) | (b13 & 0xffff0000u);
}

// And back.
void rows_of(uint s0, uint s1, uint s2, uint s3, out uint a, out uint b) {
  const uint s01 = s0 | (s1 << 8);
  const uint s23 = s2 | (s3 << 8);
  a = (s01 & 0xffffu) | (s23 << 16);
  b = (s01 >> 16) | (s23 & 0xffff0000u);
}

// Across a vertical boundary: a line is a row. `at` is the word of q0 of the first of four lines.
void filter_rows(uint at, uint stride, int width, Limits limits) {
  const int words = width == 16 ? 2 : 1;
  [[unroll]] for (int pair = 0; pair < 2; ++pair) {
    const uint next = at + stride;
    uint s[16];
    [[unroll]] for (int word = -words; word < words; ++word) {
      const int k = kQ0 + 4 * word;
      columns_of(planes[at + uint(word)], planes[next + uint(word)], s[k], s[k + 1], s[k + 2], s[k + 3]);
    }
    filter_lines(s, width, limits);
    [[unroll]] for (int word = -words; word < words; ++word) {
      const int k = kQ0 + 4 * word;
      uint a, b;
      rows_of(s[k], s[k + 1], s[k + 2], s[k + 3], a, b);
      planes[at + uint(word)] = a;
      planes[next + uint(word)] = b;
    }
    at = next + stride;
  }
}

// Across a horizontal boundary: a line is a column, and a word of the picture has four.
void filter_columns(uint at, uint stride, int width, Limits limits) {
  const int reads = width == 16 ? 8 : 4;
  const int writes = width == 16 ? 7 : width == 8 ? 3 : 2;
  uint rows[16];
  uint row = at - uint(reads) * stride;
  [[unroll]] for (int k = kQ0 - reads; k < kQ0 + reads; ++k, row += stride) rows[k] = planes[row];
  [[unroll]] for (int shift = 0; shift < 16; shift += 8) {
    uint s[16];
    [[unroll]] for (int k = kQ0 - reads; k < kQ0 + reads; ++k) s[k] = (rows[k] >> shift) & kSamples;
    filter_lines(s, width, limits);
    const uint others = ~(kSamples << shift);
    [[unroll]] for (int k = kQ0 - writes; k < kQ0 + writes; ++k) {
      rows[k] = (rows[k] & others) | (s[k] << shift);
    }
  }
  row = at - uint(writes) * stride;
  // Zero, which the compiler does not know: these addresses wait for the samples. v3dv's would else
  // compute all of them first, and spill them.
  if (width == 16) row += rows[kQ0] & (stride >> 31);
  [[unroll]] for (int k = kQ0 - writes; k < kQ0 + writes; ++k, row += stride) planes[row] = rows[k];
}
